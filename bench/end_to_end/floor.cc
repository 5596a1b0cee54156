// SPDX-License-Identifier: BSD-3-Clause
// The least time a task can take: decompressing the pages or baskets it needs and compressing the pages it
// writes, nothing else, with the same libraries and threads.
//
//   floor THREADS INPUT COLUMN,COLUMN,... [WRITTEN]
//
// COLUMN is a name or *, which is all. WRITTEN is a skim made by the task: its pages are read beforehand and
// compressed again at zstd 5 within the time. Prints seconds, bytes stored, bytes unpacked and bytes packed.
// Nothing is decoded, checked or written. INPUT is "file:name"; a TTree has its baskets in the file.
#include "skimline/framework/error.h"
#include "skimline/io/compression.h"
#include "skimline/io/input_file.h"
#include "skimline/io/page_encoding.h"
#include "skimline/io/rntuple_source.h"
#include "skimline/io/tree_source.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace {

using skimline::io::RNTupleDescriptor;
using Bytes = std::vector<std::byte>;

struct StoredPage {
  std::uint64_t offset = 0;
  std::size_t stored_size = 0;
  std::size_t raw_size = 0;
};

class InputFile {
 public:
  explicit InputFile(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw skimline::FileError(path, "cannot be opened");
  }
  ~InputFile() { close(descriptor_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  void unpack(const StoredPage& page, Bytes& stored, Bytes& raw) const {
    stored.resize(page.stored_size);
    raw.resize(page.raw_size);
    const ssize_t got = pread(descriptor_, stored.data(), stored.size(), static_cast<off_t>(page.offset));
    if (got != static_cast<ssize_t>(stored.size())) throw skimline::Error("short read");
    skimline::io::decompress_block(stored, raw);
  }

 private:
  int descriptor_;
};

std::set<std::string> split(const std::string& text) {
  std::set<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) words.insert(word);
  return words;
}

const std::string& top_level_name(const RNTupleDescriptor& ntuple, std::uint32_t field) {
  while (!ntuple.is_top_level(field)) field = ntuple.fields[field].parent;
  return ntuple.fields[field].name;
}

// `names` are those of top-level fields; "*" means all.
std::vector<StoredPage> pages_of(const RNTupleDescriptor& ntuple, const std::set<std::string>& names) {
  std::vector<StoredPage> pages;
  std::set<std::uint64_t> offsets;  // equal pages are stored once
  for (const auto& cluster : ntuple.clusters) {
    for (std::size_t id = 0; id < cluster.columns.size(); ++id) {
      const auto& column = ntuple.columns[id];
      if (!names.contains("*") && !names.contains(top_level_name(ntuple, column.field))) continue;
      const skimline::io::PageEncoding encoding{column.type, column.bits_on_storage, column.value_min,
                                                column.value_max};
      for (const auto& page : cluster.columns[id].pages) {
        if (!offsets.insert(page.locator.offset).second) continue;
        pages.push_back({page.locator.offset, page.locator.size,
                         skimline::io::encoded_size(encoding, page.num_elements)});
      }
    }
  }
  return pages;
}

RNTupleDescriptor describe(const std::string& path) {
  return skimline::io::RNTupleSource({skimline::io::parse_location(path)}).descriptors().front();
}

std::vector<Bytes> unpack_all(const std::string& path) {
  const InputFile file(path);
  std::vector<Bytes> contents;
  Bytes stored;
  for (const StoredPage& page : pages_of(describe(path), {"*"})) {
    file.unpack(page, stored, contents.emplace_back());
  }
  return contents;
}

// Calls work(index, thread's own state) for each index below `count`.
template <typename State, typename Work>
void for_each_parallel(std::size_t count, int threads, Work work) {
  std::atomic<std::size_t> next = 0;
  const auto loop = [&] {
    State state;
    for (std::size_t index = next++; index < count; index = next++) work(index, state);
  };
  std::vector<std::jthread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(loop);
  loop();
}

struct Scratch {
  Bytes stored, raw;
};

template <typename T>
T big_endian(const std::byte* bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value = static_cast<T>(value << 8 | std::to_integer<T>(bytes[i]));
  return value;
}

// The sizes of a basket stand in its key: that of the object at byte 6, of the key itself at byte 14.
StoredPage page_of(const skimline::io::TreeBasket& basket, const skimline::io::InputFile& file) {
  std::array<std::byte, 16> key;
  file.read(basket.offset, key);
  const auto key_size = big_endian<std::uint16_t>(key.data() + 14);
  return {basket.offset + key_size, basket.size - key_size, big_endian<std::uint32_t>(key.data() + 6)};
}

std::vector<StoredPage> baskets_of(const skimline::io::InputLocation& location,
                                   const std::set<std::string>& names) {
  const skimline::io::TreeSource source(location);
  const skimline::io::InputFile file(location.path);
  std::vector<StoredPage> pages;
  for (const auto& branch : source.descriptor().branches)
    if (names.contains("*") || names.contains(branch.path))
      for (const auto& basket : branch.baskets) pages.push_back(page_of(basket, file));
  return pages;
}

std::vector<StoredPage> needed_pages(skimline::io::InputLocation location,
                                     const std::set<std::string>& names) {
  const auto source = skimline::io::open_inputs({location});
  location.name = source->files().front().name;
  const bool is_tree = source->files().front().format == skimline::io::DataFormat::kTTree;
  const auto pages = [&](const std::set<std::string>& some) {
    return is_tree ? baskets_of(location, some)
                   : pages_of(describe(location.path + ":" + location.name), some);
  };
  for (const std::string& name : names)
    if (name != "*" && pages({name}).empty()) throw skimline::SchemaError("no pages of " + name);
  return pages(names);
}

int run(int threads, const std::string& input, const std::string& columns, const std::string& written) {
  const skimline::io::InputLocation location = skimline::io::parse_location(input);
  const std::vector<StoredPage> pages = needed_pages(location, split(columns));
  const std::vector<Bytes> output = written.empty() ? std::vector<Bytes>{} : unpack_all(written);
  const InputFile file(location.path);
  const auto start = std::chrono::steady_clock::now();
  for_each_parallel<Scratch>(pages.size(), threads, [&](std::size_t index, Scratch& scratch) {
    file.unpack(pages[index], scratch.stored, scratch.raw);
  });
  for_each_parallel<Scratch>(output.size(), threads, [&](std::size_t index, Scratch& scratch) {
    scratch.stored.clear();
    skimline::io::compress_block(output[index], {skimline::io::CompressionAlgorithm::kZstd, 5},
                                 scratch.stored);
  });
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::size_t stored = 0, raw = 0, packed = 0;
  for (const StoredPage& page : pages) stored += page.stored_size, raw += page.raw_size;
  for (const Bytes& page : output) packed += page.size();
  std::cout << elapsed.count() << ' ' << stored << ' ' << raw << ' ' << packed << '\n';
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4 && count != 5) {
    std::cerr << "usage: floor THREADS INPUT COLUMN,COLUMN,... [WRITTEN]\n";
    return 2;
  }
  try {
    return run(std::atoi(arguments[1]), arguments[2], arguments[3], count == 5 ? arguments[4] : "");
  } catch (const skimline::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

// SPDX-License-Identifier: BSD-3-Clause
// The least time a task can take: decompressing the pages or baskets it needs and compressing the pages it
// writes, nothing else, with the same libraries and threads.
//
//   floor THREADS INPUT,INPUT,... COLUMN,COLUMN,... [WRITTEN,WRITTEN,... [LEVEL]]
//
// COLUMN is a name or *, which is all. WRITTEN is a skim made by the task: its pages are read beforehand and
// compressed again at zstd LEVEL, 5 unless given, within the time. Prints seconds, bytes stored, bytes
// unpacked and bytes packed. Nothing is decoded, checked or written. INPUT is "file:name"; a TTree has its
// baskets in the file.
#include "skimline/framework/error.h"
#include "skimline/io/compression.h"
#include "skimline/io/input_file.h"
#include "skimline/io/open_inputs.h"
#include "skimline/io/page_encoding.h"
#include "skimline/io/rntuple_source.h"
#include "skimline/io/tree_source.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
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

// The physical columns of top-level fields, those that other fields are projections of too; "*" means all.
std::set<std::size_t> columns_of(const RNTupleDescriptor& ntuple, const std::set<std::string>& names) {
  std::set<std::size_t> columns;
  const auto is_named = [&](std::uint32_t field) {
    return names.contains("*") || names.contains(top_level_name(ntuple, field));
  };
  for (std::size_t id = 0; id < ntuple.columns.size(); ++id)
    if (is_named(ntuple.columns[id].field)) columns.insert(id);
  for (const auto& alias : ntuple.aliases)
    if (is_named(alias.field)) columns.insert(alias.physical_column);
  return columns;
}

std::vector<StoredPage> pages_of(const RNTupleDescriptor& ntuple, const std::set<std::string>& names) {
  const std::set<std::size_t> columns = columns_of(ntuple, names);
  std::vector<StoredPage> pages;
  std::set<std::uint64_t> offsets;  // equal pages are stored once
  for (const auto& cluster : ntuple.clusters) {
    for (const std::size_t id : columns) {
      if (id >= cluster.columns.size()) continue;
      const auto& column = ntuple.columns[id];
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
  const skimline::io::TreeDescriptor& tree = source.descriptor();
  for (std::size_t branch = 0; branch < tree.branches.size(); ++branch)
    if (names.contains("*") || names.contains(tree.branches[branch].path))
      for (const auto& basket : tree.branch_data[branch].baskets) pages.push_back(page_of(basket, file));
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

// The pages that one input needs, and the file with them.
struct Input {
  Input(const std::string& text, const std::set<std::string>& columns)
      : Input(skimline::io::parse_location(text), columns) {}
  Input(const skimline::io::InputLocation& location, const std::set<std::string>& columns)
      : pages(needed_pages(location, columns)), file(location.path) {}

  std::vector<StoredPage> pages;
  InputFile file;
};

struct Needed {
  const StoredPage* page;
  const InputFile* file;
};

struct Task {
  int threads = 1;
  std::string inputs, columns, written;
  int level = 5;
};

std::vector<Needed> all_pages(const std::deque<Input>& inputs) {
  std::vector<Needed> pages;
  for (const Input& input : inputs)
    for (const StoredPage& page : input.pages) pages.push_back({&page, &input.file});
  return pages;
}

std::vector<Bytes> contents_of(const std::set<std::string>& paths) {
  std::vector<Bytes> contents;
  for (const std::string& path : paths)
    for (Bytes& page : unpack_all(path)) contents.push_back(std::move(page));
  return contents;
}

int run(const Task& task) {
  std::deque<Input> inputs;
  for (const std::string& input : split(task.inputs)) inputs.emplace_back(input, split(task.columns));
  const std::vector<Needed> pages = all_pages(inputs);
  const std::vector<Bytes> output = contents_of(split(task.written));
  const auto start = std::chrono::steady_clock::now();
  for_each_parallel<Scratch>(pages.size(), task.threads, [&](std::size_t index, Scratch& scratch) {
    pages[index].file->unpack(*pages[index].page, scratch.stored, scratch.raw);
  });
  for_each_parallel<Scratch>(output.size(), task.threads, [&](std::size_t index, Scratch& scratch) {
    scratch.stored.clear();
    skimline::io::compress_block(output[index], {skimline::io::CompressionAlgorithm::kZstd, task.level},
                                 scratch.stored);
  });
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::size_t stored = 0, raw = 0, packed = 0;
  for (const Needed& needed : pages) stored += needed.page->stored_size, raw += needed.page->raw_size;
  for (const Bytes& page : output) packed += page.size();
  std::cout << elapsed.count() << ' ' << stored << ' ' << raw << ' ' << packed << '\n';
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4 || count > 6) {
    std::cerr << "usage: floor THREADS INPUT,INPUT,... COLUMN,COLUMN,... [WRITTEN,WRITTEN,... [LEVEL]]\n";
    return 2;
  }
  Task task;
  task.threads = std::atoi(arguments[1]);
  task.inputs = arguments[2];
  task.columns = arguments[3];
  if (count > 4) task.written = arguments[4];
  if (count > 5) task.level = std::atoi(arguments[5]);
  try {
    return run(task);
  } catch (const skimline::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

// SPDX-License-Identifier: BSD-3-Clause
// A whole file with checksums made right: everything in it is read, what is read keeps the promises of
// ColumnView, and the file is merged with itself.
#include "checksums.h"
#include "fuzz_target.h"
#include "memory_file.h"

#include "skimline/io/file_merge.h"
#include "skimline/io/ntuple_verification.h"
#include "skimline/io/rntuple_source.h"

#include <algorithm>
#include <span>
#include <string_view>

#include <oneapi/tbb/global_control.h>

using namespace skimline;
using namespace skimline::testing;

namespace {

constexpr std::size_t kMaxSlices = 16;
constexpr std::uint64_t kBatch = 4096;
constexpr std::uint64_t kMaxBatches = 4;

void mend(const MemoryFile& memory, Bytes content) {
  const auto for_each_ntuple = [&](auto step) {
    is_accepted([&] {
      const io::RootFile file(memory.path());
      for (const std::string& name : io::ntuple_names(file)) step(file, *file.find(name));
    });
    memory.write(content);
  };
  ChecksumMender mender(content);
  for_each_ntuple([&](const io::RootFile&, const io::RootKey& key) { mender.mend_metadata(key); });
  for_each_ntuple([&](const io::RootFile& file, const io::RootKey& key) {
    mender.mend_pages(io::read_descriptor(file, key.path));
  });
}

void check_offsets(const std::uint32_t* offsets, std::size_t count) {
  require(offsets[0] == 0, "offsets do not begin with 0");
  require(std::is_sorted(offsets, offsets + count + 1), "offsets decrease");
}

// Reads every character; returns their number.
std::size_t count_characters(std::span<const std::string_view> strings) {
  std::size_t count = 0;
  for (const std::string_view text : strings)
    count += Bytes(std::as_bytes(std::span(text)).begin(), std::as_bytes(std::span(text)).end()).size();
  return count;
}

void check_view(const ColumnView& view, std::uint64_t num_entries) {
  require(view.length == num_entries, "a view of another length");
  if (view.type.depth > 0) check_offsets(view.offsets, num_entries);
  for (int level = 1; level < view.type.depth; ++level)
    check_offsets(view.offsets_at(level), view.num_elements(level));
  if (view.type.scalar == ScalarType::kString) {
    const std::span strings(view.data<std::string_view>(), view.num_values());
    require(count_characters(strings) <= 0x7fffffff, "more characters than a batch may have");
    return;
  }
  const std::size_t size = view.num_values() * size_of(view.type.scalar);
  const Bytes copy(view.data<std::byte>(), view.data<std::byte>() + size);
  if (view.type.scalar == ScalarType::kBool)
    require(std::all_of(copy.begin(), copy.end(), [](std::byte byte) { return byte <= std::byte{1}; }),
            "a boolean is neither 0 nor 1");
}

void view_batches(SliceReader& reader, std::size_t column, std::uint64_t num_entries) {
  ColumnBuffer scratch;
  for (std::uint64_t batch = 0; batch < kMaxBatches && batch * kBatch < num_entries; ++batch) {
    const std::uint64_t count = std::min(kBatch, num_entries - batch * kBatch);
    check_view(reader.view(column, {batch * kBatch, count}, scratch), count);
  }
}

// Reads every column for itself, then what is left of them together.
void read_slice(io::RNTupleSource& source, std::size_t slice) {
  std::vector<std::size_t> readable;
  for (std::size_t column = 0; column < source.schema().columns().size(); ++column) {
    const auto reader = source.open_slice(slice);
    const auto read = [&] {
      reader->load(std::span(&column, 1));
      view_batches(*reader, column, source.slices()[slice].count);
    };
    if (is_accepted(read)) readable.push_back(column);
  }
  const auto reader = source.open_slice(slice);
  reader->load(readable);
  for (const std::size_t column : readable) view_batches(*reader, column, source.slices()[slice].count);
}

// Merges the file with itself, as stored and rewritten.
void merge(const MemoryFile& memory, const MemoryFile& same) {
  for (const io::MergeMethod method : {io::MergeMethod::kCopy, io::MergeMethod::kRewrite})
    is_accepted([&] {
      io::MergeOptions options;
      options.inputs = {memory.path(), same.path()};
      options.output = "/dev/null";
      options.method = method;
      options.allows_copies = true;
      options.missing_fields = io::MissingFields::kDefault;
      io::merge_files(options);
    });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const oneapi::tbb::global_control one_thread(oneapi::tbb::global_control::max_allowed_parallelism,
                                                      1);
  const ByteSpan input = input_bytes(data, size);
  const MemoryFile memory(input);
  mend(memory, {input.begin(), input.end()});
  const MemoryFile same(input);
  mend(same, {input.begin(), input.end()});
  merge(memory, same);
  std::vector<std::string> names;
  is_accepted([&] { names = io::ntuple_names(io::RootFile(memory.path())); });
  for (const std::string& name : names) {
    is_accepted([&] {
      // Small slices, so that several share a page.
      io::RNTupleSource source({{memory.path(), name}}, {.slice_entries = 7});
      for (std::size_t slice = 0; slice < std::min(kMaxSlices, source.slices().size()); ++slice)
        read_slice(source, slice);
    });
    is_accepted([&] { io::verify_ntuple(io::RootFile(memory.path()), name); });
  }
  return 0;
}

// Changes bytes in their places most of the time: what moves is no longer where the file says.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  constexpr std::size_t kLongest = 64;
  if (size == 0 || seed % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::size_t place = seed / 16 % size;
  const std::size_t length = std::min(kLongest, size - place);
  LLVMFuzzerMutate(data + place, length, length);
  return size;
}

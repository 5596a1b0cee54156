// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/file_checksum.h"

#include "storage/written_sums.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/input_file.h"
#include "skimline/io/output_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include <libdeflate.h>
#include <oneapi/tbb/parallel_for.h>
#include <sys/stat.h>

namespace skimline::io {
namespace {

constexpr std::uint32_t kSumOfNothing = 1;
constexpr std::uint64_t kPieceBytes = 4 << 20;
constexpr std::uint64_t kReadBytes = 256 << 10;  // which stay in the cache of a core

std::string text_of(std::uint32_t adler) {
  char text[24];
  std::snprintf(text, sizeof text, "adler32:%08x", adler);
  return text;
}

// Appends what has to be read of a range.
void add_pieces(std::vector<SummedRange>& pieces, const SummedRange& range) {
  for (std::uint64_t begin = range.begin; begin < range.end(); begin += kPieceBytes)
    pieces.push_back({begin, std::min(kPieceBytes, range.end() - begin)});
}

// Reads bytes of the file from an offset on.
using ReadBytes = std::function<void(std::uint64_t offset, std::span<std::byte> bytes)>;

void add_up(const ReadBytes& read, SummedRange& piece) {
  const std::uint64_t most = std::min(kReadBytes, piece.size);
  // Zeros would cost a small file more than its sum.
  const std::unique_ptr<std::byte[]> buffer(new std::byte[most]);
  std::uint32_t sum = kSumOfNothing;
  for (std::uint64_t done = 0; done < piece.size; done += most) {
    const std::span<std::byte> bytes(buffer.get(), std::min(most, piece.size - done));
    read(piece.begin + done, bytes);
    sum = libdeflate_adler32(sum, bytes.data(), bytes.size());
  }
  piece.sum = sum;
}

// Of ranges that cover the file one after the other.
std::string checksum_of_ranges(const ReadBytes& read, const std::vector<SummedRange>& ranges, int threads) {
  std::vector<SummedRange> pieces;
  std::vector<std::size_t> to_read;
  for (const SummedRange& range : ranges)
    if (range.sum)
      pieces.push_back(range);
    else
      add_pieces(pieces, range);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (!pieces[i].sum) to_read.push_back(i);
  const auto add_up_one = [&](std::size_t i) { add_up(read, pieces[to_read[i]]); };
  if (to_read.size() == 1)
    add_up_one(0);
  else if (!to_read.empty())
    run_with_threads(threads, [&] { oneapi::tbb::parallel_for(std::size_t{0}, to_read.size(), add_up_one); });
  std::uint32_t sum = kSumOfNothing;
  for (const SummedRange& piece : pieces) sum = combined(sum, piece);
  return text_of(sum);
}

}  // namespace

std::string checksum_of_bytes(std::span<const std::byte> bytes) {
  return text_of(libdeflate_adler32(kSumOfNothing, bytes.data(), bytes.size()));
}

std::string file_checksum(const std::string& path, int threads) {
  std::error_code ignored;
  // A device may never end, and a pipe gives its bytes once only.
  if (std::filesystem::is_other(path, ignored))
    throw FileError(path, "is not a regular file", FileFault::kUnavailable);
  const InputFile file(path);
  const auto read = [&](std::uint64_t offset, std::span<std::byte> bytes) { file.read(offset, bytes); };
  return checksum_of_ranges(read, {{0, file.size()}}, threads);
}

// By what is open: somebody may have removed the name, which is found out when the file is to be given
// another.
std::string OutputFile::checksum(int threads) const {
  if (temporary_path_.empty()) return "";
  struct stat facts {};
  if (::fstat(descriptor_, &facts) != 0) fail("cannot be read: its size is not known");
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  const auto read_back = [this](std::uint64_t offset, std::span<std::byte> bytes) { read(offset, bytes); };
  return checksum_of_ranges(read_back, sums_ ? sums_->ranges(size) : std::vector<SummedRange>{{0, size}},
                            threads);
}

}  // namespace skimline::io

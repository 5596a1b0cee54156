// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/file_checksum.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/input_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include <libdeflate.h>
#include <oneapi/tbb/parallel_for.h>
#include <zlib.h>

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

struct Piece {
  std::uint64_t begin = 0, size = 0;
  std::uint32_t sum = kSumOfNothing;
};

std::vector<Piece> pieces_of(std::uint64_t size) {
  std::vector<Piece> pieces;
  for (std::uint64_t begin = 0; begin < size; begin += kPieceBytes)
    pieces.push_back({begin, std::min(kPieceBytes, size - begin)});
  return pieces;
}

void add_up(const InputFile& file, Piece& piece) {
  const std::uint64_t most = std::min(kReadBytes, piece.size);
  // Zeros would cost a small file more than its sum.
  const std::unique_ptr<std::byte[]> buffer(new std::byte[most]);
  for (std::uint64_t done = 0; done < piece.size; done += most) {
    const std::span<std::byte> bytes(buffer.get(), std::min(most, piece.size - done));
    file.read(piece.begin + done, bytes);
    piece.sum = libdeflate_adler32(piece.sum, bytes.data(), bytes.size());
  }
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
  std::vector<Piece> pieces = pieces_of(file.size());
  const auto add_up_one = [&](std::size_t piece) { add_up(file, pieces[piece]); };
  if (pieces.size() == 1)
    add_up_one(0);
  else
    run_with_threads(threads, [&] { oneapi::tbb::parallel_for(std::size_t{0}, pieces.size(), add_up_one); });
  std::uint32_t sum = kSumOfNothing;
  for (const Piece& piece : pieces)
    sum = static_cast<std::uint32_t>(adler32_combine(sum, piece.sum, static_cast<z_off_t>(piece.size)));
  return text_of(sum);
}

}  // namespace skimline::io

// SPDX-License-Identifier: BSD-3-Clause
#include "config/corrections/file_checksum.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace skimline::skims {
namespace {

constexpr std::uint64_t kModulus = 65521;  // the largest prime below 65536
constexpr std::size_t kLane = 32;
constexpr std::size_t kBlock = 4096;  // sums of which stay far below 2^64
constexpr std::size_t kReadBytes = 1 << 20;

// Adds kLane bytes at once: the loop has no dependency between its steps, so that it vectorises.
void add_lane(const std::byte* bytes, std::uint64_t& low, std::uint64_t& high) {
  std::uint32_t sum = 0, weighted = 0;
  for (std::uint32_t i = 0; i < kLane; ++i) {
    const auto value = std::to_integer<std::uint32_t>(bytes[i]);
    sum += value;
    weighted += (static_cast<std::uint32_t>(kLane) - i) * value;
  }
  high += kLane * low + weighted;
  low += sum;
}

std::string text_of(std::uint32_t adler) {
  char text[24];
  std::snprintf(text, sizeof text, "adler32:%08x", adler);
  return text;
}

[[noreturn]] void fail(const std::string& path) {
  throw FileError(path, std::string("cannot be read: ") + std::strerror(errno), FileFault::kUnavailable);
}

}  // namespace

std::uint32_t adler32(std::uint32_t adler, std::span<const std::byte> bytes) {
  std::uint64_t low = adler & 0xffff, high = adler >> 16;
  while (!bytes.empty()) {
    const std::span<const std::byte> block = bytes.first(std::min(kBlock, bytes.size()));
    std::size_t i = 0;
    for (; i + kLane <= block.size(); i += kLane) add_lane(block.data() + i, low, high);
    for (; i < block.size(); ++i) high += low += std::to_integer<std::uint64_t>(block[i]);
    low %= kModulus;
    high %= kModulus;
    bytes = bytes.subspan(block.size());
  }
  return static_cast<std::uint32_t>(high << 16 | low);
}

std::string checksum_of_bytes(std::span<const std::byte> bytes) { return text_of(adler32(1, bytes)); }

std::string file_checksum(const std::string& path) {
  std::error_code ignored;
  // A device may never end, and a pipe gives its bytes once only.
  if (std::filesystem::is_other(path, ignored))
    throw FileError(path, "is not a regular file", FileFault::kUnavailable);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) fail(path);
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  // Zeros would cost a small file more than its sum.
  const std::unique_ptr<std::byte[]> buffer(new std::byte[kReadBytes]);
  std::uint32_t adler = 1;
  while (const std::size_t count = std::fread(buffer.get(), 1, kReadBytes, file.get()))
    adler = adler32(adler, std::span(buffer.get(), count));
  if (std::ferror(file.get())) fail(path);
  return text_of(adler);
}

}  // namespace skimline::skims

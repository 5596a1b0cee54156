// SPDX-License-Identifier: BSD-3-Clause
#include "remote/sent_file.h"

#include "remote/md5.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>

#include <zlib.h>

namespace skimline::io {
namespace {

constexpr std::uint64_t kPiece = 1024 * 1024;

[[noreturn]] void fail(const std::string& path) {
  throw FileError(path, "cannot be read again", FileFault::kStorage);
}

using TakeBytes = std::function<void(std::span<const std::byte>)>;

void read_all(const std::string& path, const TakeBytes& take) {
  const std::uint64_t size = size_of_sent(path);
  for (std::uint64_t offset = 0; offset < size; offset += kPiece)
    take(bytes_of_sent(path, offset, std::min(kPiece, size - offset)));
}

std::string big_endian_text(unsigned long sum) {
  const std::uint8_t bytes[4] = {static_cast<std::uint8_t>(sum >> 24), static_cast<std::uint8_t>(sum >> 16),
                                 static_cast<std::uint8_t>(sum >> 8), static_cast<std::uint8_t>(sum)};
  return hex_text(bytes);
}

std::string sum_by(unsigned long (*update)(unsigned long, const unsigned char*, unsigned),
                   const std::string& path) {
  unsigned long sum = update(0, nullptr, 0);
  read_all(path, [&](std::span<const std::byte> bytes) {
    sum = update(sum, reinterpret_cast<const unsigned char*>(bytes.data()),
                 static_cast<unsigned>(bytes.size()));
  });
  return big_endian_text(sum);
}

std::string md5_by_pieces(const std::string& path) {
  Md5 sum;
  read_all(path, [&](std::span<const std::byte> bytes) { sum.add(bytes); });
  return hex_text(sum.finish());
}

}  // namespace

std::uint64_t size_of_sent(const std::string& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  if (!stream) fail(path);
  return static_cast<std::uint64_t>(stream.tellg());
}

std::vector<std::byte> bytes_of_sent(const std::string& path, std::uint64_t offset, std::uint64_t size) {
  std::ifstream stream(path, std::ios::binary);
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  stream.seekg(static_cast<std::streamoff>(offset));
  if (!stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) fail(path);
  return bytes;
}

std::optional<std::string> checksum_of_sent(const std::string& path, std::string_view kind) {
  if (kind == "adler32") return sum_by(::adler32, path);
  if (kind == "crc32") return sum_by(::crc32, path);
  if (kind == "md5") return md5_by_pieces(path);
  return std::nullopt;
}

void compare_ends(const std::string& path, const std::string& name, const OpenedRemote& opened) {
  const std::uint64_t size = size_of_sent(path);
  const auto refuse = [&](const std::string& problem) {
    throw FileError(name, "the server has something else than was sent to it: " + problem,
                    FileFault::kStorage);
  };
  if (opened.file->size() != size)
    refuse(std::to_string(opened.file->size()) + " bytes instead of " + std::to_string(size));
  for (const FileBytes& end : opened.ends)
    if (end.bytes != bytes_of_sent(path, end.offset, end.bytes.size()))
      refuse("other bytes from byte " + std::to_string(end.offset) + " on");
}

}  // namespace skimline::io

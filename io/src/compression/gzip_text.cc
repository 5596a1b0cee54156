// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/gzip_text.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include <zlib.h>

namespace skimline::io {
namespace {

constexpr std::size_t kReadBytes = 1 << 20;

using File = std::unique_ptr<gzFile_s, int (*)(gzFile)>;

[[noreturn]] void fail_of_system(const std::string& path) {
  throw FileError(path, std::string("cannot be read: ") + std::strerror(errno), FileFault::kUnavailable);
}

// Also at the end of the file: a compressed one may end too early.
void check(gzFile file, const std::string& path) {
  int fault = Z_OK;
  const char* message = gzerror(file, &fault);
  if (fault == Z_ERRNO) fail_of_system(path);
  if (fault != Z_OK) throw FileError(path, std::string("cannot be decompressed: ") + message);
}

}  // namespace

std::string read_gzip_text(const std::string& path, std::size_t max_bytes) {
  std::error_code ignored;
  if (std::filesystem::is_other(path, ignored))  // a pipe may have no writer
    throw FileError(path, "is not a regular file", FileFault::kUnavailable);
  errno = 0;
  const File file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) fail_of_system(path);
  std::string text;
  for (std::size_t size = 0;;) {
    text.resize(size + kReadBytes);
    const int count = gzread(file.get(), text.data() + size, kReadBytes);
    if (count <= 0) {
      check(file.get(), path);
      text.resize(size);
      return text;
    }
    size += static_cast<std::size_t>(count);
    if (size > max_bytes)
      throw FileError(path, "has more than " + std::to_string(max_bytes) + " bytes of text");
  }
}

}  // namespace skimline::io

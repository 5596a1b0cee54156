// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fuzz_target.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

namespace skimline::testing {

/// A file in memory that can be opened by its path; gone with the object.
class MemoryFile {
 public:
  explicit MemoryFile(ByteSpan content) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    write(content);
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  void write(ByteSpan content) const {
    const auto size = static_cast<ssize_t>(content.size());
    if (::pwrite(descriptor_, content.data(), content.size(), 0) != size)
      throw std::system_error(errno, std::generic_category(), "pwrite");
  }

 private:
  int descriptor_;
};

}  // namespace skimline::testing

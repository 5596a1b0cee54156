// SPDX-License-Identifier: BSD-3-Clause
#include "storage/expected_files.h"

#include "skimline/io/url.h"

#include <algorithm>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skimline::io {
namespace {

// So many files the storage may be busy with.
constexpr std::size_t kAhead = 64;
constexpr off_t kFront = 64 * 1024, kBack = 256 * 1024;

void ask_for_ends(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    ::posix_fadvise(descriptor, 0, kFront, POSIX_FADV_WILLNEED);
    if (status.st_size > kFront)
      ::posix_fadvise(descriptor, std::max(kFront, status.st_size - kBack), kBack, POSIX_FADV_WILLNEED);
  }
  ::close(descriptor);
}

}  // namespace

void ExpectedFiles::reach(std::size_t number) {
  const std::size_t end = std::min(paths_.size(), number + kAhead);
  for (next_ = std::max(next_, number); next_ < end; ++next_)
    if (!is_url(paths_[next_])) ask_for_ends(paths_[next_]);
}

}  // namespace skimline::io

// SPDX-License-Identifier: BSD-3-Clause
// Bytes that get from one file to another without this process: shared by the storage, or copied by the
// system.
#include "skimline/framework/error.h"
#include "skimline/io/input_file.h"
#include "skimline/io/output_file.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace skimline::io {
namespace {

// What storage says of an operation that it lacks, or lacks between these two files.
bool is_refusal(int error) {
  return error == EOPNOTSUPP || error == ENOTTY || error == EXDEV || error == EINVAL || error == ENOSYS ||
         error == EPERM || error == ETXTBSY || error == EBADF;
}

}  // namespace

bool OutputFile::share(const InputFile& source, std::uint64_t begin, std::uint64_t offset,
                       std::uint64_t size) {
  if (temporary_path_.empty()) return false;
  const InputFile::Opened opened = source.opened();
  file_clone_range range{};
  range.src_fd = opened.descriptor();
  range.src_offset = begin;
  range.src_length = size;
  range.dest_offset = offset;
  int result = 0;
  do result = ::ioctl(descriptor_, FICLONERANGE, &range);
  while (result != 0 && errno == EINTR);
  if (result == 0) return true;
  if (!is_refusal(errno))
    fail("cannot share blocks with " + source.path() + " at offset " + std::to_string(offset) + ": " +
         std::generic_category().message(errno));
  return false;
}

bool OutputFile::copy_by_system(const InputFile& source, std::uint64_t begin, std::uint64_t offset,
                                std::uint64_t size) {
  if (temporary_path_.empty()) return false;
  const InputFile::Opened opened = source.opened();
  auto from = static_cast<off_t>(begin);
  auto to = static_cast<off_t>(offset);
  while (size > 0) {
    const ssize_t copied = ::copy_file_range(opened.descriptor(), &from, descriptor_, &to, size, 0);
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0 && is_refusal(errno)) return false;
    if (copied < 0)
      fail("cannot be written at offset " + std::to_string(to) + ", by copying " + source.path() + ": " +
           std::generic_category().message(errno));
    if (copied == 0)
      throw FileError(source.path(),
                      "became shorter while it was being copied, at byte " + std::to_string(from),
                      FileFault::kUnavailable);
    size -= static_cast<std::uint64_t>(copied);
  }
  return true;
}

}  // namespace skimline::io

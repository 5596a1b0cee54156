// SPDX-License-Identifier: BSD-3-Clause
// Bytes that get from one file to another without this process: shared by the storage, or copied by the
// system.
#include "storage/temporary_files.h"
#include "storage/written_sums.h"

#include "skimline/framework/error.h"
#include "skimline/io/input_file.h"
#include "skimline/io/output_file.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skimline::io {
namespace {

// What storage says of an operation that it lacks, or lacks between these two files.
bool is_refusal(int error) {
  return error == EOPNOTSUPP || error == ENOTTY || error == EXDEV || error == EINVAL || error == ENOSYS ||
         error == EPERM || error == ETXTBSY || error == EBADF;
}

struct SharedRange {
  std::uint64_t begin, offset, size;
};

// Returns what the system says: 0 if it did.
int share_range(const InputFile& source, int target, const SharedRange& range) {
  const InputFile::Opened opened = source.opened();
  file_clone_range request{};
  request.src_fd = opened.descriptor();
  request.src_offset = range.begin;
  request.src_length = range.size;
  request.dest_offset = range.offset;
  int result = 0;
  do result = ::ioctl(target, FICLONERANGE, &request);
  while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

}  // namespace

// Tried with a file without a name in the folder of the output.
bool OutputFile::can_share(const InputFile& source, std::uint64_t size) const {
  if (temporary_path_.empty() || source.is_remote() || source.size() < size) return false;
  const int unnamed =
      ::open(folder_of(temporary_path_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (unnamed < 0) return false;
  const bool is_shared = share_range(source, unnamed, {.begin = 0, .offset = 0, .size = size}) == 0;
  ::close(unnamed);
  return is_shared;
}

bool OutputFile::share(const InputFile& source, std::uint64_t begin, std::uint64_t offset,
                       std::uint64_t size) {
  if (temporary_path_.empty() || source.is_remote()) return false;
  if (sums_) sums_->forget(offset, size);
  const int error = share_range(source, descriptor_, {begin, offset, size});
  if (error != 0 && !is_refusal(error))
    fail("cannot share blocks with " + source.path() + " at offset " + std::to_string(offset) + ": " +
         std::generic_category().message(error));
  return error == 0;
}

bool OutputFile::copy_by_system(const InputFile& source, std::uint64_t begin, std::uint64_t offset,
                                std::uint64_t size) {
  if (temporary_path_.empty() || source.is_remote()) return false;
  if (sums_) sums_->forget(offset, size);
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

// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/input_file.h"

#include "skimline/framework/error.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skimline::io {
namespace {

std::string system_message(int error) {
  return error == ENOENT ? "no such file" : error == EACCES ? "permission denied" : std::strerror(error);
}

}  // namespace

class InputFile::Handle {
 public:
  explicit Handle(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw FileError(path, "cannot be opened: " + system_message(errno));
  }
  ~Handle() { ::close(descriptor_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  int descriptor() const { return descriptor_; }

  std::uint64_t checked_size(const std::string& path) const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw FileError(path, system_message(errno));
    if (S_ISDIR(status.st_mode)) throw FileError(path, "is a directory, not a file");
    if (!S_ISREG(status.st_mode)) throw FileError(path, "is not a regular file");
    return static_cast<std::uint64_t>(status.st_size);
  }

 private:
  int descriptor_;
};

InputFile::InputFile(std::string path) : path_(std::move(path)), handle_(std::make_shared<Handle>(path_)) {
  size_ = handle_->checked_size(path_);
}

InputFile::~InputFile() = default;

std::shared_ptr<const InputFile::Handle> InputFile::handle() const {
  const std::lock_guard lock(mutex_);
  if (!handle_) {
    auto reopened = std::make_shared<Handle>(path_);
    if (reopened->checked_size(path_) != size_) throw FileError(path_, "changed while it was being read");
    handle_ = std::move(reopened);
  }
  return handle_;
}

void InputFile::release() const {
  const std::lock_guard lock(mutex_);
  handle_.reset();
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (offset > size_ || bytes.size() > size_ - offset)
    throw FileError(path_, "ends before byte " + std::to_string(offset) + " + " +
                               std::to_string(bytes.size()) + ": the file has " + std::to_string(size_) +
                               " bytes");
  const std::shared_ptr<const Handle> open_file = handle();
  bytes_read_ += bytes.size();
  ++read_calls_;
  while (!bytes.empty()) {
    const ssize_t count =
        ::pread(open_file->descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw FileError(path_,
                      "cannot be read at byte " + std::to_string(offset) + ": " + system_message(errno));
    if (count == 0)
      throw FileError(path_, "became shorter while it was being read, at byte " + std::to_string(offset));
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace skimline::io

// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/input_file.h"

#include "storage/storage_retries.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skimline::io {
namespace {

// Bytes a second that are copied at least from a file in memory.
constexpr double kMemoryRate = 1e9;
constexpr const char* kChanged = "changed while it was being read";

std::string system_message(int error) {
  return error == ENOENT ? "no such file" : error == EACCES ? "permission denied" : std::strerror(error);
}

int open_file(const std::string& path) {
  const int descriptor =
      retried([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); });
  if (descriptor < 0)
    throw FileError(path, "cannot be opened: " + system_message(errno),
                    is_transient(errno) ? FileFault::kStorage : FileFault::kUnavailable);
  return descriptor;
}

}  // namespace

class InputFileHandle {
 public:
  // What is read is asked for in large pieces: what the system would read beside them is mostly not needed.
  explicit InputFileHandle(const std::string& path) : descriptor_(open_file(path)) {
    ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_RANDOM);
  }
  ~InputFileHandle() { ::close(descriptor_); }
  InputFileHandle(const InputFileHandle&) = delete;
  InputFileHandle& operator=(const InputFileHandle&) = delete;

  int descriptor() const { return descriptor_; }

  InputFile::Identity identity(const std::string& path) const {
    struct stat status {};
    if (retried([&] { return ::fstat(descriptor_, &status); }) != 0)
      throw FileError(path, system_message(errno), FileFault::kStorage);
    if (S_ISDIR(status.st_mode)) throw FileError(path, "is a directory, not a file", FileFault::kUnavailable);
    if (!S_ISREG(status.st_mode)) throw FileError(path, "is not a regular file", FileFault::kUnavailable);
    return identity_of(status);
  }

  static InputFile::Identity identity_of(const struct stat& status) {
    return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
            status.st_mtim.tv_nsec};
  }

 private:
  int descriptor_;
};

InputFile::InputFile(std::string path) : path_(std::move(path)), handle_(std::make_shared<Handle>(path_)) {
  identity_ = handle_->identity(path_);
}

InputFile::~InputFile() = default;

int InputFile::Opened::descriptor() const { return handle_->descriptor(); }

std::shared_ptr<const InputFile::Handle> InputFile::handle() const {
  const std::lock_guard lock(mutex_);
  if (!handle_) {
    auto reopened = std::make_shared<Handle>(path_);
    if (reopened->identity(path_) != identity_) throw FileError(path_, kChanged, FileFault::kUnavailable);
    handle_ = std::move(reopened);
  }
  return handle_;
}

std::shared_ptr<const InputFile::Ends> InputFile::ends() const {
  const std::lock_guard lock(mutex_);
  return ends_;
}

InputFile::Kept InputFile::read_kept(std::uint64_t offset, std::uint64_t size) const {
  Kept kept{offset, std::vector<std::byte>(static_cast<std::size_t>(size))};
  read_storage(offset, kept.bytes);
  return kept;
}

void InputFile::keep_ends() const {
  auto kept = std::make_shared<Ends>();
  if (size() <= 2 * kEndBytes) {
    kept->push_back(read_kept(0, size()));
  } else {
    kept->push_back(read_kept(0, kEndBytes));
    kept->push_back(read_kept(size() - kEndBytes, kEndBytes));
  }
  const std::lock_guard lock(mutex_);
  ends_ = std::move(kept);
}

void InputFile::drop_ends() const {
  const std::lock_guard lock(mutex_);
  ends_.reset();
}

void InputFile::release() const {
  const std::lock_guard lock(mutex_);
  handle_.reset();
}

void InputFile::check_unchanged() const {
  std::unique_lock lock(mutex_);
  std::shared_ptr<const Handle> present = handle_;
  lock.unlock();
  if (!present) present = std::make_shared<Handle>(path_);
  if (present->identity(path_) != identity_) throw FileError(path_, kChanged, FileFault::kUnavailable);
}

bool InputFile::is_at_path() const {
  struct stat status {};
  return retried([&] { return ::stat(path_.c_str(), &status); }) == 0 &&
         Handle::identity_of(status) == identity_;
}

// One read of the storage; 0 bytes where the file ends.
std::size_t InputFile::read_some(std::uint64_t offset, std::span<std::byte> bytes) const {
  const ssize_t count = retried([&] {
    const ssize_t read =
        ::pread(handle()->descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (read < 0 && errno == ESTALE) {
      // What a server has forgotten has to be opened anew.
      release();
      errno = ESTALE;
    }
    return read;
  });
  if (count < 0)
    throw FileError(path_, "cannot be read at byte " + std::to_string(offset) + ": " + system_message(errno),
                    FileFault::kStorage);
  return static_cast<std::size_t>(count);
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (offset > size() || bytes.size() > size() - offset)
    throw FileError(path_, "ends before byte " + std::to_string(offset) + " + " +
                               std::to_string(bytes.size()) + ": the file has " + std::to_string(size()) +
                               " bytes");
  if (bytes.empty()) return;
  if (const std::shared_ptr<const Ends> kept = ends()) {
    for (const Kept& end : *kept) {
      if (offset < end.offset || offset + bytes.size() > end.offset + end.bytes.size()) continue;
      std::memcpy(bytes.data(), end.bytes.data() + (offset - end.offset), bytes.size());
      return;
    }
  }
  read_storage(offset, bytes);
}

void InputFile::read_storage(std::uint64_t offset, std::span<std::byte> bytes) const {
  const std::size_t num_bytes = bytes.size();
  bytes_read_ += num_bytes;
  ++read_calls_;
  const auto begin = std::chrono::steady_clock::now();
  while (!bytes.empty()) {
    const std::size_t count = read_some(offset, bytes);
    if (count == 0)
      throw FileError(path_, "became shorter while it was being read, at byte " + std::to_string(offset),
                      FileFault::kUnavailable);
    offset += count;
    bytes = bytes.subspan(count);
  }
  note_wait(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), num_bytes);
}

// The mean of the last reads, more or less.
void InputFile::note_wait(double seconds, std::size_t num_bytes) const {
  const double wait = std::max(0.0, seconds - static_cast<double>(num_bytes) / kMemoryRate);
  const double mean = mean_wait_.load(std::memory_order_relaxed);
  mean_wait_.store(mean < 0 ? wait : mean + (wait - mean) / 8, std::memory_order_relaxed);
}

}  // namespace skimline::io

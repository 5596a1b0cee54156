// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/input_file.h"

#include "storage/at_once.h"
#include "storage/storage_retries.h"
#include "storage/whole_names.h"

#include "skimline/framework/error.h"
#include "skimline/io/arrow_library.h"
#include "skimline/io/open_remote.h"
#include "skimline/io/url.h"
#include "skimline/io/url_secrets.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skimline::io {
namespace {

// Bytes a second that are copied at least from a file in memory.
constexpr double kMemoryRate = 1e9;
constexpr std::size_t kMostReads = 1024;
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

// Returns whether the bytes were among those kept.
bool copy_kept(const std::vector<FileBytes>& kept, const RangeRead& read) {
  const auto found = std::find_if(kept.begin(), kept.end(), [&](const FileBytes& end) {
    return read.offset >= end.offset && read.offset + read.bytes.size() <= end.offset + end.bytes.size();
  });
  if (found == kept.end()) return false;
  std::memcpy(read.bytes.data(), found->bytes.data() + (read.offset - found->offset), read.bytes.size());
  return true;
}

bool is_root_file(const std::vector<FileBytes>& ends) {
  constexpr std::string_view kRoot = "root";
  return !ends.empty() && ends.front().bytes.size() >= kRoot.size() &&
         std::memcmp(ends.front().bytes.data(), kRoot.data(), kRoot.size()) == 0;
}

void raise(std::atomic<std::uint64_t>& most, std::uint64_t value) {
  std::uint64_t known = most.load(std::memory_order_relaxed);
  while (known < value && !most.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

std::int64_t now_in_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
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

InputFile::InputFile(std::string path) : path_(std::move(path)), stop_(ReadStopScope::current()) {
  if (is_url(path_)) {
    open_remotely();
  } else {
    refuse_null(path_, "opened", FileFault::kUnavailable);
    read_path_ = read_path_of(path_, stop_flag());
    handle_ = open_handle();
    identity_ = handle_->identity(path_);
  }
}

std::shared_ptr<const InputFile::Handle> InputFile::open_handle() const {
  return std::make_shared<Handle>(read_path_);
}

// That of the job the file is of, else that of whoever waits.
StopFlag InputFile::stop_flag() const {
  const StopFlag own = stop_ ? stop_->flag() : StopFlag();
  return own.is_given() ? own : ReadStopScope::flag();
}

void InputFile::open_remotely() {
  path_ = hide_secrets(path_);
  OpenedRemote opened =
      open_remote(path_, EndSizes().front, stop_ ? stop_->cache() : CacheUse(), stop_flag());
  version_ = opened.file->version();
  remote_bytes_ = opened.file->size();
  if (!arrow_format_of(path_).empty() && !is_root_file(opened.ends)) return open_copy(opened);
  remote_ = std::move(opened.file);
  identity_.device = std::hash<std::string>()(path_);
  identity_.size = remote_->size();
  read_calls_ = opened.requests;
  for (const FileBytes& end : opened.ends) bytes_read_ += end.bytes.size();
  ends_ = std::make_shared<const Ends>(std::move(opened.ends));
  looked_at_ = now_in_seconds();
}

// What a file of Arrow is read as is here.
void InputFile::open_copy(const OpenedRemote& opened) {
  read_path_ = read_path_of(path_, opened, stop_flag());
  handle_ = open_handle();
  identity_ = handle_->identity(path_);
}

ReadingCost InputFile::cost() const {
  if (remote_) return remote_->cost();
  return {std::max(0.0, mean_wait_.load(std::memory_order_relaxed)), kMemoryRate,
          std::max(0.0, least_wait_.load(std::memory_order_relaxed)), kMostReads};
}

InputFile::~InputFile() = default;

int InputFile::Opened::descriptor() const { return handle_->descriptor(); }

std::shared_ptr<const InputFile::Handle> InputFile::handle() const {
  const std::lock_guard lock(mutex_);
  if (!handle_) {
    std::shared_ptr<const Handle> reopened = open_handle();
    if (reopened->identity(path_) != identity_) throw FileError(path_, kChanged, FileFault::kUnavailable);
    handle_ = std::move(reopened);
  }
  return handle_;
}

std::shared_ptr<const InputFile::Ends> InputFile::ends() const {
  const std::lock_guard lock(mutex_);
  return ends_;
}

FileBytes InputFile::read_kept(std::uint64_t offset, std::uint64_t size) const {
  FileBytes kept{offset, std::vector<std::byte>(static_cast<std::size_t>(size))};
  read_storage(offset, kept.bytes);
  return kept;
}

void InputFile::keep_ends(const EndSizes& sizes, bool is_slow) const {
  if (remote_ && ends()) return;
  constexpr EndSizes kUsual;
  auto kept = std::make_shared<Ends>();
  if (size() <= std::max(kUsual.front + kUsual.back, sizes.front + sizes.back)) {
    kept->push_back(read_kept(0, size()));
  } else {
    kept->resize(2);
    for_each_at_once(kept->size(), is_slow ? kept->size() : 1, [&](std::size_t end) {
      (*kept)[end] = end == 0 ? read_kept(0, sizes.front) : read_kept(size() - sizes.back, sizes.back);
    });
  }
  const std::lock_guard lock(mutex_);
  ends_ = std::move(kept);
}

void InputFile::drop_ends() const {
  const std::lock_guard lock(mutex_);
  ends_.reset();
}

bool InputFile::is_kept_whole() const {
  const std::shared_ptr<const Ends> kept = ends();
  return kept && kept->size() == 1 && kept->front().offset == 0 && kept->front().bytes.size() == size();
}

std::uint64_t InputFile::kept_bytes() const {
  std::uint64_t bytes = 0;
  if (const std::shared_ptr<const Ends> kept = ends())
    for (const FileBytes& end : *kept) bytes += end.bytes.size();
  return bytes;
}

void InputFile::note_use(const RangeRead& read) const {
  const std::uint64_t end = read.offset + read.bytes.size();
  if (end <= std::min(kLargestEnd, size() / 2)) return raise(front_used_, end);
  if (size() - read.offset <= kLargestEnd) raise(back_used_, size() - read.offset);
}

void InputFile::end_metadata() const {
  if (remote_) remote_->end_metadata();
}

void InputFile::release() const {
  const std::lock_guard lock(mutex_);
  handle_.reset();
}

void InputFile::check_unchanged() const {
  if (remote_) return;
  std::unique_lock lock(mutex_);
  std::shared_ptr<const Handle> present = handle_;
  lock.unlock();
  if (!present) present = open_handle();
  if (present->identity(path_) != identity_) throw FileError(path_, kChanged, FileFault::kUnavailable);
}

bool InputFile::is_at_path() const {
  constexpr std::int64_t kSecondsOfTrust = 10;
  if (remote_) {
    if (now_in_seconds() - looked_at_ < kSecondsOfTrust) return true;
    if (!remote_->is_unchanged(stop_flag())) return false;
    looked_at_ = now_in_seconds();
    return true;
  }
  struct stat status {};
  return retried([&] { return ::stat(read_path_.c_str(), &status); }) == 0 &&
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

void InputFile::check_inside(const RangeRead& read) const {
  if (read.offset > size() || read.bytes.size() > size() - read.offset)
    throw FileError(path_, "ends before byte " + std::to_string(read.offset) + " + " +
                               std::to_string(read.bytes.size()) + ": the file has " +
                               std::to_string(size()) + " bytes");
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  const RangeRead one{offset, bytes};
  check_inside(one);
  if (bytes.empty()) return;
  note_use(one);
  const std::shared_ptr<const Ends> kept = ends();
  if (!kept || !copy_kept(*kept, one)) read_storage(offset, bytes);
}

std::uint64_t InputFile::read(std::span<const RangeRead> reads) const {
  const std::shared_ptr<const Ends> kept = ends();
  std::vector<RangeRead> missing;
  for (const RangeRead& read : reads) {
    check_inside(read);
    if (!read.bytes.empty() && !(kept && copy_kept(*kept, read))) missing.push_back(read);
  }
  if (remote_) return read_remotely(missing);
  for (const RangeRead& read : missing) read_storage(read.offset, read.bytes);
  return missing.size();
}

std::uint64_t InputFile::read_remotely(std::span<const RangeRead> reads) const {
  if (reads.empty()) return 0;
  const std::uint64_t num_requests = remote_->read(reads, stop_flag());
  read_calls_ += num_requests;
  for (const RangeRead& read : reads) bytes_read_ += read.bytes.size();
  looked_at_ = now_in_seconds();
  return num_requests;
}

void InputFile::read_storage(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (remote_) {
    const RangeRead one{offset, bytes};
    read_remotely({&one, 1});
    return;
  }
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
  const double least = least_wait_.load(std::memory_order_relaxed);
  if (least < 0 || wait < least) least_wait_.store(wait, std::memory_order_relaxed);
  mean_wait_.store(mean < 0 ? wait : mean + (wait - mean) / 8, std::memory_order_relaxed);
}

}  // namespace skimline::io

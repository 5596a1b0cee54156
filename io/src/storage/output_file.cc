// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/output_file.h"

#include "remote/open_output.h"
#include "storage/temporary_files.h"
#include "storage/whole_names.h"
#include "storage/written_sums.h"

#include "skimline/framework/error.h"
#include "skimline/io/file_identity.h"
#include "skimline/io/output_folders.h"
#include "skimline/io/unfinished_outputs.h"
#include "skimline/io/url.h"
#include "skimline/io/url_secrets.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace skimline::io {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

constexpr std::size_t kLongestName = 150;  // others are made of it
constexpr int kMostAttempts = 10;          // at making a folder that others remove
// Fewer bytes are left to the end.
constexpr std::uint64_t kWorthSending = std::uint64_t{1} << 20;
constexpr mode_t kRights = S_IRWXU | S_IRWXG | S_IRWXO;

// What is to replace a file is never open to more people than that.
mode_t first_mode(const std::string& target) {
  struct stat old {};
  return ::stat(target.c_str(), &old) == 0 ? S_IRUSR | S_IWUSR : 0666;
}

void drop_front(std::vector<iovec>& pieces, std::size_t& first, std::size_t size) {
  while (size > 0) {
    iovec& piece = pieces[first];
    if (size < piece.iov_len) {
      piece.iov_base = static_cast<std::byte*>(piece.iov_base) + size;
      piece.iov_len -= size;
      return;
    }
    size -= piece.iov_len;
    ++first;
  }
}

// The same file, without ".." behind folders that are still to be made.
std::string with_real_folder(const std::string& path) {
  const std::filesystem::path folder = folder_of(path);
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return path;
  const std::filesystem::path real = std::filesystem::weakly_canonical(folder, error);
  return error ? path : (real / std::filesystem::path(path).filename()).string();
}

// Where what goes to a URL is until then.
std::string local_place_of(const std::string& url) {
  const std::string path = url.substr(0, url.find('?'));
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  const std::string name = path.substr(path.rfind('/') + 1);
  return ((error ? "/tmp" : folder) / name.substr(name.size() - std::min(name.size(), kLongestName)))
      .string();
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (is_url(path_)) {
    path_ = hide_secrets(path_);
    remote_ = open_output(path_);
    target_path_ = local_place_of(path_);
    create_temporary_file();
    return;
  }
  refuse_null(path_, "written", FileFault::kUnwritable);
  if (path_ == "-")
    throw ConfigError("\"-\" cannot be the output, which no standard output is; ./- is a file called so");
  target_path_ = with_real_folder(target_of(path_));
  const std::size_t name_length = std::filesystem::path(path_).filename().string().size();
  if (name_length == 0) throw FileError(path_, "cannot be written: it names no file", FileFault::kUnwritable);
  if (name_length > NAME_MAX)
    throw FileError(path_, "cannot be written: the name is too long", FileFault::kUnwritable);
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored))
    throw FileError(path_, "cannot be written: it is a folder", FileFault::kUnwritable);
  if (std::filesystem::is_character_file(path_, ignored)) {
    open_device();
    return;
  }
  // The rename at the end would replace another device or a pipe.
  if (std::filesystem::is_other(path_, ignored))
    throw FileError(path_, "cannot be written: it is no regular file", FileFault::kUnwritable);
  create_temporary_file();
}

void OutputFile::open_device() {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (descriptor_ < 0) fail("cannot be opened for writing: " + reason(errno));
}

void OutputFile::create_temporary_file() {
  remove_abandoned(folder_of(target_path_));
  note_output_in(folder_of(target_path_));
  do {
    if (descriptor_ >= 0) ::close(descriptor_);
    temporary_path_ = temporary_name(target_path_);
    open_temporary_file();
  } while (descriptor_ < 0 ? errno == EEXIST : !lock_temporary(descriptor_));
  if (descriptor_ < 0) {
    const int error = errno;
    temporary_path_.clear();
    remove_made_folders(folder_of(target_path_));
    fail("cannot be created in folder \"" + folder_of(target_path_).string() + "\": " + reason(error));
  }
  take_over_rights();
}

// Whoever fails removes the folders that it has made, perhaps while another is about to write into them.
void OutputFile::open_temporary_file() {
  for (int attempt = 0;; ++attempt) {
    descriptor_ = ::open(temporary_path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                         remote_ ? S_IRUSR | S_IWUSR : first_mode(target_path_));
    if (descriptor_ >= 0 || errno != ENOENT || remote_ || attempt == kMostAttempts) return;
    const int error = make_folders(folder_of(target_path_));
    if (error == 0 || error == ENOENT) continue;
    errno = error;
    return;
  }
}

// Whoever could not read the old file cannot read the new one: where the group cannot be kept, it has the
// rights of all others.
void OutputFile::take_over_rights() {
  if (remote_) return;
  struct stat old {
  }, own{};
  if (::stat(target_path_.c_str(), &old) != 0 || ::fstat(descriptor_, &own) != 0) return;
  mode_t mode = old.st_mode & kRights;
  const bool is_same_group = old.st_gid == own.st_gid;
  if (old.st_uid != own.st_uid || !is_same_group) {
    const bool has_owner = ::fchown(descriptor_, old.st_uid, old.st_gid) == 0;
    const bool has_group =
        has_owner || is_same_group || ::fchown(descriptor_, static_cast<uid_t>(-1), old.st_gid) == 0;
    if (!has_group) mode = (mode & ~mode_t{S_IRWXG}) | (mode & ((mode & S_IRWXO) << 3));
  }
  if ((own.st_mode & kRights) != mode) ::fchmod(descriptor_, mode);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_path_.empty()) return;
  ::unlink(temporary_path_.c_str());
  if (!remote_) remove_made_folders(folder_of(target_path_));
}

void OutputFile::fail(const std::string& problem) const {
  throw FileError(path_, problem, FileFault::kUnwritable);
}

void OutputFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  write(offset, std::vector<std::span<const std::byte>>{bytes});
}

void OutputFile::write(std::uint64_t offset, const std::vector<std::span<const std::byte>>& pieces) {
  const std::uint64_t begin = offset;
  std::vector<iovec> vectors;
  for (const auto piece : pieces)
    if (!piece.empty()) vectors.push_back({const_cast<std::byte*>(piece.data()), piece.size()});
  for (std::size_t first = 0; first < vectors.size();) {
    const int count = static_cast<int>(std::min<std::size_t>(IOV_MAX, vectors.size() - first));
    const ssize_t written = ::pwritev(descriptor_, &vectors[first], count, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      fail("cannot be written at offset " + std::to_string(offset) + ": " +
           reason(written < 0 ? errno : EIO));
    offset += static_cast<std::uint64_t>(written);
    drop_front(vectors, first, static_cast<std::size_t>(written));
  }
  if (sums_) sums_->add(begin, pieces);
  send_to_storage(begin, offset - begin);
}

// The system may keep what is written in memory until the end, which would wait for all of it.
void OutputFile::send_to_storage(std::uint64_t begin, std::uint64_t size) const {
  if (is_synchronised_ && !temporary_path_.empty() && size >= kWorthSending)
    ::sync_file_range(descriptor_, static_cast<off_t>(begin), static_cast<off_t>(size),
                      SYNC_FILE_RANGE_WRITE);
}

void OutputFile::sum_up() {
  if (!temporary_path_.empty()) sums_ = std::make_unique<WrittenSums>();
}

void OutputFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (temporary_path_.empty()) {
    std::fill(bytes.begin(), bytes.end(), std::byte{});
    return;
  }
  while (!bytes.empty()) {
    const ssize_t size = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0)
      fail("cannot be read at offset " + std::to_string(offset) + ": " + reason(size < 0 ? errno : EIO));
    offset += static_cast<std::uint64_t>(size);
    bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
}

void OutputFile::complete(std::uint64_t size) {
  if (temporary_path_.empty()) return close();
  synchronise(size);
  check_closing();
}

void OutputFile::commit(std::uint64_t size, StopFlag stop) {
  complete(size);
  publish(stop);
}

void OutputFile::publish(StopFlag stop) {
  OutputFile* const file = this;
  publish_together({&file, 1}, stop);
}

void OutputFile::synchronise(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0)
    fail("cannot be given its size: " + reason(errno));
  if (is_synchronised_ && ::fsync(descriptor_) != 0)
    fail("cannot be synchronised with the storage: " + reason(errno));
}

// Some storage tells of faults only when a file is closed; this one stays open, as it is locked.
void OutputFile::check_closing() {
  const int copy = ::dup(descriptor_);
  if (copy >= 0 && ::close(copy) != 0) fail("cannot be closed: " + reason(errno));
}

void OutputFile::close() {
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail("cannot be closed: " + reason(errno));
}

}  // namespace skimline::io

// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/output_file.h"

#include "storage/replacement.h"
#include "storage/temporary_files.h"

#include "skimline/framework/error.h"
#include "skimline/io/file_identity.h"
#include "skimline/io/unfinished_outputs.h"

#include <cerrno>
#include <filesystem>
#include <mutex>
#include <set>
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

constexpr mode_t kRights = S_IRWXU | S_IRWXG | S_IRWXO;

// What is to replace a file is never open to more people than that.
mode_t first_mode(const std::string& target) {
  struct stat old {};
  return ::stat(target.c_str(), &old) == 0 ? S_IRUSR | S_IWUSR : 0666;
}

// A rename lasts once the folder is on the storage too.
void synchronise_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
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

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)), target_path_(target_of(path_)) {
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
    descriptor_ =
        ::open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, first_mode(target_path_));
  } while (descriptor_ < 0 ? errno == EEXIST : !lock_temporary(descriptor_));
  if (descriptor_ < 0) {
    temporary_path_.clear();
    fail("cannot be created in folder \"" + folder_of(target_path_).string() + "\": " + reason(errno));
  }
  take_over_rights();
}

// Whoever could not read the old file cannot read the new one: where the group cannot be kept, it has the
// rights of all others.
void OutputFile::take_over_rights() {
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
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

void OutputFile::fail(const std::string& problem) const {
  throw FileError(path_, problem, FileFault::kUnwritable);
}

void OutputFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  write(offset, std::vector<std::span<const std::byte>>{bytes});
}

void OutputFile::write(std::uint64_t offset, const std::vector<std::span<const std::byte>>& pieces) {
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
}

void OutputFile::complete(std::uint64_t size) {
  if (temporary_path_.empty()) return close();
  synchronise(size);
  check_closing();
}

void OutputFile::commit(std::uint64_t size) {
  complete(size);
  publish();
}

void OutputFile::publish() {
  OutputFile* const file = this;
  publish_together({&file, 1});
}

void publish_together(std::span<OutputFile* const> files) {
  const std::unique_lock publishing = begin_publishing();
  std::vector<std::pair<OutputFile*, Replacement>> made;
  const auto take_back = [&] {
    std::string lost;
    for (auto each = made.rbegin(); each != made.rend(); ++each) {
      if (each->second.undo()) continue;
      each->first->temporary_path_.clear();  // the old file has this name
      if (!each->second.old_path().empty())
        lost += "; what " + each->first->path() + " was before is in " + each->second.old_path();
    }
    return lost;
  };
  for (OutputFile* file : files) {
    if (file->temporary_path_.empty()) continue;
    file->take_over_rights();
    Replacement replacement(file->temporary_path_, file->target_path_);
    if (const int error = replacement.make(); error != 0)
      file->fail("cannot be given its name: " + reason(error) + take_back());
    made.emplace_back(file, std::move(replacement));
  }
  std::set<std::filesystem::path> folders;
  for (auto& [file, replacement] : made) {
    replacement.settle();
    file->temporary_path_.clear();
    ::close(std::exchange(file->descriptor_, -1));
    folders.insert(folder_of(file->target_path_));
  }
  for (const std::filesystem::path& folder : folders) synchronise_folder(folder);
}

void OutputFile::synchronise(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0)
    fail("cannot be given its size: " + reason(errno));
  if (::fsync(descriptor_) != 0) fail("cannot be synchronised with the storage: " + reason(errno));
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

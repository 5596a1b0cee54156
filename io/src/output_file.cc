// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/output_file.h"

#include "skimline/framework/error.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace skimline::io {
namespace {

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

std::string reason(int error) { return std::generic_category().message(error); }

std::string temporary_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> number{0};
  // A long name is cut, since the temporary one is longer.
  const std::string name = "." + path.filename().string().substr(0, 200) + "." + std::to_string(::getpid()) +
                           "-" + std::to_string(number++) + ".part";
  return (folder_of(path) / name).string();
}

// A rename would replace a link, such as /dev/stdout, instead of the file it leads to.
std::string target_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error) || !std::filesystem::is_regular_file(path, error))
    return path;
  const std::string target = std::filesystem::canonical(path, error).string();
  if (error)
    throw FileError(path, "cannot be written: the link leads nowhere: " + error.message(),
                    FileFault::kUnwritable);
  return target;
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
  do {
    temporary_path_ = temporary_name(target_path_);
    descriptor_ = ::open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) {
    temporary_path_.clear();
    fail("cannot be created in folder \"" + folder_of(target_path_).string() + "\": " + reason(errno));
  }
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
  if (!temporary_path_.empty()) synchronise(size);
  close();
}

void OutputFile::commit(std::uint64_t size) {
  complete(size);
  publish();
}

void OutputFile::publish() {
  if (temporary_path_.empty()) return;
  if (std::rename(temporary_path_.c_str(), target_path_.c_str()) != 0)
    fail("cannot be given its name: " + reason(errno));
  temporary_path_.clear();
  synchronise_folder(folder_of(target_path_));
}

void OutputFile::synchronise(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0)
    fail("cannot be given its size: " + reason(errno));
  if (::fsync(descriptor_) != 0) fail("cannot be synchronised with the storage: " + reason(errno));
}

void OutputFile::close() {
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail("cannot be closed: " + reason(errno));
}

}  // namespace skimline::io

// SPDX-License-Identifier: BSD-3-Clause
#include "storage/replacement.h"

#include "storage/temporary_files.h"

#include <cerrno>
#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skimline::io {
namespace {

int rename_with(const std::string& from, const std::string& to, unsigned flags) {
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0 ? 0 : errno;
}

int rename_over(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

// Storage over the network, and old systems, only know plain renames.
bool is_unknown(int error) { return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP; }

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

}  // namespace

Replacement::Replacement(Replacement&& other) noexcept
    : temporary_(std::move(other.temporary_)),
      target_(std::move(other.target_)),
      old_(std::move(other.old_)),
      held_(std::exchange(other.held_, -1)),
      is_made_(std::exchange(other.is_made_, false)) {}

Replacement::~Replacement() {
  if (held_ >= 0) ::close(held_);
}

int Replacement::make() {
  if (is_folder(target_)) return EISDIR;
  hold_target();
  int error = exchange();
  if (is_unknown(error)) error = keep_and_rename();
  is_made_ = error == 0;
  return error;
}

void Replacement::hold_target() {
  held_ = ::open(target_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (held_ >= 0) ::flock(held_, LOCK_SH | LOCK_NB);
}

int Replacement::exchange() {
  if (!exists(target_)) {
    const int error = rename_with(temporary_, target_, RENAME_NOREPLACE);
    if (error != EEXIST) return error;
  }
  const int error = rename_with(temporary_, target_, RENAME_EXCHANGE);
  if (error != 0) return error;
  old_ = temporary_;
  if (!is_folder(old_)) return 0;
  // A folder has come in between, which a rename would not replace.
  rename_with(temporary_, target_, RENAME_EXCHANGE);
  old_.clear();
  return EISDIR;
}

int Replacement::keep_and_rename() {
  if (!exists(target_)) return rename_over(temporary_, target_);
  old_ = temporary_name(target_);
  if (::link(target_.c_str(), old_.c_str()) != 0) {
    // Nothing has the name for a moment: what is kept must stay there whatever happens.
    old_ = temporary_name(target_, ".old");
    if (const int error = rename_over(target_, old_); error != 0) {
      old_.clear();
      return error;
    }
  }
  const int error = rename_over(temporary_, target_);
  if (error == 0) return 0;
  rename_over(old_, target_);
  ::unlink(old_.c_str());  // a rename of a link to another one of the same file does nothing
  old_.clear();
  return error;
}

bool Replacement::undo() {
  if (!is_made_) return true;
  is_made_ = false;
  if (old_ == temporary_) return rename_with(old_, target_, RENAME_EXCHANGE) == 0;
  if (rename_over(target_, temporary_) != 0) return false;
  return old_.empty() || rename_over(old_, target_) == 0;
}

void Replacement::settle() {
  if (!old_.empty()) ::unlink(old_.c_str());
}

}  // namespace skimline::io

// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/temporary_folder.h"

#include "skimline/framework/error.h"
#include "skimline/io/unfinished_outputs.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "skimline-";
constexpr const char* kLock = "held";

// Others may share the folder and not see the lock.
std::string this_machine() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// A lock that says that the folder is in use, for as long as this process lives; -1 where there are no locks.
int take_lock(const fs::path& folder) {
  const fs::path unlocked = folder / "new";
  const int lock = ::open(unlocked.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const std::string machine = this_machine();
  // Only then under its name, under which there is never a lock that its owner has yet to take.
  const bool is_held = lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) == 0 &&
                       ::write(lock, machine.data(), machine.size()) == std::ssize(machine) &&
                       ::rename(unlocked.c_str(), (folder / kLock).c_str()) == 0;
  if (is_held || lock < 0) return lock;
  ::close(lock);
  return -1;
}

bool is_of_this_machine(int lock) {
  std::array<char, 256> read{};
  const ssize_t length = ::read(lock, read.data(), read.size());
  return length >= 0 && std::string_view(read.data(), static_cast<std::size_t>(length)) == this_machine();
}

void remove_if_abandoned(const fs::path& folder) {
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != ::geteuid()) return;
  const int lock = ::open((folder / kLock).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (lock < 0) return;
  std::error_code ignored;
  if (::flock(lock, LOCK_EX | LOCK_NB) == 0 && is_of_this_machine(lock)) fs::remove_all(folder, ignored);
  ::close(lock);
}

// Removes folders whose processes are gone.
void remove_abandoned(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with(kPrefix)) remove_if_abandoned(entry->path());
}

// Also where the variables that name it lead nowhere.
fs::path folder_for_all() {
  std::error_code error;
  const fs::path named = fs::temp_directory_path(error);
  return error ? fs::path("/tmp") : named;
}

}  // namespace

TemporaryFolder::TemporaryFolder() : process_(::getpid()) {
  const fs::path parent = folder_for_all();
  remove_abandoned(parent);
  outer_ = (parent / (std::string(kPrefix) + "XXXXXX")).string();
  if (!::mkdtemp(outer_.data()))
    throw FileError(outer_, "cannot be made: " + std::generic_category().message(errno),
                    FileFault::kUnwritable);
  io::note_temporary_folder(outer_);
  lock_ = take_lock(outer_);
  path_ = (fs::path(outer_) / "content").string();
  std::error_code error;
  if (fs::create_directory(path_, error)) return;
  remove();
  throw FileError(path_, "cannot be made: " + error.message(), FileFault::kUnwritable);
}

TemporaryFolder::~TemporaryFolder() { remove(); }

void TemporaryFolder::remove() noexcept {
  if (outer_.empty() || ::getpid() != process_) return;
  try {
    std::error_code ignored;
    fs::remove_all(outer_, ignored);
    io::forget_temporary_folder(outer_);
  } catch (...) {  // without memory it stays until the next one is made
  }
  if (lock_ >= 0) ::close(lock_);
  outer_.clear();
}

}  // namespace skimline::skims

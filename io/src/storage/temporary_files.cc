// SPDX-License-Identifier: BSD-3-Clause
#include "storage/temporary_files.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <map>
#include <mutex>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace skimline::io {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kEnding = ".part";
constexpr std::time_t kSecondsOfDay = 24 * 60 * 60;

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

// ".<name>.<process>-<number>.part"
bool is_temporary_name(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(kEnding)) return false;
  name.remove_suffix(kEnding.size());
  const std::size_t dot = name.rfind('.');
  const std::string_view numbers = name.substr(dot + 1);
  const std::size_t dash = numbers.find('-');
  return dot > 0 && dash != std::string_view::npos && is_number(numbers.substr(0, dash)) &&
         is_number(numbers.substr(dash + 1));
}

// Whether only this machine writes there, as far as one can know.
bool is_local(int descriptor) {
  constexpr long kXfs = 0x58465342, kZfs = 0x2FC12FC1;
  constexpr std::array<long, 7> kLocal{
      EXT4_SUPER_MAGIC, BTRFS_SUPER_MAGIC, TMPFS_MAGIC, OVERLAYFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, kXfs, kZfs};
  struct statfs system {};
  return ::fstatfs(descriptor, &system) == 0 &&
         std::find(kLocal.begin(), kLocal.end(), static_cast<long>(system.f_type)) != kLocal.end();
}

void remove_if_abandoned(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
      (is_local(descriptor) || std::time(nullptr) - status.st_mtime > kSecondsOfDay))
    ::unlink(path.c_str());
  ::close(descriptor);
}

// Whether some time has passed since a folder was looked through: runs may write very many files into one.
bool is_due(const fs::path& folder) {
  static std::mutex mutex;
  static std::map<std::string, Clock::time_point> looked_at;
  constexpr std::size_t kMostFolders = 1000;
  const std::lock_guard lock(mutex);
  if (looked_at.size() > kMostFolders) looked_at.clear();
  const Clock::time_point now = Clock::now();
  const auto [known, is_new] = looked_at.emplace(folder.string(), now);
  if (!is_new && now - known->second < std::chrono::seconds(10)) return false;
  known->second = now;
  return true;
}

}  // namespace

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

std::string temporary_name(const fs::path& path, std::string_view ending) {
  static std::atomic<unsigned> number{0};
  // A long name is cut, since the temporary one is longer.
  const std::string name = "." + path.filename().string().substr(0, 200) + "." + std::to_string(::getpid()) +
                           "-" + std::to_string(number++) + std::string(ending);
  return (path.parent_path() / name).string();
}

std::string kept_name(const fs::path& path) {
  std::error_code ignored;
  for (unsigned number = 0;; ++number) {
    fs::path kept = path.parent_path() / path.stem();
    kept += "." + std::to_string(::getpid()) + "-" + std::to_string(number) + path.extension().string();
    if (!fs::exists(fs::symlink_status(kept, ignored))) return kept.string();
  }
}

// Whoever looks for files that were left may have been faster.
bool lock_temporary(int descriptor) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

void remove_abandoned(const fs::path& folder) {
  if (!is_due(folder)) return;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (is_temporary_name(entry->path().filename().string())) remove_if_abandoned(entry->path());
}

}  // namespace skimline::io

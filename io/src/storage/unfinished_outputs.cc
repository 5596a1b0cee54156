// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/unfinished_outputs.h"

#include "skimline/io/output_folders.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace skimline::io {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> has_begun{false};
std::mutex publishing;
bool has_published = false;  // guarded by `publishing`
std::mutex folders_mutex;
// Removing files takes memory too, of which there may be none when a process ends. Its pages are never
// touched.
constexpr std::size_t kReserve = std::size_t{4} << 20;
std::unique_ptr<char[]> reserve;

std::set<std::string>& folders() {
  static std::set<std::string>& all = *new std::set<std::string>;  // also there when the process ends
  return all;
}

// Each with the process that has made it, which is another one after a fork. Guarded by the same mutex.
std::map<std::string, pid_t>& temporary_folders() {
  static std::map<std::string, pid_t>& all = *new std::map<std::string, pid_t>;
  return all;
}

// ".<name>.<process>-<number>.part"
bool is_own(const std::string& name) {
  const std::string process = "." + std::to_string(::getpid()) + "-";
  const std::size_t found = name.rfind(process);
  if (!name.starts_with('.') || !name.ends_with(".part") || found == std::string::npos) return false;
  const std::size_t number = found + process.size();
  return name.find_first_not_of("0123456789", number) == name.size() - 5;
}

using FileNumber = std::pair<dev_t, ino_t>;

std::optional<FileNumber> number_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileNumber{status.st_dev, status.st_ino};
}

std::set<FileNumber> open_files() {
  std::set<FileNumber> numbers;
  std::error_code error;
  for (fs::directory_iterator at("/proc/self/fd", error), end; !error && at != end; at.increment(error))
    if (const std::optional<FileNumber> number = number_of(at->path())) numbers.insert(*number);
  return numbers;
}

// Processes in other containers, and on other machines, have the same number: what they write is not open
// here.
void remove_own(const fs::path& folder, const std::set<FileNumber>& open) {
  std::error_code error;
  std::vector<fs::path> own;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!is_own(at->path().filename().string())) continue;
    const std::optional<FileNumber> number = number_of(at->path());
    if (number && open.contains(*number)) own.push_back(at->path());
  }
  for (const fs::path& path : own) fs::remove(path, error);
}

}  // namespace

bool has_begun_outputs() noexcept { return has_begun.load(); }

void note_output_in(const fs::path& folder) {
  const std::lock_guard lock(folders_mutex);
  folders().insert(folder.string());
  if (!reserve) reserve.reset(new char[kReserve]);
  has_begun = true;
}

void note_temporary_folder(const fs::path& folder) {
  const std::lock_guard lock(folders_mutex);
  temporary_folders()[folder.string()] = ::getpid();
  if (!reserve) reserve.reset(new char[kReserve]);
  has_begun = true;
}

void forget_temporary_folder(const fs::path& folder) {
  const std::lock_guard lock(folders_mutex);
  temporary_folders().erase(folder.string());
}

void remove_unfinished_outputs() noexcept {
  try {
    const std::unique_lock lock(folders_mutex, std::try_to_lock);
    if (!lock) return;
    reserve.reset();
    const std::set<FileNumber> open = open_files();
    for (const std::string& folder : folders()) remove_own(folder, open);
    std::error_code ignored;
    for (const auto& [folder, process] : temporary_folders())
      if (process == ::getpid()) fs::remove_all(folder, ignored);
    remove_made_folders();
  } catch (...) {  // without memory they stay
  }
}

std::unique_lock<std::mutex> begin_publishing() {
  std::unique_lock lock(publishing);
  has_published = true;
  return lock;
}

bool abandon_outputs() noexcept {
  std::unique_lock lock(publishing, std::try_to_lock);
  if (!lock || has_published) return false;
  static_cast<void>(lock.release());
  remove_unfinished_outputs();
  return true;
}

}  // namespace skimline::io

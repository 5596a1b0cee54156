// SPDX-License-Identifier: BSD-3-Clause
#include "parts/skim_files.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/input_formats.h"
#include "skimline/io/root_file.h"
#include "skimline/io/text_object.h"

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skimline::skims {

namespace fs = std::filesystem;

namespace {

constexpr const char* kKey = "key";
constexpr mode_t kRights = S_IRWXU | S_IRWXG | S_IRWXO;

// Copies of files at a URL have that of their part in front.
std::string key_in_name(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  name.resize(name.size() - std::string_view(kSkimSuffix).size());
  return name.substr(name.rfind('.') + 1);
}

void check_key(const io::RootFile& file) {
  const io::RootKey* key = file.find(kKey);
  if (!key || io::read_text_object(file, *key) != key_in_name(file.path()))
    throw FileError(file.path(), "has the events of another skim");
}

bool is_sound(const std::string& path, int threads) {
  try {
    run_with_threads(threads, [&] { check_skim_file(path); });
    return true;
  } catch (const FileError&) {
    return false;
  }
}

}  // namespace

bool is_skim_file(const std::string& path) {
  return path.ends_with(kSkimSuffix) && !fs::path(path).filename().string().starts_with('.');
}

io::RootObject object_of_skim_key(const std::string& path) {
  return io::text_object(kKey, key_in_name(path));
}

std::vector<std::string> classes_of_skim_key() { return {io::kTextClass}; }

void check_skim_file(const std::string& path) {
  const io::RootFile file(path);
  check_key(file);
  bool has_events = false;
  for (const io::InputFormat& format : io::input_formats())
    for (const std::string& name : format.names_in(file)) {
      const io::EventsVerification found = format.verify(file, name, {}, {});
      if (!found.faults.empty()) throw FileError(path, found.faults.front().problem);
      has_events = true;
    }
  if (!has_events) throw FileError(path, "has no events");
}

// The time of the last change of the content stays: others may be reading the file, and it is by that time
// that they see whether it is still the same.
void note_use(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) static_cast<void>(::chmod(path.c_str(), status.st_mode & kRights));
}

std::int64_t last_use(const std::string& path) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return 0;
  return std::int64_t{status.st_ctim.tv_sec} * kNanoseconds + status.st_ctim.tv_nsec;
}

bool is_sound_skim(const std::string& path, int threads) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  note_use(path);
  return is_sound(path, threads) || SkimFolderLock(path).has_sound_skim(threads);
}

SkimFolderLock::SkimFolderLock(const std::string& path)
    : path_(path),
      descriptor_(::open(fs::path(path).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

SkimFolderLock::~SkimFolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool SkimFolderLock::has_sound_skim(int threads) const {
  std::error_code ignored;
  if (!fs::is_regular_file(path_, ignored)) return false;
  if (is_sound(path_, threads)) return true;
  fs::remove(path_, ignored);
  return false;
}

}  // namespace skimline::skims

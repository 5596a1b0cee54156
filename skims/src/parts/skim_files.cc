// SPDX-License-Identifier: BSD-3-Clause
#include "parts/skim_files.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/input_formats.h"
#include "skimline/io/root_file.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace skimline::skims {

namespace fs = std::filesystem;

namespace {

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

void check_skim_file(const std::string& path) {
  const io::RootFile file(path);
  bool has_events = false;
  for (const io::InputFormat& format : io::input_formats())
    for (const std::string& name : format.names_in(file)) {
      const io::EventsVerification found = format.verify(file, name, {}, {});
      if (!found.faults.empty()) throw FileError(path, found.faults.front().problem);
      has_events = true;
    }
  if (!has_events) throw FileError(path, "has no events");
}

bool is_sound_skim(const std::string& path, int threads) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
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

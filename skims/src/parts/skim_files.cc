// SPDX-License-Identifier: BSD-3-Clause
#include "parts/skim_files.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/input_formats.h"
#include "skimline/io/root_file.h"

#include <filesystem>
#include <system_error>

namespace skimline::skims {

namespace fs = std::filesystem;

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
  std::error_code problem;
  if (!fs::is_regular_file(path, problem)) return false;
  try {
    run_with_threads(threads, [&] { check_skim_file(path); });
    return true;
  } catch (const FileError&) {
    fs::remove(path, problem);
    return false;
  }
}

}  // namespace skimline::skims

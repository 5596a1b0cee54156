// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/output_folders.h"

#include "storage/temporary_files.h"

#include "skimline/io/file_identity.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <mutex>
#include <set>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace skimline::io {
namespace {

namespace fs = std::filesystem;

std::mutex made_mutex;

std::set<fs::path>& made_folders() {
  static std::set<fs::path>& all = *new std::set<fs::path>;  // also there when the process ends
  return all;
}

// Without links and "..", also where nothing is yet.
fs::path resolved(const fs::path& folder) {
  std::error_code error;
  const fs::path whole = fs::absolute(folder, error);
  fs::path path = fs::weakly_canonical(whole, error);
  if (error) path = whole.lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::status(path, ignored));
}

// The folders of a path that are not there, and the innermost path that is.
struct Ancestors {
  std::vector<fs::path> missing;
  fs::path there;
};

Ancestors ancestors_of(const fs::path& folder) {
  Ancestors found{{}, resolved(folder)};
  for (; !is_there(found.there) && found.there.has_relative_path(); found.there = found.there.parent_path())
    found.missing.push_back(found.there);
  std::reverse(found.missing.begin(), found.missing.end());
  return found;
}

std::string message_of(int error) { return std::generic_category().message(error); }

}  // namespace

std::vector<fs::path> missing_folders(const std::string& path) {
  return ancestors_of(folder_of(target_of(path))).missing;
}

std::string problem_of_folders(const std::string& path) {
  // No folder of it is looked at: there may be thousands.
  std::error_code unknown;
  const fs::path whole = fs::absolute(path, unknown);
  if (unknown) return path.empty() ? "it names no file" : "its folder is not known: " + unknown.message();
  if (whole.native().size() >= PATH_MAX)
    return "the path is too long: it may have " + std::to_string(PATH_MAX - 1) + " bytes";
  const fs::path folder = folder_of(target_of(path));
  const Ancestors ancestors = ancestors_of(folder);
  std::error_code ignored;
  const bool is_whole = ancestors.missing.empty();
  const std::string refused = is_whole ? "nothing can be written into the folder \"" + folder.string() + "\""
                                       : "the folder \"" + folder.string() + "\" cannot be made";
  if (fs::exists(ancestors.there, ignored) && !fs::is_directory(ancestors.there, ignored))
    return is_whole ? "\"" + folder.string() + "\" is a file, not a folder"
                    : refused + ": \"" + ancestors.there.string() + "\" is a file";
  if (::access(ancestors.there.c_str(), W_OK | X_OK) == 0) return {};
  const int error = errno;
  if (error == ENOENT) return {};  // another process has just removed what it had made
  return refused + ": " + (is_whole ? std::string() : ancestors.there.string() + ": ") + message_of(error);
}

int make_folders(const fs::path& folder) noexcept {
  try {
    const std::lock_guard lock(made_mutex);
    for (const fs::path& missing : ancestors_of(folder).missing) {
      const auto [known, is_new] = made_folders().insert(missing);
      if (::mkdir(missing.c_str(), 0777) == 0) continue;
      const int error = errno;
      if (is_new) made_folders().erase(known);
      if (error != EEXIST) return error;  // else another process was faster
    }
    return 0;
  } catch (...) {
    return ENOMEM;
  }
}

void keep_folders(const fs::path& folder) {
  const std::lock_guard lock(made_mutex);
  if (made_folders().empty()) return;
  for (fs::path path = resolved(folder); made_folders().erase(path) > 0;) path = path.parent_path();
}

void remove_made_folders(fs::path folder) noexcept {
  try {
    const std::lock_guard lock(made_mutex);
    if (made_folders().empty()) return;
    folder = resolved(folder);
    for (; made_folders().contains(folder) && ::rmdir(folder.c_str()) == 0; folder = folder.parent_path())
      made_folders().erase(folder);
  } catch (...) {  // without memory they stay
  }
}

void remove_made_folders() noexcept {
  const std::unique_lock lock(made_mutex, std::try_to_lock);
  if (!lock) return;
  const std::set<fs::path>& made = made_folders();
  for (auto each = made.rbegin(); each != made.rend(); ++each) ::rmdir(each->c_str());
}

}  // namespace skimline::io

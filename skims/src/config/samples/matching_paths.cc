// SPDX-License-Identifier: BSD-3-Clause
#include "config/samples/matching_paths.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <new>
#include <system_error>

#include <dirent.h>
#include <glob.h>
#include <sys/stat.h>

namespace skimline::skims {
namespace {

struct Failure {
  std::string folder;
  int error = 0;
};

// Of the pattern that is being looked up: the functions that do it have no place for it.
thread_local Failure failure;
thread_local std::string open_folder;

// Whether there is nothing, or nothing with anything in it.
bool says_nothing_is_there(int error) { return error == ENOENT || error == ENOTDIR || error == ELOOP; }

// What file systems have for themselves, where nobody keeps data.
bool is_of_file_system(const std::string& folder) {
  return std::filesystem::path(folder).filename() == "lost+found";
}

void note(const std::string& folder, int error) {
  if (failure.error == 0 && !says_nothing_is_there(error) && !is_of_file_system(folder))
    failure = {folder.empty() ? "." : folder, error};
}

void* open_to_list(const char* folder) {
  open_folder = folder;
  DIR* opened = opendir(folder);
  if (opened == nullptr) note(folder, errno);
  return opened;
}

// At an error the function itself would end as at the last entry.
dirent* next_entry(void* opened) {
  errno = 0;
  dirent* entry = readdir(static_cast<DIR*>(opened));
  if (entry == nullptr && errno != 0) note(open_folder, errno);
  return entry;
}

void close_listed(void* opened) { closedir(static_cast<DIR*>(opened)); }

int noted(int result, const char* path) {
  if (result != 0) note(std::filesystem::path(path).parent_path().string(), errno);
  return result;
}

int state_of(const char* path, struct stat* state) { return noted(stat(path, state), path); }
int state_of_itself(const char* path, struct stat* state) { return noted(lstat(path, state), path); }

}  // namespace

std::vector<std::string> matching_paths(const std::string& pattern) {
  failure = {};
  glob_t found{};
  found.gl_opendir = open_to_list;
  found.gl_readdir = next_entry;
  found.gl_closedir = close_listed;
  found.gl_stat = state_of;
  found.gl_lstat = state_of_itself;
  const int result = glob(pattern.c_str(), GLOB_ALTDIRFUNC, nullptr, &found);
  std::vector<std::string> paths;
  if (result == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (result == GLOB_NOSPACE) throw std::bad_alloc();
  if (failure.error != 0)
    throw FileError(failure.folder,
                    "cannot be looked into: " + std::generic_category().message(failure.error),
                    FileFault::kUnavailable);
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace skimline::skims

// SPDX-License-Identifier: BSD-3-Clause
#include "parts/store_contents.h"

#include "parts/remote_store.h"
#include "parts/result_store.h"
#include "parts/skim_files.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/framework/threads.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <system_error>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

struct StoredFile {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

// Other processes may remove files meanwhile.
template <typename Visit>
void for_each_file(const std::string& folder, Visit visit) {
  std::error_code problem;
  fs::recursive_directory_iterator file(folder, problem);
  if (problem) throw FileError(folder, "cannot be read: " + problem.message(), FileFault::kUnavailable);
  for (; file != fs::recursive_directory_iterator(); file.increment(problem)) {
    std::error_code gone;
    if (!file->is_regular_file(gone) || gone) continue;
    const StoredFile found{file->path(), file->file_size(gone), file->last_write_time(gone)};
    if (!gone) visit(found);
    if (problem) break;
  }
}

std::vector<StoredFile> all_results_in(const std::string& folder) {
  std::vector<StoredFile> files;
  for_each_file(folder, [&](const StoredFile& file) {
    const std::string path = file.path.string();
    if (is_result_file(path) || is_skim_file(path)) files.push_back(file);
  });
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

void remove(const StoredFile& file, StoreContents& removed) {
  std::error_code problem;
  if (!fs::remove(file.path, problem)) return;
  ++removed.num_files;
  removed.num_bytes += file.bytes;
  // Only if nothing else is in it.
  removed.num_parts += fs::remove(file.path.parent_path(), problem) ? 1 : 0;
}

void remove_unfinished(const std::string& folder) {
  const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for_each_file(folder, [&](const StoredFile& file) {
    std::error_code problem;
    if (file.path.filename().string().starts_with('.') && file.used < yesterday)
      fs::remove(file.path, problem);
  });
}

void check(const std::string& path) {
  if (is_skim_file(path))
    run_with_threads(default_threads(), [&] { check_skim_file(path); });
  else
    read_results(path);
}

}  // namespace

namespace {

void note_damage(const std::string& path, StoreContents& contents) {
  try {
    check(path);
  } catch (const FileError& fault) {
    contents.damaged.emplace_back(fault.what());
  }
}

// What is verified is copied, file by file.
StoreContents contents_of_remote(const std::string& url, bool verifies) {
  RemoteStore store(url);
  StoreContents contents;
  std::set<std::string> parts;
  for (const RemoteStore::File& file : store.files()) {
    if (!is_result_file(file.name) && !is_skim_file(file.name)) continue;
    const std::optional<std::uint64_t> bytes = store.size_of(file);
    if (!bytes) continue;
    ++contents.num_files;
    contents.num_bytes += *bytes;
    parts.insert(file.part);
    if (!verifies) continue;
    const std::string copy = store.folder() + "/" + file.part + "." + file.name;
    store.fetch(file.part, file.name, copy);
    note_damage(copy, contents);
    std::error_code ignored;
    fs::remove(copy, ignored);
  }
  contents.num_parts = parts.size();
  return contents;
}

}  // namespace

StoreContents contents_of_store(const std::string& folder, bool verifies) {
  if (io::is_url(folder)) return contents_of_remote(folder, verifies);
  StoreContents contents;
  std::set<fs::path> parts;
  for (const StoredFile& file : all_results_in(folder)) {
    ++contents.num_files;
    contents.num_bytes += file.bytes;
    parts.insert(file.path.parent_path());
    if (verifies) note_damage(file.path.string(), contents);
  }
  contents.num_parts = parts.size();
  return contents;
}

StoreContents prune_store(const std::string& folder, std::uint64_t most_bytes) {
  if (io::is_url(folder))
    throw ConfigError("what is at a URL is pruned by its server: rules of a bucket, for instance");
  std::vector<StoredFile> files = all_results_in(folder);
  std::stable_sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.used < b.used; });
  std::uint64_t left = 0;
  for (const StoredFile& file : files) left += file.bytes;
  StoreContents removed;
  for (const StoredFile& file : files) {
    if (left <= most_bytes) break;
    remove(file, removed);
    left -= file.bytes;
  }
  remove_unfinished(folder);
  return removed;
}

}  // namespace skimline::skims

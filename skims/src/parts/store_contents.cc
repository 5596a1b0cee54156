// SPDX-License-Identifier: BSD-3-Clause
#include "parts/store_contents.h"

#include "parts/remote_store.h"
#include "parts/result_store.h"
#include "parts/skim_files.h"
#include "parts/sum_files.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/framework/threads.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <system_error>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

struct StoredFile {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type changed;
  std::int64_t used = 0;
};

bool is_digest(const std::string& name) {
  constexpr std::size_t kLetters = 32;
  return name.size() == kLetters && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// What others remove meanwhile is not there.
template <typename Visit>
void for_each_entry(const fs::path& folder, Visit visit) {
  std::error_code problem;
  fs::directory_iterator entry(folder, problem);
  for (; !problem && entry != fs::directory_iterator(); entry.increment(problem)) visit(*entry);
  if (problem && problem != std::errc::no_such_file_or_directory)
    throw FileError(folder.string(), "cannot be read: " + problem.message(), FileFault::kUnavailable);
}

template <typename Visit>
void for_each_file(const fs::path& folder, Visit visit) {
  for_each_entry(folder, [&](const fs::directory_entry& entry) {
    std::error_code gone;
    if (!entry.is_regular_file(gone) || gone) return;
    StoredFile found{entry.path(), entry.file_size(gone), {}, last_use(entry.path().string())};
    if (!gone) found.changed = entry.last_write_time(gone);
    if (!gone) visit(found);
  });
}

template <typename Visit>
void for_each_folder(const fs::path& folder, Visit visit) {
  for_each_entry(folder, [&](const fs::directory_entry& entry) {
    std::error_code gone;
    if (entry.is_directory(gone)) visit(entry.path());
  });
}

// Only folders that are called as a store calls them: a folder of somebody's files is none.
template <typename Visit>
void for_each_part(const std::string& store, Visit visit) {
  std::error_code problem;
  if (fs::directory_iterator(store, problem); problem)
    throw FileError(store, "cannot be read: " + problem.message(), FileFault::kUnavailable);
  for_each_folder(store, [&](const fs::path& front) {
    const std::string letters = front.filename().string();
    if (letters.size() != 2) return;
    for_each_folder(front, [&](const fs::path& part) {
      const std::string name = part.filename().string();
      if (is_digest(name) && name.starts_with(letters)) visit(part);
    });
  });
}

bool is_of_store(const fs::path& path) {
  const std::string name = path.filename().string();
  return (is_result_file(name) || is_skim_file(name)) && is_digest(name.substr(0, name.find('.')));
}

std::vector<StoredFile> all_results_in(const std::string& store) {
  std::vector<StoredFile> files;
  for_each_part(store, [&](const fs::path& part) {
    for_each_file(part, [&](const StoredFile& file) {
      if (is_of_store(file.path)) files.push_back(file);
    });
  });
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

// Not what was used since it was listed. Returns whether it did.
bool remove(const StoredFile& file, StoreContents& removed) {
  std::error_code problem;
  if (last_use(file.path.string()) != file.used || !fs::remove(file.path, problem)) return false;
  ++removed.num_files;
  removed.num_bytes += file.bytes;
  // Only if nothing else is in it.
  removed.num_parts += fs::remove(file.path.parent_path(), problem) ? 1 : 0;
  return true;
}

// Of processes that were killed: files that were being written, marks of runs, sums that were to be read.
void remove_unfinished(const std::string& store) {
  const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
  const auto remove_old = [&](const StoredFile& file) {
    std::error_code problem;
    if (file.changed < yesterday) fs::remove(file.path, problem);
  };
  for_each_part(store, [&](const fs::path& part) {
    for_each_file(part, [&](const StoredFile& file) {
      const std::string name = file.path.filename().string();
      if (name.starts_with('.') && is_digest(name.substr(1, name.find('.', 1) - 1))) remove_old(file);
    });
  });
  for_each_file(store, [&](const StoredFile& file) {
    const std::string name = file.path.filename().string(), mark = ".run-";
    if (name.starts_with(mark) && is_digest(name.substr(mark.size()))) remove_old(file);
  });
  for_each_folder(fs::path(store) / kSumFolder, [&](const fs::path& sum) {
    std::error_code problem;
    if (!is_digest(sum.filename().string())) return;
    for_each_file(sum, remove_old);
    fs::remove(sum, problem);  // if nothing is left in it
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

// What others have removed is not damaged.
void note_damage(const std::string& path, StoreContents& contents) {
  try {
    check(path);
  } catch (const FileError& fault) {
    std::error_code ignored;
    if (fs::exists(path, ignored)) contents.damaged.emplace_back(fault.what());
  }
}

// What is verified is copied, file by file.
StoreContents contents_of_remote(const std::string& url, bool verifies) {
  RemoteStore store(url);
  StoreContents contents;
  std::set<std::string> parts;
  for (const RemoteStore::File& file : store.files()) {
    if (!is_digest(file.part) || !is_of_store(file.name)) continue;
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
    if (remove(file, removed)) left -= file.bytes;
  }
  remove_unfinished(folder);
  return removed;
}

}  // namespace skimline::skims

// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/opened_files.h"

#include "storage/at_once.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"

#include <chrono>

namespace skimline::io {
namespace {

// Beyond these, ends are read again when they are needed, rather than kept.
constexpr std::size_t kMaxFilesWithEnds = 512;
constexpr std::size_t kMaxOpeners = 32;
// What takes longer than this to open has waited for the storage.
constexpr std::chrono::microseconds kSlow{1000};

OpenedFile opened(const std::string& path) {
  auto root = std::make_shared<const RootFile>(path);
  const ReadCounts opening = root->input().reads();
  return {std::move(root), opening, opening};
}

}  // namespace

OpenedFile OpenedFiles::open(const std::string& path) {
  const ReadStopScope scope(stop_);
  {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(path);
    if (found != files_.end() && found->second.root->input().is_at_path()) {
      OpenedFile file = found->second;
      file.handed_out = file.root->input().reads();
      return file;
    }
  }
  OpenedFile file = opened(path);
  const std::lock_guard lock(mutex_);
  if (files_.size() >= kMaxFilesWithEnds) file.root->input().drop_ends();
  files_[path] = file;
  return file;
}

void OpenedFiles::open_ahead(const std::vector<std::string>& paths, std::size_t max_open) {
  const std::vector<std::string> wanted = not_open(paths);
  const auto try_to_open = [&](std::size_t number) {
    try {
      const OpenedFile file = open(wanted[number]);
      if (paths.size() > max_open) file.root->input().release();
    } catch (const FileError&) {  // open() says it to whoever needs the file
    }
  };
  if (wanted.empty()) return;
  const auto start = std::chrono::steady_clock::now();
  try_to_open(0);
  is_slow_ = std::chrono::steady_clock::now() - start > kSlow;
  for_each_at_once(wanted.size() - 1, num_openers(), [&](std::size_t number) { try_to_open(number + 1); });
}

std::size_t OpenedFiles::num_openers() const {
  return is_slow_ ? kMaxOpeners : static_cast<std::size_t>(default_threads());
}

std::vector<std::string> OpenedFiles::not_open(const std::vector<std::string>& paths) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> others;
  for (const std::string& path : paths)
    if (!files_.contains(path)) others.push_back(path);
  return others;
}

OpenedFile open_file(OpenedFiles* files, const std::string& path) {
  return files != nullptr ? files->open(path) : opened(path);
}

}  // namespace skimline::io

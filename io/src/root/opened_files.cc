// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/opened_files.h"

#include "skimline/framework/threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace skimline::io {
namespace {

// Beyond these, ends are read again when they are needed, rather than kept.
constexpr std::size_t kMaxFilesWithEnds = 512;
constexpr int kMaxOpeners = 32;
// A thread is worth its start if it waits at least so long for the storage.
constexpr std::chrono::microseconds kWorthAThread{300};

OpenedFile opened(const std::string& path) {
  auto root = std::make_shared<const RootFile>(path);
  const ReadCounts opening = root->input().reads();
  return {std::move(root), opening, opening};
}

// Calls `work` with each number below `count`, on so many threads; it must not throw.
template <typename Work>
void for_each_number(std::size_t count, int num_threads, Work work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t number = next++; number < count; number = next++) work(number);
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < num_threads; ++i) threads.emplace_back(take);
  take();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

OpenedFile OpenedFiles::open(const std::string& path) {
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
  std::vector<std::string> wanted;
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& path : paths)
      if (!files_.contains(path)) wanted.push_back(path);
  }
  const auto try_to_open = [&](std::size_t number) {
    try {
      const OpenedFile file = open(wanted[number]);
      if (paths.size() > max_open) file.root->input().release();
    } catch (const std::exception&) {  // open() says it to whoever needs the file
    }
  };
  if (wanted.empty()) return;
  const auto start = std::chrono::steady_clock::now();
  try_to_open(0);
  const bool is_slow = std::chrono::steady_clock::now() - start > kWorthAThread;
  wanted.erase(wanted.begin());
  const int threads = is_slow ? std::min<int>(kMaxOpeners, static_cast<int>(wanted.size())) : 1;
  for_each_number(wanted.size(), available_threads(std::max(threads, 1)), try_to_open);
}

OpenedFile open_file(OpenedFiles* files, const std::string& path) {
  return files != nullptr ? files->open(path) : opened(path);
}

void OpenedFiles::drop_ends() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [path, file] : files_) file.root->input().drop_ends();
}

}  // namespace skimline::io

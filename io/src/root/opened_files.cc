// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/opened_files.h"

#include "storage/at_once.h"
#include "storage/reader_threads.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace skimline::io {
namespace {

// Beyond this, ends are read again when they are needed, rather than kept.
constexpr std::uint64_t kMostKept = 64 * 1024 * 1024;
// Of so many files, the first one says how much of the others is needed.
constexpr std::size_t kManyFiles = 8;
constexpr std::uint64_t kSmallestEnd = 8 * 1024;
constexpr std::uint64_t kStep = 4096;

// A request that takes longer than this has waited for the storage.
constexpr double kSlow = 5e-4;

// Metadata of others may be a little larger.
std::uint64_t with_reserve(std::uint64_t used) {
  const std::uint64_t wanted = used + used / 4 + kStep / 2;
  return std::clamp((wanted + kStep - 1) / kStep * kStep, kSmallestEnd, InputFile::kLargestEnd);
}

// All that is listed counts as needed if the usual ends have it: it may be asked for later.
EndSizes with_listed(EndSizes used, const RootFile& root) {
  constexpr EndSizes kUsual;
  const std::uint64_t size = root.input().size();
  for (const RootKey& key : root.keys()) {
    if (const std::uint64_t end = key.offset + key.record_size; end <= kUsual.front)
      used.front = std::max(used.front, end);
    else if (key.offset < size && size - key.offset <= kUsual.back)
      used.back = std::max(used.back, size - key.offset);
  }
  return {with_reserve(used.front), with_reserve(used.back)};
}

}  // namespace

// Lists of pages grow with the file.
OpenedFile OpenedFiles::opened(const std::string& path, const Ends& ends) const {
  auto input = std::make_unique<const InputFile>(path);
  EndSizes sizes = ends.sizes;
  if (ends.of_size > 0 && input->size() > ends.of_size)
    sizes.back = with_reserve(
        static_cast<std::uint64_t>(static_cast<double>(sizes.back) * static_cast<double>(input->size()) /
                                   static_cast<double>(ends.of_size)));
  input->keep_ends(sizes, is_slow());
  auto root = std::make_shared<const RootFile>(std::move(input), ChangedRecords::kRefused);
  const ReadCounts opening = root->input().reads();
  return {std::move(root), opening, opening};
}

OpenedFile OpenedFiles::open(const std::string& path) { return open(path, {}); }

OpenedFile OpenedFiles::open(const std::string& path, const Ends& ends) {
  const ReadStopScope scope(stop_);
  {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(path);
    if (found != files_.end() && found->second.root->input().is_at_path()) {
      OpenedFile file = found->second;
      file.handed_out = file.root->input().reads();
      return file;
    }
    throw_if_failed(path);
  }
  OpenedFile file = opened(path, ends);
  const std::lock_guard lock(mutex_);
  kept_bytes_ += file.root->input().kept_bytes();
  if (kept_bytes_ > kMostKept) {
    kept_bytes_ -= file.root->input().kept_bytes();
    file.root->input().drop_ends();
  }
  files_[path] = file;
  return file;
}

// To the first who asks: whoever does so later may find the storage well again.
void OpenedFiles::throw_if_failed(const std::string& path) {
  const auto found = failed_.find(path);
  if (found == failed_.end()) return;
  const std::exception_ptr failure = found->second;
  failed_.erase(found);
  std::rethrow_exception(failure);
}

void OpenedFiles::try_to_open(const std::string& path, const Ends& ends, bool releases) {
  try {
    const OpenedFile file = open(path, ends);
    if (releases) file.root->input().release();
  } catch (const FileError& error) {  // open() says it to whoever needs the file
    if (error.fault() != FileFault::kStorage) return;
    const std::lock_guard lock(mutex_);
    failed_[path] = std::current_exception();
  }
}

// What is wrong with the metadata is found again when they are read.
OpenedFiles::Ends OpenedFiles::needed_ends(const std::string& path,
                                           const std::function<void(const RootFile&)>& look) {
  {
    const std::lock_guard lock(mutex_);
    if (!files_.contains(path)) return {};
  }
  try {
    const OpenedFile first = open(path);
    look(*first.root);
    const InputFile& input = first.root->input();
    return {with_listed(input.used_ends(), *first.root), input.size()};
  } catch (const Error&) {
    return {};
  }
}

// The first one alone tells how long the storage takes to answer.
void OpenedFiles::open_all(const std::vector<Wanted>& wanted, const std::vector<Ends>& ends, bool releases) {
  const auto open_one = [&](const Wanted& each) { try_to_open(each.path, ends[each.group], releases); };
  std::size_t num_open = 0;
  if (num_openers_ == 0 && !wanted.empty()) {
    const auto start = std::chrono::steady_clock::now();
    open_one(wanted[num_open++]);
    note_first(wanted.front().path,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  const auto caller = std::make_shared<ReadStop>();
  const StoppedReads stopped(caller, ReadStopScope::flag());
  for_each_at_once(wanted.size() - num_open, num_openers(), [&](std::size_t number) {
    const ReadStopScope scope(caller);
    open_one(wanted[num_open + number]);
  });
}

void OpenedFiles::open_ahead(const std::vector<Group>& groups, std::size_t max_open,
                             const std::function<void(const RootFile&)>& look) {
  std::size_t num_files = 0;
  for (const Group& group : groups) num_files += group.size();
  const bool releases = num_files > max_open;
  const std::vector<Group> wanted = not_tried(groups);
  std::vector<Wanted> first, others;
  for (std::size_t group = 0; group < wanted.size(); ++group)
    for (const std::string& path : wanted[group])
      (&path == &wanted[group].front() ? first : others).push_back({path, group});
  std::vector<Ends> ends(wanted.size());
  open_all(first, ends, releases);
  for (const Wanted& each : first)
    if (look && wanted[each.group].size() >= kManyFiles) ends[each.group] = needed_ends(each.path, look);
  open_all(others, ends, releases);
}

void OpenedFiles::keep_ends(const Group& paths) {
  if (!is_slow()) return;
  std::vector<std::shared_ptr<const RootFile>> files;
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& path : paths)
      if (const auto found = files_.find(path);
          found != files_.end() && found->second.root->input().kept_bytes() == 0)
        files.push_back(found->second.root);
  }
  const ReadStopScope scope(stop_);
  for_each_at_once(files.size(), num_openers(), [&](std::size_t number) {
    const InputFile& input = files[number]->input();
    const EndSizes used = input.used_ends();
    try {
      input.keep_ends({with_reserve(used.front), with_reserve(used.back)}, true);
    } catch (const FileError&) {  // whoever reads it says so
    }
  });
}

// Of the first file of many: how long the storage takes to answer.
void OpenedFiles::note_first(const std::string& path, double seconds) {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(path);
  if (found == files_.end()) return;
  ReadingCost cost = found->second.root->input().cost();
  cost.seconds_per_request =
      seconds / static_cast<double>(std::max<std::uint64_t>(1, found->second.opening.calls));
  num_openers_ = cost.seconds_per_request < kSlow ? 0 : threads_that_wait(cost);
}

std::size_t OpenedFiles::num_openers() const {
  // Asked for with each file that is opened, where reading the limits of the system would take as long.
  static const auto usual = static_cast<std::size_t>(default_threads());
  const std::size_t known = num_openers_;
  return known > 0 ? known : usual;
}

std::vector<OpenedFiles::Group> OpenedFiles::not_tried(const std::vector<Group>& groups) {
  const std::lock_guard lock(mutex_);
  std::vector<Group> others = groups;
  std::set<std::string> wanted;
  for (Group& group : others)
    std::erase_if(group, [&](const std::string& path) {
      return files_.contains(path) || failed_.contains(path) || !wanted.insert(path).second;
    });
  if (wanted.empty()) return others;
  kept_bytes_ = 0;
  for (const auto& [path, file] : files_) kept_bytes_ += file.root->input().kept_bytes();
  return others;
}

OpenedFile open_file(OpenedFiles* files, const std::string& path) {
  if (files != nullptr) return files->open(path);
  auto root = std::make_shared<const RootFile>(path);
  const ReadCounts opening = root->input().reads();
  return {std::move(root), opening, opening};
}

}  // namespace skimline::io

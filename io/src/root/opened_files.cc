// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/opened_files.h"

#include "storage/at_once.h"
#include "storage/reader_threads.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

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

// Asked for with each file that is opened, where reading the limits of the system would take as long.
std::size_t num_cores() {
  static const auto usual = static_cast<std::size_t>(default_threads());
  return usual;
}

// One of several cores, for as long as it computes.
class OneCore {
 public:
  explicit OneCore(std::counting_semaphore<>& cores) : cores_(cores) { cores_.acquire(); }
  ~OneCore() { cores_.release(); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  std::counting_semaphore<>& cores_;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

OpenedFiles::Opening::Opening(std::size_t num_groups, bool releases_files)
    : ends(num_groups), releases(releases_files), cores(static_cast<std::ptrdiff_t>(num_cores())) {}

// Lists of pages grow with the file.
OpenedFiles::Kept OpenedFiles::opened(const std::string& path, const Ends& ends, bool at_once) const {
  const auto start = std::chrono::steady_clock::now();
  auto input = std::make_unique<const InputFile>(path);
  const double seconds = seconds_since(start);
  EndSizes sizes = ends.sizes;
  if (ends.of_size > 0 && input->size() > ends.of_size)
    sizes.back = with_reserve(
        static_cast<std::uint64_t>(static_cast<double>(sizes.back) * static_cast<double>(input->size()) /
                                   static_cast<double>(ends.of_size)));
  input->keep_ends(sizes, at_once);
  auto root = std::make_shared<const RootFile>(std::move(input), ChangedRecords::kRefused);
  return {{std::move(root), {}, {}}, seconds, {}};
}

// Throws what opening ahead has thrown.
std::optional<OpenedFile> OpenedFiles::find_opened(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(path);
  if (found == files_.end() || !found->second.file.root->input().is_at_path()) {
    throw_if_failed(path);
    return std::nullopt;
  }
  OpenedFile file = found->second.file;
  file.handed_out = file.root->input().reads();
  return file;
}

void OpenedFiles::keep(const std::string& path, Kept kept) {
  const InputFile& input = kept.file.root->input();
  kept.file.opening = input.reads();
  const std::lock_guard lock(mutex_);
  kept_bytes_ += input.kept_bytes();
  if (kept_bytes_ > kMostKept) {
    kept_bytes_ -= input.kept_bytes();
    input.drop_ends();
  }
  files_[path] = std::move(kept);
}

OpenedFile OpenedFiles::open(const std::string& path) {
  const ReadStopScope scope(stop_);
  if (std::optional<OpenedFile> known = find_opened(path)) return *std::move(known);
  Kept kept = opened(path, {}, is_slow());
  const std::shared_ptr<const RootFile> root = kept.file.root;
  keep(path, std::move(kept));
  const ReadCounts opening = root->input().reads();
  return {root, opening, opening};
}

std::any OpenedFiles::take_metadata(const RootFile& file) {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(file.path());
  if (found == files_.end() || found->second.file.root.get() != &file) return {};
  return std::exchange(found->second.metadata, {});
}

// To the first who asks: whoever does so later may find the storage well again.
void OpenedFiles::throw_if_failed(const std::string& path) {
  const auto found = failed_.find(path);
  if (found == failed_.end()) return;
  const std::exception_ptr failure = found->second;
  failed_.erase(found);
  std::rethrow_exception(failure);
}

void OpenedFiles::try_to_open(const Wanted& wanted, Opening& opening, bool at_once) {
  try {
    const ReadStopScope scope(stop_);
    const Ends& ends = opening.ends[wanted.group];
    Kept file = opened(wanted.path, ends, at_once);
    if (opening.read) file.metadata = metadata_of(*file.file.root, opening, ends.have_metadata);
    if (opening.releases) file.file.root->input().release();
    keep(wanted.path, std::move(file));
  } catch (const FileError& error) {  // open() says it to whoever needs the file
    if (error.fault() != FileFault::kStorage) return;
    const std::lock_guard lock(mutex_);
    failed_[wanted.path] = std::current_exception();
  }
}

// What is wrong with them is found again by whoever needs them, but is not waited for again.
std::any OpenedFiles::metadata_of(const RootFile& file, Opening& opening, bool is_computing) {
  std::optional<OneCore> core;
  if (is_computing) core.emplace(opening.cores);
  try {
    return opening.read(file);
  } catch (const FileError& error) {
    if (error.fault() == FileFault::kStorage) throw;
    return {};
  } catch (const Error&) {
    return {};
  }
}

// What is wrong with the metadata is found again when they are read.
OpenedFiles::Ends OpenedFiles::needed_ends(const std::string& path, const MetadataAhead& metadata) {
  {
    const std::lock_guard lock(mutex_);
    if (!files_.contains(path)) return {};
  }
  try {
    const OpenedFile first = open(path);
    metadata.look(*first.root);
    const InputFile& input = first.root->input();
    return {with_listed(input.used_ends(), *first.root), input.size(),
            first.reads().calls == first.opening.calls};
  } catch (const Error&) {
    return {};
  }
}

// The first one alone, both of its ends together, tells how long the storage takes to answer. Where others
// wait for threads, twice as many read one end after the other: both at once start one more for each file.
void OpenedFiles::open_all(const std::vector<Wanted>& wanted, Opening& opening) {
  std::size_t num_open = 0;
  if (num_openers_ == 0 && !wanted.empty()) {
    try_to_open(wanted[num_open++], opening, true);
    note_first(wanted.front().path);
  }
  const auto caller = std::make_shared<ReadStop>();
  const StoppedReads stopped(caller, ReadStopScope::flag());
  const std::size_t count = wanted.size() - num_open;
  const bool at_once = is_slow() && (count <= num_openers() || is_url(wanted.back().path));
  for_each_at_once(count, is_slow() && !at_once ? 2 * num_openers() : num_openers(), [&](std::size_t number) {
    const ReadStopScope scope(caller);
    try_to_open(wanted[num_open + number], opening, at_once);
  });
}

void OpenedFiles::open_ahead(const std::vector<Group>& groups, std::size_t max_open,
                             const MetadataAhead& metadata) {
  std::size_t num_files = 0;
  for (const Group& group : groups) num_files += group.size();
  const std::vector<Group> wanted = not_tried(groups);
  std::vector<Wanted> first, others;
  for (std::size_t group = 0; group < wanted.size(); ++group)
    for (const std::string& path : wanted[group])
      (&path == &wanted[group].front() ? first : others).push_back({path, group});
  Opening opening(wanted.size(), num_files > max_open);
  open_all(first, opening);
  for (const Wanted& each : first)
    if (metadata.look && wanted[each.group].size() >= kManyFiles)
      opening.ends[each.group] = needed_ends(each.path, metadata);
  opening.read = metadata.read;
  open_all(others, opening);
}

void OpenedFiles::keep_ends(const Group& paths) {
  if (!is_slow()) return;
  std::vector<std::shared_ptr<const RootFile>> files;
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& path : paths)
      if (const auto found = files_.find(path);
          found != files_.end() && found->second.file.root->input().kept_bytes() == 0)
        files.push_back(found->second.file.root);
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

// Of the first file of many: how long the storage takes to answer, be it that it opens or that it reads.
void OpenedFiles::note_first(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(path);
  if (found == files_.end()) return;
  const auto& [file, seconds, metadata] = found->second;
  const InputFile& input = file.root->input();
  ReadingCost cost = input.cost();
  const double to_read = input.is_remote() ? 0 : cost.seconds_per_request;
  const auto requests = static_cast<double>(input.is_remote() ? file.opening.calls : 1);
  cost.seconds_per_request = std::max(seconds / std::max(1.0, requests), to_read);
  num_openers_ = cost.seconds_per_request < kSlow ? 0 : threads_that_wait(cost);
}

std::size_t OpenedFiles::num_openers() const {
  const std::size_t known = num_openers_;
  return known > 0 ? known : num_cores();
}

std::size_t OpenedFiles::num_readers(const Group& paths) const {
  const std::lock_guard lock(mutex_);
  const auto is_read = [&](const std::string& path) {
    const auto found = files_.find(path);
    return found != files_.end() && found->second.metadata.has_value();
  };
  const auto num_read = static_cast<std::size_t>(std::count_if(paths.begin(), paths.end(), is_read));
  return std::clamp(paths.size() - num_read, num_cores(), std::max(num_cores(), num_openers()));
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
  for (const auto& [path, kept] : files_) kept_bytes_ += kept.file.root->input().kept_bytes();
  return others;
}

OpenedFile open_file(OpenedFiles* files, const std::string& path) {
  if (files != nullptr) return files->open(path);
  auto root = std::make_shared<const RootFile>(path);
  const ReadCounts opening = root->input().reads();
  return {std::move(root), opening, opening};
}

}  // namespace skimline::io

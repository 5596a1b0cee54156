// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/open_remote.h"

#include "remote/block_cache.h"
#include "remote/http_access.h"
#include "remote/remote_schemes.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include <xxhash.h>

namespace skimline::io {
namespace {

std::vector<std::string> names_of(std::string_view name) {
  std::vector<std::string> names;
  for (;;) {
    const std::size_t end = std::min(name.find('|'), name.size());
    const std::string_view one = name.substr(0, end);
    const std::size_t begin = std::min(one.find_first_not_of(' '), one.size());
    names.emplace_back(one.substr(begin, one.find_last_not_of(' ') + 1 - begin));
    if (end == name.size()) return names;
    name.remove_prefix(end + 1);
  }
}

std::uint64_t hash_of(const std::vector<FileBytes>& ends) {
  std::uint64_t hash = 0;
  for (const FileBytes& end : ends)
    hash = XXH3_64bits_withSeed(end.bytes.data(), end.bytes.size(), hash + end.offset);
  return hash;
}

bool may_be_elsewhere(const FileError& error) {
  return error.fault() == FileFault::kStorage || error.fault() == FileFault::kUnavailable;
}

// While another place is left, one is not waited for long.
constexpr double kPatienceWithOthers = 0.2;

class ReplicatedFile : public RemoteFile {
 public:
  explicit ReplicatedFile(const OpenRequest& request)
      : all_names_(request.name),
        names_(names_of(request.name)),
        end_bytes_(request.end_bytes),
        patience_(request.patience) {}

  OpenedRemote open_first(StopFlag stop) {
    OpenedRemote opened = open_next(stop);
    size_ = file_->size();
    version_ = file_->version();
    hash_ = hash_of(opened.ends);
    is_known_ = true;
    return opened;
  }

  std::uint64_t size() const override { return size_; }
  const std::string& version() const override { return version_; }
  bool is_settled() const override { return current()->is_settled(); }

  std::uint64_t read(std::span<const RangeRead> reads, StopFlag stop) const override {
    for (std::uint64_t requests = 0;;) {
      const std::shared_ptr<const RemoteFile> file = current();
      try {
        return requests + file->read(reads, stop);
      } catch (const FileError& error) {
        if (!may_be_elsewhere(error)) throw;
        requests += leave(file, error, stop);
      }
    }
  }

  bool is_unchanged(StopFlag stop) const override { return current()->is_unchanged(stop); }
  ReadingCost cost() const override { return current()->cost(); }

 private:
  std::shared_ptr<const RemoteFile> current() const {
    const std::lock_guard lock(mutex_);
    return file_;
  }

  // Takes the next place, unless another thread has done so; returns what that took.
  std::uint64_t leave(const std::shared_ptr<const RemoteFile>& failed, const FileError& error,
                      StopFlag stop) const {
    const std::lock_guard lock(mutex_);
    if (file_ != failed) return 0;
    note(error);
    return open_next(stop).requests;
  }

  void note(const FileError& error) const {
    faults_ += (faults_.empty() ? "" : "; ") + std::string(error.what());
    last_fault_ = error.fault();
    is_missing_ = dynamic_cast<const NoSuchRemoteFile*>(&error) != nullptr;
  }

  OpenedRemote open_next(StopFlag stop) const {
    while (next_ < names_.size()) {
      const std::string& name = names_[next_++];
      Patience patience = patience_;
      if (next_ < names_.size()) patience.seconds *= kPatienceWithOthers;
      try {
        OpenedRemote opened = scheme_of(name).open({name, end_bytes_, stop, patience});
        if (is_known_ && (opened.file->size() != size_ || hash_of(opened.ends) != hash_))
          throw FileError(name, "is another file than the copy that was read before",
                          FileFault::kUnavailable);
        file_ = std::move(opened.file);
        return opened;
      } catch (const FileError& error) {
        if (names_.size() == 1 || !may_be_elsewhere(error)) throw;
        note(error);
      }
    }
    const std::string problem =
        "none of its " + std::to_string(names_.size()) + " copies can be read: " + faults_;
    if (is_missing_) throw NoSuchRemoteFile(all_names_, problem);
    throw FileError(all_names_, problem, last_fault_);
  }

  const std::string all_names_;
  const std::vector<std::string> names_;
  const std::uint64_t end_bytes_;
  const Patience patience_;
  std::uint64_t size_ = 0, hash_ = 0;
  std::string version_;
  bool is_known_ = false;
  mutable std::mutex mutex_;
  mutable std::size_t next_ = 0;
  mutable std::shared_ptr<const RemoteFile> file_;
  mutable std::string faults_;
  mutable FileFault last_fault_ = FileFault::kUnavailable;
  mutable bool is_missing_ = false;
};

}  // namespace

namespace {

OpenedRemote open_at_server(const OpenRequest& request) {
  if (request.name.find('|') == std::string::npos) return scheme_of(request.name).open(request);
  auto file = std::make_unique<ReplicatedFile>(request);
  OpenedRemote opened = file->open_first(request.stop);
  opened.file = std::move(file);
  return opened;
}

// What tells a file apart from those of other servers that have the same name.
std::string place_of(const std::string& name) {
  const bool are_copies = name.find('|') != std::string::npos;
  const RemoteScheme* const scheme = are_copies ? nullptr : &scheme_of(name);
  return scheme != nullptr && scheme->place != nullptr ? scheme->place(name) : name;
}

void refuse_output(const std::string& name, const std::string& problem) {
  throw FileError(name, "cannot be written: " + problem, FileFault::kUnwritable);
}

}  // namespace

OpenedRemote open_remote(const std::string& name, std::uint64_t end_bytes, const CacheUse& use,
                         StopFlag stop) {
  check_numbers_of_environment();
  const OpenRequest request{name, end_bytes, stop, Patience::of_environment()};
  const BlockCache cache(use);
  const std::string place = place_of(name);
  if (name.find('|') == std::string::npos)
    if (std::optional<OpenedRemote> known = cache.resume(request, place, scheme_of(name).resume))
      return std::move(*known);
  OpenedRemote opened = open_at_server(request);
  cache.keep(opened, place);
  return opened;
}

std::optional<std::uint64_t> remote_size(const std::string& name) { return scheme_of(name).size(name); }

void check_output_url(const std::string& name) {
  check_numbers_of_environment();
  scheme_of(name);
  const std::string path = name.substr(0, name.find('?'));
  if (name.find('|') != std::string::npos) refuse_output(name, "an output has one name, not several");
  if (path.ends_with('/') || std::count(path.begin(), path.end(), '/') < 3)
    refuse_output(name, "it names no file");
}

}  // namespace skimline::io

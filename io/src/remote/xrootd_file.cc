// SPDX-License-Identifier: BSD-3-Clause
#include "remote/xrootd_file.h"

#include "remote/http_dates.h"
#include "remote/http_ranges.h"
#include "remote/xrootd_calls.h"
#include "remote/xrootd_library.h"

#include "skimline/framework/error.h"
#include "skimline/io/url_secrets.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace skimline::io {
namespace {

struct ByteSpan {
  std::uint64_t offset, size;
};

using Instant = std::chrono::steady_clock::time_point;

class XrootdFile : public RemoteFile {
 public:
  XrootdFile(const std::string& name, Patience patience)
      : name_(name), patience_(patience), functions_(xrootd_functions(name)) {}

  // In a state that is known; it is opened when it is read.
  XrootdFile(const std::string& name, Patience patience, const RemoteState& state)
      : XrootdFile(name, patience) {
    size_ = state.size;
    modified_ = std::strtoull(state.version.c_str(), nullptr, 10);
    version_ = state.version;
  }

  // As often as it takes, as long as patience lasts.
  void open_first(StopFlag stop) {
    file_ = patiently(stop, [&] { return open_once(stop, size_, modified_); });
    version_ = std::to_string(modified_);
    is_settled_ = is_second_over(static_cast<std::int64_t>(modified_), seconds_now());
  }

  std::uint64_t size() const override { return size_; }
  const std::string& version() const override { return version_; }
  bool is_settled() const override { return is_settled_; }

  std::uint64_t read(std::span<const RangeRead> reads, StopFlag stop) const override {
    const std::vector<RangeOfReads> wanted = near_together(reads, kGapOfRanges);
    std::vector<std::vector<std::byte>> bytes;
    std::vector<SkimlineXrootdRange> ranges;
    for (const RangeOfReads& range : wanted) {
      bytes.emplace_back(static_cast<std::size_t>(range.end - range.begin));
      ranges.push_back({range.begin, bytes.back().size(), bytes.back().data()});
    }
    std::uint64_t requests = 0;
    patiently(stop, [&] {
      std::shared_ptr<void> file = current(stop);
      const Instant start = std::chrono::steady_clock::now();
      requests += read_once(file, ranges, stop);
      note_time(start);
      return file;
    });
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const AnsweredRange part{{wanted[i].begin, wanted[i].end, size_}, bytes[i]};
      distribute(wanted[i], {&part, 1});
    }
    return requests;
  }

  // Who is told of no such file will be told so again.
  bool is_unchanged(StopFlag stop) const override {
    std::uint64_t size = 0, modified = 0;
    SkimlineXrootdFault fault{};
    const XrootdWait wait(stop);
    if (!functions_.stat(with_secrets(name_).c_str(), wait.get(), &size, &modified, &fault)) {
      if (fault.is_stopped) throw Interrupted();
      return false;
    }
    is_known_ = true;
    return size == size_ && modified == modified_;
  }

  ReadingCost cost() const override {
    constexpr ReadingCost kUnknown{0.03, 50e6};
    const std::lock_guard lock(mutex_);
    return {fastest_ > 0 ? fastest_ : kUnknown.seconds_per_request, kUnknown.bytes_per_second};
  }

 private:
  // As with other servers: one that never answered probably has another name.
  std::shared_ptr<void> patiently(StopFlag stop, const std::function<std::shared_ptr<void>()>& work) const {
    std::shared_ptr<void> file;
    call_patiently(is_known_ ? patience_.seconds : patience_.seconds / 10, stop, [&] { file = work(); });
    return file;
  }

  std::shared_ptr<void> open_once(StopFlag stop, std::uint64_t& size, std::uint64_t& modified) const {
    SkimlineXrootdFault fault{};
    const XrootdWait wait(stop);
    void* const file = functions_.open(with_secrets(name_).c_str(), wait.get(), &size, &modified, &fault);
    if (file == nullptr) throw_fault(name_, "cannot be opened: ", fault);
    is_known_ = true;
    return {file, functions_.close};
  }

  // Opens it again if reading has failed.
  std::shared_ptr<void> current(StopFlag stop) const {
    const std::lock_guard lock(opening_);
    if (!file_) {
      std::uint64_t size = 0, modified = 0;
      std::shared_ptr<void> file = open_once(stop, size, modified);
      check_state(size, modified);
      file_ = std::move(file);
    }
    return file_;
  }

  void check_state(std::uint64_t size, std::uint64_t modified) const {
    if (size != size_ || modified != modified_)
      throw FileError(name_, "changed while it was being read", FileFault::kUnavailable);
  }

  std::uint64_t read_once(const std::shared_ptr<void>& file, const std::vector<SkimlineXrootdRange>& ranges,
                          StopFlag stop) const {
    SkimlineXrootdFault fault{};
    const XrootdWait wait(stop);
    std::uint64_t size = 0, modified = 0;
    const std::uint64_t requests =
        functions_.read(file.get(), ranges.data(), ranges.size(), wait.get(), &size, &modified, &fault);
    if (!fault.is_fault) {
      check_state(size, modified);
      return requests;
    }
    const std::lock_guard lock(opening_);
    if (!fault.is_stopped && file_ == file) file_.reset();
    throw_fault(name_, "cannot be read: ", fault);
  }

  void note_time(Instant start) const {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const std::lock_guard lock(mutex_);
    if (fastest_ == 0 || seconds.count() < fastest_) fastest_ = seconds.count();
  }

  const std::string name_;
  const Patience patience_;
  const SkimlineXrootdFunctions& functions_;
  std::uint64_t size_ = 0, modified_ = 0;
  std::string version_;
  bool is_settled_ = true;
  mutable std::atomic<bool> is_known_{false};
  mutable std::mutex opening_;
  mutable std::shared_ptr<void> file_;  // null after a fault
  mutable std::mutex mutex_;
  mutable double fastest_ = 0;
};

}  // namespace

OpenedRemote open_xrootd_file(const OpenRequest& request) {
  auto file = std::make_unique<XrootdFile>(request.name, request.patience);
  file->open_first(request.stop);
  OpenedRemote opened;
  const std::uint64_t size = file->size(), end = request.end_bytes;
  const std::vector<ByteSpan> places =
      size <= 2 * end ? std::vector<ByteSpan>{{0, size}} : std::vector<ByteSpan>{{0, end}, {size - end, end}};
  std::vector<RangeRead> reads;
  opened.ends.reserve(places.size());
  for (const ByteSpan& place : places) {
    opened.ends.push_back({place.offset, std::vector<std::byte>(static_cast<std::size_t>(place.size))});
    reads.push_back({place.offset, opened.ends.back().bytes});
  }
  opened.requests = 1 + (size > 0 ? file->read(reads, request.stop) : 0);
  opened.file = std::move(file);
  return opened;
}

std::unique_ptr<const RemoteFile> resume_xrootd_file(const std::string& name, const RemoteState& state) {
  return std::make_unique<XrootdFile>(name, Patience::of_environment(), state);
}

void for_each_in_xrootd_folder(const std::string& folder, StopFlag stop,
                               const std::function<void(const std::string&, bool)>& take) {
  const SkimlineXrootdFunctions& functions = xrootd_functions(folder);
  SkimlineXrootdFault fault{};
  const XrootdWait wait(stop);
  const auto take_entry = [](void* context, const char* name, int is_folder) {
    (*static_cast<std::vector<std::pair<std::string, bool>>*>(context)).emplace_back(name, is_folder != 0);
  };
  std::vector<std::pair<std::string, bool>> entries;
  const int is_listed =
      functions.list(with_secrets(folder).c_str(), wait.get(), take_entry, &entries, &fault);
  if (is_listed == 0) throw_fault(folder, "cannot be listed: ", fault);
  for (const auto& [name, is_folder] : entries) take(name, is_folder);
}

}  // namespace skimline::io

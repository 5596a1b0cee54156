// SPDX-License-Identifier: BSD-3-Clause
// Whether whoever waits for bytes of a job's files shall give up, and where they are kept.
#pragma once

#include "skimline/framework/stop_flag.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace skimline::io {

/// What is kept of remote files, see docs/remote.md.
struct CacheUse {
  std::string folder;          ///< for blocks, unless the environment names one
  bool keeps_metadata = true;  ///< whether metadata are, without any folder
};

/// Shared by the files that are opened for one job: while they wait for bytes, they look at its flag.
/// Thread-safe.
class ReadStop {
 public:
  /// The flag of the job that runs now.
  StopFlag flag() const {
    const std::lock_guard lock(mutex_);
    return flag_;
  }
  void set(StopFlag flag) {
    const std::lock_guard lock(mutex_);
    flag_ = flag;
  }

  CacheUse cache() const {
    const std::lock_guard lock(mutex_);
    return cache_;
  }
  void keep_blocks_in(std::string folder) {
    const std::lock_guard lock(mutex_);
    cache_.folder = std::move(folder);
  }
  /// Has servers asked for metadata, whatever is known of them.
  void keep_no_metadata() {
    const std::lock_guard lock(mutex_);
    cache_.keeps_metadata = false;
  }

 private:
  mutable std::mutex mutex_;
  StopFlag flag_;
  CacheUse cache_;
};

/// What files look at that the calling thread opens during the life of this.
class ReadStopScope {
 public:
  explicit ReadStopScope(std::shared_ptr<const ReadStop> stop)
      : outer_(std::exchange(current_, std::move(stop))), around_(std::exchange(innermost_, this)) {}
  ~ReadStopScope() {
    current_ = std::move(outer_);
    innermost_ = around_;
  }
  ReadStopScope(const ReadStopScope&) = delete;
  ReadStopScope& operator=(const ReadStopScope&) = delete;

  /// Null if there is none.
  static const std::shared_ptr<const ReadStop>& current() { return current_; }

  /// The flag of the innermost that has one: that of whoever waits for the calling thread.
  static StopFlag flag() {
    if (current_ && current_->flag().is_given()) return current_->flag();
    for (const ReadStopScope* scope = innermost_; scope != nullptr; scope = scope->around_)
      if (scope->outer_ && scope->outer_->flag().is_given()) return scope->outer_->flag();
    return {};
  }

 private:
  inline static thread_local std::shared_ptr<const ReadStop> current_;
  inline static thread_local const ReadStopScope* innermost_ = nullptr;
  std::shared_ptr<const ReadStop> outer_;
  const ReadStopScope* around_;
};

/// Has files look at a flag during the life of this.
class StoppedReads {
 public:
  StoppedReads(std::shared_ptr<ReadStop> stop, StopFlag flag) : stop_(std::move(stop)) { stop_->set(flag); }
  ~StoppedReads() { stop_->set({}); }
  StoppedReads(const StoppedReads&) = delete;
  StoppedReads& operator=(const StoppedReads&) = delete;

 private:
  std::shared_ptr<ReadStop> stop_;
};

}  // namespace skimline::io

// SPDX-License-Identifier: BSD-3-Clause
// The thread that all transfers of the process run on.
#pragma once

#include "remote/http_messages.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace skimline::io {

/// Where transfers say that they have ended.
class EndedTransfers {
 public:
  void add(std::size_t number);
  /// Returns the number of one that has ended, or nothing after this long.
  std::optional<std::size_t> take(double seconds);

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  std::deque<std::size_t> numbers_;
};

/// A request under way. Its own until it has ended, then of whoever waits for it.
struct HttpTransfer {
  HttpRequest request;
  HttpAnswer answer;
  std::size_t number = 0;
  std::shared_ptr<EndedTransfers> ended;
  std::atomic<bool> is_abandoned{false};  ///< set by who no longer wants it
};

/// Makes transfers ahead of each other on one thread, which ends where the process begins to exit: what the
/// TLS library is made of is gone soon after. Thread-safe.
class HttpLoop {
 public:
  /// The one of this process: a child that was forked has its own.
  static HttpLoop& instance();

  void start(const std::vector<std::shared_ptr<HttpTransfer>>& transfers);
  /// Has abandoned transfers looked at.
  void wake();

 private:
  class Work;
  HttpLoop();
  static void end_at_exit();

  std::shared_ptr<Work> work_;
  std::thread thread_;
  pid_t process_;
};

}  // namespace skimline::io

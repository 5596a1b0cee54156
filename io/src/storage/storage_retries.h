// SPDX-License-Identifier: BSD-3-Clause
// Asks the storage again where it fails in a way that may pass.
#pragma once

#include <cerrno>
#include <chrono>
#include <thread>

namespace skimline::io {

/// Whether a system call that failed with this number may succeed a moment later: servers that restart,
/// networks that are down for a while.
inline bool is_transient(int error) {
  switch (error) {
    case EAGAIN:
    case ECOMM:
    case ECONNABORTED:
    case ECONNREFUSED:
    case ECONNRESET:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case EIO:
    case ENETDOWN:
    case ENETRESET:
    case ENETUNREACH:
    case ENOLINK:
    case ENOTCONN:
    case EREMOTEIO:
    case ESTALE:
    case ETIMEDOUT:
      return true;
    default:
      return false;
  }
}

/// How often the storage is asked, and how long in between: twice as long each time.
struct RetryPolicy {
  int attempts = 6;
  std::chrono::milliseconds first_pause{60};
};

/// Makes a system call, a function that returns a negative number and sets errno if it fails, until it
/// succeeds, fails for good, or was made as often as it may be. Calls that a signal interrupted are made
/// again at once. Returns what the last call returned, with its errno.
template <typename Call>
auto retried(Call call, const RetryPolicy& policy = {}) {
  std::chrono::milliseconds pause = policy.first_pause;
  for (int attempt = 1;;) {
    const auto result = call();
    if (result >= 0) return result;
    const int error = errno;
    if (error == EINTR) continue;
    if (!is_transient(error) || attempt >= policy.attempts) {
      errno = error;
      return result;
    }
    std::this_thread::sleep_for(pause);
    pause *= 2;
    ++attempt;
  }
}

}  // namespace skimline::io

// SPDX-License-Identifier: BSD-3-Clause
// A complete local file that gets its name on another machine.
#pragma once

#include "remote/http_transfer.h"

#include "skimline/framework/stop_flag.h"

#include <string>

namespace skimline::io {

/// For what need not be done: removing what was sent in vain.
inline constexpr Patience kBriefPatience{1};

/// One output behind a URL. Whatever it has sent is removed with it, unless it has its name by then.
class RemoteOutput {
 public:
  virtual ~RemoteOutput() = default;

  /// Sends a file so that nobody sees it, and compares it with what the server has: by the server's checksum,
  /// or else by its size and both ends. Throws FileError, and Interrupted soon after `stop` is set.
  virtual void send(const std::string& path, StopFlag stop) = 0;

  /// Gives what was sent its name. What had the name can be given it back where `keeps_old`. Throws
  /// FileError, and then nothing has changed once undo() was called.
  virtual void publish(bool keeps_old) = 0;

  /// Gives the name back to what had it, or to nothing, where publish() has taken it, also if that has
  /// failed. Returns what is wrong, or an empty text.
  virtual std::string undo() = 0;

  /// Removes what had the name before.
  virtual void settle() noexcept = 0;
};

}  // namespace skimline::io

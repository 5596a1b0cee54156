// SPDX-License-Identifier: BSD-3-Clause
// Requests over HTTP, many at once, over connections that are kept.
#pragma once

#include "remote/http_messages.h"

#include "skimline/framework/stop_flag.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace skimline::io {

/// What to do about an answer: it is taken, or asked for again because of a fault that may pass.
struct AskAgain {
  std::string reason;
  double pause_seconds = 0;  ///< that the server wishes
};

/// Looks at the answer to the request of this number, which it may change for the next time. Throws FileError
/// if it cannot be used.
using TakeAnswer =
    std::function<std::optional<AskAgain>(std::size_t number, HttpRequest& request, HttpAnswer& answer)>;

/// How long what may pass is waited for. SKIMLINE_REMOTE_PATIENCE, in seconds, 30 without it; where the
/// server has never answered, a tenth of that.
struct Patience {
  double seconds = 30;
  static Patience of_environment();
};

/// Sends all requests at once and waits for the answers, which it hands over one at a time as they come, in
/// the calling thread. Those to be asked for again are, after pauses that grow. Returns how many were sent,
/// repeats included. Throws what `take` throws, FileError of the kind kStorage naming `name` when its
/// patience ends, and Interrupted soon after `stop` is set; what is under way is dropped then.
std::uint64_t send_requests(std::vector<HttpRequest> requests, const std::string& name, Patience patience,
                            StopFlag stop, const TakeAnswer& take);

/// A FileError about an answer that is no success, in the user's terms; `name` is the file's.
[[noreturn]] void refuse_answer(const std::string& name, const HttpRequest& request,
                                const HttpAnswer& answer);

/// Whether an answer is a fault that may pass, and what to tell of it.
std::optional<AskAgain> transient_fault(const HttpAnswer& answer);

}  // namespace skimline::io

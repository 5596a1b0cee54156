// SPDX-License-Identifier: BSD-3-Clause
// Outputs on servers that speak WebDAV, or as much of it as it takes: PUT, MOVE, DELETE.
#pragma once

#include "remote/http_messages.h"
#include "remote/http_transfer.h"
#include "remote/remote_output.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace skimline::io {

/// Asks once, and again as long as a fault may pass, and returns the answer whatever its status. Throws
/// FileError naming `name` if none comes.
HttpAnswer answer_of(const HttpRequest& request, const std::string& name, StopFlag stop = {},
                     Patience patience = Patience::of_environment());

/// Throws FileError unless the answer says that all went well; `what` says what did not.
void check_success(const HttpAnswer& answer, const HttpRequest& request, const std::string& name,
                   const std::string& what);

/// The size of what a HEAD request is answered for; nothing if there is no such file.
std::optional<std::uint64_t> size_by_head(HttpRequest request, const std::string& name);

std::unique_ptr<RemoteOutput> http_output(const std::string& name);

/// Nothing if there is no such file. Throws FileError.
std::optional<std::uint64_t> http_size(const std::string& name);

}  // namespace skimline::io

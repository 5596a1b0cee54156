// SPDX-License-Identifier: BSD-3-Clause
// A file that a server offers over HTTP.
#pragma once

#include "remote/http_transfer.h"
#include "remote/open_request.h"

#include "skimline/io/remote_file.h"

#include <functional>
#include <memory>
#include <string>

namespace skimline::io {

/// How a file is asked for: the URL and what proves who asks, made anew for each request as tokens change.
struct HttpTarget {
  std::string name;  ///< as the user gave it, without secrets
  std::function<HttpRequest()> request;
  bool takes_several_ranges = true;  ///< whether it is worth trying to ask for several ranges at once
  bool has_tags_of_content = false;  ///< whether ETags are made of the bytes, and not of their time
};

/// Opens a file. Throws as open_remote() does.
OpenedRemote open_http_file(HttpTarget target, std::uint64_t end_bytes, StopFlag stop, Patience patience);

/// A file in a state that is known; nothing is asked. Reading it is an error if it is in another one by now.
std::unique_ptr<const RemoteFile> resume_http_file(HttpTarget target, const RemoteState& state);

/// The target that an http://, https://, dav:// or davs:// URL names.
HttpTarget http_target(const std::string& name);

}  // namespace skimline::io

// SPDX-License-Identifier: BSD-3-Clause
// A request over HTTP and its answer.
#pragma once

#include "remote/http_access.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace skimline::io {

struct HttpRequest {
  std::string method = "GET";
  std::string url;    ///< without user and password
  std::string range;  ///< "0-99,200-299"; empty for all
  std::vector<std::string> headers;
  std::string body;       ///< of what is sent in one piece
  std::string sent_file;  ///< or the path of a file that is sent
  HttpAccess access;
  std::size_t max_body = 0;  ///< more than this is not taken
  bool follows_redirects = true;
  bool has_literal_path = false;  ///< "." and ".." in the path are names as others are
};

/// What came of a request.
struct HttpAnswer {
  int status = 0;                              ///< 0 if no answer came
  std::map<std::string, std::string> headers;  ///< by names in small letters; those of the last answer
  std::vector<std::byte> body;
  std::string url;            ///< that it came from, after redirects
  bool is_too_large = false;  ///< the body is more than was wanted, and incomplete

  std::string fault;          ///< why there is no complete answer; empty if there is
  bool is_transient = false;  ///< whether that may pass
  bool is_connected = false;  ///< whether the server was reached

  double wanted_pause = 0;  ///< for so many seconds the server wants not to be asked again (Retry-After)
  double first_byte_seconds = 0, all_seconds = 0;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
  /// The same, of the body.
  std::string text() const { return {reinterpret_cast<const char*>(body.data()), body.size()}; }
};

}  // namespace skimline::io

// SPDX-License-Identifier: BSD-3-Clause
// Who one is to a server, and which servers are believed.
#pragma once

#include "skimline/io/url.h"

#include <string>

namespace skimline::io {

/// What proves to a server who asks. It goes to the host it was made for, never to one redirected to; the
/// certificate alone, which proves without giving anything away, goes with any https:// request that wants
/// one.
struct HttpAccess {
  std::string user, password;
  std::string bearer_token;
  std::string signature;  ///< as CURLOPT_AWS_SIGV4 takes it; user and password are the keys then
  std::string session_token;
  std::string advice;                        ///< what to tell who is refused; may be empty
  std::string certificate, certificate_key;  ///< paths of PEM files
  std::string ca_bundle, ca_folder;          ///< who is believed; empty for the library's own
};

/// Returns what the user and the variables of the environment say about a URL. Over http:// nothing is sent,
/// unless SKIMLINE_SEND_CREDENTIALS_OVER_HTTP is 1. Throws FileError naming `name` if the URL has a password
/// that may not be sent, or a token cannot be read.
HttpAccess access_to(const Url& url, const std::string& name);

/// Returns what the environment and the system say about certificates: whose to show, and who is believed.
HttpAccess certificate_access();

/// The value of a variable of the environment, or "".
std::string environment(const char* variable);

/// Throws ConfigError if one of the variables about remote files that are numbers is none: without a word, it
/// would count as 0, or not at all.
void check_numbers_of_environment();

/// Whether a variable of the environment says yes: 1, true, yes or on.
bool is_switched_on(const char* variable);

/// What a small text file holds, without blanks at the end; empty if it cannot be read.
std::string small_text_of(const std::string& path);

}  // namespace skimline::io

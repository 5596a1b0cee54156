// SPDX-License-Identifier: BSD-3-Clause
// The functions of libcurl, which is loaded when the first request wants it.
#pragma once

#include <string>

#include <curl/curl.h>

namespace skimline::io {

/// Those that are used. `problem` says what to install if there are none; the others are null then.
struct CurlFunctions {
  std::string problem;
  std::string version;  ///< with that of its TLS library
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
  decltype(&curl_multi_init) multi_init = nullptr;
  decltype(&curl_multi_setopt) multi_setopt = nullptr;
  decltype(&curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&curl_multi_perform) multi_perform = nullptr;
  decltype(&curl_multi_info_read) multi_info_read = nullptr;
  decltype(&curl_multi_poll) multi_poll = nullptr;
  decltype(&curl_multi_wakeup) multi_wakeup = nullptr;
};

/// Loads the library when it is first called. Thread-safe.
const CurlFunctions& curl_functions();

}  // namespace skimline::io

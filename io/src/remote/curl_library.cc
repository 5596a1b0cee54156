// SPDX-License-Identifier: BSD-3-Clause
#include "remote/curl_library.h"

#include <initializer_list>

#include <dlfcn.h>

namespace skimline::io {
namespace {

constexpr unsigned kOldestCurl = 0x075500;  // 7.85.0

template <typename Function>
bool find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool find_functions(void* library, CurlFunctions& found) {
  return find_function(library, "curl_global_init", found.global_init) &&
         find_function(library, "curl_easy_init", found.easy_init) &&
         find_function(library, "curl_easy_cleanup", found.easy_cleanup) &&
         find_function(library, "curl_easy_setopt", found.easy_setopt) &&
         find_function(library, "curl_easy_getinfo", found.easy_getinfo) &&
         find_function(library, "curl_easy_strerror", found.easy_strerror) &&
         find_function(library, "curl_slist_append", found.slist_append) &&
         find_function(library, "curl_slist_free_all", found.slist_free_all) &&
         find_function(library, "curl_multi_init", found.multi_init) &&
         find_function(library, "curl_multi_setopt", found.multi_setopt) &&
         find_function(library, "curl_multi_add_handle", found.multi_add_handle) &&
         find_function(library, "curl_multi_remove_handle", found.multi_remove_handle) &&
         find_function(library, "curl_multi_perform", found.multi_perform) &&
         find_function(library, "curl_multi_info_read", found.multi_info_read) &&
         find_function(library, "curl_multi_poll", found.multi_poll) &&
         find_function(library, "curl_multi_wakeup", found.multi_wakeup);
}

// "libcurl 8.5.0, OpenSSL/3.0.13"; it may be built without TLS.
std::string version_text(const curl_version_info_data& version) {
  return std::string("libcurl ") + version.version + ", " +
         (version.ssl_version == nullptr ? "no TLS" : version.ssl_version);
}

CurlFunctions load_curl() {
  constexpr const char* kAdvice =
      "; the package is libcurl4 on Debian and Ubuntu, libcurl on Fedora, RHEL and conda";
  CurlFunctions found;
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
    void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    decltype(&curl_version_info) version_info = nullptr;
    if (!find_function(library, "curl_version_info", version_info) || !find_functions(library, found))
      continue;
    const curl_version_info_data& version = *version_info(CURLVERSION_NOW);
    found.version = version_text(version);
    if (version.version_num >= kOldestCurl) return found;
    found.problem = std::string("libcurl 7.85 or later is needed, and there is ") + version.version + kAdvice;
  }
  if (found.problem.empty()) found.problem = std::string("the library libcurl.so.4 is needed") + kAdvice;
  return found;
}

}  // namespace

const CurlFunctions& curl_functions() {
  static const auto& functions = *new CurlFunctions(load_curl());
  return functions;
}

}  // namespace skimline::io

// SPDX-License-Identifier: BSD-3-Clause
#include "remote/remote_schemes.h"

#include "remote/http_file.h"
#include "remote/http_output.h"
#include "remote/s3_access.h"
#include "remote/s3_output.h"
#include "remote/xrootd_file.h"
#include "remote/xrootd_output.h"

#include "skimline/framework/error.h"
#include "skimline/io/url.h"

#include <algorithm>
#include <vector>

namespace skimline::io {
namespace {

OpenedRemote open_over_http(const OpenRequest& request) {
  return open_http_file(http_target(request.name), request.end_bytes, request.stop, request.patience);
}

OpenedRemote open_over_s3(const OpenRequest& request) {
  return open_http_file(s3_target(request.name), request.end_bytes, request.stop, request.patience);
}

std::unique_ptr<const RemoteFile> resume_over_http(const std::string& name, const RemoteState& state) {
  return resume_http_file(http_target(name), state);
}

std::unique_ptr<const RemoteFile> resume_over_s3(const std::string& name, const RemoteState& state) {
  return resume_http_file(s3_target(name), state);
}

constexpr RemoteScheme kSchemes[] = {
    {"http", open_over_http, resume_over_http, list_over_http, http_output, http_size, true, ""},
    {"https", open_over_http, resume_over_http, list_over_http, http_output, http_size, true, ""},
    {"dav", open_over_http, resume_over_http, list_over_http, http_output, http_size, true, ""},
    {"davs", open_over_http, resume_over_http, list_over_http, http_output, http_size, true, ""},
    {"s3", open_over_s3, resume_over_s3, list_over_s3, s3_output, s3_size, false, "|", s3_place},
    {"root", open_xrootd_file, resume_xrootd_file, list_over_xrootd, xrootd_output, xrootd_size, false, "|?"},
    {"roots", open_xrootd_file, resume_xrootd_file, list_over_xrootd, xrootd_output, xrootd_size, false,
     "|?"},
    {"xroot", open_xrootd_file, resume_xrootd_file, list_over_xrootd, xrootd_output, xrootd_size, false,
     "|?"},
    {"xroots", open_xrootd_file, resume_xrootd_file, list_over_xrootd, xrootd_output, xrootd_size, false,
     "|?"},
};

}  // namespace

std::span<const RemoteScheme> remote_schemes() { return kSchemes; }

std::string known_schemes() {
  std::string text;
  for (const RemoteScheme& scheme : kSchemes)
    text += (text.empty() ? "" : ", ") + std::string(scheme.name) + "://";
  return text;
}

const RemoteScheme& scheme_of(const std::string& name) {
  const std::string wanted = lower_case(std::string_view(name).substr(0, name.find(':')));
  const auto* const found = std::find_if(std::begin(kSchemes), std::end(kSchemes),
                                         [&](const RemoteScheme& scheme) { return scheme.name == wanted; });
  if (found != std::end(kSchemes)) return *found;
  std::vector<std::string> names;
  for (const RemoteScheme& scheme : kSchemes) names.emplace_back(scheme.name);
  throw FileError(name,
                  "cannot be opened: \"" + wanted + "://\" is unknown" + did_you_mean(wanted, names) +
                      "; there are " + known_schemes(),
                  FileFault::kUnavailable);
}

}  // namespace skimline::io

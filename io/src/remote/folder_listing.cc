// SPDX-License-Identifier: BSD-3-Clause
#include "remote/folder_listing.h"

#include "remote/http_file.h"
#include "remote/s3_access.h"
#include "remote/xml_scan.h"
#include "remote/xrootd_file.h"

#include "skimline/framework/error.h"
#include "skimline/io/url.h"
#include "skimline/io/url_secrets.h"

#include <optional>
#include <set>

namespace skimline::io {
namespace {

constexpr std::size_t kLongestListing = 256 * 1024 * 1024;
constexpr int kListed = 200, kListedByDav = 207;

std::string answer_to(const HttpRequest& request, const std::string& folder, int wanted, StopFlag stop) {
  std::string text;
  send_requests(
      {request}, folder, Patience::of_environment(), stop,
      [&](std::size_t, HttpRequest& sent, HttpAnswer& answer) -> std::optional<AskAgain> {
        if (auto again = transient_fault(answer)) return again;
        if (answer.status == 404 || answer.status == 410)
          throw FileError(folder, "no such folder (" + std::to_string(answer.status) + ")",
                          FileFault::kUnavailable);
        const bool is_refused = !answer.fault.empty() || answer.status == 401 || answer.status == 403;
        if (is_refused) refuse_answer(folder, sent, answer);
        if (answer.status != wanted || answer.is_too_large)
          throw FileError(folder,
                          "the server does not list folders: it answers " + std::to_string(answer.status) +
                              "; a list of files (\"@list\") does instead",
                          FileFault::kUnavailable);
        text = answer.text();
        return std::nullopt;
      });
  return text;
}

std::string last_part(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

// The path in a reference, which may be a whole URL, with blanks around it.
std::string path_of(std::string reference) {
  constexpr const char* kBlanks = " \t\r\n";
  reference.erase(reference.find_last_not_of(kBlanks) + 1);
  reference.erase(0, reference.find_first_not_of(kBlanks));
  const std::optional<Url> url = parse_url(reference);
  return percent_decoded(url ? url->path : reference);
}

// Files that are not listed would be missing without a word.
[[noreturn]] void refuse_list(const std::string& folder, const std::string& problem) {
  throw FileError(folder, "the server's list of the folder is incomplete: " + problem,
                  FileFault::kUnavailable);
}

void check_end(const std::string& folder, bool is_complete) {
  if (!is_complete) refuse_list(folder, "its XML is cut off");
}

std::string without_slashes_at_end(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

std::vector<FolderEntry> list_over_http(const std::string& folder, StopFlag stop) {
  HttpRequest request = http_target(folder).request();
  request.method = "PROPFIND";
  request.headers = {"Depth: 1", "Content-Type: application/xml"};
  request.body = "<?xml version=\"1.0\"?><propfind xmlns=\"DAV:\"><prop><resourcetype/></prop></propfind>";
  request.max_body = kLongestListing;
  const std::string own = without_slashes_at_end(path_of(request.url));
  std::vector<FolderEntry> entries;
  FolderEntry entry;
  std::string path, status;
  bool is_in_properties = false;
  const auto add_entry = [&] {
    if (path.empty()) refuse_list(folder, "a name is missing");
    if (status.find(" 507") != std::string::npos) refuse_list(folder, "the server says so (507)");
    const bool is_gone = status.find(" 404") != std::string::npos || status.find(" 410") != std::string::npos;
    if (is_gone || without_slashes_at_end(path) == own) return;
    entry.name = last_part(path);
    entries.push_back(entry);
    // Of what the server refuses to say what it is it may be either.
    if (!status.empty() && status.find(" 2") == std::string::npos)
      entries.push_back({entry.name, !entry.is_folder});
  };
  const bool is_complete = scan_xml(
      answer_to(request, folder, kListedByDav, stop),
      [&](std::string_view name) {
        if (name == "response") {
          entry = {};
          path.clear();
          status.clear();
        }
        if (name == "propstat") is_in_properties = true;
        if (name == "collection") entry.is_folder = true;
      },
      [&](std::string_view name, const std::string& text) {
        // Properties that nobody asked for, such as locks, may have references too.
        if (name == "href" && path.empty()) path = path_of(text);
        if (name == "status" && !is_in_properties) status = text;
        if (name == "propstat") is_in_properties = false;
        if (name == "response") add_entry();
      });
  check_end(folder, is_complete);
  return entries;
}

std::vector<FolderEntry> list_over_s3(const std::string& folder, StopFlag stop) {
  const S3Bucket bucket = s3_bucket(folder);
  const std::string prefix = parse_url(with_secrets(folder))->path.substr(1);
  std::vector<FolderEntry> entries;
  std::set<std::string> tokens;
  for (std::string next;;) {
    HttpRequest request;
    request.url = bucket.origin + bucket.prefix + "/?";
    if (!next.empty()) request.url += "continuation-token=" + percent_encoded(next, "-._~") + "&";
    request.url += "delimiter=%2F&list-type=2&prefix=" + percent_encoded(prefix, "-._~");
    request.access = bucket.access;
    request.headers = s3_headers(bucket);
    request.follows_redirects = false;
    request.max_body = kLongestListing;
    next.clear();
    bool is_in_folders = false, is_truncated = false;
    const bool is_complete = scan_xml(
        answer_to(request, folder, kListed, stop),
        [&](std::string_view name) { is_in_folders = is_in_folders || name == "CommonPrefixes"; },
        [&](std::string_view name, const std::string& text) {
          if (name == "CommonPrefixes") is_in_folders = false;
          if (name == "NextContinuationToken") next = text;
          if (name == "IsTruncated") is_truncated = text == "true";
          if (name == "Key" && text != prefix) entries.push_back({last_part(text), false});
          if (name == "Prefix" && is_in_folders) entries.push_back({last_part(text), true});
        });
    check_end(folder, is_complete);
    if (next.empty() && !is_truncated) return entries;
    if (next.empty() || !tokens.insert(next).second)
      refuse_list(folder, "it does not say how to ask for the rest");
  }
}

std::vector<FolderEntry> list_over_xrootd(const std::string& folder, StopFlag stop) {
  std::vector<FolderEntry> entries;
  for_each_in_xrootd_folder(folder, stop, [&](const std::string& name, bool is_folder) {
    entries.push_back({name, is_folder});
  });
  return entries;
}

}  // namespace skimline::io

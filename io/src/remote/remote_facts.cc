// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/remote_facts.h"

#include "remote/aws_profile.h"
#include "remote/block_cache.h"
#include "remote/curl_library.h"
#include "remote/http_access.h"
#include "remote/xrootd_library.h"

#include "skimline/framework/error.h"

#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace skimline::io {
namespace {

constexpr const char* kSubject = "doctor";

// Without the name that the error begins with.
std::string problem_of(const Error& error) {
  std::string text = error.what();
  const std::string beginning = std::string(kSubject) + ": ";
  return text.starts_with(beginning) ? text.substr(beginning.size()) : text;
}

bool is_readable(const std::string& path) { return ::access(path.c_str(), R_OK) == 0; }

bool is_readable_file(const std::string& path) {
  std::error_code unknown;
  return is_readable(path) && !std::filesystem::is_directory(path, unknown);
}

Credential in_file(const char* kind, const char* variable, const std::string& path) {
  const std::string source = std::string(variable) + (*variable ? ", " : "") + path;
  return {kind, source, is_readable_file(path) ? "" : "\"" + path + "\" cannot be read"};
}

void add_token(std::vector<Credential>& all) {
  if (!environment("BEARER_TOKEN").empty())
    all.push_back({"bearer token", "BEARER_TOKEN", ""});
  else if (const std::string path = environment("BEARER_TOKEN_FILE"); !path.empty())
    all.push_back(in_file("bearer token", "BEARER_TOKEN_FILE", path));
}

void add_certificate(std::vector<Credential>& all) {
  const HttpAccess access = certificate_access();
  if (access.certificate.empty()) return;
  const bool is_proxy = access.certificate == access.certificate_key;
  const bool is_named = !environment(is_proxy ? "X509_USER_PROXY" : "X509_USER_CERT").empty();
  all.push_back(in_file(is_proxy ? "X.509 proxy" : "X.509 certificate",
                        !is_named  ? ""
                        : is_proxy ? "X509_USER_PROXY"
                                   : "X509_USER_CERT",
                        access.certificate));
}

void add_keys_of_s3(std::vector<Credential>& all) {
  const std::string in_files = "the files of the AWS tools";
  try {
    if (aws_profile(kSubject).key_id.empty()) return;
    const bool is_in_environment = !environment("AWS_ACCESS_KEY_ID").empty();
    all.push_back({"keys of S3", is_in_environment ? "AWS_ACCESS_KEY_ID" : in_files, ""});
  } catch (const FileError& error) {
    all.push_back({"keys of S3", in_files, problem_of(error)});
  }
}

}  // namespace

RemoteFact http_library() {
  const CurlFunctions& curl = curl_functions();
  return {curl.version, curl.problem};
}

RemoteFact xrootd_library() {
  try {
    xrootd_functions(kSubject);
    return {"loaded", ""};
  } catch (const FileError& error) {
    return {"", problem_of(error)};
  }
}

RemoteFact certificate_authorities() {
  const HttpAccess access = certificate_access();
  const std::string& found = access.ca_bundle.empty() ? access.ca_folder : access.ca_bundle;
  if (found.empty())
    return {"", "no certificates of authorities: install ca-certificates, or set SSL_CERT_FILE"};
  const bool is_usable = access.ca_bundle.empty() ? is_readable(found) : is_readable_file(found);
  return {found, is_usable ? "" : "\"" + found + "\" cannot be read"};
}

RemoteFact cache_folder() {
  const BlockCache cache{CacheUse{}};
  const std::string folder = cache.folder().string();
  if (folder.empty()) return {"", "no folder for what is read of URLs: set SKIMLINE_CACHE to one"};
  const bool is_usable = ::access(folder.c_str(), R_OK | W_OK | X_OK) == 0;
  return {folder, is_usable ? "" : "\"" + folder + "\" cannot be written"};
}

std::vector<Credential> credentials() {
  std::vector<Credential> all;
  add_token(all);
  add_certificate(all);
  add_keys_of_s3(all);
  return all;
}

}  // namespace skimline::io

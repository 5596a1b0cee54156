// SPDX-License-Identifier: BSD-3-Clause
#include "remote/http_access.h"

#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace skimline::io {
namespace {

constexpr const char* kOverHttp = "SKIMLINE_SEND_CREDENTIALS_OVER_HTTP";
constexpr std::streamsize kLongestText = 64 * 1024;

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

std::string first_set(std::initializer_list<const char*> variables) {
  for (const char* variable : variables)
    if (std::string value = environment(variable); !value.empty()) return value;
  return {};
}

// The library may come from another system than this one, and look for certificates elsewhere.
std::string system_bundle() {
  for (const char* path : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"})
    if (exists(path)) return path;
  return {};
}

void add_authorities(HttpAccess& access) {
  access.ca_bundle = first_set({"SSL_CERT_FILE", "CURL_CA_BUNDLE"});
  if (access.ca_bundle.empty()) access.ca_bundle = system_bundle();
  access.ca_folder = first_set({"X509_CERT_DIR", "SSL_CERT_DIR"});
  constexpr const char* kOfGrids = "/etc/grid-security/certificates";
  if (access.ca_folder.empty() && exists(kOfGrids)) access.ca_folder = kOfGrids;
}

// Where grid tools put a proxy; somebody else's is none.
std::string usual_proxy() {
  const std::string path = "/tmp/x509up_u" + std::to_string(::getuid());
  struct stat status {};
  const bool is_own = ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
                      status.st_uid == ::getuid() && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  return is_own ? path : std::string();
}

void add_certificate(HttpAccess& access) {
  access.certificate = environment("X509_USER_PROXY");
  if (access.certificate.empty() && !environment("X509_USER_KEY").empty()) {
    access.certificate = environment("X509_USER_CERT");
    access.certificate_key = environment("X509_USER_KEY");
    return;
  }
  if (access.certificate.empty()) access.certificate = usual_proxy();
  access.certificate_key = access.certificate;
}

// What else would end the line of the request that it is sent in, or be left out.
std::string checked_token(std::string token, const std::string& origin, const std::string& name) {
  if (std::all_of(token.begin(), token.end(), [](char letter) { return letter > ' ' && letter <= '~'; }))
    return token;
  throw FileError(name, origin + " is no token: it has blanks or control characters",
                  FileFault::kUnavailable);
}

// Read anew each time, as whoever renews it replaces the file.
std::string bearer_token(const std::string& name) {
  if (std::string token = environment("BEARER_TOKEN"); !token.empty())
    return checked_token(std::move(token), "what BEARER_TOKEN has", name);
  const std::string path = environment("BEARER_TOKEN_FILE");
  if (path.empty()) return {};
  std::string token = checked_token(small_text_of(path), "what is in \"" + path + "\"", name);
  if (token.empty())
    throw FileError(name, "the token in \"" + path + "\", which BEARER_TOKEN_FILE names, cannot be read",
                    FileFault::kUnavailable);
  return token;
}

}  // namespace

std::string environment(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? std::string() : std::string(value);
}

void check_numbers_of_environment() {
  for (const auto& [variable, what] :
       {std::pair{"SKIMLINE_REMOTE_PATIENCE", "seconds"}, std::pair{"SKIMLINE_REMOTE_STALL", "seconds"},
        std::pair{"SKIMLINE_CACHE_SIZE", "GB"}, std::pair{"SKIMLINE_CACHE_TRUST", "seconds"}}) {
    const std::string text = environment(variable);
    const std::optional<double> number = only_number(text);
    if (text.empty() || (number && std::isfinite(*number) && *number >= 0)) continue;
    throw ConfigError(std::string(variable) + " is \"" + text + "\", which is no number of " + what);
  }
}

bool is_switched_on(const char* variable) {
  const std::string value = lower_case(environment(variable));
  return value == "1" || value == "true" || value == "yes" || value == "on";
}

std::string small_text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(kLongestText), '\0');
  stream.read(text.data(), kLongestText);
  text.resize(static_cast<std::size_t>(stream.gcount()));
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

HttpAccess certificate_access() {
  HttpAccess access;
  add_authorities(access);
  add_certificate(access);
  return access;
}

HttpAccess access_to(const Url& url, const std::string& name) {
  const bool is_secure = url.scheme == "https";
  HttpAccess access = is_secure ? certificate_access() : HttpAccess{};
  const bool has_user = !url.user.empty() || !url.password.empty();
  if (!is_secure && !is_switched_on(kOverHttp)) {
    if (has_user)
      throw FileError(
          name,
          "would send a password that others can read: use https://, or set " + std::string(kOverHttp) + "=1",
          FileFault::kUnavailable);
    if (!environment("BEARER_TOKEN").empty() || !environment("BEARER_TOKEN_FILE").empty())
      access.advice = "over http:// no token is sent, unless " + std::string(kOverHttp) + "=1";
    return access;
  }
  access.user = url.user;
  access.password = url.password;
  if (!has_user) access.bearer_token = bearer_token(name);
  if (has_user || !access.bearer_token.empty())
    access.advice = "the password or token that was sent does not suffice";
  return access;
}

}  // namespace skimline::io

// SPDX-License-Identifier: BSD-3-Clause
#include "remote/http_output.h"

#include "remote/http_file.h"
#include "remote/http_transfer.h"
#include "remote/renamed_output.h"

#include "skimline/framework/error.h"
#include "skimline/io/url.h"
#include "skimline/io/url_secrets.h"

#include <charconv>
#include <sstream>
#include <string_view>
#include <vector>

namespace skimline::io {
namespace {

constexpr std::size_t kLongestAnswer = 64 * 1024;

int value_of(char letter) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t found = kDigits.find(letter);
  return found == std::string_view::npos ? -1 : static_cast<int>(found);
}

std::string hex_of_base64(std::string_view text) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string hex;
  unsigned bits = 0, number = 0;
  for (const char letter : text) {
    const int value = value_of(letter);
    if (value < 0) break;
    number = number << 6 | static_cast<unsigned>(value);
    bits += 6;
    for (; bits >= 8; bits -= 8) {
      hex += kDigits[number >> (bits - 4) & 15];
      hex += kDigits[number >> (bits - 8) & 15];
    }
  }
  return hex;
}

// "adler32=03da0195,md5=HUXZLQLMuI/KZ5KDcJPcOA==", as RFC 3230 has it.
std::optional<ServerChecksum> checksum_in(const std::string& header) {
  std::istringstream stream(header);
  for (std::string part; std::getline(stream, part, ',');) {
    part.erase(0, part.find_first_not_of(' '));
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) continue;
    const std::string kind = lower_case(part.substr(0, equals)), text = part.substr(equals + 1);
    if (kind == "md5") return ServerChecksum{kind, hex_of_base64(text)};
    if (kind == "adler32" && text.size() <= 8) return ServerChecksum{kind, lower_case(text)};
  }
  return std::nullopt;
}

class HttpFiles : public NamedFiles {
 public:
  void send(const std::string& path, const std::string& name, StopFlag stop) override {
    HttpRequest request = request_for("PUT", name);
    request.sent_file = path;
    request.headers = {"Content-Type: application/octet-stream"};
    check_success(answer_of(request, name, stop), request, name, "be sent");
  }

  OpenedRemote open(const std::string& name, StopFlag stop) override {
    return open_http_file(http_target(name), kComparedBytes, stop, Patience::of_environment());
  }

  std::optional<ServerChecksum> checksum(const std::string& name, StopFlag stop) override {
    HttpRequest request = request_for("HEAD", name);
    request.headers = {"Want-Digest: adler32, md5;q=0.5"};
    const HttpAnswer answer = answer_of(request, name, stop);
    check_success(answer, request, name, "be looked at");
    return checksum_in(answer.header("digest"));
  }

  std::optional<std::uint64_t> size(const std::string& name) override { return http_size(name); }

  void rename(const std::string& from, const std::string& to) override {
    HttpRequest request = request_for("MOVE", from);
    const std::string url = http_target(to).request().url;
    request.headers = {"Destination: " + url.substr(0, url.find('?')), "Overwrite: T"};
    check_success(answer_of(request, from), request, from, "be given its name");
    if (is_there(from))
      throw FileError(from,
                      "cannot be given its name: it still has the old one, though the server says it has not",
                      FileFault::kStorage);
  }

  bool replaces_by_renaming() const override { return true; }

  void remove(const std::string& name, Patience patience) override {
    const HttpRequest request = request_for("DELETE", name);
    check_success(answer_of(request, name, {}, patience), request, name, "be removed");
  }

 private:
  // Of what is renamed already it does not matter if nobody says so.
  static bool is_there(const std::string& name) {
    try {
      return http_size(name).has_value();
    } catch (const FileError&) {
      return false;
    }
  }

  static HttpRequest request_for(const char* method, const std::string& name) {
    HttpRequest request = http_target(name).request();
    request.method = method;
    request.max_body = kLongestAnswer;
    return request;
  }
};

std::string problem_of(const HttpAnswer& answer, const HttpRequest& request) {
  switch (answer.status) {
    case 404:
      if (request.method != "PUT" && request.method != "MOVE") return "the server does not have it (404)";
      [[fallthrough]];
    case 409:
      return "there is no such folder (" + std::to_string(answer.status) + ")";
    case 405:
    case 501:
      return "the server does not take " + request.method + " (" + std::to_string(answer.status) + ")";
    case 412:
      return "something else has the name (412)";
    case 413:
      return "the server takes no files of this size (413)";
    case 507:
      return "the server has no room (507)";
    default:
      return {};
  }
}

}  // namespace

HttpAnswer answer_of(const HttpRequest& request, const std::string& name, StopFlag stop, Patience patience) {
  HttpAnswer taken;
  send_requests({request}, name, patience, stop,
                [&](std::size_t, HttpRequest&, HttpAnswer& answer) -> std::optional<AskAgain> {
                  if (auto again = transient_fault(answer)) return again;
                  taken = std::move(answer);
                  return std::nullopt;
                });
  return taken;
}

void check_success(const HttpAnswer& answer, const HttpRequest& request, const std::string& name,
                   const std::string& what) {
  const bool is_success = answer.status == 200 || answer.status == 201 || answer.status == 204;
  if (answer.fault.empty() && is_success) return;
  const std::string problem = answer.fault.empty() ? problem_of(answer, request) : std::string();
  if (problem.empty()) refuse_answer(name, request, answer);
  throw FileError(name, "cannot " + what + ": " + problem, FileFault::kUnavailable);
}

std::optional<std::uint64_t> size_by_head(HttpRequest request, const std::string& name) {
  request.method = "HEAD";
  const HttpAnswer answer = answer_of(request, name);
  if (answer.fault.empty() && (answer.status == 404 || answer.status == 410)) return std::nullopt;
  check_success(answer, request, name, "be looked at");
  const std::string text = answer.header("content-length");
  std::uint64_t size = 0;
  std::from_chars(text.data(), text.data() + text.size(), size);
  return size;
}

std::unique_ptr<RemoteOutput> http_output(const std::string& name) {
  http_target(name);
  return renamed_output(name, std::make_unique<HttpFiles>());
}

std::optional<std::uint64_t> http_size(const std::string& name) {
  return size_by_head(http_target(name).request(), name);
}

}  // namespace skimline::io

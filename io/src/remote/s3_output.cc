// SPDX-License-Identifier: BSD-3-Clause
#include "remote/s3_output.h"

#include "remote/http_output.h"
#include "remote/http_transfer.h"
#include "remote/md5.h"
#include "remote/s3_access.h"
#include "remote/sent_file.h"
#include "remote/xml_scan.h"

#include "skimline/framework/error.h"
#include "skimline/io/url.h"
#include "skimline/io/url_secrets.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace skimline::io {
namespace {

constexpr std::size_t kLongestS3Answer = 1024 * 1024;
constexpr std::uint64_t kUsualPart = 16 * 1024 * 1024, kMostParts = 9000;  // stores take 10,000
constexpr std::size_t kPartsAtOnce = 4;

std::string element_of(const HttpAnswer& answer, std::string_view wanted) {
  std::string found;
  scan_xml(
      answer.text(), [](std::string_view) {},
      [&](std::string_view name, const std::string& text) {
        if (name == wanted && found.empty()) found = text;
      });
  return found;
}

// A store may begin to answer that all is well, and find out later that it fails for the moment.
std::optional<AskAgain> fault_that_passes(const HttpAnswer& answer) {
  if (auto again = transient_fault(answer)) return again;
  constexpr std::string_view kCodes[] = {"InternalError", "RequestTimeout", "ServiceUnavailable", "SlowDown"};
  const std::string code = element_of(answer, "Code");
  if (std::find(std::begin(kCodes), std::end(kCodes), code) == std::end(kCodes)) return std::nullopt;
  return AskAgain{"the server answers " + code + ", " + element_of(answer, "Message"), 0};
}

std::string without_quotes(std::string text) {
  std::erase(text, '"');
  return lower_case(text);
}

struct SentPart {
  std::uint64_t offset = 0, size = 0;
  Md5Sum md5{};
  std::string etag;  // what the store calls it
};

std::vector<SentPart> parts_of(std::uint64_t size) {
  const std::uint64_t each = std::max(kUsualPart, (size + kMostParts - 1) / kMostParts);
  std::vector<SentPart> parts;
  do {
    const std::uint64_t offset = parts.size() * each;
    parts.push_back({offset, std::min(each, size - offset), {}, {}});
  } while (parts.back().offset + parts.back().size < size);
  return parts;
}

class S3Output : public RemoteOutput {
 public:
  explicit S3Output(const std::string& name) : name_(name), target_(s3_target(name)) {}
  ~S3Output() override {
    if (upload_.empty()) return;
    try {
      answer_of(request("DELETE", "uploadId=" + upload_), name_, {}, kBriefPatience);
    } catch (...) {  // stores forget unfinished objects by rules of their owners
    }
  }
  S3Output(const S3Output&) = delete;
  S3Output& operator=(const S3Output&) = delete;

  void send(const std::string& path, StopFlag stop) override {
    begin(stop);
    parts_ = parts_of(size_of_sent(path));
    for (std::size_t first = 0; first < parts_.size(); first += kPartsAtOnce)
      send_parts(path, first, std::min(first + kPartsAtOnce, parts_.size()), stop);
  }

  void publish(bool keeps_old) override {
    if (keeps_old && s3_size(name_)) keep_old();
    if (has_own_etags()) before_ = etag_of_object();
    is_published_ = keeps_old;  // for all that is known until the store has answered
    if (const std::optional<FileError> refusal = complete(); refusal && !is_object()) {
      is_published_ = false;
      throw FileError(*refusal);
    }
    upload_.clear();
    is_published_ = true;
  }

  std::string undo() override {
    try {
      if (std::exchange(is_published_, false)) {
        if (old_.empty())
          remove(name_);
        else
          copy(old_, name_);
      }
      settle();
      return {};
    } catch (const FileError&) {
      return old_.empty() ? "the object stays" : "what it was before is in " + old_;
    }
  }

  void settle() noexcept override {
    try {
      if (!old_.empty()) remove(std::exchange(old_, {}));
    } catch (...) {  // a copy stays, under a hidden name
    }
  }

 private:
  HttpRequest request(const char* method, const std::string& query) const {
    return request_for(target_, method, query);
  }

  // The signature covers no body, but that of parts has its MD5 in a header, which it does cover.
  static HttpRequest request_for(const HttpTarget& target, const char* method, const std::string& query) {
    HttpRequest request = target.request();
    request.method = method;
    if (!query.empty()) request.url += "?" + query;
    const bool may_have_body = request.method == "PUT" || request.method == "POST";
    if (may_have_body && !request.access.signature.empty())
      request.headers = {"x-amz-content-sha256: UNSIGNED-PAYLOAD"};
    request.max_body = kLongestS3Answer;
    return request;
  }

  void begin(StopFlag stop) {
    HttpRequest first = request("POST", "uploads=");
    first.headers.emplace_back("Content-Type: application/octet-stream");
    const HttpAnswer answer = answer_of(first, name_, stop);
    check_success(answer, first, name_, "be sent");
    upload_ = percent_encoded(element_of(answer, "UploadId"), "-._~");
    if (upload_.empty()) fail("the server does not say how the object is called until it is complete");
  }

  void send_parts(const std::string& path, std::size_t first, std::size_t end, StopFlag stop) {
    std::vector<HttpRequest> requests;
    for (std::size_t i = first; i < end; ++i) {
      const std::vector<std::byte> bytes = bytes_of_sent(path, parts_[i].offset, parts_[i].size);
      parts_[i].md5 = md5_of(bytes);
      requests.push_back(request("PUT", "partNumber=" + std::to_string(i + 1) + "&uploadId=" + upload_));
      requests.back().headers.push_back("Content-MD5: " + base64_text(parts_[i].md5));
      requests.back().headers.emplace_back("Content-Type: application/octet-stream");
      requests.back().body.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    send_requests(std::move(requests), name_, Patience::of_environment(), stop,
                  [&](std::size_t number, HttpRequest& sent, HttpAnswer& answer) -> std::optional<AskAgain> {
                    if (auto again = transient_fault(answer)) return again;
                    check_success(answer, sent, name_, "be sent");
                    compare(parts_[first + number], answer);
                    return std::nullopt;
                  });
  }

  // Of what a store encrypts by keys of its own the ETag is no checksum; then it has compared that of the
  // header.
  void compare(SentPart& part, const HttpAnswer& answer) const {
    part.etag = answer.header("etag");
    const std::string theirs = without_quotes(part.etag), ours = hex_text(part.md5);
    const bool is_md5 = answer.header("x-amz-server-side-encryption").find("kms") == std::string::npos &&
                        answer.header("x-amz-server-side-encryption-customer-algorithm").empty();
    if (is_md5 && theirs != ours)
      fail("the server has something else than was sent to it: the MD5 of the part from byte " +
           std::to_string(part.offset) + " on is " + theirs + " instead of " + ours);
  }

  std::string list_of_parts() const {
    std::string text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
    for (std::size_t i = 0; i < parts_.size(); ++i)
      text += "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>" + parts_[i].etag +
              "</ETag></Part>";
    return text + "</CompleteMultipartUpload>";
  }

  // Returns what is wrong where the store does not say that it has done so.
  std::optional<FileError> complete() const {
    HttpRequest last = request("POST", "uploadId=" + upload_);
    last.headers.emplace_back("Content-Type: application/xml");
    last.body = list_of_parts();
    try {
      const HttpAnswer answer = answer_in_the_end(last, name_);
      if (has_result(answer, "CompleteMultipartUploadResult")) return std::nullopt;
      check_success(answer, last, name_, "be given its name");
      return FileError(name_, "cannot be given its name: " + fault_in(answer), FileFault::kStorage);
    } catch (const FileError& error) {
      return error;
    }
  }

  static HttpAnswer answer_in_the_end(const HttpRequest& asked, const std::string& name) {
    HttpAnswer taken;
    send_requests({asked}, name, Patience::of_environment(), {},
                  [&](std::size_t, HttpRequest&, HttpAnswer& answer) -> std::optional<AskAgain> {
                    if (auto again = fault_that_passes(answer)) return again;
                    taken = std::move(answer);
                    return std::nullopt;
                  });
    return taken;
  }

  // A store may begin to answer that all is well, and find out later that it is not, or break off.
  static bool has_result(const HttpAnswer& answer, std::string_view wanted) {
    bool is_there = false;
    const bool is_whole = scan_xml(
        answer.text(), [&](std::string_view name) { is_there = is_there || name == wanted; },
        [](std::string_view, const std::string&) {});
    return answer.fault.empty() && answer.status == 200 && is_whole && is_there;
  }

  static std::string fault_in(const HttpAnswer& answer) {
    const std::string code = element_of(answer, "Code");
    return code.empty() ? "the server does not say that it has done so"
                        : code + ", " + element_of(answer, "Message");
  }

  bool has_own_etags() const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const SentPart& part) { return without_quotes(part.etag) != hex_text(part.md5); });
  }

  // Empty if there is none.
  std::string etag_of_object() const {
    const HttpAnswer answer = answer_of(request("HEAD", ""), name_);
    return answer.status == 200 ? without_quotes(answer.header("etag")) : std::string();
  }

  // Whether the object is there, made of our parts, though the answer that says so was lost.
  bool is_object() const {
    const std::string etag = etag_of_object();
    if (has_own_etags()) return !etag.empty() && etag != before_;
    std::vector<std::uint8_t> sums;
    for (const SentPart& part : parts_) sums.insert(sums.end(), part.md5.begin(), part.md5.end());
    return etag == hex_text(md5_of(std::as_bytes(std::span(sums)))) + "-" + std::to_string(parts_.size());
  }

  void keep_old() {
    const std::string url = with_secrets(name_);
    const std::size_t begin = url.rfind('/') + 1;
    const std::string kept = hide_secrets(url.substr(0, begin) + "." + url.substr(begin) + "." +
                                          hex_text(std::span(parts_.front().md5)) + ".old");
    old_ = kept;
    copy(name_, old_);
  }

  static void copy(const std::string& from, const std::string& to) {
    HttpRequest asked = request_for(s3_target(to), "PUT", "");
    asked.headers.push_back("x-amz-copy-source: /" + s3_bucket(from).name + "/" +
                            percent_encoded(s3_key(from), "/-._~"));
    const HttpAnswer answer = answer_in_the_end(asked, to);
    check_success(answer, asked, to, "be copied");
    if (!has_result(answer, "CopyObjectResult"))
      throw FileError(to, "cannot be copied: " + fault_in(answer), FileFault::kStorage);
  }

  static void remove(const std::string& name) {
    const HttpRequest asked = request_for(s3_target(name), "DELETE", "");
    check_success(answer_of(asked, name), asked, name, "be removed");
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw FileError(name_, hide_secrets(problem), FileFault::kStorage);
  }

  const std::string name_;
  const HttpTarget target_;
  std::string upload_;  // what the store calls what it has, as in URLs; empty for nothing
  std::vector<SentPart> parts_;
  std::string old_;     // a copy of the object that had the name; empty if there was none
  std::string before_;  // the ETag of that object, where those of parts are no checksums
  bool is_published_ = false;
};

}  // namespace

std::unique_ptr<RemoteOutput> s3_output(const std::string& name) { return std::make_unique<S3Output>(name); }

std::optional<std::uint64_t> s3_size(const std::string& name) {
  return size_by_head(s3_target(name).request(), name);
}

}  // namespace skimline::io

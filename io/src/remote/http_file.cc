// SPDX-License-Identifier: BSD-3-Clause
#include "remote/http_file.h"

#include "remote/http_dates.h"
#include "remote/http_ranges.h"

#include "skimline/framework/error.h"
#include "skimline/io/url_secrets.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

namespace skimline::io {
namespace {

constexpr int kWhole = 200, kPart = 206, kNoSuchRange = 416;
constexpr std::size_t kBytesAboutPart = 1024;  // more than a server says of one in front of it
constexpr std::size_t kLongestRefusal = 64 * 1024;
constexpr const char* kChangedMeanwhile = "changed while it was being read";
constexpr const char* kWholeOnly =
    "the server sends only the whole file: it does not know range requests, which are needed";

// What is known of a server, for all its files.
struct ServerFacts {
  std::optional<bool> sends_several_ranges;
  double seconds_per_request = 0;
  double bytes_per_second = 0;
};

class ServerNotes {
 public:
  ServerFacts of(const std::string& origin) const {
    const std::lock_guard lock(mutex_);
    const auto found = facts_.find(origin);
    return found == facts_.end() ? ServerFacts{} : found->second;
  }

  void note_several(const std::string& origin, bool sends) {
    const std::lock_guard lock(mutex_);
    facts_[origin].sends_several_ranges = sends;
  }

  // Whatever else went on only made it slower.
  void note_times(const std::string& origin, const HttpAnswer& answer) {
    constexpr std::size_t kWorthTiming = 256 * 1024;
    const std::lock_guard lock(mutex_);
    ServerFacts& facts = facts_[origin];
    if (facts.seconds_per_request == 0 || answer.first_byte_seconds < facts.seconds_per_request)
      facts.seconds_per_request = answer.first_byte_seconds;
    const double seconds = answer.all_seconds - answer.first_byte_seconds;
    if (answer.body.size() >= kWorthTiming && seconds > 0)
      facts.bytes_per_second =
          std::max(facts.bytes_per_second, static_cast<double>(answer.body.size()) / seconds);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, ServerFacts> facts_;
};

ServerNotes& server_notes() {
  static auto& notes = *new ServerNotes;
  return notes;
}

// A server may compress what it sends, which says nothing about the file.
std::string version_in(const HttpAnswer& answer) {
  std::string tag = answer.header("etag");
  if (tag.starts_with("W/")) tag.erase(0, 2);
  return tag.empty() ? answer.header("last-modified") : tag;
}

// ETags of many servers are made of that time, too.
bool is_state_settled(const HttpAnswer& answer) {
  const auto modified = seconds_of_http_date(answer.header("last-modified"));
  const auto now = seconds_of_http_date(answer.header("date"));
  return !modified || is_second_over(*modified, now.value_or(seconds_now()));
}

class HttpFile : public RemoteFile {
 public:
  HttpFile(HttpTarget target, Patience patience) : target_(std::move(target)), patience_(patience) {
    const std::optional<Url> url = parse_url(target_.request().url);
    origin_ = url ? url->origin() : target_.name;
  }

  // In a state that is known.
  HttpFile(HttpTarget target, Patience patience, const RemoteState& state)
      : HttpFile(std::move(target), patience) {
    is_known_ = true;
    size_ = state.size;
    version_ = state.version;
  }

  std::uint64_t size() const override { return size_; }
  const std::string& version() const override { return version_; }
  bool is_settled() const override { return is_settled_; }

  // Returns what came; both ends are asked for at once, so that this takes one round.
  OpenedRemote open_ends(std::uint64_t end_bytes, StopFlag stop) {
    OpenedRemote opened;
    HttpRequest begin = request(), end = request();
    begin.range = "0-" + std::to_string(end_bytes - 1);
    end.range = "-" + std::to_string(end_bytes);
    begin.max_body = end.max_body = std::max<std::size_t>(end_bytes, kLongestRefusal);
    opened.ends.resize(2);
    opened.requests = send_requests({begin, end}, target_.name, patience_, stop,
                                    [&](std::size_t number, HttpRequest& sent, HttpAnswer& answer) {
                                      return take_end(number, sent, answer, opened.ends[number]);
                                    });
    if (opened.ends[0].bytes.size() == size_) opened.ends.resize(1);
    return opened;
  }

  std::uint64_t read(std::span<const RangeRead> reads, StopFlag stop) const override {
    if (reads.empty()) return 0;
    const bool takes_several =
        target_.takes_several_ranges && server_notes().of(origin_).sends_several_ranges.value_or(true);
    std::vector<RequestedRanges> wanted = plan_requests(reads, takes_several ? kMostRanges : 1);
    std::vector<RangeRead> missing;
    std::uint64_t requests = read_all(wanted, missing, stop);
    if (missing.empty()) return requests;
    wanted = plan_requests(missing, 1);
    missing.clear();
    requests += read_all(wanted, missing, stop);
    return requests;
  }

  bool is_unchanged(StopFlag stop) const override {
    bool is_same = true;
    HttpRequest asked = request();
    asked.range = "0-0";
    asked.max_body = kLongestRefusal;
    send_requests({asked}, target_.name, patience_, stop,
                  [&](std::size_t, HttpRequest& sent, HttpAnswer& answer) -> std::optional<AskAgain> {
                    if (auto again = fault_of_answer(sent, answer)) return again;
                    is_same = is_as_opened(answer);
                    return std::nullopt;
                  });
    return is_same;
  }

  ReadingCost cost() const override {
    constexpr ReadingCost kUnknown{0.03, 50e6};
    const ServerFacts facts = server_notes().of(origin_);
    return {facts.seconds_per_request > 0 ? facts.seconds_per_request : kUnknown.seconds_per_request,
            facts.bytes_per_second > 0 ? facts.bytes_per_second : kUnknown.bytes_per_second};
  }

 private:
  [[noreturn]] void fail(const std::string& problem, FileFault fault = FileFault::kUnavailable) const {
    throw FileError(target_.name, hide_secrets(problem), fault);
  }

  // To where the server has led before; there no secret of ours is wanted.
  HttpRequest request() const {
    HttpRequest asked = target_.request();
    const std::lock_guard lock(mutex_);
    if (!direct_url_.empty()) lead(asked, direct_url_);
    return asked;
  }

  void lead(HttpRequest& asked, const std::string& url) const {
    const std::optional<Url> direct = parse_url(url);
    if (direct && direct->origin() != origin_) {
      asked.access.user.clear();
      asked.access.password.clear();
      asked.access.bearer_token.clear();
    }
    asked.url = url;
  }

  // A server may lead to another copy each time, which has a time of its own: both ends are to be of one.
  std::optional<AskAgain> ask_one_copy(HttpRequest& sent, const HttpAnswer& answer) {
    if (!is_known_) copy_url_ = answer.url;
    const bool is_other = is_known_ && !copy_url_.empty() && !answer.url.empty() && answer.url != copy_url_ &&
                          version_in(answer) != version_;
    if (!is_other) return std::nullopt;
    lead(sent, copy_url_);
    const std::lock_guard lock(mutex_);
    direct_url_ = copy_url_;
    return AskAgain{"the server leads to copies of it that differ in their times", 0};
  }

  // Where a server was led to may be forgotten: then it is asked again where that is.
  bool forget_direct_url(HttpRequest& sent) const {
    const HttpRequest first = target_.request();
    if (sent.url == first.url) return false;
    sent.url = first.url;
    sent.access = first.access;
    const std::lock_guard lock(mutex_);
    direct_url_.clear();
    return true;
  }

  std::optional<AskAgain> fault_of_answer(HttpRequest& sent, HttpAnswer& answer) const {
    if (std::optional<AskAgain> again = transient_fault(answer)) {
      forget_direct_url(sent);
      return again;
    }
    if (answer.fault.empty() &&
        (answer.status == kPart || answer.status == kWhole || answer.status == kNoSuchRange)) {
      check_encoding(answer);
      if (!answer.url.empty()) {
        const std::lock_guard lock(mutex_);
        direct_url_ = answer.url;
      }
      server_notes().note_times(origin_, answer);
      return std::nullopt;
    }
    if (forget_direct_url(sent)) return AskAgain{"the server that it was sent to refuses", 0};
    refuse_answer(target_.name, sent, answer);
  }

  // Nobody asked for that, and ranges would be those of what it is compressed to.
  void check_encoding(const HttpAnswer& answer) const {
    const std::string encoding = answer.header("content-encoding");
    if (!encoding.empty() && lower_case(encoding) != "identity")
      fail("the server sends it compressed (Content-Encoding: " + encoding +
           "), which no part can be read of");
  }

  // A page to log in, or one that says what went wrong.
  void check_type(const HttpAnswer& answer) const {
    const std::string type = lower_case(answer.header("content-type"));
    const std::string text = answer.text();
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    if (type.starts_with("text/html") && text.compare(begin, 1, "<") == 0)
      fail("the server sends a web page (" + type + ") in place of a file");
  }

  // The first answer says what the file is, the other one must agree.
  void note_file(std::uint64_t size, const HttpAnswer& answer) {
    const std::string version = version_in(answer);
    if (is_known_ && (size != size_ || version != version_)) fail(kChangedMeanwhile);
    is_known_ = true;
    is_settled_ = is_settled_ && (target_.has_tags_of_content || is_state_settled(answer));
    size_ = size;
    version_ = version;
  }

  std::optional<AskAgain> take_end(std::size_t number, HttpRequest& sent, HttpAnswer& answer,
                                   FileBytes& bytes) {
    if (auto again = fault_of_answer(sent, answer)) return again;
    if (auto again = ask_one_copy(sent, answer)) return again;
    const std::optional<ContentRange> range = parse_content_range(answer.header("content-range"));
    if (answer.status == kNoSuchRange) {
      if (!range || !range->size || *range->size != 0) fail("the server does not send parts of files (416)");
      note_file(0, answer);
      return std::nullopt;
    }
    if (answer.status == kWhole) {
      check_type(answer);
      if (answer.is_too_large) fail(kWholeOnly);
      note_file(answer.body.size(), answer);
    } else {
      if (!range || !range->size)
        fail(
            "the server does not say which part of the file it sends, and how large that is: Content-Range "
            "is \"" +
            answer.header("content-range") + "\"");
      if (answer.is_too_large || range->end - range->begin != answer.body.size())
        fail("the server sends another part of the file than was asked for: \"" +
             answer.header("content-range") + "\" with " + (answer.is_too_large ? "more than " : "") +
             std::to_string(answer.body.size()) + " bytes");
      check_end(number, *range, sent);
      note_file(*range->size, answer);
      bytes.offset = range->begin;
    }
    bytes.bytes = std::move(answer.body);
    return std::nullopt;
  }

  void check_end(std::size_t number, const ContentRange& range, const HttpRequest& sent) const {
    const bool is_right = number == 0 ? range.begin == 0 : range.end == *range.size;
    if (!is_right)
      fail("the server sends bytes " + std::to_string(range.begin) + " to " + std::to_string(range.end) +
           " of " + std::to_string(*range.size) + " where " + sent.range + " was asked for");
  }

  bool is_as_opened(const HttpAnswer& answer) const {
    const std::optional<ContentRange> range = parse_content_range(answer.header("content-range"));
    const std::uint64_t size = range && range->size                              ? *range->size
                               : answer.status == kWhole && !answer.is_too_large ? answer.body.size()
                                                                                 : size_;
    return size == size_ && version_in(answer) == version_;
  }

  std::uint64_t read_all(const std::vector<RequestedRanges>& wanted, std::vector<RangeRead>& missing,
                         StopFlag stop) const {
    std::vector<HttpRequest> requests;
    for (const RequestedRanges& ranges : wanted) {
      HttpRequest asked = request();
      asked.range = range_text(ranges);
      for (const RangeOfReads& range : ranges) asked.max_body += range.end - range.begin + kBytesAboutPart;
      requests.push_back(std::move(asked));
    }
    return send_requests(std::move(requests), target_.name, patience_, stop,
                         [&](std::size_t number, HttpRequest& sent, HttpAnswer& answer) {
                           return take_ranges(wanted[number], sent, answer, missing);
                         });
  }

  std::optional<AskAgain> take_ranges(const RequestedRanges& wanted, HttpRequest& sent, HttpAnswer& answer,
                                      std::vector<RangeRead>& missing) const {
    if (auto again = fault_of_answer(sent, answer)) return again;
    if (!is_as_opened(answer)) fail(kChangedMeanwhile);
    if (answer.status == kNoSuchRange && wanted.size() == 1) fail("the server has no such bytes (416)");
    std::vector<AnsweredRange> parts;
    if (answer.status == kPart && !answer.is_too_large) parts = parts_of(answer);
    if (wanted.size() > 1) server_notes().note_several(origin_, parts.size() > 1);
    for (const RangeOfReads& range : wanted) {
      if (distribute(range, parts)) continue;
      if (wanted.size() == 1) refuse_range(range, answer);
      missing.insert(missing.end(), range.reads.begin(), range.reads.end());
    }
    return std::nullopt;
  }

  std::vector<AnsweredRange> parts_of(const HttpAnswer& answer) const {
    const std::string type = answer.header("content-type");
    try {
      if (lower_case(type).starts_with("multipart/byteranges")) {
        std::vector<AnsweredRange> parts = parse_multipart(type, answer.body);
        for (const AnsweredRange& part : parts)
          if (part.where.size.value_or(size_) != size_) fail(kChangedMeanwhile);
        return parts;
      }
    } catch (const FormatError& error) {
      fail(std::string("the server's answer is wrong: ") + error.what());
    }
    const std::optional<ContentRange> range = parse_content_range(answer.header("content-range"));
    if (!range || range->end - range->begin != answer.body.size()) return {};
    return {{*range, answer.body}};
  }

  [[noreturn]] void refuse_range(const RangeOfReads& wanted, const HttpAnswer& answer) const {
    if (answer.status == kWhole) check_type(answer);
    if (answer.status == kWhole) fail(kWholeOnly);
    fail("the server sends another part of the file than was asked for: bytes " +
         std::to_string(wanted.begin) + " to " + std::to_string(wanted.end) + " were, \"" +
         answer.header("content-range") + "\" with " + std::to_string(answer.body.size()) + " bytes (" +
         std::to_string(answer.status) + ") came");
  }

  HttpTarget target_;
  Patience patience_;
  std::string origin_;
  bool is_known_ = false;
  bool is_settled_ = true;
  std::uint64_t size_ = 0;
  std::string version_;
  std::string copy_url_;  // where a redirect led to first
  mutable std::mutex mutex_;
  mutable std::string direct_url_;  // where a redirect led to
};

}  // namespace

OpenedRemote open_http_file(HttpTarget target, std::uint64_t end_bytes, StopFlag stop, Patience patience) {
  auto file = std::make_unique<HttpFile>(std::move(target), patience);
  OpenedRemote opened = file->open_ends(end_bytes, stop);
  opened.file = std::move(file);
  return opened;
}

std::unique_ptr<const RemoteFile> resume_http_file(HttpTarget target, const RemoteState& state) {
  return std::make_unique<HttpFile>(std::move(target), Patience::of_environment(), state);
}

HttpTarget http_target(const std::string& name) {
  std::optional<Url> url = parse_url(with_secrets(name));
  if (!url || url->host.empty())
    throw FileError(name, "is no URL: it names no server", FileFault::kUnavailable);
  if (url->scheme == "dav") url->scheme = "http";
  if (url->scheme == "davs") url->scheme = "https";
  url->path = path_as_sent(url->path);
  url->query = percent_encoded(url->query, "%/-._~!$&'()*+,;=:@?");
  HttpTarget target;
  target.name = name;
  target.request = [name, parts = *url] {
    HttpRequest request;
    request.url = parts.without_user();
    request.access = access_to(parts, name);
    return request;
  };
  target.request();  // says at once what is wrong
  return target;
}

}  // namespace skimline::io

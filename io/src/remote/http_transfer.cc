// SPDX-License-Identifier: BSD-3-Clause
#include "remote/http_transfer.h"

#include "remote/curl_library.h"
#include "remote/http_loop.h"

#include "skimline/framework/error.h"
#include "skimline/framework/number_text.h"
#include "skimline/io/remote_file.h"
#include "skimline/io/url_secrets.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>

namespace skimline::io {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFirstPause = 0.1, kLongestPause = 5;
constexpr double kBetweenLooks = 0.1;  // at whether to stop

double seconds_since(Clock::time_point time) {
  return std::chrono::duration<double>(Clock::now() - time).count();
}

Clock::time_point in_seconds(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// Servers that have answered in this process: where one fails, it is more probably a fault that passes than
// a name mistyped.
class KnownServers {
 public:
  void add(const std::string& origin) {
    const std::lock_guard lock(mutex_);
    origins_.insert(origin);
  }
  bool has(const std::string& origin) const {
    const std::lock_guard lock(mutex_);
    return origins_.count(origin) != 0;
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> origins_;
};

KnownServers& known_servers() {
  static auto& servers = *new KnownServers;
  return servers;
}

std::string origin_of(const std::string& url) {
  const std::optional<Url> parts = parse_url(url);
  return parts ? parts->origin() : url;
}

// One of the requests: under way, or waiting to be asked again.
struct Asked {
  HttpRequest request;
  std::shared_ptr<HttpTransfer> transfer;
  std::optional<Clock::time_point> first_fault;
  std::optional<Clock::time_point> again_at;
  double pause = kFirstPause;
};

class RequestBatch {
 public:
  RequestBatch(std::vector<HttpRequest> requests, const std::string& name, Patience patience, StopFlag stop)
      : name_(name), patience_(patience), stop_(stop) {
    for (HttpRequest& request : requests) {
      asked_.emplace_back();
      asked_.back().request = std::move(request);
    }
  }

  ~RequestBatch() {
    for (const Asked& each : asked_)
      if (each.transfer) each.transfer->is_abandoned = true;
    HttpLoop::instance().wake();
  }
  RequestBatch(const RequestBatch&) = delete;
  RequestBatch& operator=(const RequestBatch&) = delete;

  std::uint64_t send(const TakeAnswer& take) {
    std::vector<std::shared_ptr<HttpTransfer>> all;
    for (std::size_t number = 0; number < asked_.size(); ++number) all.push_back(prepare(number));
    HttpLoop::instance().start(all);
    for (std::size_t left = asked_.size(); left > 0;) {
      stop_.throw_if_set();
      if (const std::optional<std::size_t> number = ended_->take(time_to_wait()))
        left -= take_one(*number, take) ? 1 : 0;
      start_again();
    }
    return num_sent_;
  }

 private:
  std::shared_ptr<HttpTransfer> prepare(std::size_t number) {
    Asked& each = asked_[number];
    each.again_at.reset();
    each.transfer = std::make_shared<HttpTransfer>();
    each.transfer->request = each.request;
    each.transfer->number = number;
    each.transfer->ended = ended_;
    ++num_sent_;
    return each.transfer;
  }

  double time_to_wait() const {
    double wait = kBetweenLooks;
    for (const Asked& each : asked_)
      if (each.again_at) wait = std::min(wait, std::max(0.0, -seconds_since(*each.again_at)));
    return wait;
  }

  void start_again() {
    for (std::size_t number = 0; number < asked_.size(); ++number)
      if (asked_[number].again_at && Clock::now() >= *asked_[number].again_at)
        HttpLoop::instance().start({prepare(number)});
  }

  // Returns whether the request is done.
  bool take_one(std::size_t number, const TakeAnswer& take) {
    Asked& each = asked_[number];
    const std::shared_ptr<HttpTransfer> transfer = std::move(each.transfer);
    each.transfer.reset();
    if (transfer->answer.is_connected) known_servers().add(origin_of(transfer->request.url));
    const std::optional<AskAgain> again = take(number, each.request, transfer->answer);
    if (again) ask_again(each, *again);
    return !again;
  }

  void ask_again(Asked& each, const AskAgain& again) {
    if (!each.first_fault) each.first_fault = Clock::now();
    const double pause = std::max(each.pause, again.pause_seconds);
    const bool is_known = known_servers().has(origin_of(each.request.url));
    const double patience = is_known ? patience_.seconds : patience_.seconds / 10;
    if (seconds_since(*each.first_fault) + pause > patience)
      throw FileError(name_, hide_secrets(again.reason), FileFault::kStorage);
    each.again_at = in_seconds(pause);
    each.pause = std::min(2 * each.pause, kLongestPause);
  }

  const std::string& name_;
  Patience patience_;
  StopFlag stop_;
  std::shared_ptr<EndedTransfers> ended_ = std::make_shared<EndedTransfers>();
  std::vector<Asked> asked_;
  std::uint64_t num_sent_ = 0;
};

std::string number_and_reason(int status) { return "the server answers " + std::to_string(status); }

}  // namespace

Patience Patience::of_environment() {
  const std::string text = environment("SKIMLINE_REMOTE_PATIENCE");
  Patience patience;
  if (!text.empty()) patience.seconds = std::max(0.0, leading_number(text));
  return patience;
}

std::uint64_t send_requests(std::vector<HttpRequest> requests, const std::string& name, Patience patience,
                            StopFlag stop, const TakeAnswer& take) {
  if (const std::string& problem = curl_functions().problem; !problem.empty())
    throw FileError(name, "cannot be opened: " + problem, FileFault::kUnavailable);
  return RequestBatch(std::move(requests), name, patience, stop).send(take);
}

std::optional<AskAgain> transient_fault(const HttpAnswer& answer) {
  if (!answer.fault.empty() && answer.is_transient) return AskAgain{"cannot be read: " + answer.fault, 0};
  const bool may_pass = answer.status == 408 || answer.status == 429 || answer.status == 500 ||
                        (answer.status >= 502 && answer.status <= 504);
  if (!may_pass) return std::nullopt;
  constexpr double kLongestWish = 60;
  std::string reason = number_and_reason(answer.status) +
                       (answer.status == 429 ? " (too many requests)" : " (it fails or is busy)");
  if (answer.wanted_pause > 0)
    reason +=
        ", and wants to be asked again after " + std::to_string(std::llround(answer.wanted_pause)) + " s";
  return AskAgain{reason, std::clamp(answer.wanted_pause, 0.0, kLongestWish)};
}

void refuse_answer(const std::string& name, const HttpRequest& request, const HttpAnswer& answer) {
  const auto fail = [&](const std::string& problem) {
    throw FileError(name, hide_secrets(problem), FileFault::kUnavailable);
  };
  if (!answer.fault.empty()) fail("cannot be opened: " + answer.fault);
  const std::string hint =
      "; " + (request.access.advice.empty()
                  ? std::string("BEARER_TOKEN, BEARER_TOKEN_FILE or X509_USER_PROXY say who you are")
                  : request.access.advice);
  if (const std::string region = answer.header("x-amz-bucket-region");
      !region.empty() && (answer.status == 301 || answer.status == 400))
    fail("the bucket is in the region \"" + region + "\": AWS_REGION has to say so");
  switch (answer.status) {
    case 401:
      fail("the server asks who you are (401)" + hint);
      break;
    case 403:
      fail("permission denied (403)" + hint);
      break;
    case 404:
    case 410:
      throw NoSuchRemoteFile(name, "no such file (" + std::to_string(answer.status) + ")");
    case 407:
      fail("the proxy asks who you are (407)");
      break;
    default:
      fail(number_and_reason(answer.status) + ", which is no file");
      break;
  }
  throw InternalError("an answer was not refused");
}

}  // namespace skimline::io

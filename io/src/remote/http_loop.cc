// SPDX-License-Identifier: BSD-3-Clause
#include "remote/http_loop.h"

#include "remote/curl_library.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unordered_map>

#include <sys/stat.h>
#include <unistd.h>

namespace skimline::io {
namespace {

constexpr long kMostConnectionsOfHost = 64;
constexpr long kMostConnections = 128;
constexpr long kMostRedirects = 10;
constexpr long kConnectMilliseconds = 10'000;
constexpr long kStallSeconds = 20;
// By how much longer a server may be silent that copies, compares or puts together what it was sent.
constexpr long kTimesAtWork = 15;
// Of a transfer that is slower for so many seconds nothing is to be hoped.
constexpr long kLeastBytesPerSecond = 100;
constexpr std::size_t kMostHeaders = 200;
constexpr std::size_t kLongestHeader = 16 * 1024;

// After which a transfer that has come to a halt is given up.
long stall_seconds() {
  const long seconds = std::atol(environment("SKIMLINE_REMOTE_STALL").c_str());
  return seconds > 0 ? seconds : kStallSeconds;
}

// An easy handle, its lists, and what it works on.
struct EasyTransfer {
  explicit EasyTransfer(std::shared_ptr<HttpTransfer> given) : transfer(std::move(given)) {}
  ~EasyTransfer() {
    curl_functions().easy_cleanup(easy);
    curl_functions().slist_free_all(headers);
    if (file != nullptr) std::fclose(file);
  }
  EasyTransfer(const EasyTransfer&) = delete;
  EasyTransfer& operator=(const EasyTransfer&) = delete;

  std::shared_ptr<HttpTransfer> transfer;
  CURL* easy = curl_functions().easy_init();
  curl_slist* headers = nullptr;
  std::FILE* file = nullptr;
  long stall = stall_seconds();
  char fault[CURL_ERROR_SIZE] = "";
};

std::size_t take_body(char* data, std::size_t, std::size_t size, void* context) {
  HttpTransfer& transfer = *static_cast<EasyTransfer*>(context)->transfer;
  if (transfer.is_abandoned) return 0;
  std::vector<std::byte>& body = transfer.answer.body;
  if (size > transfer.request.max_body - std::min(body.size(), transfer.request.max_body)) {
    transfer.answer.is_too_large = true;
    return 0;
  }
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  body.insert(body.end(), bytes, bytes + size);
  return size;
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// Those of a redirect are forgotten once the next answer begins.
std::size_t take_header(char* data, std::size_t, std::size_t size, void* context) {
  HttpAnswer& answer = static_cast<EasyTransfer*>(context)->transfer->answer;
  const std::string_view line(data, size);
  if (line.starts_with("HTTP/")) {
    answer.headers.clear();
    answer.body.clear();
    return size;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || size > kLongestHeader) return size;
  if (answer.headers.size() < kMostHeaders)
    answer.headers[lower_case(line.substr(0, colon))] = without_blanks(line.substr(colon + 1));
  return size;
}

bool has_all_to_work_with(const HttpRequest& request, curl_off_t to_send, curl_off_t sent) {
  const std::string& method = request.method;
  const bool makes_something = method == "PUT" || method == "POST" || method == "MOVE";
  return makes_something && sent >= to_send;
}

int look_at_progress(void* context, curl_off_t, curl_off_t, curl_off_t to_send, curl_off_t sent) {
  const EasyTransfer& each = *static_cast<EasyTransfer*>(context);
  const bool is_at_work = has_all_to_work_with(each.transfer->request, to_send, sent);
  curl_functions().easy_setopt(each.easy, CURLOPT_LOW_SPEED_TIME,
                               is_at_work ? kTimesAtWork * each.stall : each.stall);
  return each.transfer->is_abandoned ? 1 : 0;
}

void set_text(CURL* easy, CURLoption option, const std::string& text) {
  if (!text.empty()) curl_functions().easy_setopt(easy, option, text.c_str());
}

void set_access(CURL* easy, const HttpAccess& access) {
  if (!access.signature.empty()) {
    set_text(easy, CURLOPT_AWS_SIGV4, access.signature);
    curl_functions().easy_setopt(easy, CURLOPT_USERNAME, access.user.c_str());
    curl_functions().easy_setopt(easy, CURLOPT_PASSWORD, access.password.c_str());
  } else if (!access.bearer_token.empty()) {
    curl_functions().easy_setopt(easy, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BEARER));
    set_text(easy, CURLOPT_XOAUTH2_BEARER, access.bearer_token);
  } else if (!access.user.empty() || !access.password.empty()) {
    curl_functions().easy_setopt(easy, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    curl_functions().easy_setopt(easy, CURLOPT_USERNAME, access.user.c_str());
    curl_functions().easy_setopt(easy, CURLOPT_PASSWORD, access.password.c_str());
  }
  set_text(easy, CURLOPT_SSLCERT, access.certificate);
  set_text(easy, CURLOPT_SSLKEY, access.certificate_key);
  set_text(easy, CURLOPT_CAINFO, access.ca_bundle);
  set_text(easy, CURLOPT_CAPATH, access.ca_folder);
}

void set_method(EasyTransfer& each) {
  const HttpRequest& request = each.transfer->request;
  CURL* const easy = each.easy;
  if (request.method == "HEAD") {
    curl_functions().easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else if (!request.sent_file.empty()) {
    each.file = std::fopen(request.sent_file.c_str(), "rb");
    struct stat status {};
    if (each.file != nullptr && ::fstat(fileno(each.file), &status) == 0)
      curl_functions().easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(status.st_size));
    curl_functions().easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_functions().easy_setopt(easy, CURLOPT_READDATA, each.file);
  } else if (request.method != "GET") {
    const bool may_have_body = request.method == "PUT" || request.method == "POST";
    curl_functions().easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    curl_functions().easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                                 static_cast<curl_off_t>(request.body.size()));
    if (may_have_body || !request.body.empty())
      curl_functions().easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.c_str());
  }
  set_text(easy, CURLOPT_RANGE, request.range);
}

void set_limits(CURL* easy, bool follows_redirects) {
  curl_functions().easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_functions().easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_functions().easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_functions().easy_setopt(easy, CURLOPT_FOLLOWLOCATION, follows_redirects ? 1L : 0L);
  curl_functions().easy_setopt(easy, CURLOPT_MAXREDIRS, kMostRedirects);
  curl_functions().easy_setopt(easy, CURLOPT_UNRESTRICTED_AUTH, 0L);
  curl_functions().easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectMilliseconds);
  curl_functions().easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, kLeastBytesPerSecond);
  curl_functions().easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  curl_functions().easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_functions().easy_setopt(easy, CURLOPT_USERAGENT, "skimline");
  curl_functions().easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L * 1024);
}

void set_up(EasyTransfer& each) {
  CURL* const easy = each.easy;
  const HttpRequest& request = each.transfer->request;
  set_limits(easy, request.follows_redirects);
  set_text(easy, CURLOPT_URL, request.url);
  // Not where it makes no difference: libcurl 8.14 signs no request that has it.
  curl_functions().easy_setopt(easy, CURLOPT_PATH_AS_IS, request.has_literal_path ? 1L : 0L);
  curl_functions().easy_setopt(easy, CURLOPT_ERRORBUFFER, each.fault);
  curl_functions().easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_functions().easy_setopt(easy, CURLOPT_WRITEDATA, &each);
  curl_functions().easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
  curl_functions().easy_setopt(easy, CURLOPT_HEADERDATA, &each);
  curl_functions().easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_functions().easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, look_at_progress);
  curl_functions().easy_setopt(easy, CURLOPT_XFERINFODATA, &each);
  curl_functions().easy_setopt(easy, CURLOPT_PRIVATE, &each);
  for (const std::string& header : request.headers)
    each.headers = curl_functions().slist_append(each.headers, header.c_str());
  if (!request.access.session_token.empty())
    each.headers = curl_functions().slist_append(
        each.headers, ("x-amz-security-token: " + request.access.session_token).c_str());
  if (each.headers != nullptr) curl_functions().easy_setopt(easy, CURLOPT_HTTPHEADER, each.headers);
  set_access(easy, request.access);
  set_method(each);
}

// What would else be read from nowhere: somebody has removed it, before it is sent or sent again.
std::string problem_with_sent_file(const EasyTransfer& each) {
  const std::string& path = each.transfer->request.sent_file;
  return path.empty() || each.file != nullptr ? std::string()
                                              : "\"" + path + "\", which is to be sent, cannot be read";
}

bool may_pass(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_AGAIN:
      return true;
    default:
      return false;
  }
}

double seconds_of(CURL* easy, CURLINFO info) {
  curl_off_t microseconds = 0;
  curl_functions().easy_getinfo(easy, info, &microseconds);
  return static_cast<double>(microseconds) * 1e-6;
}

std::string fault_of(const EasyTransfer& each, CURLcode code) {
  std::string text = each.fault[0] != '\0' ? each.fault : curl_functions().easy_strerror(code);
  if (code == CURLE_BAD_FUNCTION_ARGUMENT && each.transfer->request.has_literal_path)
    text = "this version of libcurl signs no keys with \".\" or \"..\" between slashes";
  if (code == CURLE_PEER_FAILED_VERIFICATION)
    text += "; SSL_CERT_FILE and X509_CERT_DIR say whose certificates are believed";
  return text;
}

void note_end(EasyTransfer& each, CURLcode code) {
  HttpAnswer& answer = each.transfer->answer;
  long status = 0, redirected = 0;
  char* url = nullptr;
  curl_functions().easy_getinfo(each.easy, CURLINFO_RESPONSE_CODE, &status);
  curl_functions().easy_getinfo(each.easy, CURLINFO_EFFECTIVE_URL, &url);
  curl_functions().easy_getinfo(each.easy, CURLINFO_REDIRECT_COUNT, &redirected);
  answer.status = static_cast<int>(status);
  if (url != nullptr && redirected > 0) answer.url = url;
  answer.is_connected = status > 0;
  curl_off_t pause = 0;  // of a date, too
  curl_functions().easy_getinfo(each.easy, CURLINFO_RETRY_AFTER, &pause);
  answer.wanted_pause = static_cast<double>(pause);
  const double sent = seconds_of(each.easy, CURLINFO_PRETRANSFER_TIME_T);
  answer.first_byte_seconds = seconds_of(each.easy, CURLINFO_STARTTRANSFER_TIME_T) - sent;
  answer.all_seconds = seconds_of(each.easy, CURLINFO_TOTAL_TIME_T) - sent;
  if (code == CURLE_OK || answer.is_too_large) return;
  answer.fault = fault_of(each, code);
  answer.is_transient = may_pass(code);
}

void initialise_curl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_functions().global_init(CURL_GLOBAL_DEFAULT); });
}

// The one made last, by this process or the one it was forked from.
std::atomic<HttpLoop*> last_loop{nullptr};

}  // namespace

void EndedTransfers::add(std::size_t number) {
  const std::lock_guard lock(mutex_);
  numbers_.push_back(number);
  condition_.notify_one();
}

std::optional<std::size_t> EndedTransfers::take(double seconds) {
  std::unique_lock lock(mutex_);
  condition_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return !numbers_.empty(); });
  if (numbers_.empty()) return std::nullopt;
  const std::size_t number = numbers_.front();
  numbers_.pop_front();
  return number;
}

class HttpLoop::Work {
 public:
  Work() : multi_(curl_functions().multi_init()) {
    curl_functions().multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, kMostConnectionsOfHost);
    curl_functions().multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, kMostConnections);
    curl_functions().multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kMostConnections);
    curl_functions().multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
  }

  void add(const std::vector<std::shared_ptr<HttpTransfer>>& transfers) {
    {
      const std::lock_guard lock(mutex_);
      coming_.insert(coming_.end(), transfers.begin(), transfers.end());
    }
    wake();
  }

  void wake() { curl_functions().multi_wakeup(multi_); }

  void end() {
    is_ending_ = true;
    wake();
  }

  void go_on() {
    constexpr int kLongestWait = 1000;  // milliseconds
    while (!is_ending_) {
      start_coming();
      drop_abandoned();
      int running = 0;
      curl_functions().multi_perform(multi_, &running);
      end_done();
      curl_functions().multi_poll(multi_, nullptr, 0, kLongestWait, nullptr);
    }
  }

 private:
  void start_coming() {
    std::vector<std::shared_ptr<HttpTransfer>> coming;
    {
      const std::lock_guard lock(mutex_);
      coming.swap(coming_);
    }
    for (std::shared_ptr<HttpTransfer>& transfer : coming) {
      auto each = std::make_unique<EasyTransfer>(std::move(transfer));
      set_up(*each);
      if (std::string problem = problem_with_sent_file(*each); !problem.empty()) {
        each->transfer->answer.fault = std::move(problem);
        each->transfer->ended->add(each->transfer->number);
        continue;
      }
      curl_functions().multi_add_handle(multi_, each->easy);
      CURL* const easy = each->easy;
      running_.emplace(easy, std::move(each));
    }
  }

  void drop_abandoned() {
    for (auto each = running_.begin(); each != running_.end();) {
      if (!each->second->transfer->is_abandoned) {
        ++each;
        continue;
      }
      curl_functions().multi_remove_handle(multi_, each->first);
      each = running_.erase(each);
    }
  }

  void end_done() {
    int left = 0;
    while (const CURLMsg* const message = curl_functions().multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      const auto found = running_.find(message->easy_handle);
      if (found == running_.end()) continue;
      note_end(*found->second, code);
      const std::shared_ptr<HttpTransfer> transfer = found->second->transfer;
      curl_functions().multi_remove_handle(multi_, found->first);
      running_.erase(found);
      transfer->ended->add(transfer->number);
    }
  }

  CURLM* multi_;
  std::atomic<bool> is_ending_{false};
  std::mutex mutex_;
  std::vector<std::shared_ptr<HttpTransfer>> coming_;
  std::unordered_map<CURL*, std::unique_ptr<EasyTransfer>> running_;
};

HttpLoop::HttpLoop() : process_(::getpid()) {
  initialise_curl();
  work_ = std::make_shared<Work>();
  thread_ = std::thread([work = work_] { work->go_on(); });
  // After curl and what it loads, so that it comes before what they have done at the end.
  std::atexit(end_at_exit);
}

HttpLoop& HttpLoop::instance() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  HttpLoop* loop = last_loop;
  if (loop == nullptr || loop->process_ != ::getpid()) last_loop = loop = new HttpLoop;
  return *loop;
}

// Without the lock, which another thread may have had when this process was forked from one that has a loop.
void HttpLoop::end_at_exit() {
  HttpLoop* const loop = last_loop;
  if (loop == nullptr || loop->process_ != ::getpid() || !loop->thread_.joinable()) return;
  loop->work_->end();
  loop->thread_.join();
}

void HttpLoop::start(const std::vector<std::shared_ptr<HttpTransfer>>& transfers) { work_->add(transfers); }

void HttpLoop::wake() { work_->wake(); }

}  // namespace skimline::io

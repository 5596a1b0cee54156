// SPDX-License-Identifier: BSD-3-Clause
#include "remote/http_loop.h"

#include "remote/curl_library.h"

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skimline::io {
namespace {

// A server that takes connections, and never says a word.
class SilentServer {
 public:
  SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const general = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket_, general, size), 0);
    EXPECT_EQ(::listen(socket_, 5), 0);
    EXPECT_EQ(::getsockname(socket_, general, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~SilentServer() { ::close(socket_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;

  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_) + "/events.root"; }

 private:
  int socket_;
  unsigned port_ = 0;
};

void start_transfer(const std::string& url) {
  auto transfer = std::make_shared<HttpTransfer>();
  transfer->request.url = url;
  transfer->ended = std::make_shared<EndedTransfers>();
  HttpLoop::instance().start({transfer});
  // Long enough for it to be under way, and it never ends.
  EXPECT_EQ(transfer->ended->take(0.2), std::nullopt);
}

constexpr int kAsBefore = 20, kMoreThreads = 21;

std::ptrdiff_t num_threads() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads));
}

std::ptrdiff_t num_threads_before = 0;  // sanitizers have some of their own

// As the first to be registered it is the last that is called, after what libraries have done at the end.
void leave_with_threads() { ::_exit(num_threads() == num_threads_before ? kAsBefore : kMoreThreads); }

void exit_under_way(const std::string& url) {
  // One of the thread sanitizer's begins with the first of ours, which the system forgets a little after its
  // end.
  std::thread([] {}).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  num_threads_before = num_threads();
  std::atexit(leave_with_threads);
  start_transfer(url);
  std::exit(0);
}

// Before leaks are looked for, which are what the thread of the parent had.
void leave() { ::_exit(0); }

void exit_as_a_fork(const std::string& url) {
  std::atexit(leave);
  start_transfer(url);
  const pid_t child = ::fork();
  if (child == 0) std::exit(0);
  int status = -1;
  ::waitpid(child, &status, 0);
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

class HttpLoopDeath : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!curl_functions().problem.empty()) GTEST_SKIP() << curl_functions().problem;
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  }
};

TEST_F(HttpLoopDeath, ItHasEndedBeforeLibrariesEnd) {
  const SilentServer server;
  EXPECT_EXIT(exit_under_way(server.url()), ::testing::ExitedWithCode(kAsBefore), "");
}

TEST_F(HttpLoopDeath, AForkedProcessDoesNotWaitForThatOfItsParent) {
  const SilentServer server;
  EXPECT_EXIT(exit_as_a_fork(server.url()), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace skimline::io

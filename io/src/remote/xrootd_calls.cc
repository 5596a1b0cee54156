// SPDX-License-Identifier: BSD-3-Clause
#include "remote/xrootd_calls.h"

#include "remote/http_access.h"

#include "skimline/io/remote_file.h"
#include "skimline/io/url_secrets.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace skimline::io {
namespace {

constexpr int kSecondsOfSilence = 20;

int seconds_of_silence() {
  const int seconds = std::atoi(environment("SKIMLINE_REMOTE_STALL").c_str());
  return seconds > 0 ? seconds : kSecondsOfSilence;
}

void wait_for(double seconds, StopFlag stop) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  constexpr std::chrono::duration<double> kStep(0.1);
  while (true) {
    const std::chrono::duration<double> left = end - std::chrono::steady_clock::now();
    if (left.count() <= 0) return;
    stop.throw_if_set();
    std::this_thread::sleep_for(std::min(left, kStep));
  }
}

}  // namespace

XrootdWait::XrootdWait(StopFlag stop) : stop_(stop), wait_{is_stopped, this, seconds_of_silence()} {}

int XrootdWait::is_stopped(void* context) {
  return static_cast<XrootdWait*>(context)->stop_.is_set() ? 1 : 0;
}

void throw_fault(const std::string& name, const char* what, const SkimlineXrootdFault& fault) {
  if (fault.is_stopped) throw Interrupted();
  const std::string problem = what + hide_secrets(fault.text);
  if (fault.is_missing) throw NoSuchRemoteFile(name, problem);
  throw FileError(name, problem, fault.is_transient ? FileFault::kStorage : FileFault::kUnavailable);
}

void call_patiently(double seconds, StopFlag stop, const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  for (double pause = 0.1;; pause = std::min(2 * pause, 5.0)) {
    try {
      return work();
    } catch (const FileError& error) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      if (error.fault() != FileFault::kStorage || spent.count() + pause > seconds) throw;
    }
    wait_for(pause, stop);
  }
}

}  // namespace skimline::io

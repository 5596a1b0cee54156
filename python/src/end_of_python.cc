// SPDX-License-Identifier: BSD-3-Clause
#include "end_of_python.h"

#include "python_lock.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include <pthread.h>
#include <unistd.h>

namespace py = pybind11;

namespace skimline::python {
namespace {

// Far more than work takes to hear of its end, unless a function of Python or a disk holds it up.
constexpr std::chrono::seconds kLongestWait{5};

struct Work {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::atomic<bool>*> flags;
  std::thread::id ending_thread;

  bool is_over_for_this_thread() const {
    return ending_thread != std::thread::id() && ending_thread != std::this_thread::get_id();
  }
};

Work& work_of_process();

// The threads of other work stay behind.
void forget_in_forks() {
  ::pthread_atfork([] { work_of_process().mutex.lock(); }, [] { work_of_process().mutex.unlock(); },
                   [] {
                     work_of_process().flags.clear();
                     work_of_process().mutex.unlock();
                   });
}

// Outlives every thread.
Work& work_of_process() {
  static Work& work = *new Work;
  return work;
}

void stop_and_wait() {
  const WithoutPython unlocked;
  Work& work = work_of_process();
  std::unique_lock lock(work.mutex);
  work.ending_thread = std::this_thread::get_id();
  for (std::atomic<bool>* flag : work.flags) *flag = true;
  work.changed.wait_for(lock, kLongestWait, [&] { return work.flags.empty(); });
}

}  // namespace

StoppedAtEnd::StoppedAtEnd(std::atomic<bool>& stop) : stop_(stop) {
  Work& work = work_of_process();
  const std::lock_guard lock(work.mutex);
  if (work.is_over_for_this_thread()) stop_ = true;
  work.flags.insert(&stop_);
}

StoppedAtEnd::~StoppedAtEnd() {
  Work& work = work_of_process();
  std::unique_lock lock(work.mutex);
  work.flags.erase(&stop_);
  work.changed.notify_all();
  if (!work.is_over_for_this_thread()) return;
  lock.unlock();
  for (;;) ::pause();
}

void stop_work_at_end() {
  forget_in_forks();
  py::module_::import("atexit").attr("register")(py::cpp_function(&stop_and_wait));
}

}  // namespace skimline::python

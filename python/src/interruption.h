// SPDX-License-Identifier: BSD-3-Clause
// Long work that leaves Python free: other threads run meanwhile, and Ctrl-C ends it.
#pragma once

#include "end_of_python.h"
#include "python_lock.h"

#include "skimline/framework/stop_flag.h"
#include "skimline/io/read_stop.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include <pybind11/pybind11.h>

namespace skimline::python {

/// Calls `work(stop)` in a thread of its own, without Python's lock. Once a signal handler of Python raises
/// an exception, such as KeyboardInterrupt, `stop` is set, `work` has to end soon, and the exception is
/// thrown. The end of Python sets `stop`, too. `look` is called with Python's lock a few times per second,
/// and may throw likewise. What `work` throws is thrown. To be called with Python's lock.
inline void run_interruptibly(const std::function<void(StopFlag stop)>& work,
                              const std::function<void()>& look = nullptr) {
  namespace py = pybind11;
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::condition_variable ended;
  bool has_ended = false;
  std::exception_ptr fault;
  std::thread thread;
  try {
    thread = std::thread([&] {
      const auto reading = std::make_shared<io::ReadStop>();
      const io::StoppedReads reads(reading, &stop);
      const io::ReadStopScope scope(reading);
      try {
        work(&stop);
      } catch (...) {
        fault = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      has_ended = true;
      ended.notify_one();
    });
  } catch (const std::system_error&) {  // no thread is left: signals wait until the work is done
    const WithoutPython unlocked;
    const StoppedAtEnd until_end(stop);
    return work(&stop);
  }
  std::exception_ptr interruption;
  {
    const WithoutPython unlocked;
    const StoppedAtEnd until_end(stop);
    for (std::unique_lock lock(mutex); !has_ended;) {
      if (ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return has_ended; })) break;
      if (interruption) continue;
      lock.unlock();
      try {
        with_python([&] {
          if (PyErr_CheckSignals() != 0) throw py::error_already_set();
          if (look) look();
        });
      } catch (...) {
        interruption = std::current_exception();
        stop = true;
      }
      lock.lock();
    }
    thread.join();
  }
  if (interruption) std::rethrow_exception(interruption);
  if (fault) std::rethrow_exception(fault);
}

}  // namespace skimline::python

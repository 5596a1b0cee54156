// SPDX-License-Identifier: BSD-3-Clause
// Work of other threads when Python comes to its end.
#pragma once

#include <atomic>

#include <pybind11/pybind11.h>

namespace skimline::python {

/// Work that goes on as long as this lives. If Python comes to its end meanwhile, the flag is set, and Python
/// waits a little for the work: the libraries that do it go away with the process. To be made and destroyed
/// without Python's lock.
class StoppedAtEnd {
 public:
  /// `stop` has to outlive this.
  explicit StoppedAtEnd(std::atomic<bool>& stop);
  /// Never returns once Python ends, but in the thread that ends it: nobody is there to be told of the work.
  ~StoppedAtEnd();
  StoppedAtEnd(const StoppedAtEnd&) = delete;
  StoppedAtEnd& operator=(const StoppedAtEnd&) = delete;

 private:
  std::atomic<bool>& stop_;
};

/// Has Python's `atexit` stop what goes on.
void stop_work_at_end();

}  // namespace skimline::python

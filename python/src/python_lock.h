// SPDX-License-Identifier: BSD-3-Clause
// Python's lock, taken and given away by threads that may outlive Python.
#pragma once

#include <exception>
#include <optional>

#include <cxxabi.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

namespace skimline::python {

/// Does what may want Python's lock. A daemon thread gets it no more once Python comes to its end: before
/// Python 3.14 the thread is unwound then, through functions that cannot be left that way, which ends the
/// process. It waits for the end of the process instead, as later Pythons let it.
template <typename Work>
__attribute__((no_sanitize("null")))  // the reference to what unwinds a thread leads nowhere
decltype(auto)
while_python_lasts(const Work& work) {
#ifdef __GLIBCXX__
  try {
    return work();
  } catch (const abi::__forced_unwind&) {
    for (;;) ::pause();
  }
#else
  return work();
#endif
}

/// Python's lock is given away as long as this lives.
class WithoutPython {
 public:
  WithoutPython() : state_(PyEval_SaveThread()) {}
  ~WithoutPython() {
    while_python_lasts([&] { PyEval_RestoreThread(state_); });
  }
  WithoutPython(const WithoutPython&) = delete;
  WithoutPython& operator=(const WithoutPython&) = delete;

 private:
  PyThreadState* state_;
};

/// Does something with Python's lock, which the thread may have or not.
template <typename Work>
decltype(auto) with_python(const Work& work) {
  std::optional<pybind11::gil_scoped_acquire> lock;
  while_python_lasts([&] { lock.emplace(); });
  return while_python_lasts(work);
}

}  // namespace skimline::python

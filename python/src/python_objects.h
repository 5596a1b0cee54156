// SPDX-License-Identifier: BSD-3-Clause
// Objects of Python that the engine keeps, and types of numpy.
#pragma once

#include "python_lock.h"

#include "skimline/framework/type.h"

#include <memory>
#include <utility>

#include <pybind11/numpy.h>

namespace skimline::python {

/// A Python object whose last owner may be any thread, with or without Python's lock.
using SharedObject = std::shared_ptr<pybind11::object>;

inline SharedObject share(pybind11::object object) {
  return {new pybind11::object(std::move(object)), [](pybind11::object* shared) {
            if (Py_IsInitialized() == 0) {
              shared->release();  // Python has ended, and what it owned with it
              delete shared;
              return;
            }
            with_python([&] { delete shared; });
          }};
}

inline pybind11::dtype number_type(ScalarType scalar) {
  return visit_scalar(scalar, [](auto tag) { return pybind11::dtype::of<typename decltype(tag)::type>(); });
}

}  // namespace skimline::python

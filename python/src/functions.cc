// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.h"

namespace skimline::python {

void bind_functions(pybind11::module_&) {}

}  // namespace skimline::python

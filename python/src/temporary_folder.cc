// SPDX-License-Identifier: BSD-3-Clause
// Folders that go with the process.
#include "skimline/skims/temporary_folder.h"

#include "bindings.h"
#include "python_lock.h"

namespace py = pybind11;

namespace skimline::python {

void bind_temporary_folder(py::module_& module) {
  using skims::TemporaryFolder;
  py::class_<TemporaryFolder>(module, "TemporaryFolder")
      .def(py::init<>(), py::call_guard<WithoutPython>())
      .def_property_readonly("path", [](const TemporaryFolder& folder) { return py::bytes(folder.path()); })
      .def("remove", &TemporaryFolder::remove, py::call_guard<WithoutPython>());
}

}  // namespace skimline::python

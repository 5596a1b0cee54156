// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.h"
#include "program.h"

#include "skimline/framework/version.h"

#include <string>
#include <vector>

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace skimline;

namespace {

int run_program(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  return skims::run_program(static_cast<int>(arguments.size()), argv.data());
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.attr("version") = std::string(kVersion);
  module.def("run_program", &run_program, py::arg("arguments"), py::call_guard<py::gil_scoped_release>());
  python::bind_errors(module);
  python::bind_functions(module);
  python::bind_config(module);
  python::bind_sample_columns(module);
  python::bind_histograms(module);
  python::bind_run(module);
  python::bind_arrays(module);
  python::bind_event_order(module);
  python::bind_writer(module);
  python::bind_files(module);
}

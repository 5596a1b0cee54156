// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.h"
#include "program.h"

#include "skimline/framework/error.h"
#include "skimline/framework/version.h"

#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace skimline;

namespace {

// The callable returns whether the pictures were drawn, and what to say.
std::string draw_pictures(const py::object& draw, const std::string& request) {
  const py::gil_scoped_acquire lock;
  const auto [is_drawn, text] = draw(request).cast<std::pair<bool, std::string>>();
  if (!is_drawn) throw Error(text);
  return text;
}

int run_program(std::vector<std::string> arguments, const py::object& draw) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  skims::DrawPictures drawer;
  if (!draw.is_none()) drawer = [&draw](const std::string& request) { return draw_pictures(draw, request); };
  const py::gil_scoped_release unlocked;
  return skims::run_program(static_cast<int>(arguments.size()), argv.data(), drawer);
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.attr("version") = std::string(kVersion);
  module.def("run_program", &run_program, py::arg("arguments"), py::arg("draw_pictures") = py::none());
  python::bind_errors(module);
  python::bind_functions(module);
  python::bind_config(module);
  python::bind_sample_columns(module);
  python::bind_histograms(module);
  python::bind_run(module);
  python::bind_arrays(module);
  python::bind_blocks(module);
  python::bind_event_order(module);
  python::bind_writer(module);
  python::bind_files(module);
}

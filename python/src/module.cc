// SPDX-License-Identifier: BSD-3-Clause
// The module skimline._core, put together.
#include "bindings.h"
#include "end_of_python.h"
#include "program.h"
#include "python_lock.h"

#include "skimline/framework/error.h"
#include "skimline/framework/version.h"
#include "skimline/skims/commit.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <oneapi/tbb/version.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace skimline;

namespace {

// A callable returns whether it could do what it was asked for, and what to say.
std::string answer_of(const py::object& answer) {
  const auto [is_done, text] = answer.cast<std::pair<bool, std::string>>();
  if (!is_done) throw Error(text);
  return text;
}

skims::DrawnPictures pictures_of(const py::object& answer) {
  auto [is_done, text, has_all] = answer.cast<std::tuple<bool, std::string, bool>>();
  if (!is_done) throw Error(text);
  return {.text = std::move(text), .has_all = has_all};
}

std::string compute_parts(const py::object& compute, const std::string& request, StopFlag stop) {
  return python::with_python([&] {
    const py::object answer = compute(request, py::cpp_function([stop] { return stop.is_set(); }));
    stop.throw_if_set();
    return answer_of(answer);
  });
}

skims::PythonPackage package_of(const py::object& draw, const py::object& compute) {
  skims::PythonPackage package;
  if (!draw.is_none())
    package.draw_pictures = [&draw](const std::string& request) {
      return python::with_python([&] { return pictures_of(draw(request)); });
    };
  if (!compute.is_none())
    package.compute_parts = [&compute](const std::string& request, StopFlag stop) {
      return compute_parts(compute, request, stop);
    };
  return package;
}

int run_program(std::vector<std::string> arguments, const py::object& draw, const py::object& compute) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const skims::PythonPackage package = package_of(draw, compute);
  const python::WithoutPython unlocked;
  return skims::run_program(static_cast<int>(arguments.size()), argv.data(), package);
}

py::object reduce(const py::object& self, int protocol) {
  constexpr int kFirstGood = 2;
  const py::object any = py::module_::import("builtins").attr("object");
  return any.attr("__reduce_ex__")(self, std::max(protocol, kFirstGood));
}

// The protocols 0 and 1 of pickle make an object of the base of all classes here, which ends the process.
// What they are given instead they can write too.
void pickle_by_later_protocols(const py::module_& module) {
  for (const auto& [name, value] : py::dict(module.attr("__dict__")))
    if (py::isinstance<py::type>(value))
      py::setattr(value, "__reduce_ex__", py::cpp_function(&reduce, py::is_method(value)));
}

// What was loaded before may be taken for our oneTBB, by its functions too where wheels give the file another
// name. It runs what was compiled for an earlier one, not for a later one.
void refuse_an_older_tbb() {
  if (TBB_runtime_interface_version() < TBB_INTERFACE_VERSION)
    throw py::import_error(std::string("oneTBB ") + TBB_runtime_version() + ", and not " +
                           TBB_VERSION_STRING);
}

}  // namespace

// What threads share of it is immutable, or locked here.
PYBIND11_MODULE(_core, module, py::mod_gil_not_used()) {
  refuse_an_older_tbb();
  module.attr("version") = std::string(kVersion);
  module.attr("commit") = std::string(skims::commit());
  module.def("run_program", &run_program, py::arg("arguments"), py::arg("draw_pictures") = py::none(),
             py::arg("compute_parts") = py::none());
  python::bind_errors(module);
  python::bind_functions(module);
  python::bind_config(module);
  python::bind_models(module);
  python::bind_sample_columns(module);
  python::bind_histograms(module);
  python::bind_run(module);
  python::bind_arrays(module);
  python::bind_arrow(module);
  python::bind_blocks(module);
  python::bind_event_order(module);
  python::bind_writer(module);
  python::bind_files(module);
  python::bind_temporary_folder(module);
  pickle_by_later_protocols(module);
  python::stop_work_at_end();
}

// SPDX-License-Identifier: BSD-3-Clause
// Files of Arrow and Parquet, which the package reads and writes for the engine.
#include "bindings.h"
#include "python_lock.h"

#include "skimline/framework/error.h"
#include "skimline/io/arrow_library.h"
#include "skimline/io/field_name.h"
#include "skimline/io/root_file.h"
#include "skimline/io/root_file_writer.h"
#include "skimline/skims/record_objects.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <pybind11/stl.h>

namespace py = pybind11;

namespace skimline::python {
namespace {

// A callable returns whether it could do what it was asked for, and what to say.
std::string answer_of(const py::object& library, const py::dict& request, StopFlag stop) {
  const py::object answer = library(request, py::cpp_function([stop] { return stop.is_set(); }));
  stop.throw_if_set();
  auto [is_done, text] = answer.cast<std::pair<bool, std::string>>();
  if (!is_done) throw Error(text);
  return std::move(text);
}

std::string problem_of(const py::object& library) {
  return with_python([&] {
    py::dict request;
    request["do"] = "check";
    return answer_of(library, request, {});
  });
}

std::string ntuple_of(const py::object& library, const io::ArrowInput& input, StopFlag stop) {
  return with_python([&] {
    py::dict request;
    request["do"] = "read";
    request["path"] = py::bytes(input.path);
    request["format"] = input.format;
    request["state"] = py::bytes(input.state);
    if (input.copy)
      request["copy"] = py::cpp_function([copy = input.copy](const std::string& to) { copy(to); },
                                         py::call_guard<WithoutPython>());
    return answer_of(library, request, stop);
  });
}

void write(const py::object& library, const io::ArrowOutput& output, StopFlag stop) {
  with_python([&] {
    py::dict request;
    request["do"] = "write";
    request["from"] = py::bytes(output.from);
    request["ntuple"] = output.ntuple;
    request["to"] = py::bytes(output.to);
    request["format"] = output.format;
    request["compression"] = output.compression;
    answer_of(library, request, stop);
  });
}

// The library outlives Python, which is not to be called then.
void set_library(py::object library) {
  const auto* kept = std::make_unique<py::object>(std::move(library)).release();
  io::set_arrow_library(
      {.problem = [kept] { return problem_of(*kept); },
       .ntuple_of = [kept](const io::ArrowInput& input,
                           StopFlag stop) { return ntuple_of(*kept, input, stop); },
       .write = [kept](const io::ArrowOutput& output, StopFlag stop) { write(*kept, output, stop); }});
}

// Writes the record of a file, and nothing else, into a ROOT file. Returns whether there is one.
bool copy_record(const std::string& from, const std::string& to) {
  const std::optional<skims::RunRecord> record = skims::read_record(io::RootFile(from));
  if (!record) return false;
  io::RootFileWriter file(to, skims::record_classes());
  for (const io::RootObject& object : skims::record_objects(*record)) file.add_object(object);
  file.commit();
  return true;
}

}  // namespace

void bind_arrow(py::module_& module) {
  module.def("set_arrow_library", &set_library, py::arg("library"));
  module.def("copy_record", &copy_record, py::arg("source"), py::arg("target"),
             py::call_guard<WithoutPython>());
  module.def("is_legal_name", &io::is_legal_name, py::arg("name"));
}

}  // namespace skimline::python

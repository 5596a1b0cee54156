// SPDX-License-Identifier: BSD-3-Clause
// Faults of the engine as the exceptions of the package.
#include "bindings.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/arrow_library.h"
#include "skimline/io/url_secrets.h"
#include "skimline/skims/shown_text.h"

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

namespace py = pybind11;

namespace skimline::python {
namespace {

// Texts may hold the names of files, which need not be UTF-8: Python keeps other bytes as it does for paths.
py::str text_of(std::string_view text) {
  PyObject* decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "surrogateescape");
  if (!decoded) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

py::object make(const char* name, const std::exception& error, const std::string& hint = "") {
  return py::module_::import("skimline.errors")
      .attr(name)(text_of(skims::ShownText(error.what()).str() + hint));
}

void raise(const py::object& error) { PyErr_SetObject(py::type::handle_of(error).ptr(), error.ptr()); }

const char* name_of(FileFault fault) {
  switch (fault) {
    case FileFault::kDamaged:
      return "damaged";
    case FileFault::kUnavailable:
      return "unavailable";
    case FileFault::kUnverified:
      return "unverified";
    case FileFault::kChanged:
      return "changed";
    case FileFault::kStorage:
      return "storage";
    case FileFault::kUnwritable:
      return "unwritable";
  }
  return "";
}

// What is damaged may be the copy of a file of Arrow, and not the file.
void suspect_copies() {
  const py::dict modules = py::module_::import("sys").attr("modules");
  if (modules.contains("skimline.arrow_cache")) modules["skimline.arrow_cache"].attr("suspect")();
}

// Gives an error of the library the class and the attributes that skimline.errors describes.
void translate(std::exception_ptr fault) {
  try {
    if (fault) std::rethrow_exception(std::move(fault));
  } catch (const Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const ConfigError& error) {
    raise(make("ConfigError", error));
  } catch (const ExpressionError& error) {
    const py::object made = make("ExpressionError", error);
    made.attr("text") = text_of(error.text());
    made.attr("offset") = error.offset();
    made.attr("length") = error.length();
    made.attr("problem") = text_of(error.problem());
    raise(made);
  } catch (const EvaluationError& error) {
    const py::object made = make("EvaluationError", error);
    made.attr("entry") = error.entry();
    made.attr("expression") = text_of(error.expression());
    raise(made);
  } catch (const SchemaError& error) {
    raise(make("SchemaError", error));
  } catch (const FileError& error) {
    const py::object made = make("FileError", error, io::hint_at_copy(error));
    made.attr("path") = text_of(error.path());
    made.attr("fault") = name_of(error.fault());
    if (error.fault() == FileFault::kDamaged) suspect_copies();
    raise(made);
  } catch (const Error& error) {
    raise(make("Error", error));
  } catch (const InternalError& error) {
    raise(make("InternalError", error));
  }
}

}  // namespace

void bind_errors(py::module_& module) {
  py::register_exception_translator(translate);
  // Of what is no text, nothing is meant.
  module.def(
      "did_you_mean",
      [](const py::object& name, const std::vector<std::string>& candidates) {
        py::detail::make_caster<std::string> text;
        const bool is_text = py::isinstance<py::str>(name) && text.load(name, true);
        return is_text ? did_you_mean(py::detail::cast_op<std::string&>(text), candidates) : std::string();
      },
      py::arg("name"), py::arg("candidates"));
  module.def(
      "hide_secrets", [](const std::string& text) { return py::bytes(io::hide_secrets(text)); },
      py::arg("text"));
}

}  // namespace skimline::python

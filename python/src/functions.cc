// SPDX-License-Identifier: BSD-3-Clause
// Functions of expressions that Python hands over: addresses of compiled ones, or objects that are called
// with batches.
#include "bindings.h"
#include "python_lock.h"
#include "python_objects.h"

#include "skimline/framework/error.h"
#include "skimline/framework/external_function.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace skimline::python {
namespace {

ScalarType scalar_named(const std::string& name) {
  for (std::size_t i = 0; i < kNumScalarTypes; ++i)
    if (const auto scalar = static_cast<ScalarType>(i); is_number(scalar) && name_of(scalar) == name)
      return scalar;
  throw Error("\"" + name + "\" is no type of numbers");
}

std::vector<ScalarType> scalars_named(const std::vector<std::string>& names) {
  std::vector<ScalarType> scalars;
  for (const std::string& name : names) scalars.push_back(scalar_named(name));
  return scalars;
}

// A function whose closure owns `owner`.
ElementFunction owning(ElementFunction function, SharedObject owner) {
  function.call = [call = std::move(function.call), owner = std::move(owner)](
                      std::size_t count, const void* const* arguments, void* results) {
    call(count, arguments, results);
  };
  return function;
}

ExternalFunction compiled(const std::string& name, std::uintptr_t address,
                          const std::vector<std::string>& parameters, const std::string& result,
                          bool takes_arrays, py::object owner) {
  const void* code =
      reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr): Python has no other
  const auto make = takes_arrays ? array_function_at : element_function_at;
  ExternalFunction function{
      name, owning(make(code, scalars_named(parameters), scalar_named(result)), share(std::move(owner)))};
  check(function);
  return function;
}

// A copy: the function may keep what it is given, and a traceback does so.
py::array array_of(ScalarType scalar, const void* values, std::size_t count) {
  py::array array(number_type(scalar), static_cast<py::ssize_t>(count));
  if (count > 0) std::memcpy(array.mutable_data(), values, count * size_of(scalar));
  return array;
}

py::array flat_array(const ColumnView& column) {
  if (!column.is_constant) return array_of(column.type.scalar, column.values, column.length);
  const std::size_t size = size_of(column.type.scalar);
  std::vector<std::byte> repeated(column.length * size);
  for (std::size_t i = 0; i < column.length; ++i) std::memcpy(&repeated[i * size], column.values, size);
  return array_of(column.type.scalar, repeated.data(), column.length);
}

// The values, and the offsets of each level of lists.
py::list parts_of(const ColumnView& column) {
  py::list parts;
  parts.append(column.type.is_jagged() ? array_of(column.type.scalar, column.values, column.num_values())
                                       : flat_array(column));
  for (int level = 0; level < column.type.depth; ++level)
    parts.append(
        array_of(ScalarType::kUInt32, column.offsets_at(level), column.num_elements(level) + std::size_t{1}));
  return parts;
}

// The part of a result with that number, as an array of `scalar`.
py::array part(const py::tuple& parts, std::size_t number, ScalarType scalar) {
  py::array array = py::cast<py::array>(parts[number]);
  const bool is_contiguous = (array.flags() & py::array::c_style) != 0;
  if (array.ndim() != 1 || !is_contiguous || !array.dtype().equal(number_type(scalar)))
    throw Error("the parts of a result must be contiguous arrays of the declared type");
  return array;
}

void copy_result(const py::tuple& parts, BatchResult& result) {
  if (parts.size() != static_cast<std::size_t>(result.type().depth) + 1)
    throw Error("a result must have values, and offsets for each level of lists");
  const auto copy = [](const py::array& array, void* room) {
    if (array.size() > 0) std::memcpy(room, array.data(), static_cast<std::size_t>(array.nbytes()));
  };
  const py::array values = part(parts, 0, result.type().scalar);
  copy(values, result.reserve_values(static_cast<std::size_t>(values.size())));
  for (std::size_t level = 1; level < parts.size(); ++level) {
    const py::array offsets = part(parts, level, ScalarType::kUInt32);
    const auto count = static_cast<std::size_t>(offsets.size());
    copy(offsets, result.reserve_offsets(count, static_cast<int>(level) - 1));
  }
}

ExternalFunction batch(const std::string& name, py::object function, std::size_t num_parameters,
                       const std::string& scalar, int depth) {
  BatchFunction body{num_parameters, Type{scalar_named(scalar), depth}, nullptr};
  body.call = [shared = share(std::move(function))](std::span<const ColumnView> arguments,
                                                    std::size_t num_entries, BatchResult& result) {
    with_python([&] {
      py::list columns;
      for (const ColumnView& argument : arguments) columns.append(parts_of(argument));
      copy_result(py::cast<py::tuple>((*shared)(num_entries, columns)), result);
    });
  };
  ExternalFunction made{name, std::move(body)};
  check(made);
  return made;
}

}  // namespace

void bind_functions(py::module_& module) {
  py::class_<ExternalFunction>(module, "ExternalFunction")
      .def_static("compiled", &compiled, py::arg("name"), py::arg("address"), py::arg("parameters"),
                  py::arg("result"), py::kw_only(), py::arg("takes_arrays") = false,
                  py::arg("owner") = py::none())
      .def_static("batch", &batch, py::arg("name"), py::arg("function"), py::arg("num_parameters"),
                  py::arg("scalar"), py::arg("depth") = 0)
      .def_property_readonly("name", [](const ExternalFunction& function) { return function.name; })
      .def_property_readonly("signature", &signature_of)
      .def_property_readonly("content", [](const ExternalFunction& function) { return function.content; })
      .def("__repr__", [](const ExternalFunction& function) {
        return "<ExternalFunction " + signature_of(function) + ">";
      });
}

}  // namespace skimline::python

// SPDX-License-Identifier: BSD-3-Clause
// Filled histograms, whose contents arrays of numpy share.
#include "bindings.h"
#include "histogram_state.h"

#include "skimline/histograms/histogram.h"

#include <memory>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace skimline::python {
namespace {

using histograms::Axis;
using histograms::Histogram;

std::vector<py::dict> axes_of(const Histogram& histogram) {
  std::vector<py::dict> axes;
  for (const Axis& axis : histogram.axes) axes.push_back(facts_of(axis));
  return axes;
}

// A view that keeps the histogram alive, and cannot be written.
py::array sums(const std::shared_ptr<Histogram>& histogram, std::size_t sum) {
  if (sum >= histograms::num_sums(histogram->storage)) throw py::index_error("no such sum");
  std::vector<py::ssize_t> shape, strides;
  py::ssize_t stride = sizeof(double);
  for (const Axis& axis : histogram->axes) {
    shape.push_back(static_cast<py::ssize_t>(axis.num_cells()));
    strides.push_back(stride);
    stride *= shape.back();
  }
  py::array_t<double> view(shape, strides, histogram->sums.at(sum).data(), py::cast(histogram));
  view.attr("setflags")(py::arg("write") = false);
  return view;
}

}  // namespace

void bind_histograms(py::module_& module) {
  py::class_<Histogram, std::shared_ptr<Histogram>>(module, "Histogram")
      .def_readonly("name", &Histogram::name)
      .def_readonly("title", &Histogram::title)
      .def_readonly("value_title", &Histogram::value_title)
      .def_property_readonly("storage",
                             [](const Histogram& histogram) { return traits_of(histogram.storage).name; })
      .def_property_readonly("axes", &axes_of)
      .def_property_readonly("num_sums",
                             [](const Histogram& histogram) { return num_sums(histogram.storage); })
      .def("sums", &sums, py::arg("sum"))
      .def_readonly("entries", &Histogram::entries)
      .def_readonly("num_nan", &Histogram::num_nan)
      .def_readonly("num_bad_weights", &Histogram::num_bad_weights)
      .def("__iadd__",
           [](Histogram& sum, const Histogram& other) -> Histogram& {
             add(sum, other);
             return sum;
           })
      .def("copy", [](const Histogram& histogram) { return std::make_shared<Histogram>(histogram); })
      .def(py::pickle(
          [](const Histogram& histogram) { return state_of(histogram); },
          [](const py::tuple& state) { return std::make_shared<Histogram>(histogram_of(state)); }));
}

}  // namespace skimline::python

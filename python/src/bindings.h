// SPDX-License-Identifier: BSD-3-Clause
// The parts of the module skimline._core. What they offer is documented in python/skimline/_core.pyi.
#pragma once

#include <pybind11/pybind11.h>

namespace skimline::python {

void bind_errors(pybind11::module_& module);
void bind_functions(pybind11::module_& module);
void bind_config(pybind11::module_& module);
/// Has models of configs evaluated by skimline.models.
void bind_models(pybind11::module_& module);
void bind_sample_columns(pybind11::module_& module);
void bind_histograms(pybind11::module_& module);
void bind_run(pybind11::module_& module);
void bind_arrow(pybind11::module_& module);
void bind_arrays(pybind11::module_& module);
void bind_blocks(pybind11::module_& module);
void bind_event_order(pybind11::module_& module);
void bind_writer(pybind11::module_& module);
void bind_files(pybind11::module_& module);
void bind_temporary_folder(pybind11::module_& module);

}  // namespace skimline::python

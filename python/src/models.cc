// SPDX-License-Identifier: BSD-3-Clause
// Models of configs, which the package opens for the engine.
#include "skimline/skims/models.h"

#include "bindings.h"
#include "python_lock.h"
#include "python_objects.h"

#include "skimline/framework/error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

namespace py = pybind11;

namespace skimline::python {
namespace {

using skims::ModelBlocks;
using skims::ModelTensor;

// Errors of the library are told in their words. The exception, and what it holds of memory of ours, is gone
// then.
template <typename Work>
auto call_library(const Work& work) {
  return with_python([&] {
    try {
      return work();
    } catch (const py::error_already_set& error) {
      throw Error(py::str(error.value()).cast<std::string>());
    } catch (const py::cast_error& error) {
      throw Error(std::string("the library answers what cannot be used: ") + error.what());
    }
  });
}

// Types as onnxruntime names them.
std::optional<ScalarType> scalar_of(const std::string& type) {
  const std::vector<std::pair<const char*, ScalarType>> types = {
      {"tensor(float)", ScalarType::kFloat},   {"tensor(double)", ScalarType::kDouble},
      {"tensor(bool)", ScalarType::kBool},     {"tensor(int8)", ScalarType::kInt8},
      {"tensor(uint8)", ScalarType::kUInt8},   {"tensor(int16)", ScalarType::kInt16},
      {"tensor(uint16)", ScalarType::kUInt16}, {"tensor(int32)", ScalarType::kInt32},
      {"tensor(uint32)", ScalarType::kUInt32}, {"tensor(int64)", ScalarType::kInt64},
      {"tensor(uint64)", ScalarType::kUInt64}};
  for (const auto& [name, scalar] : types)
    if (type == name) return scalar;
  return std::nullopt;
}

std::vector<ModelTensor> tensors_of(const py::object& described) {
  std::vector<ModelTensor> tensors;
  for (const py::handle each : described) {
    auto [name, type, shape] = each.cast<std::tuple<std::string, std::string, std::vector<std::int64_t>>>();
    tensors.push_back({std::move(name), type, scalar_of(type), std::move(shape)});
  }
  return tensors;
}

// A session of skimline.models.
class PythonModel : public skims::Model {
 public:
  explicit PythonModel(const py::object& session)
      : inputs_(tensors_of(session.attr("inputs"))),
        outputs_(tensors_of(session.attr("outputs"))),
        evaluator_(session.attr("evaluator").cast<std::string>()),
        evaluate_(share(session.attr("evaluate"))) {}

  const std::vector<ModelTensor>& inputs() const override { return inputs_; }
  const std::vector<ModelTensor>& outputs() const override { return outputs_; }
  const std::string& evaluator() const override { return evaluator_; }

  void evaluate(const ModelBlocks& blocks, const Take& take) const override {
    call_library([&] {
      const auto type = number_type(*outputs_[blocks.output].scalar);
      const py::list results = (*evaluate_)(arrays_of(blocks), blocks.output);
      for (std::size_t block = 0; block < results.size(); ++block) {
        const auto array = results[block].cast<py::array>();
        if (!array.dtype().equal(type) || (array.flags() & py::array::c_style) == 0)
          throw Error("the model gives numbers of another type than it says");
        take(block, array.data(), static_cast<std::size_t>(array.size()));
      }
    });
  }

 private:
  // Without copies, for as long as the call takes.
  py::list arrays_of(const ModelBlocks& blocks) const {
    py::list arrays;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const std::vector<std::size_t> shape{blocks.num_blocks, blocks.rows, blocks.widths[i]};
      arrays.append(py::array(number_type(*inputs_[i].scalar), shape, blocks.inputs[i], py::none()));
    }
    return arrays;
  }

  std::vector<ModelTensor> inputs_, outputs_;
  std::string evaluator_;
  SharedObject evaluate_;
};

std::shared_ptr<const skims::Model> open_session(const std::string& content) {
  return call_library([&]() -> std::shared_ptr<const skims::Model> {
    return std::make_shared<PythonModel>(
        py::module_::import("skimline.models").attr("open_session")(py::bytes(content)));
  });
}

}  // namespace

void bind_models(py::module_&) { skims::set_model_reader(open_session); }

}  // namespace skimline::python

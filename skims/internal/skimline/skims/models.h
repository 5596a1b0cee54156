// SPDX-License-Identifier: BSD-3-Clause
// Trained models that configs name. The library that evaluates them is not ours to need: whoever has one
// gives it.
#pragma once

#include "skimline/framework/type.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace skimline::skims {

/// An input or output of a model. The first dimension counts objects.
struct ModelTensor {
  std::string name;
  std::string type;                  ///< as the library calls it: "tensor(float)"
  std::optional<ScalarType> scalar;  ///< of its numbers; nothing if expressions have none of that type
  std::vector<std::int64_t> shape;   ///< -1 where any size will do
};

/// What is evaluated at once: blocks of objects, one behind the other, each by a call of its own.
struct ModelBlocks {
  std::size_t num_blocks = 1;
  std::size_t rows = 1;  ///< objects in each block
  /// For each input of the model the numbers of all objects, of its type, object by object.
  std::span<const void* const> inputs;
  std::span<const std::size_t> widths;  ///< how many numbers an object has in each input
  std::size_t output = 0;               ///< which one is wanted
};

/// A model that was read. Used by many threads at once.
class Model {
 public:
  /// Takes what one block comes to: `count` numbers of the output's type, valid during the call.
  using Take = std::function<void(std::size_t block, const void* values, std::size_t count)>;

  virtual ~Model() = default;

  virtual const std::vector<ModelTensor>& inputs() const = 0;
  virtual const std::vector<ModelTensor>& outputs() const = 0;
  /// What evaluates it, and its version: "onnxruntime 1.32.0".
  virtual const std::string& evaluator() const = 0;
  /// Evaluates all blocks, in their order. Throws Error if it cannot.
  virtual void evaluate(const ModelBlocks& blocks, const Take& take) const = 0;
};

/// Makes a model of what a file holds. Throws Error saying why it is none.
using ModelReader = std::function<std::shared_ptr<const Model>(const std::string& content)>;

/// Says what reads the models of all configs of this process from now on.
void set_model_reader(ModelReader reader);

/// Reads a model. Throws Error, also if nothing was said to read models.
std::shared_ptr<const Model> read_model(const std::string& content);

}  // namespace skimline::skims

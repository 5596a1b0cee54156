// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/skims/models.h"

#include "skimline/framework/error.h"

#include <mutex>
#include <utility>

namespace skimline::skims {
namespace {

struct Given {
  std::mutex mutex;
  ModelReader reader;
};

Given& given() {
  static Given reader;
  return reader;
}

}  // namespace

void set_model_reader(ModelReader reader) {
  const std::lock_guard lock(given().mutex);
  given().reader = std::move(reader);
}

std::shared_ptr<const Model> read_model(const std::string& content) {
  ModelReader reader;
  {
    const std::lock_guard lock(given().mutex);
    reader = given().reader;
  }
  if (!reader)
    throw Error(
        "models are evaluated by the Python package: pip install 'skimline[models]', which brings "
        "onnxruntime, and call the program that comes with it");
  return reader(content);
}

}  // namespace skimline::skims

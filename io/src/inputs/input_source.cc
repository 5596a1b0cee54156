// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/input_source.h"

#include "inputs/chain_source.h"
#include "inputs/located_inputs.h"
#include "storage/buffer_pool.h"
#include "ttree/class_trial.h"

#include "skimline/io/rntuple_source.h"
#include "skimline/io/tree_source.h"

#include <algorithm>

namespace skimline::io {
namespace {

std::string problems_of(const std::vector<DefaultError::Mistake>& mistakes) {
  std::string problems;
  for (const DefaultError::Mistake& mistake : mistakes)
    problems += (problems.empty() ? "" : "\n") + mistake.problem;
  return problems;
}

// Parts of a chain share memory; those of many files are open only while they are read.
std::vector<std::unique_ptr<InputSource>> open_parts(const std::vector<LocatedInput>& inputs,
                                                     const InputOptions& options) {
  InputOptions part = options;
  part.defaults.clear();
  if (inputs.size() > options.max_open_files) part.max_open_files = 0;
  const auto pool = std::make_shared<BufferPool>(options.max_idle_bytes);
  KnownClasses known;
  std::vector<std::unique_ptr<InputSource>> parts;
  for (const LocatedInput& input : inputs) {
    if (input.format == DataFormat::kTTree) {
      parts.push_back(std::make_unique<TreeSource>(input.location, part, pool, &known));
      continue;
    }
    InputOptions ntuple = part;
    ntuple.max_idle_bytes = options.max_idle_bytes / inputs.size();
    parts.push_back(std::make_unique<RNTupleSource>(std::vector{input.location}, ntuple));
  }
  return parts;
}

}  // namespace

DefaultError::DefaultError(std::vector<Mistake> mistakes)
    : SchemaError(problems_of(mistakes)), mistakes_(std::move(mistakes)) {}

InputLocation parse_location(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || text.find(".root", colon) != std::string::npos) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

FieldSize& FieldSize::operator+=(const FieldSize& other) {
  stored += other.stored;
  in_memory += other.in_memory;
  largest_page = std::max(largest_page, other.largest_page);
  return *this;
}

const char* name_of(DataFormat format) { return format == DataFormat::kRNTuple ? "RNTuple" : "TTree"; }

std::unique_ptr<InputSource> open_inputs(const std::vector<InputLocation>& locations, InputOptions options) {
  std::vector<LocatedInput> inputs;
  for (const InputLocation& location : locations) inputs.push_back(locate(location));
  const bool has_trees = std::any_of(inputs.begin(), inputs.end(), [](const LocatedInput& input) {
    return input.format == DataFormat::kTTree;
  });
  if (!has_trees) return std::make_unique<RNTupleSource>(locations, std::move(options));
  if (inputs.size() == 1 && options.defaults.empty())
    return std::make_unique<TreeSource>(inputs.front().location, std::move(options));
  return std::make_unique<ChainSource>(open_parts(inputs, options), options);
}

}  // namespace skimline::io

// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/frame_inputs.h"

#include "base/text_table.h"
#include "config/translated/frame_names.h"

#include "skimline/framework/error.h"
#include "skimline/io/open_inputs.h"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace skimline::skims {
namespace {

using Columns = std::optional<std::set<std::string>>;

Columns columns_of_file(const std::string& path, const std::string& tree) {
  try {
    const auto source = io::open_inputs({{path, tree}});
    const std::vector<std::string> names = source->schema().names();
    std::set<std::string> columns(names.begin(), names.end());
    for (const io::UnsupportedField& field : source->unsupported_fields()) columns.insert(field.name);
    return columns;
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool defines(const FrameSample& sample, const std::string& name) {
  return std::any_of(sample.definitions->begin(), sample.definitions->end(),
                     [&](const FrameDefinition& each) { return each.name == name; });
}

}  // namespace

const Columns& FrameInputs::columns_of(const FrameSample& sample) {
  const std::string& path = metadata_.files(sample.data_sets.front()).front();
  const auto [known, is_new] = columns_.try_emplace({path, sample.tree});
  if (is_new) known->second = columns_of_file(path, sample.tree);
  return known->second;
}

void FrameInputs::note_known_weights(const FrameSample& sample, FrameLeftovers& left_out) {
  std::vector<std::string> names{frame_names::kWeight};
  if (!sample.is_data) names.push_back(frame_names::kSumOf + sample.sum_weights);
  const Columns& columns = columns_of(sample);
  for (const std::string& name : names)
    if (defines(sample, name) || (columns && columns->contains(name)))
      left_out.add("the column " + name + " that is there already in the samples", sample.name,
                   "FastFrames weighs with it, and here weights are computed as the config says");
}

void FrameInputs::check_is_no_pattern(const std::string& path, const FrameSample& sample) {
  if (path.find_first_of("*?[") == std::string::npos || std::filesystem::exists(path)) return;
  throw ConfigError(in_quotes(path) + " stands for several files of the sample " + in_quotes(sample.name) +
                    ", which has several data sets: write them one by one");
}

}  // namespace skimline::skims

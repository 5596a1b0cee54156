// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/frame_systematics.h"

#include "config/translated/frame_block.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {
namespace {

using Texts = std::vector<std::string>;

std::optional<std::set<std::string>> as_set(const std::optional<Texts>& texts) {
  return texts ? std::optional(std::set<std::string>(texts->begin(), texts->end())) : std::nullopt;
}

std::vector<FrameSystematic> read_variation(const JsonValue& value, const FrameSystematic& common,
                                            Diagnostics& diagnostics) {
  const FrameBlock block(
      value, "a variation",
      {"up", "down", "sum_weights_up", "sum_weights_down", "weight_suffix_up", "weight_suffix_down"},
      diagnostics);
  std::vector<FrameSystematic> made;
  if (!block.is_object()) return made;
  for (const std::string direction : {"up", "down"}) {
    if (!block.find(direction.c_str())) continue;
    FrameSystematic systematic = common;
    systematic.name = block.required_text(direction.c_str());
    systematic.sum_weights = block.text(("sum_weights_" + direction).c_str());
    systematic.weight_suffix = block.text(("weight_suffix_" + direction).c_str(), "");
    if (systematic.name == "NOSYS") diagnostics.add(value.location, "\"NOSYS\" is what is not varied");
    made.push_back(std::move(systematic));
  }
  if (made.empty()) diagnostics.add(value.location, "a variation needs \"up\" or \"down\"");
  return made;
}

}  // namespace

void read_systematics(const JsonValue& value, FrameReading& reading) {
  std::set<std::string> names;
  for (const JsonValue& each : reading.sequences.blocks(value)) {
    const FrameBlock block(
        each, "a systematic",
        {"variation", "samples", "exclude_samples", "campaigns", "regions", "exclude_regions"},
        reading.diagnostics);
    const JsonValue* variation = block.is_object() ? block.require("variation") : nullptr;
    if (!variation) continue;
    FrameSystematic common;
    common.samples = as_set(reading.known_texts(block, "samples", reading.sample_names, "sample"));
    common.exclude_samples =
        as_set(reading.known_texts(block, "exclude_samples", reading.sample_names, "sample"));
    const bool has_regions = reading.known_texts(block, "regions", reading.region_names, "region") ||
                             reading.known_texts(block, "exclude_regions", reading.region_names, "region");
    if (common.samples && common.exclude_samples)
      reading.diagnostics.add(each.location, "\"samples\" and \"exclude_samples\" exclude each other");
    for (const FrameSystematic& made : read_variation(*variation, common, reading.diagnostics)) {
      reading.check_new(names, made.name, each, "systematics");
      if (has_regions)
        reading.config.left_out.add("which regions there are of the systematics", made.name,
                                    "their histograms are filled in all regions");
      if (block.find("campaigns"))
        reading.config.left_out.add("\"campaigns\" of the systematics", made.name,
                                    "FastFrames does not look at them either");
      reading.config.systematics.push_back(made);
    }
  }
}

}  // namespace skimline::skims

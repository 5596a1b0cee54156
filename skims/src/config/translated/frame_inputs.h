// SPDX-License-Identifier: BSD-3-Clause
// The inputs of samples of FastFrames, and what their columns change.
#pragma once

#include "config/translated/frame_config.h"
#include "config/translated/sample_metadata.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace skimline::skims {

class FrameInputs {
 public:
  /// The metadata must outlive this.
  explicit FrameInputs(const SampleMetadata& metadata) : metadata_(metadata) {}

  /// The columns of the first file of a sample, if it can be read.
  const std::optional<std::set<std::string>>& columns_of(const FrameSample& sample);

  /// Notes weights and sums of weights that a sample has as columns: FastFrames defines them only where they
  /// are not there already.
  void note_known_weights(const FrameSample& sample, FrameLeftovers& left_out);

  /// Throws ConfigError for a pattern in the list of files. Which of several data sets an event is of is told
  /// by the name of its file, which a pattern is not.
  static void check_is_no_pattern(const std::string& path, const FrameSample& sample);

 private:
  const SampleMetadata& metadata_;
  std::map<std::pair<std::string, std::string>, std::optional<std::set<std::string>>>
      columns_;  // by file and tree
};

}  // namespace skimline::skims

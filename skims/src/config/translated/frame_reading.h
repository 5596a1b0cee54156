// SPDX-License-Identifier: BSD-3-Clause
// What the readers of the blocks of a config of FastFrames share.
#pragma once

#include "config/translated/frame_block.h"
#include "config/translated/frame_config.h"
#include "config/translated/frame_sequences.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// Whether a value is there and not empty.
bool is_filled(const JsonValue* value);

/// What has been read so far, and where mistakes go.
struct FrameReading {
  explicit FrameReading(Diagnostics& mistakes) : diagnostics(mistakes), sequences(mistakes) {}

  Diagnostics& diagnostics;
  FrameSequences sequences;
  FrameConfig config;
  std::set<std::string> region_names, sample_names;

  /// Adds a name; one that is there already is a mistake: "two samples are called ...".
  void check_new(std::set<std::string>& names, const std::string& name, const JsonValue& block,
                 const std::string& things);
  /// A name that is not there is a mistake. Throws what has been found once that is a lot.
  void check_known(const std::set<std::string>& names, const std::string& name, Location place,
                   const std::string& thing);
  /// The texts of a key, each of which must be one of the names.
  std::optional<std::vector<std::string>> known_texts(const FrameBlock& block, const char* key,
                                                      const std::set<std::string>& names,
                                                      const std::string& thing);

  /// What the general block and those of samples may say.
  void read_defaults(const FrameBlock& block, FrameDefaults& defaults);
  void leave_out_truth(const FrameBlock& block, const std::string& name);
};

}  // namespace skimline::skims

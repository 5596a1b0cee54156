// SPDX-License-Identifier: BSD-3-Clause
// What samples, regions and histograms of FastFrames are called in the config that is made.
#pragma once

#include "config/translated/frame_leftovers.h"

#include <map>
#include <string>
#include <utility>

namespace skimline::skims {

class FrameObjects {
 public:
  explicit FrameObjects(FrameLeftovers& left_out) : left_out_(left_out) {}

  /// What a `thing` ("sample") is called here, which is noted if it is another name. Throws ConfigError for
  /// names without a letter or digit, and where two would be called alike.
  std::string name(const std::string& name, const std::string& thing);

 private:
  FrameLeftovers& left_out_;
  std::map<std::pair<std::string, std::string>, std::string> names_;  // by thing and name here
};

}  // namespace skimline::skims

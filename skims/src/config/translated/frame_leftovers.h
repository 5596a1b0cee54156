// SPDX-License-Identifier: BSD-3-Clause
// What of a config of FastFrames has no counterpart: one sentence for all that have it in common.
#pragma once

#include <string>
#include <vector>

namespace skimline::skims {

class FrameLeftovers {
 public:
  /// Notes one of the `things` ("the regions of the samples") by its name, and what is to be known of all.
  void add(const std::string& things, const std::string& name, const std::string& why);
  /// A sentence of its own.
  void add(const std::string& sentence) { add(sentence, "", ""); }

  /// "the regions of the samples a, b and 7 more: why", in the order in which the first of each was noted.
  std::vector<std::string> sentences() const;

 private:
  struct Group {
    std::string things, why;
    std::vector<std::string> names;
  };
  std::vector<Group> groups_;
};

}  // namespace skimline::skims

// SPDX-License-Identifier: BSD-3-Clause
// Regions of FastFrames, and the histograms of their variables.
#pragma once

#include "config/translated/config_writing.h"
#include "config/translated/frame_config.h"
#include "config/translated/frame_objects.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

class FrameHistograms {
 public:
  FrameHistograms(FrameObjects& objects, FrameLeftovers& left_out) : objects_(objects), left_out_(left_out) {}

  /// Adds a region whose events pass `where`, and its histograms. Throws ConfigError where two would be
  /// called alike.
  void add(const FrameRegion& region, const std::string& where);

  const OrderedJson& regions() const { return regions_; }

  /// By name: one histogram of each variable for all its regions if it is the same in them, and otherwise
  /// one of each variable and region. Throws ConfigError where two would be called alike.
  OrderedJson histograms();
  /// Whether it is the same: then its name does not say the region.
  bool are_alike() const { return are_alike_; }

 private:
  void add_combination(const FrameRegion& region, const std::vector<std::string>& names,
                       const std::string& region_name);
  void add_histogram(std::string name, const std::string& region, OrderedJson json);

  struct Filled {
    std::string variable, region;
    OrderedJson json;
  };

  FrameObjects& objects_;
  FrameLeftovers& left_out_;
  OrderedJson regions_ = OrderedJson::object();
  bool are_alike_ = true;
  std::map<std::string, OrderedJson> by_variable_;
  std::vector<Filled> filled_;
  std::set<std::pair<std::string, std::string>> places_;  // of these
};

}  // namespace skimline::skims

// SPDX-License-Identifier: BSD-3-Clause
// Cuts and regions, and which events a histogram or skim takes.
#pragma once

#include "base/ordered_names.h"
#include "config/json/object_reader.h"

#include "skimline/skims/config.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// Reads "select" and "regions", and then what refers to them by name: "after", "region" and "regions".
class EventChoiceReader {
 public:
  EventChoiceReader(Config& config, Diagnostics& diagnostics) : config_(config), diagnostics_(diagnostics) {}

  /// That which is read.
  const Config& config() const { return config_; }

  void read_cuts(const JsonValue& value);
  void read_regions(const JsonValue& value);

  /// The "after", "regions" and "where" of a histogram.
  EventChoice of_histogram(const ObjectReader& object) const;
  /// The "after", "region" and "where" of a skim.
  EventChoice of_skim(const ObjectReader& object) const;

 private:
  bool comes_before_all(const std::string& name) const;
  std::optional<std::size_t> cuts_before(const ObjectReader& object) const;
  std::optional<std::size_t> region_number(const Text& name) const;
  void report_unknown(const char* kind, const Text& name, const std::vector<std::string>& known) const;
  void refuse_both(const ObjectReader& object, const char* key) const;

  Config& config_;
  Diagnostics& diagnostics_;
  // Names in the order of the config, also of those with mistakes of their own.
  OrderedNames cuts_, regions_;
  std::vector<std::string> points_{kAllEvents};  // of the cutflow
};

}  // namespace skimline::skims

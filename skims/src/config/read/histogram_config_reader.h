// SPDX-License-Identifier: BSD-3-Clause
// The histograms of a config.
#pragma once

#include "config/json/object_reader.h"
#include "config/read/event_choice_reader.h"

#include "skimline/skims/config.h"

namespace skimline::skims {

/// Reads "histogram_defaults", and then histograms.
class HistogramConfigReader {
 public:
  HistogramConfigReader(const EventChoiceReader& events, Diagnostics& diagnostics)
      : events_(events), diagnostics_(diagnostics) {}

  /// Sets the weight of all histograms that name no other one. Before read_defaults().
  void set_weight(Text weight) { defaults_.weight = std::move(weight); }
  void read_defaults(const JsonValue& value);
  HistogramConfig read(const Text& name, const JsonValue& value) const;

 private:
  void read_rules(const ObjectReader& object, HistogramConfig& histogram) const;
  void read_type(const ObjectReader& object, HistogramConfig& histogram) const;
  void read_weights(const ObjectReader& object, HistogramConfig& histogram) const;
  void read_axes(const ObjectReader& object, HistogramConfig& histogram) const;
  void read_profile(const JsonValue& value, HistogramConfig& histogram) const;

  const EventChoiceReader& events_;
  Diagnostics& diagnostics_;
  HistogramConfig defaults_;
};

}  // namespace skimline::skims

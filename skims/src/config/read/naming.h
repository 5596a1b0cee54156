// SPDX-License-Identifier: BSD-3-Clause
// The names of histograms in the file that holds them.
#pragma once

#include "skimline/skims/config.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// What tells a histogram from the others of a sample. Pointers may be null.
struct HistogramKey {
  const HistogramConfig* config = nullptr;
  const Region* region = nullptr;
  const WeightVariation* weight_variation = nullptr;
  const Variation* variation = nullptr;
  const SampleSum* sum = nullptr;  ///< of which the sample is a part
};

/// Names after a template such as "{region}/{sample}_{histogram}": text and placeholders. A placeholder for
/// which there is nothing vanishes with the text up to the next one; the last one with the text between it
/// and the one before.
///
/// The region is nothing for histograms of none. The variation is that of the histogram or of its weight,
/// or what the sample's metadata say in templates with "{process}"; without any of these it is "nominal" for
/// a histogram that has variations, else nothing. The sample is nothing in the template that applies unless
/// the config gives one, for a config of one sample.
class HistogramNaming {
 public:
  /// The templates of the config must be right: see check_name_template().
  HistogramNaming(const Config& config, const Sample& sample);

  std::string name_of(const HistogramKey& key) const;

 private:
  struct Placeholder {
    std::string name;
    std::string text_behind;
  };
  struct Template {
    std::string text_in_front;
    std::vector<Placeholder> placeholders;

    bool has(std::string_view placeholder) const;
  };
  // Of a variation, empty for nominal histograms.
  struct VariationNames {
    std::string variation, systematic, direction;
  };
  static Template parsed(std::string_view text);
  VariationNames variation_of(const HistogramKey& key) const;
  std::string value_of(const std::string& placeholder, const HistogramKey& key,
                       const VariationNames& names) const;

  Template nominal_, varied_;
  std::string sample_, process_;
  VariationNames of_sample_;
  bool has_variations_ = false;
};

/// Calls `visit` with the key of every histogram that is filled for a sample, in the order of the config.
template <typename Visitor>
void for_each_key(const Config& config, const Sample& sample, const HistogramConfig& histogram,
                  const Region* region, Visitor visit) {
  visit(HistogramKey{.config = &histogram, .region = region});
  for (const WeightVariation& each : histogram.weight_variations)
    visit(HistogramKey{.config = &histogram, .region = region, .weight_variation = &each});
  for (const Variation& each : config.variations)
    if (has_variation(sample, each))
      visit(HistogramKey{.config = &histogram, .region = region, .variation = &each});
  for (const SampleSum& sum : config.sums)
    for (const SampleSum::Part& part : sum.parts)
      if (part.sample.value == sample.name.value)
        visit(HistogramKey{.config = &histogram, .region = region, .sum = &sum});
}

/// Adds an error for everything in the config's templates that is neither text that names may hold nor a
/// placeholder.
void check_name_template(const Config& config, Diagnostics& diagnostics);

/// Adds an error for every name under which two histograms would be written, that is also a directory, or
/// that no object can have. The templates must be right.
void check_histogram_names(const Config& config, Diagnostics& diagnostics);

}  // namespace skimline::skims

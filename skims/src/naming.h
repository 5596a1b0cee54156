// SPDX-License-Identifier: BSD-3-Clause
// The names of histograms in the file that holds them.
#pragma once

#include "skimline/skims/config.h"

#include <cstddef>
#include <string>
#include <vector>

namespace skimline::skims {

/// Names after a template such as "{region}/{sample}_{histogram}": text and placeholders. A placeholder for
/// which there is nothing vanishes with the text up to the next one; the last one with the text between it
/// and the one before.
///
/// The region is nothing for histograms of none, the variation for those without; the weight itself is
/// "nominal". The sample is nothing in the template that applies unless the config gives one, for a config
/// of one sample.
class HistogramNaming {
 public:
  /// The template of the config must be right: see check_name_template().
  HistogramNaming(const Config& config, const Sample& sample);

  /// `region` may be null, and `variation` for the weight itself.
  std::string name_of(const HistogramConfig& histogram, const Region* region,
                      const WeightVariation* variation) const;

 private:
  struct Placeholder {
    std::string name;
    std::string text_behind;
  };
  std::string sample_;
  std::string text_in_front_;
  std::vector<Placeholder> placeholders_;
};

/// Adds an error for everything in the config's template that is neither text that names may hold nor a
/// placeholder.
void check_name_template(const Config& config, Diagnostics& diagnostics);

/// Adds an error for every name under which two histograms would be written, that is also a directory, or
/// that no object can have. The template must be right.
void check_histogram_names(const Config& config, Diagnostics& diagnostics);

}  // namespace skimline::skims

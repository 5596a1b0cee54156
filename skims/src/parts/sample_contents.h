// SPDX-License-Identifier: BSD-3-Clause
// What is computed of a sample, and under which keys a store has it of one of its parts.
#pragma once

#include "parts/part_keys.h"
#include "parts/part_results.h"
#include "plan/planned_sample.h"

#include "skimline/framework/value_content.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// All results of a sample by what they depend on, in one order: histograms, then counts, then sums of
/// weights, if there are any.
class SampleContents {
 public:
  /// Of a sample that was planned so that contents are noted.
  explicit SampleContents(PlannedSample& planned);

  /// By their numbers in the plan.
  const std::vector<ValueContent>& histograms() const { return histograms_; }
  /// Those that are counted, each once.
  const std::vector<SelectionId>& selections() const { return selections_; }
  /// Of these selections.
  const std::vector<ValueContent>& counts() const { return counts_; }
  /// The same; none without a weight.
  const std::vector<ValueContent>& weights() const { return weights_; }
  /// Of the plan, if all of them can be kept.
  const std::vector<ValueContent>& skims() const { return skims_; }
  /// Without skims.
  std::size_t num_results() const { return histograms_.size() + counts_.size() + weights_.size(); }

  /// The place of a selection among those that are counted.
  std::size_t place_of(SelectionId selection) const;

  /// All contents, skims too, in one text.
  std::string text() const;
  /// The same without skims. Nothing if not all is known that a result depends on.
  std::optional<std::string> known_text() const;
  /// Whether it is so of all but skims.
  bool are_all(const std::function<bool(const ValueContent&)>& is_such) const;
  /// Whether anything depends on the number of an entry among those of all files.
  bool use_entry_numbers() const;

  /// Keys of one part: of all that can be stored but skims.
  std::set<std::string> keys(const PartKeys& part) const;
  std::vector<std::string> skim_keys(const PartKeys& part) const;
  /// Of a result that cannot be stored, the name that it has while its part is computed.
  std::string histogram_key(const PartKeys& part, std::size_t id) const;
  std::string count_key(const PartKeys& part, std::size_t place) const;
  std::vector<std::string> weight_keys(const PartKeys& part,
                                       const std::vector<SelectionId>& selections) const;

 private:
  std::vector<ValueContent> histograms_;
  std::vector<SelectionId> selections_;
  std::vector<ValueContent> counts_, weights_, skims_;
};

/// Whether a key is that of a result that cannot be stored.
bool is_never_stored(const std::string& key);
/// Leaves out what cannot be stored.
PartResults storable(PartResults results);

}  // namespace skimline::skims

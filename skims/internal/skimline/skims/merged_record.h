// SPDX-License-Identifier: BSD-3-Clause
// One record of several, text by text.
#pragma once

#include "skimline/io/merge_options.h"
#include "skimline/skims/run_record.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// What becomes of parts that hold the same events.
struct OverlapRule {
  bool is_allowed = false;
  std::string way_out = "--allow-overlap merges them all the same";  ///< said by errors
};

/// Returns the sum of the texts of "skimline/record" objects of files that are merged, but for what the
/// histograms say. Throws Error if a text is damaged, if a sample differs in its cross section, metadata or
/// weight, or, unless the rule allows it, if two of them processed the same entries of the same input. The
/// result does not depend on the order of the texts, nor on what was merged before.
std::string merged_record_text(const io::TextsOfInputs& inputs, const OverlapRule& overlap = {});

/// The same as a record, whose histograms are empty.
RunRecord merged_record(const io::TextsOfInputs& inputs, const OverlapRule& overlap = {});

/// Returns a sentence for each sample whose parts were made by configs that differ in what decides its
/// results.
std::vector<std::string> differing_configs(const io::TextsOfInputs& inputs);

/// Returns the shards of runs and files of skims that are missing, a sentence for each.
std::vector<std::string> missing_parts(const RunRecord& record);

/// Returns the inputs that the runs left out as they are damaged, a sentence for each.
std::vector<std::string> inputs_left_out(const RunRecord& record);

/// Returns the order in which the entries of files with these records follow each other: by sample, then by
/// the number of the part of a run, then by the first entry of the inputs, whose files are in alphabetical
/// order. Nothing if the order cannot be known, as a file has no record.
std::optional<std::vector<std::size_t>> input_order(const std::vector<std::string>& files,
                                                    const io::TextsOfInputs& records);

}  // namespace skimline::skims

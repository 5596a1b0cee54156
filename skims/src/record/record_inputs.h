// SPDX-License-Identifier: BSD-3-Clause
// Which entries of which inputs were processed, put together from several records.
#pragma once

#include "skimline/skims/run_record.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// An input, and which of the records that are put together it is from.
struct InputOfRecord {
  InputRecord input;
  std::size_t record = 0;
};

/// Entries that two records have processed.
struct Overlap {
  InputRecord input;
  EntryRange entries;
  std::size_t first_record = 0, second_record = 0;
};

struct UnitedInputs {
  /// By file, RNTuple and UUID. Entries that were processed several times are in as many inputs.
  std::vector<InputRecord> inputs;
  std::optional<Overlap> overlap;  ///< the first one
};

/// Inputs with the same UUID and RNTuple are one, under the first of their names; without a UUID the name
/// counts. The order does not matter.
UnitedInputs unite(const std::vector<InputOfRecord>& inputs);

/// Entries of all of them, each as often as it was processed.
std::uint64_t num_processed(const std::vector<InputRecord>& inputs);

/// The entries of an input that were not processed.
std::vector<EntryRange> missing_entries(const InputRecord& input);

/// Which input was left out, and why.
std::string text_of(const SkippedInput& skipped);

}  // namespace skimline::skims

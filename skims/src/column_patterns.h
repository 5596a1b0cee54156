// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "skimline/io/input_source.h"
#include "skimline/skims/config.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// The names a skim can keep.
struct ColumnNames {
  std::vector<std::string> fields;       ///< of the input, whether or not expressions can hold them
  std::vector<std::string> definitions;  ///< of the config
};

/// Returns the names that the patterns of a skim keep, those of the input first, each group in its order.
/// Without "keep" all of the input. A dot and an underscore in a pattern are the same. Patterns that
/// match nothing are errors, and so is a skim without columns.
std::vector<std::string> kept_columns(const SkimConfig& skim, const ColumnNames& names,
                                      Diagnostics& diagnostics);

}  // namespace skimline::skims

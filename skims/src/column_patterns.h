// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "skimline/io/rntuple_source.h"
#include "skimline/skims/config.h"

#include <string>
#include <vector>

namespace skimline::skims {

/// The names a skim can keep.
struct ColumnNames {
  std::vector<std::string> columns;                        ///< of the input
  std::vector<std::string> definitions;                    ///< of the config
  std::vector<io::UnsupportedField> unsupported_fields{};  ///< of the input, which no skim can keep
};

/// Returns the columns that the patterns of a skim keep, columns of the input first, each group in its order.
/// Without "keep" all columns of the input. A dot and an underscore in a pattern are the same. Patterns that
/// match nothing are errors, and so is a skim without columns.
std::vector<std::string> kept_columns(const SkimConfig& skim, const ColumnNames& names,
                                      Diagnostics& diagnostics);

/// Returns the fields that a skim would keep if they could be read.
std::vector<io::UnsupportedField> left_out_fields(const SkimConfig& skim,
                                                  const std::vector<io::UnsupportedField>& fields);

}  // namespace skimline::skims

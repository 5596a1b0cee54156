// SPDX-License-Identifier: BSD-3-Clause
// Which columns patterns such as "Muon_*" choose.
#pragma once

#include "skimline/io/input_source.h"
#include "skimline/skims/config.h"

#include <map>
#include <string>
#include <vector>

namespace skimline::skims {

/// The names a skim can keep.
struct ColumnNames {
  std::vector<std::string> fields;       ///< of the input, whether or not expressions can hold them
  std::vector<std::string> definitions;  ///< of the config
  std::multimap<std::string, std::string> aliases = {};  ///< of fields, by these
};

/// Whether a column has a name or matches a pattern; a dot and an underscore are the same.
bool matches_column(const std::string& name, const std::string& pattern);

/// Patterns of the columns that are wanted. A dot and an underscore are the same.
struct ColumnChoice {
  std::vector<std::string> keep;  ///< all if empty
  std::vector<std::string> drop;  ///< of these

  bool is_wanted(const std::string& name) const { return is_kept(name) && !is_dropped(name); }
  bool is_kept(const std::string& name) const;
  bool is_dropped(const std::string& name) const;
  /// Whether `keep` has the very name, which is more than a pattern.
  bool is_named(const std::string& name) const;
};

/// What a skim wants.
ColumnChoice choice_of(const SkimConfig& skim);

/// Returns ` (did you mean "Muon_*"?)` with the name, or the pattern for names, that is nearest to one that
/// matches nothing, or an empty string.
std::string did_you_mean_pattern(const std::string& pattern, const std::vector<std::string>& names);

/// Says that no name matches a pattern, with what may be meant.
std::string unmatched_text(const std::string& pattern, const std::vector<std::string>& names);

/// All fields of a source: columns, then those that no column shows.
std::vector<std::string> field_names(const io::InputSource& source);

/// Returns the names that the patterns of a skim keep, those of the input first, each group in its order.
/// Without "keep" all of the input. Patterns to keep that match nothing are errors, those to drop if that is
/// so in all samples; and so is a skim without columns.
std::vector<std::string> kept_columns(const SkimConfig& skim, const ColumnNames& names,
                                      Diagnostics& diagnostics);

}  // namespace skimline::skims

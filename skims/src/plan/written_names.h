// SPDX-License-Identifier: BSD-3-Clause
// What columns are called in a file.
#pragma once

#include "skimline/io/input_source.h"

#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// Returns what each column is to be called, which is its own name unless no file can have that: characters
/// that are not allowed become underscores, and a number follows where another column has the name. Dots
/// stay, as they become underscores when they are written. Names that need no change come first; of the
/// others, those in front. `taken` are further names in the file.
std::vector<std::string> written_names(const std::vector<std::string>& columns, std::set<std::string> taken);

/// Calls the columns of collections by their new names; `columns` and `names` go together.
void rename(std::vector<io::Collection>& collections, const std::vector<std::string>& columns,
            const std::vector<std::string>& names);

/// "\"a b\" as \"a_b\", ...": those that have another name, dots left aside; empty if there are none.
std::string renamed_text(const std::vector<std::string>& columns, const std::vector<std::string>& names);

}  // namespace skimline::skims

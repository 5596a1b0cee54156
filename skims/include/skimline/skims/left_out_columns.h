// SPDX-License-Identifier: BSD-3-Clause
// Columns of the input that an output does not get.
#pragma once

#include <string>
#include <vector>

namespace skimline::skims {

/// Why a column is left out.
enum class LeftOutKind {
  kDifferent,   ///< not all files have it, or have it alike
  kUnreadable,  ///< it cannot be read
  kUnwritable,  ///< the output cannot hold it
  kNamesake     ///< a column with this name is written, and this is another one
};

/// One column that is left out, and why.
struct LeftOutColumn {
  std::string name;
  std::string reason;
  LeftOutKind kind = LeftOutKind::kUnreadable;
};

/// Whether something is missing in the output.
bool is_incomplete(const std::vector<LeftOutColumn>& columns);

/// What is left out, in one line: all names if there are few, else how many by their beginnings. Empty if
/// there is nothing.
std::string left_out_text(const std::vector<LeftOutColumn>& columns);

}  // namespace skimline::skims

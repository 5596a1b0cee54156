// SPDX-License-Identifier: BSD-3-Clause
// Fields of files that cannot be columns.
#pragma once

#include <cstdint>
#include <string>

namespace skimline::io {

/// A field that no column of a source can hold, and why.
struct UnsupportedField {
  std::string name;
  std::string type_name;
  std::string reason;
  std::uint32_t field = 0;    ///< its id in the descriptor; of TTrees the number of the branch
  bool is_carriable = false;  ///< whether it can be carried all the same, as those of RNTuples
  bool is_different = false;  ///< whether it only is that not all files have it, or have it alike
};

}  // namespace skimline::io

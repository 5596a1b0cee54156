// SPDX-License-Identifier: BSD-3-Clause
// What a merge does about fields that not all of its inputs have.
#pragma once

namespace skimline::io {

/// What becomes of fields that not all inputs have.
enum class MissingFields {
  kRefuse,   ///< an error that lists them
  kDrop,     ///< they are left out, as are fields whose types differ
  kDefault,  ///< entries of the other inputs get zeros and empty lists; other types are an error
};

}  // namespace skimline::io

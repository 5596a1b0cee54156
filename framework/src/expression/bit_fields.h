// SPDX-License-Identifier: BSD-3-Clause
// Which bits of an integer have names, as the descriptions of columns tell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// Some neighbouring bits, of which the first is the one of lowest value.
struct BitField {
  std::string name;
  unsigned first = 0;  ///< below 64, as all others
  unsigned width = 1;

  friend bool operator==(const BitField&, const BitField&) = default;
};

/// The named bits in a description as NanoAOD writes them: "compressed bitmap (A,B), 3 bits per cut",
/// "bits are: 0 : isPrompt, 1 : ...", "bit1 is loose, bit2 is tight", "bitmask 1 = VLoose, 2 = Loose" and
/// "2^(0:loose, 1:medium)". None of other descriptions.
std::vector<BitField> bit_fields(std::string_view description);

}  // namespace skimline

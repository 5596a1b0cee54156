// SPDX-License-Identifier: BSD-3-Clause
// Which bits of an integer have names, as the descriptions of columns tell.
#pragma once

#include "skimline/framework/schema.h"

#include <optional>
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
/// "2^(0:loose, 1:medium)", and skims: "bits of what the event passes: 0: nominal, 1: up". None of other
/// descriptions.
std::vector<BitField> bit_fields(std::string_view description);

/// A bit of which two descriptions say other things.
struct BitDifference {
  unsigned bit = 0;
  std::string first, second;  ///< its names; empty where a description gives it none
};

/// The lowest of these; nothing if there is none, or if one of the descriptions names no bits at all.
std::optional<BitDifference> bit_difference(std::string_view first, std::string_view second);

/// "bit 3 of "id" is "loose" in a.root, and bit 3 of "id" has no name in b.root", given where it is said.
std::string text_of(const BitDifference& difference, std::string_view column, std::string_view first_place,
                    std::string_view second_place);

/// A sentence if files say other things of a bit of the column.
std::optional<std::string> other_bits(const ColumnInfo& column);

}  // namespace skimline

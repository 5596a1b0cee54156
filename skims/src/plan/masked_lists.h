// SPDX-License-Identifier: BSD-3-Clause
// Lists that have equal sizes because one mask chose their elements.
#pragma once

#include "skimline/io/input_source.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// "Muon_pt[ good ]": a name and what chooses its elements, without blanks.
struct MaskedName {
  std::string name, mask;
};

/// Nothing if an expression is anything else.
std::optional<MaskedName> masked_name(const std::string& expression);

/// A list of a skim, and the mask that chose its elements.
struct MaskedList {
  std::string name, mask;
};

/// Returns the lists with one mask as one collection each, called as their names begin, "Muon", unless
/// `is_taken` says so of the counts, "nMuon"; then as the first of them.
std::vector<io::Collection> collections_of(const std::vector<MaskedList>& lists,
                                           const std::function<bool(const std::string&)>& is_taken);

}  // namespace skimline::skims

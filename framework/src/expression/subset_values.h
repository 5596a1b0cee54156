// SPDX-License-Identifier: BSD-3-Clause
// Values of pairs and triples of a list, without lists of indexes. They are what the same expression gives
// with Combinations, Take and operators, errors included.
#pragma once

#include "expression/kernel.h"

namespace skimline {

/// Inputs: a list of values, the list that is combined, the number of members, 2 or 3, and which of them:
/// the values of that member of all subsets.
ColumnKernel members_of_subsets(ScalarType scalar, std::uint64_t count);

/// Inputs: a list of Lorentz vectors, the list that is combined, the number of members: the sums of all
/// members of each subset, added from the first on.
ColumnKernel sums_of_subsets(std::uint64_t count);

/// The same of the first two of three members.
ColumnKernel sums_of_first_two();

/// Of the sums of all members, the masses.
ColumnKernel masses_of_subsets(std::uint64_t count);

/// Inputs as above, and the number of a subset: one value per entry.
ColumnKernel member_of_subset(ScalarType scalar, std::uint64_t count);
ColumnKernel sum_of_subset(std::uint64_t count);

/// Inputs: the list that is combined, the number of members, the number of a subset: a list of its indexes.
ColumnKernel subset_of_rank(std::uint64_t count);

}  // namespace skimline

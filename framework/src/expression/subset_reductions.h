// SPDX-License-Identifier: BSD-3-Clause
// Functions of lists whose elements are computed of pairs or triples, such as the number of the triple whose
// mass is nearest to some value, without any of these lists: entries with lists of one size are worked on
// side by side, a few rows of values at a time.
#pragma once

#include "expression/constant.h"
#include "expression/kernel.h"
#include "expression/subset_folds.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace skimline {

/// A value for each pair or triple.
struct SubsetStep {
  enum class Kind {
    kMember,      ///< the value that a list has for one of the members
    kIndex,       ///< the index of one of the members, std::uint64_t
    kSum,         ///< of the Lorentz vectors of all members, from the first on
    kMass,        ///< of that sum
    kEntryValue,  ///< one value for all of an entry
    kLoop,        ///< of other values
  };
  struct Value {
    bool is_constant = false;
    Constant constant;     ///< if it is one
    std::size_t step = 0;  ///< else: the number of an earlier step
  };

  Kind kind = Kind::kLoop;
  ScalarType scalar = ScalarType::kDouble;
  std::size_t input = 0;     ///< of the kernel: the list, or the flat value
  std::uint32_t member = 0;  ///< kMember, kIndex
  Loop loop = nullptr;       ///< kLoop: one that cannot fail
  std::vector<Value> operands;
};

/// The state of reduce_subsets.
struct SubsetProgram {
  std::uint64_t count = 0;        ///< members of each subset: 2 or 3
  bool allows_none = false;       ///< whether shorter lists have no subsets
  std::string_view function;      ///< that reduces
  std::vector<SubsetStep> steps;  ///< the last one is reduced
  SubsetFold fold;
};

/// Inputs: the list that is combined, then the lists and flat values that steps name. Faults are those of the
/// functions that the steps stand for.
ColumnView reduce_subsets(const KernelCall& call);

}  // namespace skimline

// SPDX-License-Identifier: BSD-3-Clause
// One comparison of the engine with the naive evaluator: columns, definitions, selections, and what is
// written.
#pragma once

#include "random_columns.h"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace skimline::testing {

struct ExpressionCase {
  struct Definition {
    std::string name;
    std::string expression;
  };
  struct Selection {
    std::size_t parent = 0;  ///< 0 are all entries, i + 1 is selection i
    std::string expression;
  };
  struct Output {
    std::size_t selection = 0;
    std::vector<std::string> names;
  };

  std::uint64_t columns_seed = 1;
  std::size_t num_entries = 32;
  std::uint64_t slice_entries = 16;
  int threads = 1;
  std::vector<Definition> definitions;
  std::vector<Selection> selections;
  std::vector<Output> outputs;
};

enum class DifferenceKind { kNone, kRefused, kType, kFault, kValue, kCrash };

struct Difference {
  DifferenceKind kind = DifferenceKind::kNone;
  std::string message;
};

/// What a comparison came to.
struct Comparison {
  Difference difference;
  bool is_refused = false;  ///< by both: the case tests nothing
  std::size_t num_faults = 0;
  std::size_t num_values = 0;  ///< of entries and names, compared
};

/// A case that follows from `seed`.
ExpressionCase random_case(std::uint64_t seed);

Comparison compare(const ExpressionCase& tried);

/// The smallest case found that has a difference of the same kind.
ExpressionCase shrunk(const ExpressionCase& tried, DifferenceKind kind);

/// As text, one part a line, and back.
std::string text_of(const ExpressionCase& shown);
ExpressionCase read_case(std::istream& input);

}  // namespace skimline::testing

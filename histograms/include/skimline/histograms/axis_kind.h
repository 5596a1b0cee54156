// SPDX-License-Identifier: BSD-3-Clause
// What an axis is made of, as configs say it and files keep it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skimline::histograms {

/// How the bins of an axis are given. Their numbers are those in files of exact sums.
enum class AxisKind {
  kRegular,            ///< bins of equal width
  kVariable,           ///< bins between edges
  kInteger,            ///< one bin for each of consecutive integers
  kStringCategories,   ///< one bin for each of some texts
  kIntegerCategories,  ///< one bin for each of some integers, in any order
};

/// What an axis is filled with.
enum class AxisValues { kNumbers, kTexts, kIntegers };

/// What tells the bins of an axis, beside its kind and their number.
enum class BinsBy { kLimits, kEdges, kNames, kNumbers };

/// What lies around the bins of a numeric axis.
struct AxisFlow {
  bool underflow = true;
  bool overflow = true;
  /// The axis ends where it begins: finite values are moved by multiples of its length into the range.
  bool circular = false;

  friend bool operator==(const AxisFlow&, const AxisFlow&) = default;
};

/// An axis as files keep it: of low and high, edges, names and numbers only what its kind goes by.
struct AxisDefinition {
  int num_bins = 0;
  double low = 0, high = 0;
  std::vector<double> edges;
  std::vector<std::string> names;
  std::vector<std::int64_t> numbers;
  AxisFlow flow;
  bool is_growing = false;
};

}  // namespace skimline::histograms

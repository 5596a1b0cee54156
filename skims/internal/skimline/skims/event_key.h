// SPDX-License-Identifier: BSD-3-Clause
// Keys by which the entries of two inputs are matched, and those that only one of them has.
#pragma once

#include "skimline/io/input_source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skimline::skims {

/// Why entries of an input cannot be matched by a key; nothing if they can.
std::optional<std::string> problem_with_key(const io::InputSource& source,
                                            const std::vector<std::string>& key);

/// Cuts "run, event" at the commas that are in no brackets.
std::vector<std::string> key_expressions(const std::string& text);

/// Keys that are to be named: how many, and the first of them, as "run 1, event 7".
struct NamedKeys {
  std::uint64_t number = 0;
  std::vector<std::string> first;
};

struct KeyDifference {
  std::vector<std::string> key;     ///< expressions
  NamedKeys only_left, only_right;  ///< entries that the other one has not, in their order
  NamedKeys repeated;               ///< keys that more than one entry of either has
  std::uint64_t num_matched = 0;    ///< entries
};

}  // namespace skimline::skims

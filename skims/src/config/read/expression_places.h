// SPDX-License-Identifier: BSD-3-Clause
// Where in a config an expression stands, from its text.
#pragma once

#include "skimline/skims/config.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimline::skims {

/// Returns all expressions of a config but the bodies of functions, in the order in which they are evaluated.
std::vector<const Text*> expressions_outside_functions(const Config& config);

/// Finds expressions and bodies of functions of a config, which must outlive it.
class ExpressionPlaces {
 public:
  explicit ExpressionPlaces(const Config& config);

  /// Returns the place of the bytes [offset, offset + length) of the first that reads `text`.
  std::optional<Location> of(const std::string& text, std::size_t offset, std::size_t length) const;

 private:
  const ConfigText& source_;
  std::unordered_map<std::string_view, const Text*> texts_;
};

}  // namespace skimline::skims

// SPDX-License-Identifier: BSD-3-Clause
// Names with dots and with underscores, which mean the same unless a file has both.
#pragma once

#include "skimline/framework/schema.h"
#include "skimline/io/input_source.h"

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>

namespace skimline::io {

/// The names of several sources.
class SpelledNames {
 public:
  void add(const InputSource& source);

  /// What a name is known by: names for which it is equal mean the same column.
  std::string known(const std::string& name) const;
  /// The column that a name means in one of the sources.
  std::optional<std::size_t> find(const Schema& schema, const std::string& name) const;

 private:
  std::unordered_set<std::string> separate_;  // with underscores; some source has other values under each
};

}  // namespace skimline::io

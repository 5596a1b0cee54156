// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/schema.h"

#include "skimline/framework/error.h"

#include <algorithm>

namespace skimline {
namespace {

std::string with_underscores(std::string_view name) {
  std::string spelled(name);
  std::replace(spelled.begin(), spelled.end(), '.', '_');
  return spelled;
}

}  // namespace

void Schema::add(ColumnInfo column) {
  if (!index_.emplace(column.name, columns_.size()).second)
    throw SchemaError("column \"" + column.name + "\" exists twice");
  index_by_underscores_.emplace(with_underscores(column.name), columns_.size());
  columns_.push_back(std::move(column));
}

std::optional<std::size_t> Schema::find(std::string_view name) const {
  if (const auto found = index_.find(std::string(name)); found != index_.end()) return found->second;
  const auto found = index_by_underscores_.find(with_underscores(name));
  if (found != index_by_underscores_.end()) return found->second;
  return std::nullopt;
}

std::vector<std::string> Schema::names() const {
  std::vector<std::string> names;
  names.reserve(columns_.size());
  for (const ColumnInfo& column : columns_) names.push_back(column.name);
  return names;
}

bool matches_pattern(std::string_view name, std::string_view pattern) {
  // Greedy matching that falls back to the last star.
  std::size_t n = 0, p = 0;
  std::size_t star = std::string_view::npos, retry = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace skimline

// SPDX-License-Identifier: BSD-3-Clause
#include "columns/default_values.h"

#include "skimline/framework/error.h"

namespace skimline::io {

DefaultValues::DefaultValues(const InputOptions& options) : prefix_(options.default_prefix) {
  for (const Entry& entry : options.defaults) {
    if (has_wildcards(entry.first)) {
      patterns_.push_back(&entry);
      continue;
    }
    const auto [other, is_new] = by_name_.emplace(with_underscores(entry.first), &entry);
    if (!is_new) mistakes_[entry.first].push_back("column \"" + other->second->first + "\" has two defaults");
  }
}

std::string DefaultValues::full_name(const std::string& column) const {
  return with_underscores(prefix_ + column);
}

// Notes patterns that disagree.
const DefaultValues::Entry* DefaultValues::find(const std::string& column, Mistakes* mistakes) const {
  const std::string name = full_name(column);
  if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
  const Entry* first = nullptr;
  for (const Entry* pattern : patterns_) {
    if (!matches_pattern(name, with_underscores(pattern->first))) continue;
    if (!first) first = pattern;
    if (mistakes && !(pattern->second == first->second))
      (*mistakes)[pattern->first].push_back("column \"" + column + "\" matches \"" + first->first +
                                            "\" and \"" + pattern->first +
                                            "\", which have different values: give it a default of its own");
  }
  return first;
}

std::optional<ColumnDefault> DefaultValues::make(const Entry& entry, const std::string& column, Type type,
                                                 const std::string& path) {
  found_.insert(entry.first);
  try {
    return ColumnDefault(column, entry.second, type, path);
  } catch (const SchemaError& error) {
    mistakes_[entry.first].emplace_back(error.what());
    return std::nullopt;
  }
}

std::optional<ColumnDefault> DefaultValues::for_missing(const std::string& column, Type type,
                                                        const std::string& path) {
  const Entry* entry = find(column, &mistakes_);
  return entry ? make(*entry, column, type, path) : std::nullopt;
}

void DefaultValues::check(const std::string& column, Type type, const std::string& path) {
  const auto found = by_name_.find(full_name(column));
  if (found != by_name_.end()) make(*found->second, column, type, path);
}

void DefaultValues::refuse(const std::string& field, const std::string& reason) {
  const auto found = by_name_.find(full_name(field));
  if (found == by_name_.end() || !found_.insert(found->second->first).second) return;
  mistakes_[found->second->first].push_back("column \"" + field + "\" can have no default: " + reason);
}

std::vector<DefaultValues::Nowhere> DefaultValues::nowhere() const {
  std::vector<Nowhere> all;
  for (const auto& [name, entry] : by_name_)
    if (!found_.contains(entry->first)) all.push_back({entry->first.substr(prefix_.size()), entry->second});
  return all;
}

void DefaultValues::throw_if_wrong() const {
  std::vector<DefaultError::Mistake> mistakes;
  for (const auto& [name, problems] : mistakes_) {
    const std::string others =
        problems.size() > 1 ? " (the same goes for " + std::to_string(problems.size() - 1) + " more)" : "";
    mistakes.push_back({name, problems.front() + others});
  }
  if (!mistakes.empty()) throw DefaultError(std::move(mistakes));
}

}  // namespace skimline::io

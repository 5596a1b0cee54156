// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/schema.h"

#include "skimline/framework/column_name.h"
#include "skimline/framework/error.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace skimline {
namespace {

// Where the character at `at` of UTF-8 text ends; a byte that begins none is one by itself.
std::size_t end_of_character(std::string_view text, std::size_t at) {
  const auto is_inner = [&](std::size_t byte) {
    return byte < text.size() && (static_cast<unsigned char>(text[byte]) & 0xc0) == 0x80;
  };
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  std::size_t end = at + 1;
  while (end < at + length && is_inner(end)) ++end;
  return end;
}

// In place of a column where a spelling, which is the name of none, may be that of several: it means none
// then.
constexpr std::size_t kSeveral = std::numeric_limits<std::size_t>::max();

void spell(std::string_view name, std::size_t column, std::unordered_map<std::string, std::size_t>& columns) {
  const auto [known, is_new] = columns.emplace(with_underscores(name), column);
  if (!is_new && known->second != column) known->second = kSeveral;
}

}  // namespace

Schema::Names& Schema::own() {
  if (names_.use_count() > 1) names_ = std::make_shared<Names>(*names_);
  return *names_;
}

void Schema::add(ColumnInfo column) {
  Names& names = own();
  if (!names.index.emplace(column.name, names.columns.size()).second)
    throw SchemaError("column \"" + column.name + "\" exists twice");
  spell(column.name, names.columns.size(), names.index_by_underscores);
  names.columns.push_back(std::move(column));
}

void Schema::add_alias(std::string name, std::size_t column) {
  if (find(name)) throw SchemaError("there is a column \"" + name + "\" already");
  Names& names = own();
  names.index.emplace(name, column);
  spell(name, column, names.index_by_underscores);
  names.aliases.push_back({std::move(name), column});
}

void Schema::add_unusable(std::string name, std::string reason) {
  if (!find(name)) own().unusable.push_back({std::move(name), std::move(reason)});
}

bool Schema::is_withheld(std::string_view name) const {
  const std::string exact(name);
  if (names_->index.contains(exact)) return false;
  const auto found = names_->index_by_underscores.find(with_underscores(name));
  if (found == names_->index_by_underscores.end()) return false;
  return found->second == kSeveral || names_->withheld.contains(exact);
}

std::optional<std::size_t> Schema::find(std::string_view name) const {
  const std::string exact(name);
  if (const auto found = names_->index.find(exact); found != names_->index.end()) return found->second;
  if (names_->withheld.contains(exact)) return std::nullopt;
  const auto found = names_->index_by_underscores.find(with_underscores(name));
  if (found == names_->index_by_underscores.end() || found->second == kSeveral) return std::nullopt;
  return found->second;
}

std::vector<std::string> Schema::names() const {
  std::vector<std::string> names;
  names.reserve(size());
  for (const ColumnInfo& column : columns()) names.push_back(column.name);
  return names;
}

std::string with_underscores(std::string_view name) {
  std::string spelled(name);
  std::replace(spelled.begin(), spelled.end(), '.', '_');
  return spelled;
}

bool matches_pattern(std::string_view name, std::string_view pattern) {
  if (const std::optional<std::string> literal = quoted_name(pattern)) return name == *literal;
  // Greedy matching that falls back to the last star.
  std::size_t n = 0, p = 0;
  std::size_t star = std::string_view::npos, retry = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      n = end_of_character(name, n);
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = retry = end_of_character(name, retry);
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool has_wildcards(std::string_view pattern) {
  return !quoted_name(pattern) && pattern.find_first_of("*?") != std::string_view::npos;
}

}  // namespace skimline

// SPDX-License-Identifier: BSD-3-Clause
// The columns that a source offers.
#pragma once

#include "skimline/framework/type.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace skimline {

/// Name and type of one column.
struct ColumnInfo {
  std::string name;
  Type type;
  std::string description;
  std::vector<std::string> other_descriptions{};  ///< that other files have of it
};

/// The columns of a source, in its order. Copies share their columns until one of them is changed. Immutable
/// once shared by threads.
class Schema {
 public:
  Schema() : names_(std::make_shared<Names>()) {}
  // Without moves: what was moved from would be no schema.
  Schema(const Schema&) = default;
  Schema& operator=(const Schema&) = default;
  ~Schema() = default;

  /// Appends a column. Throws SchemaError if the name is taken.
  void add(ColumnInfo column);

  /// Adds another name for column number `column`. Throws SchemaError if the name is taken.
  void add_alias(std::string name, std::size_t column);

  /// Has `name` mean no column that is spelt otherwise: it is the name of values that are not offered.
  void withhold(std::string name) { own().withheld.insert(std::move(name)); }
  /// Returns whether `name` means no column though it spells one: it is withheld, or spells several.
  bool is_withheld(std::string_view name) const;

  const std::vector<ColumnInfo>& columns() const { return names_->columns; }
  const ColumnInfo& operator[](std::size_t index) const { return names_->columns[index]; }
  std::size_t size() const { return names_->columns.size(); }

  /// Returns the index of the column called `name`. "Muon.pt" and "Muon_pt" name the same column unless both
  /// exist, or one is withheld, or several columns but none of that name are spelt so.
  std::optional<std::size_t> find(std::string_view name) const;

  std::vector<std::string> names() const;

  /// A name that stands for a column beside its own.
  struct Alias {
    std::string name;
    std::size_t column = 0;
  };
  const std::vector<Alias>& aliases() const { return names_->aliases; }

  /// What files have under a name that means no column, and why it is none.
  struct Unusable {
    std::string name;
    std::string reason;
  };
  /// Patterns must not pass over it. Without effect if the name means a column.
  void add_unusable(std::string name, std::string reason);
  const std::vector<Unusable>& unusable() const { return names_->unusable; }

 private:
  struct Names {
    std::vector<ColumnInfo> columns;
    std::vector<Alias> aliases;
    std::vector<Unusable> unusable;
    std::unordered_map<std::string, std::size_t> index;
    std::unordered_map<std::string, std::size_t> index_by_underscores;
    std::unordered_set<std::string> withheld;
  };
  Names& own();  // which no copy has, too

  std::shared_ptr<Names> names_;
};

/// Gives the bytes that have to be read for all entries of a column, by its number in the schema.
using StoredBytes = std::function<std::uint64_t(std::size_t)>;

/// Returns the name with underscores in place of dots: names for which this is equal mean the same column.
std::string with_underscores(std::string_view name);

/// Returns whether `name` matches `pattern`, in which `*` stands for any characters and `?` for one, of
/// UTF-8.
bool matches_pattern(std::string_view name, std::string_view pattern);

/// Whether a pattern may match other names than itself.
bool has_wildcards(std::string_view pattern);

}  // namespace skimline

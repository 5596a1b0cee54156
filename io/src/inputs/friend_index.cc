// SPDX-License-Identifier: BSD-3-Clause
#include "inputs/friend_index.h"

#include "skimline/io/match_error.h"

#include <algorithm>
#include <numeric>

namespace skimline::io {
namespace {

std::string text_of_missing(const InputSource& source, const std::string& name, const std::string& what) {
  for (const UnsupportedField& field : source.unsupported_fields())
    if (with_underscores(field.name) == with_underscores(name))
      return "column \"" + field.name + "\" of " + what + " cannot be matched: " + field.reason;
  return what + " has no column \"" + name + "\" to match" + did_you_mean(name, source.schema().names());
}

}  // namespace

std::vector<std::size_t> match_columns(const InputSource& source, const std::vector<std::string>& names,
                                       const MatchSide& side) {
  std::vector<std::size_t> columns;
  const Schema& schema = source.schema();
  const std::string what = side.what();
  for (const std::string& name : names) {
    const auto column = schema.find(name);
    if (!column) throw MatchError(side.friend_name, name, text_of_missing(source, name, what));
    const Type type = schema[*column].type;
    if (type.is_jagged() || !is_integer(type.scalar))
      throw MatchError(side.friend_name, name,
                       "column \"" + name + "\" of " + what + " is " + name_of(type) +
                           ": only whole numbers, one per entry, can be matched");
    columns.push_back(*column);
  }
  return columns;
}

MatchKeys read_keys(SliceReader& reader, const Schema& schema, std::span<const std::size_t> columns,
                    std::uint64_t num_entries) {
  MatchKeys keys(num_entries * columns.size());
  reader.load(columns);
  ColumnBuffer scratch;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ColumnView view = reader.view(columns[i], {0, num_entries}, scratch);
    visit_scalar(schema[columns[i]].type.scalar, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (std::uint64_t entry = 0; entry < num_entries; ++entry)
        keys[entry * columns.size() + i] =
            static_cast<std::uint64_t>(static_cast<std::int64_t>(view.data<T>()[entry]));
    });
  }
  return keys;
}

std::vector<bool> unsigned_columns(const Schema& schema, std::span<const std::size_t> columns) {
  std::vector<bool> are;
  for (const std::size_t column : columns) are.push_back(schema[column].type.scalar == ScalarType::kUInt64);
  return are;
}

FriendIndex::FriendIndex(InputSource& source, const std::vector<std::string>& names, const MatchSide& side)
    : width_(names.size()) {
  const std::vector<std::size_t> columns = match_columns(source, names, side);
  is_unsigned_ = unsigned_columns(source.schema(), columns);
  for (std::size_t slice = 0; slice < source.slices().size(); ++slice) {
    const std::unique_ptr<SliceReader> reader = source.open_slice(slice);
    const MatchKeys keys = read_keys(*reader, source.schema(), columns, source.slices()[slice].count);
    keys_.insert(keys_.end(), keys.begin(), keys.end());
  }
  order_.resize(source.num_entries());
  std::iota(order_.begin(), order_.end(), std::uint64_t{0});
  std::sort(order_.begin(), order_.end(),
            [this](std::uint64_t a, std::uint64_t b) { return is_less(key_of(a), key_of(b)); });
  const auto twice =
      std::adjacent_find(order_.begin(), order_.end(), [this](std::uint64_t a, std::uint64_t b) {
        return std::equal(key_of(a), key_of(a) + width_, key_of(b));
      });
  if (twice == order_.end()) return;
  const auto [first, second] = std::minmax(twice[0], twice[1]);
  throw FileError(source.files().front().path,
                  side.what() + " has the same values to match in the entries " + std::to_string(first) +
                      " and " + std::to_string(second),
                  FileFault::kUnavailable);
}

bool FriendIndex::is_less(const std::uint64_t* a, const std::uint64_t* b) const {
  return std::lexicographical_compare(a, a + width_, b, b + width_);
}

std::optional<std::uint64_t> FriendIndex::find(const std::uint64_t* key,
                                               const std::vector<bool>& is_unsigned) const {
  constexpr int kSignBit = 63;
  for (std::size_t i = 0; i < width_; ++i)
    if (is_unsigned[i] != is_unsigned_[i] && key[i] >> kSignBit != 0) return std::nullopt;
  const auto found = std::lower_bound(
      order_.begin(), order_.end(), key,
      [this](std::uint64_t entry, const std::uint64_t* wanted) { return is_less(key_of(entry), wanted); });
  if (found == order_.end() || !std::equal(key, key + width_, key_of(*found))) return std::nullopt;
  return *found;
}

}  // namespace skimline::io

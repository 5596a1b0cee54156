// SPDX-License-Identifier: BSD-3-Clause
#include "files/matched_entries.h"

#include "files/value_text.h"

#include "skimline/framework/column_collector.h"
#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/runner.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <oneapi/tbb/parallel_sort.h>

namespace skimline::skims {
namespace {

// More are only counted.
constexpr std::size_t kShownKeys = 3;

// Names that no column has.
std::vector<std::string> define_all(PlanBuilder& builder, const Schema& schema,
                                    const std::vector<std::string>& expressions) {
  std::vector<std::string> names;
  for (const std::string& expression : expressions) {
    std::string name = "read_" + std::to_string(names.size());
    while (schema.find(name)) name += "_";
    builder.define(name, expression);
    names.push_back(std::move(name));
  }
  return names;
}

std::string_view text_at(const OwnedColumn& column, std::uint64_t entry) {
  const auto ends = column.offsets.front().as<std::int64_t>();
  return {reinterpret_cast<const char*>(column.values.data()) + ends[entry],
          static_cast<std::size_t>(ends[entry + 1] - ends[entry])};
}

std::string value_at(const OwnedColumn& column, std::uint64_t entry) {
  if (column.type.scalar == ScalarType::kString) return quoted_text(text_at(column, entry));
  return visit_scalar(column.type.scalar, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return number_text(column.values.as<T>()[entry]);
  });
}

std::string key_text(const std::vector<OwnedColumn>& columns, const std::vector<std::string>& key,
                     std::uint64_t entry) {
  std::string text;
  for (std::size_t part = 0; part < key.size(); ++part)
    text += (part == 0 ? "" : ", ") + key[part] + " " + value_at(columns[part], entry);
  return text;
}

// Equal words stand for equal keys, in both inputs.
class KeyWords {
 public:
  KeyWords(std::vector<OwnedColumn> left, std::vector<OwnedColumn> right, const std::vector<std::string>& key)
      : columns_{std::move(left), std::move(right)}, key_(key) {
    for (std::size_t part = 0; part < key.size(); ++part) add_part(part);
  }

  std::uint64_t num_entries(int side) const { return columns_[side].front().num_entries(); }

  // Of an entry of one side against one of either.
  std::strong_ordering compare(int side, std::uint64_t entry, int other_side, std::uint64_t other) const {
    for (std::size_t word = 0; word < words_[0].size(); ++word)
      if (const auto order = words_[side][word][entry] <=> words_[other_side][word][other]; order != 0)
        return order;
    return std::strong_ordering::equal;
  }

  std::string text(int side, std::uint64_t entry) const { return key_text(columns_[side], key_, entry); }
  std::vector<OwnedColumn> take_left() { return std::move(columns_[0]); }

 private:
  void add_part(std::size_t part) {
    const ScalarType left = columns_[0][part].type.scalar, right = columns_[1][part].type.scalar;
    const bool are_integers = is_integer(left) && is_integer(right);
    if (!are_integers && !(is_floating(left) && is_floating(right)) && left != right)
      throw ConfigError("the key " + key_[part] + " is " + name_of(Type{left}) + " in one and " +
                        name_of(Type{right}) + " in the other");
    for (int side = 0; side < 2; ++side) words_[side].push_back(words_of(columns_[side][part]));
    // Negative numbers and large ones without a sign have equal bits.
    const bool is_large_left = left == ScalarType::kUInt64, is_large_right = right == ScalarType::kUInt64;
    if (!are_integers || is_large_left == is_large_right) return;
    for (int side = 0; side < 2; ++side) {
      const bool is_large = side == 0 ? is_large_left : is_large_right;
      std::vector<std::uint64_t> signs = words_[side].back();
      for (std::uint64_t& word : signs) word = is_large ? 0 : word >> 63;
      words_[side].push_back(std::move(signs));
    }
  }

  std::vector<std::uint64_t> words_of(const OwnedColumn& column) {
    const std::uint64_t count = column.num_entries();
    std::vector<std::uint64_t> words(count);
    if (column.type.scalar == ScalarType::kString) {
      for (std::uint64_t entry = 0; entry < count; ++entry)
        words[entry] =
            numbers_of_texts_.try_emplace(text_at(column, entry), numbers_of_texts_.size()).first->second;
      return words;
    }
    visit_scalar(column.type.scalar, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto values = column.values.as<T>();
      for (std::uint64_t entry = 0; entry < count; ++entry) words[entry] = word_of(values[entry]);
    });
    return words;
  }

  // Both zeros are equal, and so are all that are no number.
  template <typename T>
  static std::uint64_t word_of(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      const double wide = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : double{value} + 0.0;
      return std::bit_cast<std::uint64_t>(wide);
    } else {
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    }
  }

  std::vector<OwnedColumn> columns_[2];
  const std::vector<std::string>& key_;
  std::vector<std::vector<std::uint64_t>> words_[2];
  std::unordered_map<std::string_view, std::uint64_t> numbers_of_texts_;
};

class EntryMatching {
 public:
  EntryMatching(const KeyWords& words, const std::vector<std::string>& key) : words_(words) {
    matched_.keys.key = key;
  }

  MatchedEntries match() {
    for (int side = 0; side < 2; ++side) sort(side);
    std::uint64_t left = 0, right = 0;
    while (left < order_[0].size() || right < order_[1].size()) {
      const int order = order_of(left, right);
      const std::uint64_t left_end = order > 0 ? left : end_of_key(0, left),
                          right_end = order < 0 ? right : end_of_key(1, right);
      match({left, left_end}, {right, right_end});
      left = left_end;
      right = right_end;
    }
    finish();
    return std::move(matched_);
  }

 private:
  void sort(int side) {
    std::vector<std::uint64_t>& order = order_[side];
    order.resize(words_.num_entries(side));
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    oneapi::tbb::parallel_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
      const auto by_key = words_.compare(side, a, side, b);
      return by_key == 0 ? a < b : by_key < 0;
    });
  }

  int order_of(std::uint64_t left, std::uint64_t right) const {
    if (left == order_[0].size()) return 1;
    if (right == order_[1].size()) return -1;
    const auto order = words_.compare(0, order_[0][left], 1, order_[1][right]);
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }

  std::uint64_t end_of_key(int side, std::uint64_t place) const {
    const std::vector<std::uint64_t>& order = order_[side];
    std::uint64_t end = place + 1;
    while (end < order.size() && words_.compare(side, order[place], side, order[end]) == 0) ++end;
    return end;
  }

  struct Places {
    std::uint64_t begin, end;
    std::uint64_t size() const { return end - begin; }
  };

  // Places of one key in the orders.
  void match(Places left, Places right) {
    const std::uint64_t num_pairs = std::min(left.size(), right.size());
    for (std::uint64_t i = 0; i < num_pairs; ++i)
      matched_.pairs.push_back({order_[0][left.begin + i], order_[1][right.begin + i]});
    for (std::uint64_t i = left.begin + num_pairs; i < left.end; ++i) alone_[0].push_back(order_[0][i]);
    for (std::uint64_t i = right.begin + num_pairs; i < right.end; ++i) alone_[1].push_back(order_[1][i]);
    if (left.size() < 2 && right.size() < 2) return;
    NamedKeys& repeated = matched_.keys.repeated;
    if (++repeated.number > kShownKeys) return;
    const std::string key =
        left.size() > 0 ? words_.text(0, order_[0][left.begin]) : words_.text(1, order_[1][right.begin]);
    repeated.first.push_back(key + " (" + std::to_string(left.size()) + " and " +
                             std::to_string(right.size()) + ")");
  }

  void finish() {
    matched_.keys.num_matched = matched_.pairs.size();
    std::sort(matched_.pairs.begin(), matched_.pairs.end(),
              [](const auto& a, const auto& b) { return a.left < b.left; });
    matched_.keys.only_left = named(0);
    matched_.keys.only_right = named(1);
  }

  NamedKeys named(int side) {
    std::vector<std::uint64_t>& entries = alone_[side];
    NamedKeys keys{entries.size(), {}};
    std::sort(entries.begin(), entries.end());
    for (std::size_t i = 0; i < std::min(kShownKeys, entries.size()); ++i)
      keys.first.push_back(words_.text(side, entries[i]));
    return keys;
  }

  const KeyWords& words_;
  std::vector<std::uint64_t> order_[2];  // of entries, by key
  std::vector<std::uint64_t> alone_[2];  // entries that the other has not
  MatchedEntries matched_;
};

}  // namespace

std::string MatchedEntries::key_of(std::uint64_t entry) const { return key_text(left_key, keys.key, entry); }

std::vector<std::string> key_expressions(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'' || c == '`') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      parts.emplace_back();
      continue;
    }
    if (c != ' ' || !parts.back().empty()) parts.back() += c;
  }
  for (std::string& part : parts) part.erase(part.find_last_not_of(' ') + 1);
  return parts;
}

std::optional<std::string> problem_with_key(const io::InputSource& source,
                                            const std::vector<std::string>& key) {
  const PlanBuilder builder(source.schema());
  try {
    for (const std::string& expression : key)
      if (const Type type = builder.type_of_expression(expression);
          type.is_jagged() || (!is_number(type.scalar) && type.scalar != ScalarType::kString))
        return "\"" + expression + "\" is " + name_of(type) + ", and a key is made of numbers and texts";
  } catch (const Error& error) {
    return error.what();
  }
  return std::nullopt;
}

std::vector<OwnedColumn> read_whole(io::InputSource& source, const std::vector<std::string>& expressions,
                                    int threads) {
  PlanBuilder builder(source.schema());
  const std::vector<std::string> names = define_all(builder, source.schema(), expressions);
  std::vector<Type> types;
  for (const std::string& name : names) types.push_back(builder.type_of(name));
  ColumnCollector collector(types);
  builder.write(kAllEntries, names, collector);
  const Plan plan = std::move(builder).build();
  collector.expect(source.num_entries());
  RunOptions options;
  options.threads = threads;
  run(plan, source, options);
  return collector.take(source.num_entries());
}

MatchedEntries match_entries(io::InputSource& left, io::InputSource& right,
                             const std::vector<std::string>& key, int threads) {
  KeyWords words(read_whole(left, key, threads), read_whole(right, key, threads), key);
  MatchedEntries matched = EntryMatching(words, key).match();
  matched.left_key = words.take_left();
  return matched;
}

}  // namespace skimline::skims

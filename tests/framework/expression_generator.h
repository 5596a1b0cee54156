// SPDX-License-Identifier: BSD-3-Clause
// Random well-typed expressions over the columns of RandomColumns.
#pragma once

#include "skimline/framework/type.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::testing {

/// What a value is used as.
enum class Kind { kInteger, kNumber, kString, kVector };

/// Lists of one family have equal sizes. A mask, if there is one, is applied to each of its columns.
struct Family {
  char name = 'a';  ///< 'a', 'c' or, for inner and outer lists of lists, 'h'
  std::string mask;
};

/// Which expressions.
struct Language {
  /// Only what RDataFrame has too, with the same meaning.
  bool of_rdataframe = false;
  /// Needed for that: the type of an expression.
  std::function<Type(const std::string&)> type_of;
};

/// One function: arguments are x number, c number of a column, i integer, v Lorentz vector, s string, p
/// pattern, capital letters lists of them; `result` is in the same letters, where x is a number and l a list
/// of numbers.
struct GeneratedFunction {
  std::string_view name;
  std::string_view arguments;
  char result;
  bool is_of_rdataframe;
};

class ExpressionGenerator {
 public:
  ExpressionGenerator(std::uint64_t seed, Language language)
      : random_(seed), language_(std::move(language)) {}

  /// An expression of any kind and shape.
  std::string expression();
  /// One that can select entries.
  std::string condition() { return flat(Kind::kInteger, 3); }

  /// Later expressions may use this name.
  void add_name(const std::string& name, Type type) { names_.push_back({name, type}); }

  /// The functions that user functions of the generated expressions have: signature and body.
  static const std::vector<std::pair<std::string, std::string>>& user_functions();
  /// Names of all functions that expressions may call.
  static std::vector<std::string> function_names();

 private:
  std::string flat(Kind kind, int depth);
  std::string list(Kind kind, int depth, const Family& family);
  std::string any_list(Kind kind, int depth);
  std::string nested(Kind kind, int depth);
  std::string triple(Kind kind, int depth);
  std::string any_triple(Kind kind, int depth);
  std::string of_depth(int list_depth, Kind kind, int depth, const Family& family);

  std::string flat_leaf(Kind kind);
  std::string list_leaf(Kind kind, const Family& family);
  std::string nested_leaf(Kind kind);
  std::string triple_leaf(Kind kind);
  std::string literal(Kind kind);
  std::optional<std::string> known_name(Kind kind, int list_depth);

  std::string operation(int list_depth, Kind kind, int depth, const Family& family);
  std::string number_operation(int list_depth, int depth, const Family& family);
  std::string integer_operation(int list_depth, int depth, const Family& family);
  std::string comparison(int list_depth, int depth, const Family& family);
  std::string mask(int depth, const Family& family);
  std::string vector_operation(int list_depth, int depth, const Family& family);
  std::string function(int list_depth, Kind kind, int depth, const Family& family);
  std::string list_function_call(Kind kind, int depth);
  std::string list_function(Kind kind, int depth, const std::string& values, const Family& family);
  std::string only_ours(Kind kind, int depth, const std::string& values);
  std::string reduction(int list_depth, Kind kind, int depth);
  std::string element(Kind kind, int depth);
  std::string conditional(int list_depth, Kind kind, int depth, const Family& family);
  std::string short_circuit(int depth);
  std::string user_call(int list_depth, Kind kind, int depth, const Family& family);
  std::string cast(int list_depth, Kind kind, int depth, const Family& family);
  std::string argument(char letter, int list_depth, int depth, const Family& family);
  std::pair<std::string, std::string> pair(int list_depth, Kind first, Kind second, int depth,
                                           const Family& family);

  Family random_family(int depth);
  bool one_in(unsigned count) { return random_() % count == 0; }
  template <typename Choices>
  auto choose(const Choices& choices) {
    return *(std::begin(choices) + static_cast<std::ptrdiff_t>(random_() % std::size(choices)));
  }

  struct Name {
    std::string name;
    Type type;
  };
  std::mt19937_64 random_;
  Language language_;
  std::vector<Name> names_;
};

}  // namespace skimline::testing

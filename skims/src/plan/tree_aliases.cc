// SPDX-License-Identifier: BSD-3-Clause
#include "plan/tree_aliases.h"

#include "config/json/name_checks.h"
#include "plan/unusable_fields.h"

#include "skimline/framework/real_formula.h"
#include "skimline/io/friend_inputs.h"

#include <algorithm>

namespace skimline::skims {
namespace {

constexpr std::size_t kMostAliases = 1000;
constexpr std::size_t kMostRounds = 20;  // as many aliases may follow from each other

std::string problem_of_name(const std::string& name, const Schema& schema,
                            const std::set<std::string>& taken) {
  if (!is_identifier(name) || name.ends_with('_')) return "no expression can have its name";
  if (schema.find(name)) return "a column is called so";
  return taken.contains(name) ? "something else is called so" : "";
}

// Nobody has a function of this name.
constexpr const char* kQuotientName = "TTreeFormula::quotient";

// Defines aliases with the values that ROOT's formulas have. The trial has the same definitions, and no
// warnings but those of aliases.
class AliasDefinitions {
 public:
  AliasDefinitions(const Schema& schema, PlanBuilder& builder)
      : numbers_(numbers_but_doubles(schema)), trial_(schema), builder_(builder) {
    trial_.define_function(std::string(kQuotientName) + "(a, b)", kQuotient);
    builder_.define_function(std::string(kQuotientName) + "(a, b)", kQuotient);
  }

  // Defines an alias if it can be. Returns whether that is so, or more definitions would change nothing.
  bool is_settled(io::TreeAlias& alias) {
    try {
      const std::string expression =
          with_real_numbers(alias.expression, numbers_, FormulaUse::kAny, kQuotientName);
      alias.problem = difference_from_formulas(alias, expression);
      if (!alias.problem.empty()) return true;
      trial_.define(alias.name, expression);
      builder_.define(alias.name, expression);
      const ScalarType scalar = trial_.type_of(alias.name).scalar;
      if (is_number(scalar) && scalar != ScalarType::kDouble) numbers_.emplace(alias.name, scalar);
      return true;
    } catch (const ExpressionError& error) {
      alias.problem = error.problem();
    } catch (const SchemaError& error) {
      alias.problem = error.what();
      return true;
    }
    return false;
  }

 private:
  std::string difference_from_formulas(const io::TreeAlias& alias, const std::string& expression) {
    if (alias.expression.find('^') != std::string::npos)
      return "ROOT's formulas take ^ for a power, which is pow(x, y) here";
    if (std::string difference = difference_of_order(alias.expression); !difference.empty())
      return difference;
    // Some warnings come only where a value is used. A name with a blank is that of nothing else.
    trial_.define("alias " + alias.name, expression);
    const std::vector<ExpressionWarning> warnings = trial_.take_warnings();
    return warnings.empty() ? "" : "ROOT's formulas compute with real numbers: " + warnings.front().message;
  }

  NumberTypes numbers_;
  PlanBuilder trial_;
  PlanBuilder& builder_;
};

ExpressionError instead_of(const ExpressionError& error, const std::string& problem) {
  return {error.text(), error.offset(), error.length(), problem};
}

}  // namespace

std::vector<io::TreeAlias> define_tree_aliases(const io::InputSource& source, const Schema& schema,
                                               const std::set<std::string>& taken, PlanBuilder& builder) {
  std::vector<io::TreeAlias> aliases = source.aliases();
  std::vector<io::TreeAlias*> open;
  for (io::TreeAlias& alias : aliases) {
    if (alias.problem.empty()) alias.problem = problem_of_name(alias.name, schema, taken);
    if (alias.problem.empty() && open.size() == kMostAliases)
      alias.problem = "it is one of more than " + std::to_string(kMostAliases);
    if (alias.problem.empty()) open.push_back(&alias);
  }
  if (open.empty()) return aliases;
  AliasDefinitions definitions(schema, builder);
  for (std::size_t round = 0, before = 0; round < kMostRounds && before != open.size(); ++round) {
    before = open.size();
    std::erase_if(open, [&](io::TreeAlias* alias) { return definitions.is_settled(*alias); });
  }
  return aliases;
}

ExpressionError with_reason(const ExpressionError& error, const std::vector<io::TreeAlias>& aliases,
                            const std::vector<io::TreeFriend>& unused) {
  const std::string culprit = culprit_of(error);
  for (const io::TreeAlias& alias : aliases)
    if (alias.name == culprit && !alias.problem.empty())
      return instead_of(error, "\"" + culprit + "\", which the tree calls \"" + alias.expression +
                                   "\", cannot be used: " + alias.problem);
  for (const io::TreeFriend& each : unused)
    if (io::is_of_friend(culprit, each.alias))
      return instead_of(
          error, "the friend \"" + each.alias + "\", which the tree names, cannot be used: " + each.problem);
  return error;
}

}  // namespace skimline::skims

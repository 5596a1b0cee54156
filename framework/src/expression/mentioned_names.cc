// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/mentioned_names.h"

#include "expression/syntax.h"

#include <algorithm>
#include <set>
#include <utility>

namespace skimline {
namespace {

using NewNames = std::map<std::string, std::string>;

// Calls `use` with all that names a column, a definition or a function.
template <typename Use>
void for_each_name(const Syntax& whole, const Use& use) {
  struct Part {
    const Syntax* syntax;
    std::set<std::string> declared;  // parameters of lambdas and variables, which are names of nothing else
  };
  for (std::vector<Part> pending{{&whole, {}}}; !pending.empty();) {
    Part part = std::move(pending.back());
    pending.pop_back();
    const Syntax& syntax = *part.syntax;
    for (const Declaration& each : declared_in(syntax)) part.declared.insert(each.name);
    const bool is_name = syntax.kind == SyntaxKind::kName && !part.declared.contains(syntax.name);
    if (is_name || syntax.kind == SyntaxKind::kCall) use(syntax);
    for (const SyntaxPointer& operand : syntax.operands) pending.push_back({operand.get(), part.declared});
  }
}

}  // namespace

std::vector<std::string> mentioned_names(std::string_view expression) {
  const SyntaxPointer whole = parse(expression);
  std::set<std::string> names;
  for_each_name(*whole, [&](const Syntax& syntax) { names.insert(syntax.name); });
  return {names.begin(), names.end()};
}

std::vector<std::string> mentioned_patterns(std::string_view expression) {
  const SyntaxPointer whole = parse(expression);
  std::vector<std::string> patterns;
  for_each_name(*whole, [&](const Syntax& syntax) {
    if (syntax.name != "AnyOf" && syntax.name != "AllOf") return;
    for (const SyntaxPointer& operand : syntax.operands)
      if (operand->kind == SyntaxKind::kString) patterns.push_back(operand->string);
  });
  return patterns;
}

std::string with_other_names(std::string_view expression, const NewNames& names, const NewNames& functions) {
  const SyntaxPointer whole = parse(expression);
  std::vector<std::pair<TextRange, std::string_view>> changes;
  for_each_name(*whole, [&](const Syntax& syntax) {
    const NewNames& known = syntax.kind == SyntaxKind::kCall ? functions : names;
    if (const auto found = known.find(syntax.name); found != known.end())
      changes.emplace_back(syntax.name_range, found->second);
  });
  std::sort(changes.begin(), changes.end(),
            [](const auto& a, const auto& b) { return a.first.offset < b.first.offset; });
  std::string made;
  std::size_t begin = 0;
  for (const auto& [range, name] : changes) {
    made.append(expression.substr(begin, range.offset - begin)).append(name);
    begin = range.end();
  }
  return made.append(expression.substr(begin));
}

}  // namespace skimline

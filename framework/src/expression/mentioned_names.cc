// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/mentioned_names.h"

#include "expression/syntax.h"

#include <algorithm>
#include <set>
#include <utility>

namespace skimline {
namespace {

using NewNames = std::map<std::string, std::string>;

// Calls `use` with all that names a column, a definition or a function, and `use_inner` with what declares or
// names a parameter of a lambda or a variable: its name and its place.
template <typename Use, typename UseInner>
void for_each_name(const Syntax& whole, const Use& use, const UseInner& use_inner) {
  struct Part {
    const Syntax* syntax;
    std::set<std::string> declared;  // parameters of lambdas and variables, which are names of nothing else
  };
  for (std::vector<Part> pending{{&whole, {}}}; !pending.empty();) {
    Part part = std::move(pending.back());
    pending.pop_back();
    const Syntax& syntax = *part.syntax;
    for (const Declaration& each : declared_in(syntax)) {
      part.declared.insert(each.name);
      use_inner(each.name, each.name_range);
    }
    const bool is_name = syntax.kind == SyntaxKind::kName || syntax.kind == SyntaxKind::kAssignment;
    if (is_name && part.declared.contains(syntax.name))
      use_inner(syntax.name, syntax.name_range);
    else if (syntax.kind == SyntaxKind::kName || syntax.kind == SyntaxKind::kCall)
      use(syntax);
    for (const SyntaxPointer& operand : syntax.operands) pending.push_back({operand.get(), part.declared});
  }
}

template <typename Use>
void for_each_name(const Syntax& whole, const Use& use) {
  for_each_name(whole, use, [](const std::string&, TextRange) {});
}

// By place, so that what stands for two names, `x` in `x += 1`, changes once.
using Changes = std::map<std::size_t, std::pair<std::size_t, std::string>>;

// Names for parameters of lambdas and variables that are called like what is put in.
class DeclaredNames {
 public:
  DeclaredNames(std::set<std::string> declared, std::set<std::string> others, const Changes& put_in)
      : declared_(std::move(declared)), others_(std::move(others)) {
    for (const auto& [begin, change] : put_in)
      for (std::string& name : mentioned_names(change.second)) put_in_.insert(std::move(name));
  }

  std::string name_for(const std::string& name) const {
    if (!put_in_.contains(name)) return name;
    std::string free = name + "_";
    while (declared_.contains(free) || others_.contains(free) || put_in_.contains(free)) free += "_";
    return free;
  }

 private:
  std::set<std::string> declared_, others_, put_in_;
};

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
  Changes changes, inner;
  std::set<std::string> others, declared;
  for_each_name(
      *whole,
      [&](const Syntax& syntax) {
        const NewNames& known = syntax.kind == SyntaxKind::kCall ? functions : names;
        const auto found = known.find(syntax.name);
        if (found == known.end()) others.insert(syntax.name);
        if (found != known.end())
          changes.emplace(syntax.name_range.offset, std::pair(syntax.name_range.end(), found->second));
      },
      [&](const std::string& name, TextRange range) {
        declared.insert(name);
        inner.emplace(range.offset, std::pair(range.end(), name));
      });
  const DeclaredNames own(std::move(declared), std::move(others), changes);
  for (auto& [begin, each] : inner) changes.emplace(begin, std::pair(each.first, own.name_for(each.second)));
  std::string made;
  std::size_t begin = 0;
  for (const auto& [offset, change] : changes) {
    made.append(expression.substr(begin, offset - begin)).append(change.second);
    begin = change.first;
  }
  return made.append(expression.substr(begin));
}

}  // namespace skimline

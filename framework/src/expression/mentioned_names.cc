// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/mentioned_names.h"

#include "expression/syntax.h"

#include <set>
#include <utility>

namespace skimline {

std::vector<std::string> mentioned_names(std::string_view expression) {
  const SyntaxPointer whole = parse(expression);
  std::set<std::string> names;
  struct Part {
    const Syntax* syntax;
    std::set<std::string> parameters;  // of the lambdas around it, which are names of nothing else
  };
  for (std::vector<Part> pending{{whole.get(), {}}}; !pending.empty();) {
    Part part = std::move(pending.back());
    pending.pop_back();
    const Syntax& syntax = *part.syntax;
    for (const LambdaParameter& parameter : syntax.parameters) part.parameters.insert(parameter.name);
    const bool is_name = syntax.kind == SyntaxKind::kName && !part.parameters.contains(syntax.name);
    if (is_name || syntax.kind == SyntaxKind::kCall) names.insert(syntax.name);
    for (const SyntaxPointer& operand : syntax.operands) pending.push_back({operand.get(), part.parameters});
  }
  return {names.begin(), names.end()};
}

}  // namespace skimline

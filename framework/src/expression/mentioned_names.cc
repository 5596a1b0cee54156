// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/mentioned_names.h"

#include "expression/syntax.h"

#include <set>

namespace skimline {

std::vector<std::string> mentioned_names(std::string_view expression) {
  const SyntaxPointer whole = parse(expression);
  std::set<std::string> names;
  for (std::vector<const Syntax*> pending{whole.get()}; !pending.empty();) {
    const Syntax& syntax = *pending.back();
    pending.pop_back();
    if (syntax.kind == SyntaxKind::kName || syntax.kind == SyntaxKind::kCall) names.insert(syntax.name);
    for (const SyntaxPointer& operand : syntax.operands) pending.push_back(operand.get());
  }
  return {names.begin(), names.end()};
}

}  // namespace skimline

// SPDX-License-Identifier: BSD-3-Clause
#include "config/read/unused_functions.h"

#include "config/read/expression_places.h"
#include "config/read/used_names.h"

#include <algorithm>
#include <set>
#include <string>

namespace skimline::skims {

void warn_of_unused_functions(Config& config) {
  std::set<std::string> used;
  for (const Text* expression : expressions_outside_functions(config))
    used.merge(names_in(expression->value));
  std::vector<const FunctionConfig*> unused;
  // A function may call those above it.
  for (auto function = config.functions.rbegin(); function != config.functions.rend(); ++function) {
    if (used.contains(name_of(*function)))
      used.merge(names_in(function->body.value));
    else if (!is_included(*config.source, function->signature.location))
      unused.push_back(&*function);
  }
  std::reverse(unused.begin(), unused.end());
  const auto warn_if_unused = [&](const Text& name, const std::string& kind) {
    if (!used.contains(name.value) && !is_included(*config.source, name.location))
      config.warnings.push_back(marked_message(*config.source, name.location, "warning",
                                               "the " + kind + " \"" + name.value + "\" is not used"));
  };
  for (const CorrectionConfig& correction : config.corrections) warn_if_unused(correction.name, "correction");
  for (const ModelConfig& model : config.models) warn_if_unused(model.name, "model");
  for (const FunctionConfig* function : unused)
    config.warnings.push_back(marked_message(*config.source, function->signature.location, "warning",
                                             "the function \"" + name_of(*function) + "\" is not used"));
}

}  // namespace skimline::skims

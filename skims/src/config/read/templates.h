// SPDX-License-Identifier: BSD-3-Clause
// Templates: parts of a config that are written once and stand for several.
#pragma once

#include "config/json/located_json.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// What the templates of a config have been expanded to.
struct ExpandedTemplates {
  std::set<std::string> used_variables;  ///< whose values they loop over
  /// The parts of the config that their copies come from, one for each part that was appended.
  std::vector<std::size_t> origins;
};

/// Puts copies in the place of the templates of a config: objects with the key "for" among what its sections
/// name or list. Loops may go over lists of `variables`, an object or nullptr. Each copy is appended to
/// `source` as a part of its own, whose path says which template it is of, with which values.
ExpandedTemplates expand_templates(JsonValue& root, const JsonValue* variables, ConfigText& source,
                                   Diagnostics& diagnostics);

}  // namespace skimline::skims

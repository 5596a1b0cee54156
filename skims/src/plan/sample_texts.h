// SPDX-License-Identifier: BSD-3-Clause
// Where the config says what, for one sample: found without looking at all of it.
#pragma once

#include "skimline/skims/config.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimline::skims {

/// Definitions, objects and aliases of a sample, which must outlive it, as must the config.
class SampleTexts {
 public:
  SampleTexts(const Config& config, const Sample& sample);

  /// Null if there are none of that name.
  const ObjectConfig* objects(const std::string& name) const;
  /// The first of the definitions and weights of that name, or null.
  const Definition* definition(const std::string& name) const;
  /// The "where" or "sort" of objects that is this expression, or null.
  const Text* of_objects(const std::string& expression) const;
  /// What a definition, weight or redefinition says if that is this expression, or null.
  const Text* of_definition(const std::string& expression) const;
  /// The column that an alias of that name stands for, whether it is there or not.
  std::optional<std::string> alias_target(const std::string& name) const;

 private:
  void add_expressions(const std::vector<Definition>& definitions);

  std::unordered_map<std::string_view, const ObjectConfig*> objects_;
  std::unordered_map<std::string_view, const Definition*> definitions_;
  std::unordered_map<std::string_view, const Text*> of_objects_, of_definitions_;
  std::vector<Definition> aliases_;
  std::unordered_map<std::string, std::size_t> plain_aliases_;  // by name with underscores, their numbers
  std::vector<std::size_t> alias_patterns_;
};

}  // namespace skimline::skims

// SPDX-License-Identifier: BSD-3-Clause
// Which names expressions need, by their texts alone.
#pragma once

#include "skimline/skims/config.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace skimline::skims {

/// Returns all names in an expression, those within strings left out.
std::set<std::string> names_in(std::string_view expression);

/// Returns the name of a function, without its parameters.
std::string name_of(const FunctionConfig& function);

/// Returns the expression of a definition in a sample, which has others of its own.
const Text& own_expression(const Definition& definition, const std::vector<Definition>& own);

/// Returns the names that expressions of a sample need, by way of definitions, weights and functions too.
std::set<std::string> names_needed(const Config& config, const Sample& sample,
                                   const std::vector<std::string>& expressions);

}  // namespace skimline::skims

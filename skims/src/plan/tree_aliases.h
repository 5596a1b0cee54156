// SPDX-License-Identifier: BSD-3-Clause
// Expressions that TTrees have names for, as TTree::SetAlias makes them.
#pragma once

#include "skimline/framework/error.h"
#include "skimline/framework/plan.h"
#include "skimline/framework/schema.h"
#include "skimline/io/input_source.h"

#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// Defines the aliases of the files of a source whose names are free: no columns, and not `taken`. They may
/// name each other in any order. Returns all, with the reason of those that cannot be used. Their
/// values are those of ROOT's formulas.
std::vector<io::TreeAlias> define_tree_aliases(const io::InputSource& source, const Schema& schema,
                                               const std::set<std::string>& taken, PlanBuilder& builder);

/// The error, or if it is about an alias or a friend that cannot be used, one that says why.
ExpressionError with_reason(const ExpressionError& error, const std::vector<io::TreeAlias>& aliases,
                            const std::vector<io::TreeFriend>& unused);

}  // namespace skimline::skims

// SPDX-License-Identifier: BSD-3-Clause
// What is said behind messages about operators, functions and names that exist, but not as they are used.
#pragma once

#include "expression/function_registry.h"
#include "expression/name_table.h"
#include "expression/operators.h"
#include "expression/syntax.h"

#include <string>
#include <string_view>

namespace skimline {

/// For an operator that does not take these types; empty if nothing is known to be meant.
std::string hint_at_operator(Operator op, ScalarType left, ScalarType right);

/// For a function that does not take these arguments.
std::string hint_at_arguments(std::string_view function, Arguments arguments);

/// For a name that is none: "events.Jet.pt" is "Jet.pt", "nJet" counts the jets, "Jet.px" is of momenta.
std::string hint_at_column(const std::string& name, NameTable& names);

/// For a member of what is no collection: "(Jet[0] + Jet[1]).mass".
std::string hint_at_member(const Syntax& objects, std::string_view member);

/// For `events["Jet_pt"]`; empty if the index is no text.
std::string hint_at_index(const Syntax& syntax);

/// Behind "is a collection: name a member, as in Jet.pt".
std::string hint_at_momenta(const std::string& collection, NameTable& names);

}  // namespace skimline

// SPDX-License-Identifier: BSD-3-Clause
// What is written where objects of collections are chosen: `Muon[Muon.pt > 20]`, `Take(good_jets, 2)`.
#pragma once

#include "expression/name_table.h"
#include "expression/syntax.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skimline {

/// Whether this is a call that chooses elements of its first argument.
bool is_choice(const Syntax& syntax);

/// Whether a function looks at nothing but the sizes of its lists.
bool takes_sizes(std::string_view function);

/// The name of the collection of which these are chosen, or of members of its combinations, "trijets.a";
/// nothing if it is none.
std::optional<std::string> collection_of(const Syntax& objects, const NameTable& names);

/// A member of these objects that is there for certain, "pt"; nothing if they are none.
std::optional<std::string> counted_member_of(const Syntax& objects, NameTable& names);

/// How many arguments of a call are objects of which it takes eta and phi: two, or none.
std::size_t num_directed_objects(const Syntax& call, NameTable& names);

/// The first of some members that a collection has, as writers of ntuples spell it: "pt", "Pt" or "PT".
std::optional<std::string> member_spelled(const std::string& collection,
                                          std::initializer_list<std::string_view> choices, NameTable& names);

/// How a momentum is made of members of a collection: a function, and the members that it takes.
struct MomentumMembers {
  std::string_view function;
  std::vector<std::string> members;
};

/// That of a collection; nothing if it lacks members that a momentum is made of.
std::optional<MomentumMembers> momentum_members(const std::string& collection, NameTable& names);

/// Which members that are, for messages.
inline constexpr std::string_view kMembersOfMomenta =
    "\"pt\", \"eta\", \"phi\" and \"mass\", \"m\", \"energy\" or \"e\", or of \"px\", \"py\", \"pz\" and "
    "\"energy\" or "
    "\"e\"";

/// The member that combinations and their members have: momenta, made before they were combined.
inline constexpr std::string_view kMomentumMember = "p4_";

}  // namespace skimline

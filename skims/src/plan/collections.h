// SPDX-License-Identifier: BSD-3-Clause
// Which columns are members of the same objects.
#pragma once

#include "skimline/framework/collection.h"
#include "skimline/framework/schema.h"
#include "skimline/io/collection.h"
#include "skimline/skims/config.h"

#include <vector>

namespace skimline::skims {

/// What a config says of collections.
struct MemberRules {
  std::vector<Definition> collections;  ///< names, and patterns of columns in which `*` is the member
  std::vector<Definition> aliases;      ///< of which a pattern "Muon_*" makes a collection too
};

/// Returns the collections of lists among columns and their aliases, by what their files call them:
///
/// - "AnalysisMuons" of "AnalysisMuonsAuxDyn:pt": what follows "Aux" or "AuxDyn" and ":" or "." (ATLAS);
/// - "Jet" of "Jet_pt" where there is a number "nJet" (NanoAOD);
/// - "Jet" of "Jet.pt", members of records (RNTuple, EDM4hep, Delphes);
/// - `counted`, whose columns a TTree counts by one branch.
///
/// What the rules of the config match is in no other collection. One that matches nothing is a mistake if it
/// is so in all samples.
std::vector<MemberColumns> find_collections(const Schema& columns, const std::vector<io::Collection>& counted,
                                            const MemberRules& rules, Diagnostics& diagnostics);

/// What a plan is told of objects of the config.
ObjectDefinition definition_of(const ObjectConfig& objects);

}  // namespace skimline::skims

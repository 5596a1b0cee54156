// SPDX-License-Identifier: BSD-3-Clause
// Which columns are members of the same objects: the one place that knows how files name and count them.
#pragma once

#include "skimline/framework/collection.h"
#include "skimline/framework/schema.h"
#include "skimline/io/collection.h"
#include "skimline/io/input_source.h"
#include "skimline/skims/config.h"

#include <string>
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

/// The collections as a source stores them, with what counts them: lists that one column of counts or one
/// record holds, and, as NanoAOD calls them, lists "Muon_pt" beside a number "nMuon". A list belongs to the
/// collection with the longest name; names are compared with dots as underscores.
std::vector<io::Collection> stored_collections(const io::InputSource& source);

/// Whether a column is named as a member of a collection: "Muon_pt" or "Muon.pt" of "Muon".
bool begins_as(const std::string& column, const std::string& collection);

/// Of the collections that a column is named as a member of, that with the longest name; null if there is
/// none.
const io::Collection* longest_with_prefix_of(const std::string& column,
                                             const std::vector<io::Collection>& collections);

/// What a plan is told of objects of the config.
ObjectDefinition definition_of(const ObjectConfig& objects);

}  // namespace skimline::skims

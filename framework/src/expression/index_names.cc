// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/framework/index_names.h"

#include "skimline/framework/schema.h"

#include <span>
#include <string>

namespace skimline {
namespace {

struct NamedIndex {
  std::string_view column, collection;
};
constexpr NamedIndex kUnusual[] = {
    {"FatJetPFCands_jetIdx", "FatJet"},
    {"FatJetSVs_jetIdx", "FatJet"},
    {"GenFatJetCands_jetIdx", "GenJetAK8"},
    {"GenFatJetCands_pFCandsIdx", "GenCands"},
    {"GenFatJetSVs_jetIdx", "GenJetAK8"},
    {"GenJetCands_jetIdx", "GenJet"},
    {"GenJetCands_pFCandsIdx", "GenCands"},
    {"GenJetSVs_jetIdx", "GenJet"},
    {"PPSLocalTrack_multiRPProtonIdx", "Proton_multiRP"},
    {"PPSLocalTrack_singleRPProtonIdx", "Proton_singleRP"},
};
constexpr NamedIndex kAbbreviated[] = {{"Tau_eleIdx", "Electron"}, {"Tau_muIdx", "Muon"}};

std::string_view target_in(std::span<const NamedIndex> indices, std::string_view column) {
  const std::string name = with_underscores(column);
  for (const NamedIndex& each : indices)
    if (name == each.column) return each.collection;
  return {};
}

}  // namespace

std::string_view unusual_target_of(std::string_view column) { return target_in(kUnusual, column); }
std::string_view abbreviated_target_of(std::string_view column) { return target_in(kAbbreviated, column); }

}  // namespace skimline

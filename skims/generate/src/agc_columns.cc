// SPDX-License-Identifier: BSD-3-Clause
// Names, types and order of the columns of model agc.
#include "collection_columns.h"
#include "synthetic_model.h"

namespace skimline::generate {
namespace {

using Columns = std::vector<SyntheticColumn>;

constexpr auto kByte = ScalarType::kUInt8;

template <typename T>
SyntheticColumn event_column(std::string name, std::vector<T> AgcEventColumns::*member, std::string meaning,
                             ScalarType scalar = scalar_of<T>()) {
  return flat_column(std::move(name), &EventBlock::agc, &AgcBlock::events, member, std::move(meaning),
                     scalar);
}

template <typename Collection>
class AgcCollection : public CollectionColumns<AgcBlock, Collection> {
 public:
  AgcCollection(std::string name, Collection AgcBlock::*part, Columns& columns)
      : CollectionColumns<AgcBlock, Collection>(std::move(name), &EventBlock::agc, part, columns) {}

  template <std::size_t kSize>
  void add_attributes(const std::array<Attribute, kSize>& attributes) {
    for (std::size_t i = 0; i < kSize; ++i)
      this->add_one_of(attributes[i].name, &Collection::attributes, i, attributes[i].meaning);
  }

  void add_lepton_quantities() {
    using Leptons = AgcLeptonColumns;
    this->add_kinematics();
    this->add_charge();
    this->add("dxy", &Leptons::dxy, "transverse distance from the vertex [cm]");
    this->add("dxyErr", &Leptons::dxy_error, "its error [cm]");
    this->add("dz", &Leptons::dz, "longitudinal distance from the vertex [cm]");
    this->add("dzErr", &Leptons::dz_error, "its error [cm]");
    this->add("ip3d", &Leptons::ip3d, "distance from the vertex [cm]");
    this->add("sip3d", &Leptons::sip3d, "its significance");
    this->add("pfRelIso03_all", &Leptons::isolation03, "relative isolation in a cone of 0.3");
    this->add("pdgId", &Leptons::pdg_id, "particle code");
    this->add("tightCharge", &Leptons::tight_charge, "2 if the charge is sure");
    this->add("jetIdx", &Leptons::jet_index, "index of the jet with it, -1 if there is none");
    this->add("genPartIdx", &Leptons::generated_index,
              "index of the generated particle, -1 if there is none");
    this->add("genPartFlav", &Leptons::generated_flavour,
              "1 prompt, 15 from a tau, 5 from a b hadron, 0 none of them", kByte);
  }
};

void add_events(Columns& columns) {
  using Events = AgcEventColumns;
  columns.push_back(event_column("run", &Events::run, "run number"));
  columns.push_back(event_column("luminosityBlock", &Events::luminosity_block, "luminosity block number"));
  columns.push_back(event_column("event", &Events::event, "event number"));
  columns.push_back(event_column("genWeight", &Events::weight, "generator weight"));
  columns.push_back(event_column("Generator_id1", &Events::parton1, "code of the first parton"));
  columns.push_back(event_column("Generator_id2", &Events::parton2, "code of the second parton"));
  columns.push_back(event_column("LHE_HT", &Events::lhe_ht, "scalar sum of partons' momenta [GeV]"));
  columns.push_back(event_column("LHE_Njets", &Events::num_lhe_jets, "number of partons", kByte));
  columns.push_back(event_column("Pileup_nPU", &Events::num_pileup, "number of further interactions"));
  columns.push_back(event_column("Pileup_nTrueInt", &Events::num_true_interactions,
                                 "mean of the number of further interactions"));
  columns.push_back(event_column("fixedGridRhoFastjetAll", &Events::energy_density, "energy per area [GeV]"));
  columns.push_back(event_column("PV_npvs", &Events::num_vertices, "number of primary vertices"));
  columns.push_back(
      event_column("PV_npvsGood", &Events::num_good_vertices, "number of good primary vertices"));
  columns.push_back(event_column("MET_pt", &Events::met_pt, "missing transverse momentum [GeV]"));
  columns.push_back(event_column("MET_phi", &Events::met_phi, "its azimuth [rad]"));
  columns.push_back(event_column("MET_sumEt", &Events::met_sumet, "scalar sum of transverse energies [GeV]"));
  columns.push_back(
      event_column("MET_significance", &Events::met_significance, "its square over the covariance"));
  for (std::size_t i = 0; i < kAgcEventAttributes.size(); ++i) {
    columns.push_back(
        {{kAgcEventAttributes[i].name, flat(ScalarType::kFloat), kAgcEventAttributes[i].meaning},
         [i](const EventBlock& block) {
           return flat_view(ScalarType::kFloat, block.agc.events.attributes[i]);
         }});
  }
}

void add_triggers(Columns& columns) {
  for (std::size_t i = 0; i < kAgcTriggers.size(); ++i) {
    columns.push_back({{kAgcTriggers[i].name, flat(ScalarType::kBool), kAgcTriggers[i].meaning},
                       [i](const EventBlock& block) {
                         return flat_view(ScalarType::kBool, block.agc.events.triggers[i]);
                       }});
  }
}

void add_electrons(Columns& columns) {
  using Electrons = AgcElectronColumns;
  AgcCollection electrons("Electron", &AgcBlock::electrons, columns);
  electrons.add_counter("number of electrons");
  electrons.add_lepton_quantities();
  electrons.add("cutBased", &Electrons::cut_based, "0 fails, 1 veto, 2 loose, 3 medium, 4 tight");
  electrons.add("convVeto", &Electrons::is_no_conversion, "is not from a photon");
  electrons.add_attributes(kAgcElectronAttributes);
}

void add_muons(Columns& columns) {
  using Muons = AgcMuonColumns;
  AgcCollection muons("Muon", &AgcBlock::muons, columns);
  muons.add_counter("number of muons");
  muons.add_lepton_quantities();
  muons.add("pfRelIso04_all", &Muons::isolation04, "relative isolation in a cone of 0.4");
  muons.add("pfIsoId", &Muons::isolation_points, "number of passed working points of isolation", kByte);
  muons.add("nStations", &Muons::num_stations, "number of muon stations");
  muons.add("nTrackerLayers", &Muons::num_layers, "number of layers of the tracker");
  muons.add("isGlobal", &Muons::is_global, "fitted in tracker and muon chambers");
  muons.add("mediumId", &Muons::is_medium, "passes the medium selection");
  muons.add("softId", &Muons::is_soft, "passes the soft selection");
  muons.add("tightId", &Muons::is_tight, "passes the tight selection");
  muons.add_attributes(kAgcMuonAttributes);
}

void add_jets(Columns& columns) {
  using Jets = AgcJetColumns;
  AgcCollection jets("Jet", &AgcBlock::jets, columns);
  jets.add_counter("number of jets");
  jets.add_kinematics();
  jets.add("btagCSVV2", &Jets::btag, "b-tag score; -10 and -1 mean none");
  jets.add("jetId", &Jets::id, "2 tight, 6 tight and no lepton");
  jets.add("puId", &Jets::pileup_id, "7 passes all working points against pile-up");
  jets.add("electronIdx1", &Jets::electron_index, "index of an electron in it, -1 if there is none");
  jets.add("muonIdx1", &Jets::muon_index, "index of a muon in it, -1 if there is none");
  jets.add("nConstituents", &Jets::num_constituents, "number of particles", kByte);
  jets.add("genJetIdx", &Jets::generated_index, "index of the generated jet, -1 if there is none");
  jets.add("hadronFlavour", &Jets::hadron_flavour, "5 b, 4 c, 0 others");
  jets.add("partonFlavour", &Jets::parton_flavour, "code of the parton, 0 for none");
  jets.add_attributes(kAgcJetAttributes);
}

void add_generated_objects(Columns& columns) {
  using Particles = AgcGeneratedParticleColumns;
  AgcCollection particles("GenPart", &AgcBlock::generated_particles, columns);
  particles.add_counter("number of generated particles");
  particles.add_kinematics();
  particles.add("genPartIdxMother", &Particles::mother, "index of the mother, -1 if there is none");
  particles.add("pdgId", &Particles::pdg_id, "particle code");
  particles.add("status", &Particles::status, "1 is stable");
  particles.add("statusFlags", &Particles::status_flags, "bits of the history");

  using Jets = AgcGeneratedJetColumns;
  AgcCollection jets("GenJet", &AgcBlock::generated_jets, columns);
  jets.add_counter("number of generated jets");
  jets.add_kinematics();
  jets.add("partonFlavour", &Jets::parton_flavour, "code of the parton, 0 for none");
  jets.add("hadronFlavour", &Jets::hadron_flavour, "5 b, 4 c, 0 others", kByte);
}

void add_weights(const std::string& name, AgcWeightColumns AgcBlock::*part, const std::string& meaning,
                 Columns& columns) {
  AgcCollection weights(name, part, columns);
  weights.add_counter("number of these weights");
  weights.add("", &AgcWeightColumns::values, meaning);
}

}  // namespace

std::vector<SyntheticColumn> agc_columns() {
  Columns columns;
  add_events(columns);
  add_electrons(columns);
  add_muons(columns);
  add_jets(columns);
  add_generated_objects(columns);
  add_weights("LHEPdfWeight", &AgcBlock::pdf_weights, "ratios for other parton densities", columns);
  add_weights("LHEScaleWeight", &AgcBlock::scale_weights, "ratios for other scales", columns);
  add_weights("PSWeight", &AgcBlock::shower_weights, "ratios for other showers", columns);
  add_triggers(columns);
  return columns;
}

}  // namespace skimline::generate

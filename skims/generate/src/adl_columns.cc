// SPDX-License-Identifier: BSD-3-Clause
// Names, types and order of the columns of model adl.
#include "collection_columns.h"
#include "synthetic_model.h"

namespace skimline::generate {
namespace {

template <typename T>
SyntheticColumn event_column(std::string name, std::vector<T> AdlEventColumns::*member, std::string meaning) {
  return flat_column(std::move(name), &EventBlock::adl, &AdlBlock::events, member, std::move(meaning));
}

/// Adds the counter of a collection and its lists.
template <typename Collection>
class AdlCollection : public CollectionColumns<AdlBlock, Collection> {
 public:
  AdlCollection(std::string name, Collection AdlBlock::*part, std::vector<SyntheticColumn>& columns)
      : CollectionColumns<AdlBlock, Collection>(std::move(name), &EventBlock::adl, part, columns) {}

  void add_indices() {
    this->add("jetIdx", &ParticleColumns::jet_index,
              "index of the nearest jet within 0.4, -1 if there is none");
    this->add("genPartIdx", &ParticleColumns::generated_index, "-1: nothing was generated");
  }

  void add_impact() {
    this->add("dxy", &AdlLeptonColumns::dxy, "transverse distance from the vertex [cm]");
    this->add("dxyErr", &AdlLeptonColumns::dxy_error, "its error [cm]");
    this->add("dz", &AdlLeptonColumns::dz, "longitudinal distance from the vertex [cm]");
    this->add("dzErr", &AdlLeptonColumns::dz_error, "its error [cm]");
  }
};

void add_event_columns(std::vector<SyntheticColumn>& columns) {
  using Events = AdlEventColumns;
  columns.push_back(event_column("HLT_IsoMu24_eta2p1", &Events::passes_iso_mu24_eta2p1,
                                 "trigger on one central isolated muon above 24 GeV"));
  columns.push_back(
      event_column("HLT_IsoMu24", &Events::passes_iso_mu24, "trigger on one isolated muon above 24 GeV"));
  columns.push_back(event_column("HLT_IsoMu17_eta2p1_LooseIsoPFTau20", &Events::passes_iso_mu17_tau20,
                                 "trigger on a muon and a tau"));
  columns.push_back(flat_column<&EventBlock::events, &EventColumns::num_vertices>(
      "PV_npvs", ScalarType::kInt32, "number of primary vertices"));
  columns.push_back(event_column("PV_x", &Events::vertex_x, "position of the first vertex [cm]"));
  columns.push_back(event_column("PV_y", &Events::vertex_y, "position of the first vertex [cm]"));
  columns.push_back(event_column("PV_z", &Events::vertex_z, "position of the first vertex [cm]"));
}

void add_muon_columns(std::vector<SyntheticColumn>& columns) {
  using Muons = AdlMuonColumns;
  AdlCollection muons("Muon", &AdlBlock::muons, columns);
  muons.add_counter("number of muons");
  muons.add_kinematics();
  muons.add_charge();
  muons.add("pfRelIso03_all", &AdlLeptonColumns::isolation03,
            "relative isolation in a cone of 0.3; -999 means none");
  muons.add("pfRelIso04_all", &Muons::isolation04, "relative isolation in a cone of 0.4; -999 means none");
  muons.add("tightId", &Muons::is_tight, "passes the tight selection");
  muons.add("softId", &Muons::is_soft, "passes the soft selection");
  muons.add_impact();
  muons.add_indices();
}

void add_electron_columns(std::vector<SyntheticColumn>& columns) {
  using Electrons = AdlElectronColumns;
  AdlCollection electrons("Electron", &AdlBlock::electrons, columns);
  electrons.add_counter("number of electrons");
  electrons.add_kinematics();
  electrons.add_charge();
  electrons.add("pfRelIso03_all", &AdlLeptonColumns::isolation03,
                "relative isolation in a cone of 0.3; -999 means none");
  electrons.add_impact();
  electrons.add("cutBasedId", &Electrons::passes_cuts, "passes the selection by cuts");
  electrons.add("pfId", &Electrons::passes_particle_flow, "is an electron of the particle flow");
  electrons.add_indices();
}

void add_tau_columns(std::vector<SyntheticColumn>& columns) {
  using Taus = AdlTauColumns;
  AdlCollection taus("Tau", &AdlBlock::taus, columns);
  taus.add_counter("number of taus");
  taus.add_kinematics();
  taus.add_charge();
  taus.add("decayMode", &Taus::decay_mode, "decay mode");
  taus.add("relIso_all", &Taus::isolation, "relative isolation; not a number if there is none");
  taus.add_indices();
  taus.add_one_of("idDecayMode", &Taus::identifications, 0, "has an accepted decay mode");
  taus.add("idIsoRaw", &Taus::raw_isolation, "isolation [GeV]");
  constexpr std::array kSuffixes = {"idIsoVLoose",    "idIsoLoose",      "idIsoMedium",    "idIsoTight",
                                    "idAntiEleLoose", "idAntiEleMedium", "idAntiEleTight", "idAntiMuLoose",
                                    "idAntiMuMedium", "idAntiMuTight"};
  static_assert(kSuffixes.size() + 1 == Taus::kNumIdentifications);
  for (std::size_t i = 0; i < kSuffixes.size(); ++i)
    taus.add_one_of(kSuffixes[i], &Taus::identifications, i + 1, "passes this working point");
}

void add_photon_columns(std::vector<SyntheticColumn>& columns) {
  AdlCollection photons("Photon", &AdlBlock::photons, columns);
  photons.add_counter("number of photons");
  photons.add_kinematics();
  photons.add_charge();
  photons.add("pfRelIso03_all", &AdlPhotonColumns::isolation03,
              "relative isolation in a cone of 0.3; -999 means none");
  photons.add_indices();
}

void add_met_columns(std::vector<SyntheticColumn>& columns) {
  using Events = AdlEventColumns;
  columns.push_back(event_column("MET_pt", &Events::met_pt, "missing transverse momentum [GeV]"));
  columns.push_back(event_column("MET_phi", &Events::met_phi, "its azimuth [rad]"));
  columns.push_back(event_column("MET_sumet", &Events::met_sumet, "scalar sum of transverse energies [GeV]"));
  columns.push_back(
      event_column("MET_significance", &Events::met_significance, "its square over the covariance"));
  columns.push_back(event_column("MET_CovXX", &Events::met_cov_xx, "covariance [GeV^2]"));
  columns.push_back(event_column("MET_CovXY", &Events::met_cov_xy, "covariance [GeV^2]"));
  columns.push_back(event_column("MET_CovYY", &Events::met_cov_yy, "covariance [GeV^2]"));
}

void add_jet_columns(std::vector<SyntheticColumn>& columns) {
  AdlCollection jets("Jet", &AdlBlock::jets, columns);
  jets.add_counter("number of jets");
  jets.add_kinematics();
  jets.add("puId", &AdlJetColumns::passes_pileup, "does not come from pile-up");
  jets.add("btag", &AdlJetColumns::btag, "b-tag score; -10 and -1 mean none");
}

}  // namespace

std::vector<SyntheticColumn> adl_columns() {
  std::vector<SyntheticColumn> columns = event_columns();
  for (auto* add : {add_event_columns, add_muon_columns, add_electron_columns, add_tau_columns,
                    add_photon_columns, add_met_columns, add_jet_columns})
    add(columns);
  return columns;
}

}  // namespace skimline::generate

// SPDX-License-Identifier: BSD-3-Clause
// Names, types and order of the columns of model adl.
#include "synthetic_model.h"

namespace skimline::skims {
namespace {

template <typename T>
constexpr ScalarType scalar_of() {
  if constexpr (std::is_same_v<T, float>) return ScalarType::kFloat;
  if constexpr (std::is_same_v<T, std::int32_t>) return ScalarType::kInt32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return ScalarType::kUInt32;
  if constexpr (std::is_same_v<T, std::uint8_t>) return ScalarType::kBool;
}

template <typename T>
SyntheticColumn event_column(std::string name, std::vector<T> AdlEventColumns::*member, std::string meaning) {
  return {{std::move(name), flat(scalar_of<T>()), std::move(meaning)},
          [member](const EventBlock& block) { return flat_view(scalar_of<T>(), block.adl.events.*member); }};
}

/// Adds the counter of a collection and its lists, whose names begin with that of the collection.
template <typename Collection>
class CollectionColumns {
 public:
  CollectionColumns(std::string name, Collection AdlBlock::*part, std::vector<SyntheticColumn>& columns)
      : name_(std::move(name)), part_(part), columns_(columns) {}

  void add_counter(const std::string& meaning) {
    columns_.push_back(
        {{"n" + name_, flat(ScalarType::kUInt32), meaning}, [part = part_](const EventBlock& block) {
           return flat_view(ScalarType::kUInt32, (block.adl.*part).counts);
         }});
  }

  template <typename T, typename Base>
  void add(const std::string& suffix, std::vector<T> Base::*member, const std::string& meaning) {
    add_list(suffix, scalar_of<T>(), meaning, [part = part_, member](const EventBlock& block) {
      const Collection& collection = block.adl.*part;
      return list_view(scalar_of<T>(), collection.offsets, collection.*member);
    });
  }

  template <std::size_t kSize>
  void add(const std::string& suffix, std::array<Flags, kSize> Collection::*member, std::size_t index,
           const std::string& meaning) {
    add_list(suffix, ScalarType::kBool, meaning, [part = part_, member, index](const EventBlock& block) {
      const Collection& collection = block.adl.*part;
      return list_view(ScalarType::kBool, collection.offsets, (collection.*member)[index]);
    });
  }

  void add_kinematics() {
    add("pt", &KinematicColumns::pt, "transverse momentum [GeV]");
    add("eta", &KinematicColumns::eta, "pseudorapidity");
    add("phi", &KinematicColumns::phi, "azimuth [rad]");
    add("mass", &KinematicColumns::mass, "mass [GeV]; negative if its square is");
  }

  void add_charge() { add("charge", &ParticleColumns::charge, "charge [e]"); }

  void add_indices() {
    add("jetIdx", &ParticleColumns::jet_index, "index of the nearest jet within 0.4, -1 if there is none");
    add("genPartIdx", &ParticleColumns::generated_index, "-1: nothing was generated");
  }

  void add_impact() {
    add("dxy", &AdlLeptonColumns::dxy, "transverse distance from the vertex [cm]");
    add("dxyErr", &AdlLeptonColumns::dxy_error, "its error [cm]");
    add("dz", &AdlLeptonColumns::dz, "longitudinal distance from the vertex [cm]");
    add("dzErr", &AdlLeptonColumns::dz_error, "its error [cm]");
  }

 private:
  void add_list(const std::string& suffix, ScalarType scalar, const std::string& meaning,
                std::function<ColumnView(const EventBlock&)> view) {
    columns_.push_back({{name_ + "_" + suffix, jagged(scalar), meaning}, std::move(view)});
  }

  std::string name_;
  Collection AdlBlock::*part_;
  std::vector<SyntheticColumn>& columns_;
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
  CollectionColumns muons("Muon", &AdlBlock::muons, columns);
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
  CollectionColumns electrons("Electron", &AdlBlock::electrons, columns);
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
  CollectionColumns taus("Tau", &AdlBlock::taus, columns);
  taus.add_counter("number of taus");
  taus.add_kinematics();
  taus.add_charge();
  taus.add("decayMode", &Taus::decay_mode, "decay mode");
  taus.add("relIso_all", &Taus::isolation, "relative isolation; not a number if there is none");
  taus.add_indices();
  taus.add("idDecayMode", &Taus::identifications, 0, "has an accepted decay mode");
  taus.add("idIsoRaw", &Taus::raw_isolation, "isolation [GeV]");
  constexpr std::array kSuffixes = {"idIsoVLoose",    "idIsoLoose",      "idIsoMedium",    "idIsoTight",
                                    "idAntiEleLoose", "idAntiEleMedium", "idAntiEleTight", "idAntiMuLoose",
                                    "idAntiMuMedium", "idAntiMuTight"};
  static_assert(kSuffixes.size() + 1 == Taus::kNumIdentifications);
  for (std::size_t i = 0; i < kSuffixes.size(); ++i)
    taus.add(kSuffixes[i], &Taus::identifications, i + 1, "passes this working point");
}

void add_photon_columns(std::vector<SyntheticColumn>& columns) {
  CollectionColumns photons("Photon", &AdlBlock::photons, columns);
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
  CollectionColumns jets("Jet", &AdlBlock::jets, columns);
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

}  // namespace skimline::skims

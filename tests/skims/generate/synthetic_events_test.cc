// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/generate/synthetic_events.h"

#include "skimline/framework/error.h"
#include "skimline/generate/agc_samples.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

// One column of a whole source, as values per entry.
template <typename T>
std::vector<std::vector<T>> read_column(generate::SyntheticEvents& events, const std::string& name) {
  const std::size_t column = *events.schema().find(name);
  std::vector<std::vector<T>> values;
  ColumnBuffer scratch;
  for (std::size_t slice = 0; slice < events.slices().size(); ++slice) {
    const auto reader = events.open_slice(slice);
    reader->load(std::array{column});
    const std::uint64_t count = events.slices()[slice].count, step = 1000;
    for (std::uint64_t first = 0; first < count; first += step) {
      const ColumnView view = reader->view(column, {first, std::min(step, count - first)}, scratch);
      for (std::size_t i = 0; i < view.length; ++i) {
        const bool is_list = view.type.is_jagged();
        const T* begin = view.data<T>() + (is_list ? view.offsets[i] : i);
        values.emplace_back(begin, is_list ? view.data<T>() + view.offsets[i + 1] : begin + 1);
      }
    }
  }
  return values;
}

TEST(SyntheticEvents, HaveTheColumnsOfTheirModel) {
  EXPECT_EQ(generate::SyntheticEvents({generate::SyntheticModel::kDimuon, 1, 1}).schema().size(), 25u);
  EXPECT_EQ(generate::SyntheticEvents({generate::SyntheticModel::kDijet, 1, 1}).schema().size(), 14u);
  EXPECT_EQ(generate::SyntheticEvents({generate::SyntheticModel::kAdl, 1, 1}).schema().size(), 86u);
  EXPECT_EQ(generate::SyntheticEvents({generate::SyntheticModel::kLhcb, 1, 1}).schema().size(), 26u);
  EXPECT_EQ(
      generate::SyntheticEvents({generate::SyntheticModel::kAgc, 1, 1, "wjets__nominal"}).schema().size(),
      127u);
}

TEST(SyntheticEvents, SlicesCoverAllEntries) {
  EXPECT_TRUE(generate::SyntheticEvents({generate::SyntheticModel::kDimuon, 0, 1}).slices().empty());
  const generate::SyntheticEvents events({generate::SyntheticModel::kDimuon, 2 * 65536 + 1, 1});
  ASSERT_EQ(events.slices().size(), 3u);
  EXPECT_EQ(events.slices()[2].first, 131072u);
  EXPECT_EQ(events.slices()[2].count, 1u);
}

TEST(SyntheticEvents, EventsDependOnSeedAndNumberOnly) {
  generate::SyntheticEvents longer({generate::SyntheticModel::kDimuon, 70000, 5}),
      shorter({generate::SyntheticModel::kDimuon, 66000, 5}),
      other({generate::SyntheticModel::kDimuon, 1000, 6});
  auto from_longer = read_column<float>(longer, "Muon_pt");
  from_longer.resize(66000);
  EXPECT_EQ(from_longer, read_column<float>(shorter, "Muon_pt"));
  from_longer.resize(1000);
  EXPECT_NE(from_longer, read_column<float>(other, "Muon_pt"));
}

TEST(SyntheticEvents, CountersEqualListSizes) {
  generate::SyntheticEvents events({generate::SyntheticModel::kDimuon, 70000, 1});
  for (const auto& [counter, list] : {std::pair{"nMuon", "Muon_mass"}, std::pair{"nJet", "Jet_btag"}}) {
    const auto counts = read_column<std::uint32_t>(events, counter);
    const auto lists = read_column<float>(events, list);
    ASSERT_EQ(counts.size(), lists.size());
    for (std::size_t i = 0; i < lists.size(); ++i) ASSERT_EQ(counts[i][0], lists[i].size()) << i;
  }
}

TEST(SyntheticEvents, ListsAreSortedAndBounded) {
  generate::SyntheticEvents events({generate::SyntheticModel::kDimuon, 50000, 1});
  double jets = 0, muons = 0;
  for (const auto& pt : read_column<float>(events, "Jet_pt")) {
    EXPECT_TRUE(std::is_sorted(pt.rbegin(), pt.rend()));
    EXPECT_LE(pt.size(), 15u);
    jets += static_cast<double>(pt.size()) / 50000;
  }
  std::size_t pairs = 0;
  for (const auto& pt : read_column<float>(events, "Muon_pt")) {
    EXPECT_TRUE(std::is_sorted(pt.rbegin(), pt.rend()));
    pairs += pt.size() == 2;
    muons += static_cast<double>(pt.size()) / 50000;
  }
  EXPECT_NEAR(jets, 3.2, 0.1);
  EXPECT_NEAR(muons, 1.8, 0.1);
  EXPECT_NEAR(static_cast<double>(pairs) / 50000, 0.55, 0.05);
}

// Of two leading jets and up to 15 more, none is left out.
TEST(SyntheticEvents, DijetsHaveAllJetsThatWereDrawn) {
  const auto share_of = [](generate::SyntheticModel model, std::uint32_t number) {
    generate::SyntheticEvents events({model, 100000, 1});
    double found = 0;
    for (const auto& count : read_column<std::uint32_t>(events, "nJet")) found += count[0] == number;
    return found / 100000;
  };
  for (const std::uint32_t number : {0u, 14u, 15u})
    EXPECT_NEAR(share_of(generate::SyntheticModel::kDijet, 2 + number),
                share_of(generate::SyntheticModel::kDimuon, number), 0.004)
        << number;
}

TEST(SyntheticEvents, MantissasAreTruncatedAsDocumented) {
  generate::SyntheticEvents events({generate::SyntheticModel::kDimuon, 2000, 1});
  const auto used_bits = [&](const char* name) {
    std::uint32_t bits = 0;
    for (const auto& list : read_column<float>(events, name))
      for (const float value : list) bits |= std::bit_cast<std::uint32_t>(value) & 0x7FFFFF;
    return 23 - std::countr_zero(bits);
  };
  EXPECT_EQ(used_bits("Muon_pt"), 23);
  EXPECT_EQ(used_bits("Muon_eta"), 12);
  EXPECT_EQ(used_bits("Jet_phi"), 12);
  EXPECT_EQ(used_bits("Jet_pt"), 10);
  EXPECT_EQ(used_bits("MET_pt"), 10);
}

// Masses of pairs of opposite charge, from the columns as an analysis would.
std::vector<double> pair_masses(generate::SyntheticEvents& events) {
  const auto pt = read_column<float>(events, "Muon_pt"), eta = read_column<float>(events, "Muon_eta"),
             phi = read_column<float>(events, "Muon_phi");
  const auto charge = read_column<std::int32_t>(events, "Muon_charge");
  std::vector<double> masses;
  for (std::size_t i = 0; i < pt.size(); ++i) {
    if (pt[i].size() != 2 || charge[i][0] == charge[i][1]) continue;
    double energy = 0, x = 0, y = 0, z = 0;
    for (int k = 0; k < 2; ++k) {
      const double px = pt[i][k] * std::cos(phi[i][k]), py = pt[i][k] * std::sin(phi[i][k]),
                   pz = pt[i][k] * std::sinh(eta[i][k]);
      x += px, y += py, z += pz;
      energy += std::sqrt(px * px + py * py + pz * pz + 0.1057 * 0.1057);
    }
    masses.push_back(std::sqrt(std::max(energy * energy - x * x - y * y - z * z, 0.)));
  }
  return masses;
}

TEST(SyntheticEvents, ResonancesPeakAtTheirMasses) {
  generate::SyntheticEvents events({generate::SyntheticModel::kDimuon, 200000, 3});
  const auto masses = pair_masses(events);
  const auto within = [&](double low, double high) {
    return static_cast<double>(
        std::count_if(masses.begin(), masses.end(), [&](double m) { return m >= low && m < high; }));
  };
  EXPECT_GT(within(90.2, 92.2), 5 * within(80, 82));
  EXPECT_GT(within(90.2, 92.2), 5 * within(100, 102));
  EXPECT_NEAR(within(89.2, 91.2) / within(91.2, 93.2), 1, 0.1);
  EXPECT_GT(within(3.05, 3.15), 10 * within(2.75, 2.85));
  EXPECT_GT(within(3.05, 3.15), 10 * within(3.35, 3.45));
  EXPECT_NEAR(within(2.997, 3.097) / within(3.097, 3.197), 1, 0.1);
}

TEST(SyntheticEvents, AllValuesAreFinite) {
  for (const generate::SyntheticModel model :
       {generate::SyntheticModel::kDimuon, generate::SyntheticModel::kDijet,
        generate::SyntheticModel::kAdl}) {
    generate::SyntheticEvents events({model, 10000, 11});
    for (const ColumnInfo& column : events.schema().columns()) {
      if (column.type.scalar != ScalarType::kFloat || column.name == "Tau_relIso_all") continue;
      for (const auto& list : read_column<float>(events, column.name))
        for (const float value : list) ASSERT_TRUE(std::isfinite(value)) << column.name;
    }
  }
}

TEST(SyntheticEvents, EventNumbersDiffer) {
  generate::SyntheticEvents events({generate::SyntheticModel::kDijet, 70000, 1});
  std::set<std::uint64_t> seen;
  for (const auto& number : read_column<std::uint64_t>(events, "event")) seen.insert(number[0]);
  EXPECT_EQ(seen.size(), 70000u);
}

TEST(SyntheticEvents, DijetWeightsSpanOrdersOfMagnitude) {
  generate::SyntheticEvents events({generate::SyntheticModel::kDijet, 20000, 1});
  double low = 1e300, high = 0;
  for (const auto& weight : read_column<float>(events, "genWeight")) {
    low = std::min(low, static_cast<double>(weight[0]));
    high = std::max(high, static_cast<double>(weight[0]));
  }
  EXPECT_GT(low, 0);
  EXPECT_GT(std::log10(high / low), 9);
}

TEST(SyntheticEvents, AdlEventsDependOnSeedAndNumberOnly) {
  generate::SyntheticEvents longer({generate::SyntheticModel::kAdl, 70000, 5}),
      shorter({generate::SyntheticModel::kAdl, 66000, 5}), other({generate::SyntheticModel::kAdl, 1000, 6});
  for (const char* name : {"Jet_btag", "Tau_pt", "MET_pt", "Electron_dz"}) {
    auto from_longer = read_column<float>(longer, name);
    from_longer.resize(66000);
    EXPECT_EQ(from_longer, read_column<float>(shorter, name));
    from_longer.resize(1000);
    EXPECT_NE(from_longer, read_column<float>(other, name));
  }
}

TEST(SyntheticEvents, AdlListsHaveEqualSizesWithinACollection) {
  generate::SyntheticEvents events({generate::SyntheticModel::kAdl, 5000, 2});
  const auto sizes_of = [&]<typename T>(const std::string& name, T) {
    std::vector<std::size_t> sizes;
    for (const auto& list : read_column<T>(events, name)) sizes.push_back(list.size());
    return sizes;
  };
  for (const std::string collection : {"Muon", "Electron", "Tau", "Photon", "Jet"}) {
    std::vector<std::size_t> counts;
    for (const auto& count : read_column<std::uint32_t>(events, "n" + collection)) counts.push_back(count[0]);
    for (const ColumnInfo& column : events.schema().columns()) {
      if (!column.name.starts_with(collection + "_")) continue;
      const bool is_flag = column.type.scalar == ScalarType::kBool;
      EXPECT_EQ(is_flag ? sizes_of(column.name, std::uint8_t{}) : sizes_of(column.name, 0.f), counts)
          << column.name;
    }
    for (const auto& pt : read_column<float>(events, collection + "_pt"))
      EXPECT_TRUE(std::is_sorted(pt.rbegin(), pt.rend())) << collection;
  }
}

// What the ADL benchmark's data have: 3.2 jets, 41 combinations of three, 44 % of events with three or more.
TEST(SyntheticEvents, AdlJetsAreAsManyAsInTheData) {
  constexpr std::size_t kEvents = 400000;
  generate::SyntheticEvents events({generate::SyntheticModel::kAdl, kEvents, 1});
  double jets = 0, triplets = 0, crowded = 0;
  std::size_t largest = 0;
  for (const auto& count : read_column<std::uint32_t>(events, "nJet")) {
    const double n = count[0];
    jets += n / kEvents;
    triplets += n * (n - 1) * (n - 2) / 6 / kEvents;
    crowded += (n >= 3 ? 1. : 0.) / kEvents;
    largest = std::max<std::size_t>(largest, count[0]);
  }
  EXPECT_NEAR(jets, 3.2, 0.05);
  EXPECT_NEAR(triplets, 41, 2);
  EXPECT_NEAR(crowded, 0.44, 0.01);
  EXPECT_GE(largest, 45u);
  EXPECT_LE(largest, 57u);
}

TEST(SyntheticEvents, AdlMarksOfMissingValuesOccur) {
  generate::SyntheticEvents events({generate::SyntheticModel::kAdl, 50000, 1});
  const auto share = [&](const char* name, auto is_wanted) {
    double all = 0, wanted = 0;
    for (const auto& list : read_column<float>(events, name))
      for (const float value : list) ++all, wanted += is_wanted(value);
    return wanted / all;
  };
  EXPECT_NEAR(share("Tau_relIso_all", [](float x) { return std::isnan(x); }), 0.4, 0.02);
  EXPECT_NEAR(share("Jet_btag", [](float x) { return x == -10; }), 0.01, 0.003);
  EXPECT_NEAR(share("Jet_btag", [](float x) { return x == -1; }), 0.02, 0.005);
  EXPECT_GT(share("Jet_mass", [](float x) { return x < 0; }), 0.005);
  EXPECT_GT(share("Electron_mass", [](float x) { return x < 0; }), 0.1);
  EXPECT_GT(share("Muon_pfRelIso03_all", [](float x) { return x == -999; }), 0.01);
}

TEST(SyntheticEvents, AdlMuonPairsPeakAtTheZ) {
  generate::SyntheticEvents events({generate::SyntheticModel::kAdl, 200000, 3});
  const auto masses = pair_masses(events);
  const auto within = [&](double low, double high) {
    return static_cast<double>(
        std::count_if(masses.begin(), masses.end(), [&](double m) { return m >= low && m < high; }));
  };
  EXPECT_GT(within(90.2, 92.2), 5 * within(80, 82));
  EXPECT_GT(within(90.2, 92.2), 5 * within(100, 102));
}

TEST(SyntheticEvents, AgcEventsDependOnSampleSeedAndNumberOnly) {
  const auto jets_of = [](const std::string& sample, std::uint64_t num_events, std::uint64_t seed) {
    generate::SyntheticEvents events({generate::SyntheticModel::kAgc, num_events, seed, sample});
    return read_column<float>(events, "Jet_pt");
  };
  auto longer = jets_of("ttbar__nominal", 9000, 5);
  const auto shorter = jets_of("ttbar__nominal", 8200, 5);
  longer.resize(8200);
  EXPECT_EQ(longer, shorter);
  longer.resize(1000);
  EXPECT_NE(longer, jets_of("ttbar__nominal", 1000, 6));
  for (const std::string& sample : generate::agc_sample_names())
    EXPECT_EQ(longer == jets_of(sample, 1000, 5), sample == "ttbar__nominal") << sample;
}

// Of what does not depend on the process.
TEST(SyntheticEvents, AgcSamplesHaveRandomNumbersOfTheirOwn) {
  std::set<std::vector<std::vector<float>>> seen;
  for (const std::string& sample : generate::agc_sample_names()) {
    generate::SyntheticEvents events({generate::SyntheticModel::kAgc, 20, 1, sample});
    seen.insert(read_column<float>(events, "PV_z"));
  }
  EXPECT_EQ(seen.size(), 9u);
}

TEST(SyntheticEvents, AgcListsHaveEqualSizesWithinACollection) {
  generate::SyntheticEvents events({generate::SyntheticModel::kAgc, 500, 2, "ttbar__PS_var"});
  const auto sizes_of = [&]<typename T>(const std::string& name, T) {
    std::vector<std::size_t> sizes;
    for (const auto& list : read_column<T>(events, name)) sizes.push_back(list.size());
    return sizes;
  };
  for (const std::string collection :
       {"Muon", "Electron", "Jet", "GenPart", "GenJet", "LHEPdfWeight", "LHEScaleWeight", "PSWeight"}) {
    std::vector<std::size_t> counts;
    for (const auto& count : read_column<std::uint32_t>(events, "n" + collection)) counts.push_back(count[0]);
    for (const ColumnInfo& column : events.schema().columns()) {
      if (column.name != collection && !column.name.starts_with(collection + "_")) continue;
      const bool is_byte = size_of(column.type.scalar) == 1;
      EXPECT_EQ(is_byte ? sizes_of(column.name, std::uint8_t{}) : sizes_of(column.name, 0.f), counts)
          << column.name;
    }
  }
  for (const char* name : {"Electron_pt", "Muon_pt", "Jet_pt", "GenJet_pt"})
    for (const auto& pt : read_column<float>(events, name))
      EXPECT_TRUE(std::is_sorted(pt.rbegin(), pt.rend())) << name;
}

TEST(SyntheticEvents, AgcIndicesPointIntoTheirCollections) {
  generate::SyntheticEvents events({generate::SyntheticModel::kAgc, 1000, 2, "ttbar__nominal"});
  for (const auto& [index, counter] :
       {std::pair{"Electron_jetIdx", "nJet"}, std::pair{"Muon_jetIdx", "nJet"},
        std::pair{"Electron_genPartIdx", "nGenPart"}, std::pair{"Muon_genPartIdx", "nGenPart"},
        std::pair{"Jet_electronIdx1", "nElectron"}, std::pair{"Jet_muonIdx1", "nMuon"},
        std::pair{"Jet_genJetIdx", "nGenJet"}, std::pair{"GenPart_genPartIdxMother", "nGenPart"}}) {
    const auto indices = read_column<std::int32_t>(events, index);
    const auto counts = read_column<std::uint32_t>(events, counter);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      for (const std::int32_t place : indices[i]) {
        ASSERT_GE(place, -1) << index;
        ASSERT_LT(place, static_cast<std::int32_t>(counts[i][0])) << index;
      }
    }
  }
}

TEST(SyntheticEvents, AgcMantissasAreThoseOfNanoAod) {
  generate::SyntheticEvents events({generate::SyntheticModel::kAgc, 3000, 1, "ttbar__nominal"});
  const auto used_bits = [&](const char* name) {
    std::uint32_t bits = 0;
    for (const auto& list : read_column<float>(events, name))
      for (const float value : list) bits |= std::bit_cast<std::uint32_t>(value) & 0x7FFFFF;
    return 23 - std::countr_zero(bits);
  };
  for (const auto& [name, bits] :
       {std::pair{"Electron_pt", 23}, std::pair{"Muon_pt", 23}, std::pair{"Muon_pfRelIso04_all", 23},
        std::pair{"Electron_eta", 12}, std::pair{"Muon_eta", 12}, std::pair{"Jet_eta", 12},
        std::pair{"Jet_phi", 12}, std::pair{"Jet_pt", 10}, std::pair{"Jet_mass", 10},
        std::pair{"Jet_btagCSVV2", 10}, std::pair{"Electron_sip3d", 10}, std::pair{"GenPart_pt", 8},
        std::pair{"LHEPdfWeight", 14}, std::pair{"Jet_chHEF", 6}})
    EXPECT_EQ(used_bits(name), bits) << name;
}

// Cuts at 30 GeV must tell > from >=, and masses and scores have the marks of real data.
TEST(SyntheticEvents, AgcValuesAtCutsAndMarksOccur) {
  generate::SyntheticEvents events({generate::SyntheticModel::kAgc, 20000, 1, "ttbar__nominal"});
  const auto number_of = [&](const char* name, auto is_wanted) {
    std::size_t number = 0;
    for (const auto& list : read_column<float>(events, name))
      number += std::ranges::count_if(list, is_wanted);
    return number;
  };
  EXPECT_GT(number_of("Jet_pt", [](float x) { return x == 25; }), 0u);
  EXPECT_GT(number_of("Jet_pt", [](float x) { return x == 30; }), 0u);
  EXPECT_GT(number_of("Jet_btagCSVV2", [](float x) { return x == -10; }), 1000u);
  EXPECT_GT(number_of("Jet_btagCSVV2", [](float x) { return x == -1; }), 100u);
  EXPECT_GT(number_of("Jet_mass", [](float x) { return x < 0; }), 100u);
  EXPECT_GT(number_of("Electron_mass", [](float x) { return x < 0; }), 1000u);
}

TEST(SyntheticEvents, AgcValuesAreFinite) {
  for (const std::string& sample : generate::agc_sample_names()) {
    generate::SyntheticEvents events({generate::SyntheticModel::kAgc, 100, 11, sample});
    for (const ColumnInfo& column : events.schema().columns()) {
      if (column.type.scalar != ScalarType::kFloat) continue;
      for (const auto& list : read_column<float>(events, column.name))
        for (const float value : list) ASSERT_TRUE(std::isfinite(value)) << column.name;
    }
  }
}

// Other scales mean more or fewer jets.
TEST(SyntheticEvents, AgcVariationsDifferInTheirJets) {
  const auto jets_of = [](const char* sample) {
    generate::SyntheticEvents events({generate::SyntheticModel::kAgc, 40000, 1, sample});
    double jets = 0;
    for (const auto& count : read_column<std::uint32_t>(events, "nJet")) jets += count[0] / 40000.;
    return jets;
  };
  const double nominal = jets_of("ttbar__nominal");
  EXPECT_GT(jets_of("ttbar__scaledown"), nominal + 0.05);
  EXPECT_LT(jets_of("ttbar__scaleup"), nominal - 0.05);
  EXPECT_LT(jets_of("wjets__nominal"), nominal - 2);
}

TEST(SyntheticEvents, UnknownSamplesAreNamed) {
  try {
    const generate::SyntheticEvents events({generate::SyntheticModel::kAgc, 1, 1, "ttbar_nominal"});
    FAIL();
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(
        text.starts_with("unknown sample \"ttbar_nominal\" of model agc (did you mean "
                         "\"ttbar__nominal\"?): there are \"ttbar__nominal\", "))
        << text;
  }
  EXPECT_THROW(generate::SyntheticEvents({generate::SyntheticModel::kAgc, 1, 1}), ConfigError);
}

// A column of model lhcb, one value for each entry.
template <typename T>
std::vector<T> read_values(generate::SyntheticEvents& events, const std::string& name) {
  std::vector<T> values;
  for (const auto& entry : read_column<T>(events, name)) values.push_back(entry.at(0));
  return values;
}

TEST(SyntheticEvents, LhcbEventsDependOnSeedAndNumberOnly) {
  generate::SyntheticEvents longer({generate::SyntheticModel::kLhcb, 70000, 5}),
      shorter({generate::SyntheticModel::kLhcb, 66000, 5}), other({generate::SyntheticModel::kLhcb, 1000, 6});
  auto from_longer = read_values<double>(longer, "H3_IPChi2");
  from_longer.resize(66000);
  EXPECT_EQ(from_longer, read_values<double>(shorter, "H3_IPChi2"));
  from_longer.resize(1000);
  EXPECT_NE(from_longer, read_values<double>(other, "H3_IPChi2"));
}

// The mass of three kaons, from what the columns say of them.
std::vector<double> masses_of_kaons(generate::SyntheticEvents& events) {
  std::vector<std::array<double, 4>> sums(events.num_entries());
  for (const char* hadron : {"H1_P", "H2_P", "H3_P"}) {
    std::array<std::vector<double>, 3> momentum;
    for (std::size_t axis = 0; axis < 3; ++axis)
      momentum[axis] = read_values<double>(events, hadron + std::string(1, "XYZ"[axis]));
    for (std::size_t i = 0; i < sums.size(); ++i) {
      double energy_squared = 493.677 * 493.677;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        sums[i][axis] += momentum[axis][i];
        energy_squared += momentum[axis][i] * momentum[axis][i];
      }
      sums[i][3] += std::sqrt(energy_squared);
    }
  }
  std::vector<double> masses;
  for (const auto& [x, y, z, energy] : sums)
    masses.push_back(std::sqrt(energy * energy - x * x - y * y - z * z));
  return masses;
}

TEST(SyntheticEvents, LhcbMassesPeakAtTheBOfThreeKaons) {
  generate::SyntheticEvents events({generate::SyntheticModel::kLhcb, 60000, 3});
  std::array<std::vector<double>, 3> kaon;
  for (std::size_t i = 0; i < 3; ++i)
    kaon[i] = read_values<double>(events, "H" + std::to_string(i + 1) + "_ProbK");
  const std::vector<double> masses = masses_of_kaons(events);
  double peak = 0, side = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (std::min({kaon[0][i], kaon[1][i], kaon[2][i]}) < 0.5) continue;
    peak += std::abs(masses[i] - 5279.34) < 40;
    side += std::abs(masses[i] - 5479.34) < 40;
  }
  EXPECT_GT(peak, 5 * side);
  EXPECT_GT(side, 50);
}

TEST(SyntheticEvents, LhcbMuonFlagsSkipTheShareOfTheRealData) {
  generate::SyntheticEvents events({generate::SyntheticModel::kLhcb, 60000, 1});
  std::array<std::vector<std::int32_t>, 3> flags, charges;
  for (std::size_t i = 0; i < 3; ++i) {
    flags[i] = read_values<std::int32_t>(events, "H" + std::to_string(i + 1) + "_isMuon");
    charges[i] = read_values<std::int32_t>(events, "H" + std::to_string(i + 1) + "_Charge");
  }
  double skipped = 0;
  for (std::size_t i = 0; i < 60000; ++i) {
    skipped += flags[0][i] + flags[1][i] + flags[2][i] > 0 ? 1. / 60000 : 0;
    ASSERT_EQ(std::abs(charges[0][i]), 1);
    ASSERT_EQ(charges[1][i], -charges[0][i]);
    ASSERT_EQ(charges[2][i], -charges[0][i]);
  }
  EXPECT_NEAR(skipped, 2.4 / 8.5, 0.02);
}

TEST(SyntheticEvents, LhcbValuesAreFiniteForwardAndInTheirRanges) {
  generate::SyntheticEvents events({generate::SyntheticModel::kLhcb, 60000, 1});
  for (const ColumnInfo& column : events.schema().columns())
    if (column.type.scalar == ScalarType::kDouble) {
      for (const double value : read_values<double>(events, column.name)) ASSERT_TRUE(std::isfinite(value));
    }
  for (const double value : read_values<double>(events, "H2_ProbPi")) {
    ASSERT_TRUE(value >= 0 && value <= 1);
    ASSERT_EQ(value, static_cast<float>(value));
  }
  for (const double value : read_values<double>(events, "H1_PZ")) ASSERT_GT(value, 900);
  for (const double value : read_values<double>(events, "B_VertexChi2")) ASSERT_LE(value, 12);
}

TEST(SyntheticEvents, UnknownModelsAreNamed) {
  EXPECT_EQ(generate::parse_synthetic_model("dijet"), generate::SyntheticModel::kDijet);
  try {
    generate::parse_synthetic_model("dimuons");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "unknown model \"dimuons\" (did you mean \"dimuon\"?): there are \"dimuon\", \"dijet\", "
                 "\"adl\", \"agc\" and \"lhcb\"");
  }
}

}  // namespace
}  // namespace skimline::skims

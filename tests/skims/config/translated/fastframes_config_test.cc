// SPDX-License-Identifier: BSD-3-Clause
#include "config/translated/data_set_values.h"
#include "config/translated/translated_config.h"

#include "skimline/framework/error.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace skimline::skims {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kConfig = R"yaml(
general:
  input_filelist_path: "FOLDER/filelist.txt"
  input_sumweights_path: "FOLDER/sums.txt"
  default_event_weights: weight_mc_NOSYS
  xsection_files: ["FOLDER/sections.txt"]
  create_tlorentz_vectors_for: [jet]
  define_custom_columns:
    - {name: lead_NOSYS, definition: "jet_TLV_NOSYS[0].pt()"}
.shared: &variables
  - {name: met, title: "a;b", definition: met_NOSYS, binning: {min: 0, max: 1, number_of_bins: 2}}
  - name: lead_#
    definition: "lead_NOSYS * #"
    binning: {bin_edges: [0, 1, 2.5]}
    numbering_sequence: [{replacement_string: "#", min: 1, max: 3}]
regions:
  - {name: SR, selection: "met_NOSYS > 2", variables: *variables, histograms_2d: [{x: met, y: lead_2}]}
  - name: CR
    selection: "met_NOSYS < 2"
    variables:
      - *variables
      - {name: other, definition: other, is_nominal_only: true, binning: {min: 0, max: 1, number_of_bins: 2}}
samples:
  - {name: tt, dsids: [1, 2], campaigns: [mc20a, mc20d], simulation_type: fullsim, selection_suffix: "n > 1"}
  - {name: data, campaigns: [2018], simulation_type: data}
  - {name: all, included_samples: [tt]}
systematics:
  - variation: {up: JET__1up, down: JET__1down, sum_weights_up: other, weight_suffix_down: "1.1"}
    exclude_samples: [all]
ntuples: {branches: ["met_.*"], selection: "met_NOSYS > 1"}
)yaml";

class FastFramesConfigs : public ::testing::Test {
 protected:
  FastFramesConfigs() : folder_(fs::path(::testing::TempDir()) / "fastframes_configs") {
    fs::create_directories(folder_);
    const std::string no_file = (folder_ / "sums.txt").string();  // which cannot be read as events
    std::string files = "0 2018 data " + no_file + "\n", sums;
    for (const char* set : {"1 mc20a", "2 mc20a", "1 mc20d", "2 mc20d"}) {
      files += set + std::string(" fullsim ") + no_file + "\n";
      for (const char* name : {"NOSYS", "other"}) sums += set + std::string(" fullsim ") + name + " 10.5\n";
    }
    write("filelist.txt", files);
    write("sums.txt", sums);
    write("sections.txt", "1 2.5 1\n2 5 1.5\n");
    text_ = kConfig;
    for (std::size_t at = text_.find("FOLDER"); at != std::string::npos; at = text_.find("FOLDER", at))
      text_.replace(at, 6, folder_.string());
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  TranslatedConfig made(const std::string& text) const {
    fs::remove(folder_ / "frames.yml");  // writing over it would wait for the disk
    write("frames.yml", text);
    return translated_config((folder_ / "frames.yml").string(), (folder_ / "analysis.json").string());
  }

  fs::path folder_;
  std::string text_;
};

TEST_F(FastFramesConfigs, are_carried_over) {
  const std::string text = made(text_).text;
  for (const char* part :
       {R"raw("lumi": "data_set < 2 ? 36646.73828125 : 44630.6015625")raw", R"raw("sumWeights": "10.5")raw",
        R"raw("jet_TLV_NOSYS": "P4PtEtaPhiE(jet_pt_NOSYS, jet_eta, jet_phi, jet_e_NOSYS)")raw",
        R"raw("where": "(met_NOSYS > 2) && (selection_suffix)")raw",
        R"raw("normalisation": "lumi * xSection / sumWeights")raw", R"raw("systematic_weight": "1.1")raw",
        R"raw("sumWeights": "sumWeights_JET__1up")raw", R"raw("met_vs_lead_2": {)raw"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST_F(FastFramesConfigs, damaged_copies_end_with_a_message) {
  std::mt19937 generator(1);
  int num_refused = 0;
  constexpr int kCopies = 1000;
  for (int copy = 0; copy < kCopies; ++copy) {
    std::string damaged = text_;
    for (auto changes = 1 + generator() % 6; changes > 0; --changes) {
      const std::size_t at = generator() % damaged.size();
      const std::size_t from = generator() % damaged.size();
      const std::size_t size = generator() % 12;
      const auto what = generator() % 4;
      if (what == 0) damaged[at] = static_cast<char>(generator());
      if (what == 1) damaged.erase(at, size);
      if (what == 2) damaged.insert(at, std::string(damaged, from, size));
      if (what == 3) damaged.insert(at, 1, " \t\n:-[]{}&*#'\"|>%@"[generator() % 18]);
    }
    try {
      made(damaged);
    } catch (const ConfigError& error) {
      ++num_refused;
      EXPECT_FALSE(std::string_view(error.what()).empty());
    }
  }
  EXPECT_GT(num_refused, kCopies / 2);
  EXPECT_LT(num_refused, kCopies);
}

TEST(DataSetValues, are_found_by_few_comparisons) {
  EXPECT_EQ(number_of_data_set({{"b", 0}, {"a", 0}}), "0");
  EXPECT_EQ(number_of_data_set({{"/x/c", 1}, {"/x/a", 0}, {"/x/b", 0}}), R"(file_ < "/x/c" ? 0 : 1)");
  EXPECT_EQ(number_of_data_set({{"a", 0}, {"q\"\\", 1}, {"z", 0}}),
            R"(file_ < "q\"\\" ? 0 : (file_ < "z" ? 1 : 0))");
  EXPECT_EQ(value_by_number("n", {2, 2, 2}), "2.");
  EXPECT_EQ(value_by_number("n", {0.5, 0.5, 1e-7, 3}), "n < 2 ? 0.5 : (n < 3 ? 1e-07 : 3.)");
  std::vector<std::pair<std::string, std::size_t>> files;
  for (std::size_t i = 0; i < 1024; ++i) files.emplace_back(std::to_string(1000000 + i), i);
  const std::string chosen = number_of_data_set(files);
  std::size_t depth = 0, deepest = 0;
  for (const char letter : chosen) {
    depth += letter == '(' ? 1 : 0;
    depth -= letter == ')' ? 1 : 0;
    deepest = std::max(deepest, depth);
  }
  EXPECT_EQ(deepest, 9u);
}

}  // namespace
}  // namespace skimline::skims

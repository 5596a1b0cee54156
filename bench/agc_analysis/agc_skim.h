// SPDX-License-Identifier: BSD-3-Clause
// What the programs that make the skim of the AGC with ROOT share: its columns, cuts and how outputs are
// stored.
#pragma once

#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

constexpr float kLowestPt = 20;
constexpr int kFewestJets = 4;
// ROOT's default for RNTuples: zstd, whose level 10 ROOT calls 5.
constexpr int kCompression = 505;

struct Column {
  const char *collection, *name;
};

inline const std::vector<Column>& float_columns() {
  static const std::vector<Column> columns = {
      {"Electron", "Electron_eta"},
      {"Electron", "Electron_pt"},
      {"Electron", "Electron_sip3d"},
      {"Jet", "Jet_btagCSVV2"},
      {"Jet", "Jet_eta"},
      {"Jet", "Jet_mass"},
      {"Jet", "Jet_phi"},
      {"Jet", "Jet_pt"},
      {"Muon", "Muon_eta"},
      {"Muon", "Muon_pfRelIso04_all"},
      {"Muon", "Muon_pt"},
      {"Muon", "Muon_sip3d"},
  };
  return columns;
}

inline const std::vector<Column>& integer_columns() {
  static const std::vector<Column> columns = {{"Electron", "Electron_cutBased"}, {"Jet", "Jet_jetId"}};
  return columns;
}

constexpr Column kBooleanColumn = {"Muon", "Muon_tightId"};

inline std::string output_path(const std::string& folder, const std::string& sample) {
  return folder + "/" + sample + ".root";
}

// Waits until the file is on the storage.
inline void synchronise(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

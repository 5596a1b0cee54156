// SPDX-License-Identifier: BSD-3-Clause
// The analysis of bit_rot.json in RDataFrame, for ROOT's interpreter.
#pragma once

#include <string>
#include <vector>

#include <ROOT/RDataFrame.hxx>
#include <ROOT/RVec.hxx>

/// Returns, of each histogram, its entries and then contents and summed squares of all bins, flow bins too.
std::vector<std::vector<double>> analyse(const std::string& path) {
  using Floats = ROOT::RVec<float>;
  ROOT::RDataFrame frame("Events", path);
  auto pairs = frame.Filter(
      [](unsigned muons, const ROOT::RVec<int>& charge) { return muons == 2 && charge[0] != charge[1]; },
      {"nMuon", "Muon_charge"});
  auto masses = pairs.Define("mass",
                             [](const Floats& pt, const Floats& eta, const Floats& phi, const Floats& mass) {
                               return ROOT::VecOps::InvariantMass(pt, eta, phi, mass);
                             },
                             {"Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass"});
  auto mass = masses.Histo1D<float, float>({"mass", "", 120, 60, 120}, "mass", "genWeight");
  auto met = masses.Histo1D<float, float>({"met", "", 100, 0, 200}, "MET_pt", "genWeight");
  std::vector<std::vector<double>> results;
  for (TH1D* histogram : {mass.GetPtr(), met.GetPtr()}) {
    std::vector<double>& result = results.emplace_back();
    result.push_back(histogram->GetEntries());
    for (int bin = 0; bin <= histogram->GetNbinsX() + 1; ++bin)
      result.push_back(histogram->GetBinContent(bin));
    for (int bin = 0; bin <= histogram->GetNbinsX() + 1; ++bin)
      result.push_back(histogram->GetSumw2()->At(bin));
  }
  return results;
}

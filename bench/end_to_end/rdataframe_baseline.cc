// SPDX-License-Identifier: BSD-3-Clause
// The tasks of bench/compare with ROOT's RDataFrame and compiled lambdas, as fast as its manual says:
//
//   rdataframe_baseline TASK THREADS INPUT OUTPUT
//
// TASK is flat, jagged, mass or skim. Histogram tasks write bin contents (with both flow bins) as JSON to
// OUTPUT, the skim writes an RNTuple. Prints the seconds of the event loop. One thread means no implicit
// threading.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include <ROOT/RDataFrame.hxx>
#include <ROOT/RSnapshotOptions.hxx>
#include <ROOT/RVec.hxx>
#include <TH1D.h>
#include <TROOT.h>

namespace {

using Floats = ROOT::RVec<float>;
using Integers = ROOT::RVec<std::int32_t>;
using Clock = std::chrono::steady_clock;

bool is_opposite_pair(std::uint32_t num_muons, const Integers& charge) {
  return num_muons == 2 && charge[0] != charge[1];
}

float pair_mass(const Floats& pt, const Floats& eta, const Floats& phi, const Floats& mass) {
  return ROOT::VecOps::InvariantMass(pt, eta, phi, mass);
}

void write_bins(const TH1D& histogram, const std::string& path) {
  std::ofstream file(path);
  file.precision(17);
  file << '[';
  for (int bin = 0; bin <= histogram.GetNbinsX() + 1; ++bin) {
    file << (bin > 0 ? ", " : "") << histogram.GetBinContent(bin);
  }
  file << "]\n";
}

void fill_flat(ROOT::RDataFrame& frame, const std::string& output) {
  auto histogram = frame.Histo1D<float>({"met", "", 100, 0, 200}, "MET_pt");
  write_bins(*histogram, output);
}

void fill_jagged(ROOT::RDataFrame& frame, const std::string& output) {
  auto histogram = frame.Histo1D<Floats>({"pt", "", 100, 0, 200}, "Muon_pt");
  write_bins(*histogram, output);
}

void fill_mass(ROOT::RDataFrame& frame, const std::string& output) {
  auto histogram = frame.Filter(is_opposite_pair, {"nMuon", "Muon_charge"})
                       .Define("m", pair_mass, {"Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass"})
                       .Histo1D<float>({"mass", "", 120, 60, 120}, "m");
  write_bins(*histogram, output);
}

void write_skim(ROOT::RDataFrame& frame, const std::string& output) {
  const auto is_kept = [](std::uint32_t num_muons, const Integers& charge, const Floats& pt) {
    return is_opposite_pair(num_muons, charge) && pt[0] > 15.f;
  };
  ROOT::RDF::RSnapshotOptions options;
  options.fMode = "RECREATE";
  options.fOutputFormat = ROOT::RDF::ESnapshotOutputFormat::kRNTuple;
  options.fCompressionAlgorithm = ROOT::RCompressionSetting::EAlgorithm::kZSTD;
  options.fCompressionLevel = 5;
  frame.Filter(is_kept, {"nMuon", "Muon_charge", "Muon_pt"}).Snapshot("Events", output, "", options);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::cerr << "usage: rdataframe_baseline flat|jagged|mass|skim THREADS INPUT OUTPUT\n";
    return 2;
  }
  const std::string task = arguments[1], input = arguments[3], output = arguments[4];
  const int threads = std::atoi(arguments[2]);
  if (threads > 1) ROOT::EnableImplicitMT(static_cast<unsigned>(threads));
  ROOT::RDataFrame frame("Events", input);
  const auto start = Clock::now();
  if (task == "flat") fill_flat(frame, output);
  if (task == "jagged") fill_jagged(frame, output);
  if (task == "mass") fill_mass(frame, output);
  if (task == "skim") write_skim(frame, output);
  std::cout << std::chrono::duration<double>(Clock::now() - start).count() << '\n';
}

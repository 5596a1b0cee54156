// SPDX-License-Identifier: BSD-3-Clause
// The skim of the AGC with RDataFrame's Snapshot, all lambdas compiled and typed, all samples run together:
//
//   snapshot_agc rntuple|ttree THREADS SAMPLES FOLDER
//
// Writes a file for each sample and prints the seconds from the opening of the files to the last synchronised
// one. One thread means no implicit threading.
#include "agc_skim.h"
#include "sample_list.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <ROOT/RDFHelpers.hxx>
#include <ROOT/RDataFrame.hxx>
#include <ROOT/RSnapshotOptions.hxx>
#include <ROOT/RVec.hxx>
#include <TROOT.h>

namespace {

using Floats = ROOT::RVec<float>;
using Integers = ROOT::RVec<std::int32_t>;
using Booleans = ROOT::RVec<bool>;
using Mask = ROOT::RVec<int>;
using Node = ROOT::RDF::RNode;
using Clock = std::chrono::steady_clock;

Mask is_kept(const Floats& pt) { return pt >= kLowestPt; }

bool has_lepton(const Mask& electrons, const Mask& muons) {
  return ROOT::VecOps::Any(electrons) || ROOT::VecOps::Any(muons);
}

bool has_jets(const Mask& jets) { return ROOT::VecOps::Sum(jets) >= kFewestJets; }

template <typename Values>
Values chosen(const Values& values, const Mask& mask) {
  return values[mask];
}

std::string mask_of(const Column& column) { return std::string("kept_") + column.collection; }

Node with_kept_objects(Node frame) {
  for (const Column& column : float_columns())
    frame = frame.Redefine(column.name, chosen<Floats>, {column.name, mask_of(column)});
  for (const Column& column : integer_columns())
    frame = frame.Redefine(column.name, chosen<Integers>, {column.name, mask_of(column)});
  return frame.Redefine(kBooleanColumn.name, chosen<Booleans>,
                        {kBooleanColumn.name, mask_of(kBooleanColumn)});
}

std::vector<std::string> column_names() {
  std::vector<std::string> names = {kBooleanColumn.name};
  for (const Column& column : float_columns()) names.emplace_back(column.name);
  for (const Column& column : integer_columns()) names.emplace_back(column.name);
  return names;
}

ROOT::RDF::RSnapshotOptions snapshot_options(bool is_rntuple) {
  using ROOT::RDF::ESnapshotOutputFormat;
  ROOT::RDF::RSnapshotOptions options;
  options.fMode = "RECREATE";
  options.fOutputFormat = is_rntuple ? ESnapshotOutputFormat::kRNTuple : ESnapshotOutputFormat::kTTree;
  options.fCompressionAlgorithm = ROOT::RCompressionSetting::EAlgorithm::kZSTD;
  options.fCompressionLevel = kCompression % 100;
  options.fLazy = true;
  return options;
}

auto book(const Sample& sample, const std::string& folder, const ROOT::RDF::RSnapshotOptions& options) {
  Node frame = ROOT::RDataFrame("Events", sample.path)
                   .Define("kept_Electron", is_kept, {"Electron_pt"})
                   .Define("kept_Muon", is_kept, {"Muon_pt"})
                   .Define("kept_Jet", is_kept, {"Jet_pt"})
                   .Filter(has_lepton, {"kept_Electron", "kept_Muon"})
                   .Filter(has_jets, {"kept_Jet"});
  return with_kept_objects(frame).Snapshot("Events", output_path(folder, sample.name()), column_names(),
                                           options);
}

void run(bool is_rntuple, const std::string& list, const std::string& folder) {
  const auto start = Clock::now();
  const std::vector<Sample> samples = read_samples(list);
  std::vector<ROOT::RDF::RResultHandle> results;
  for (const Sample& sample : samples)
    results.emplace_back(book(sample, folder, snapshot_options(is_rntuple)));
  ROOT::RDF::RunGraphs(results);
  for (const Sample& sample : samples) synchronise(output_path(folder, sample.name()));
  std::cout << std::chrono::duration<double>(Clock::now() - start).count() << '\n';
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::cerr << "usage: snapshot_agc rntuple|ttree THREADS SAMPLES FOLDER\n";
    return 2;
  }
  try {
    const int threads = std::atoi(arguments[2]);
    if (threads > 1) ROOT::EnableImplicitMT(static_cast<unsigned>(threads));
    run(std::string(arguments[1]) == "rntuple", arguments[3], arguments[4]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

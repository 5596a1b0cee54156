// SPDX-License-Identifier: BSD-3-Clause
// The ttbar analysis of the AGC with ROOT's RDataFrame: its own variations, all lambdas compiled, all columns
// typed, the event loops of all samples run together:
//
//   rdataframe_agc v1|v2 all|nominal THREADS SAMPLES OUTPUT
//
// Writes sums and variances of all bins, flow bins included, as JSON to OUTPUT, {name: {"sums": [],
// "variances": []}}, without pseudo-data, and prints the seconds from the opening of the files to the last
// histogram. One thread means no implicit threading. Floats are widened to double before anything is
// computed.
#include "sample_list.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <Math/ProbFuncMathCore.h>
#include <Math/QuantFuncMathCore.h>
#include <ROOT/RDFHelpers.hxx>
#include <ROOT/RDataFrame.hxx>
#include <ROOT/RVec.hxx>
#include <TH1D.h>
#include <TROOT.h>

namespace {

using Floats = ROOT::RVec<float>;
using Doubles = ROOT::RVec<double>;
using Integers = ROOT::RVec<std::int32_t>;
using Booleans = ROOT::RVec<bool>;
using Positions = ROOT::RVec<std::size_t>;
using Node = ROOT::RDF::RNode;
using Histogram = ROOT::RDF::RResultPtr<TH1D>;
using Variations = ROOT::RDF::Experimental::RResultMap<TH1D>;
using Clock = std::chrono::steady_clock;

constexpr double kTag = 0.5;
constexpr int kVariedJets = 4;

struct Selection {
  double lepton_pt, jet_pt;
  bool has_quality;
};

struct Momentum {
  double x, y, z, energy;

  Momentum operator+(const Momentum& other) const {
    return {x + other.x, y + other.y, z + other.z, energy + other.energy};
  }
  double square_of_pt() const { return x * x + y * y; }
  double mass() const {
    const double square = energy * energy - (x * x + y * y + z * z);
    return square < 0 ? -std::sqrt(-square) : std::sqrt(square);
  }
};

Momentum momentum(double pt, double eta, double phi, double mass) {
  const double x = pt * std::cos(phi), y = pt * std::sin(phi), z = pt * std::sinh(eta);
  return {x, y, z, std::sqrt(x * x + y * y + z * z + mass * std::abs(mass))};
}

double trijet_mass(const Doubles& pt, const Positions& good, const Floats& eta, const Floats& phi,
                   const Floats& mass, const Integers& is_tagged) {
  std::vector<Momentum> jets;
  jets.reserve(pt.size());
  for (std::size_t i = 0; i < pt.size(); ++i)
    jets.push_back(momentum(pt[i], eta[good[i]], phi[good[i]], mass[good[i]]));
  Momentum best{};
  double largest = -1;
  for (std::size_t i = 0; i < jets.size(); ++i) {
    for (std::size_t j = i + 1; j < jets.size(); ++j) {
      const Momentum pair = jets[i] + jets[j];
      for (std::size_t k = j + 1; k < jets.size(); ++k) {
        if (!is_tagged[i] && !is_tagged[j] && !is_tagged[k]) continue;
        const Momentum sum = pair + jets[k];
        if (sum.square_of_pt() <= largest) continue;
        largest = sum.square_of_pt();
        best = sum;
      }
    }
  }
  return best.mass();
}

double smeared(double pt) {
  const auto step = static_cast<std::int64_t>(1000 * pt) % 1000;
  return pt * (1 + 0.05 * ROOT::Math::normal_quantile(0.001 * static_cast<double>(step) + 0.0005, 1));
}

ROOT::RVec<Doubles> varied_pt(const Doubles& pt) { return {pt * 1.03, ROOT::VecOps::Map(pt, smeared)}; }

Doubles weights_of_tags(double weight, const Doubles& pt) {
  Doubles weights;
  for (std::size_t i = 0; i < kVariedJets; ++i) {
    const double change = 0.075 * pt[i] / 50;
    weights.push_back(weight * (1 + change));
    weights.push_back(weight * (1 - change));
  }
  return weights;
}

std::vector<std::string> tag_variations() {
  std::vector<std::string> names;
  for (int i = 0; i < kVariedJets; ++i)
    for (const char* direction : {"_up", "_down"})
      names.push_back("btag_var_" + std::to_string(i) + direction);
  return names;
}

Node with_one_lepton(Node frame, const Selection& selection) {
  const double cut = selection.lepton_pt;
  const auto count = [cut](const Floats& pts) {
    int found = 0;
    for (const double pt : pts) found += pt > cut;
    return found;
  };
  if (!selection.has_quality) {
    return frame.Filter([count](const Floats& electrons,
                                const Floats& muons) { return count(electrons) + count(muons) == 1; },
                        {"Electron_pt", "Muon_pt"});
  }
  const auto is_central = [](double eta, double sip3d) { return std::abs(eta) < 2.1 && sip3d < 4; };
  const auto electrons = [cut, is_central](const Floats& pt, const Floats& eta, const Floats& sip3d,
                                           const Integers& quality) {
    int found = 0;
    for (std::size_t i = 0; i < pt.size(); ++i)
      found += static_cast<double>(pt[i]) > cut && is_central(eta[i], sip3d[i]) && quality[i] == 4;
    return found;
  };
  const auto is_kept = [cut, is_central](int num_electrons, const Floats& pt, const Floats& eta,
                                         const Floats& sip3d, const Booleans& is_tight,
                                         const Floats& isolation) {
    int found = num_electrons;
    for (std::size_t i = 0; i < pt.size(); ++i)
      found += static_cast<double>(pt[i]) > cut && is_central(eta[i], sip3d[i]) && is_tight[i] &&
               static_cast<double>(isolation[i]) < 0.15;
    return found == 1;
  };
  return frame
      .Define("num_electrons", electrons,
              {"Electron_pt", "Electron_eta", "Electron_sip3d", "Electron_cutBased"})
      .Filter(is_kept,
              {"num_electrons", "Muon_pt", "Muon_eta", "Muon_sip3d", "Muon_tightId", "Muon_pfRelIso04_all"});
}

Node with_good_jets(Node frame, bool is_varied, const Selection& selection) {
  frame = frame.Define("all_pt", [](const Floats& pt) { return Doubles(pt.begin(), pt.end()); }, {"Jet_pt"});
  if (is_varied) frame = frame.Vary("all_pt", varied_pt, {"all_pt"}, {"pt_scale_up", "pt_res_up"}, "pt");
  const double cut = selection.jet_pt;
  if (selection.has_quality) {
    frame =
        frame.Define("good",
                     [cut](const Doubles& pt, const Floats& eta, const Integers& quality) {
                       Positions good;
                       for (std::size_t i = 0; i < pt.size(); ++i)
                         if (pt[i] > cut && std::abs(static_cast<double>(eta[i])) < 2.4 && quality[i] == 6)
                           good.push_back(i);
                       return good;
                     },
                     {"all_pt", "Jet_eta", "Jet_jetId"});
  } else {
    frame = frame.Define("good", [cut](const Doubles& pt) { return ROOT::VecOps::Nonzero(pt > cut); },
                         {"all_pt"});
  }
  return frame.Filter([](const Positions& good) { return good.size() >= 4; }, {"good"})
      .Define("pt", [](const Doubles& pt, const Positions& good) { return ROOT::VecOps::Take(pt, good); },
              {"all_pt", "good"})
      .Define("is_tagged",
              [](const Floats& scores, const Positions& good) {
                return ROOT::VecOps::Map(good, [&](std::size_t i) { return std::int32_t{scores[i] > kTag}; });
              },
              {"Jet_btagCSVV2", "good"})
      .Define("num_tags", [](const Integers& is_tagged) { return ROOT::VecOps::Sum(is_tagged); },
              {"is_tagged"});
}

Node with_weights(Node frame, const Sample& sample, bool is_varied) {
  frame = frame.Define("weight", [weight = sample.weight] { return weight; });
  if (!is_varied) return frame;
  frame = frame.Vary("weight", weights_of_tags, {"weight", "pt"}, tag_variations(), "tag");
  if (sample.process != "wjets") return frame;
  const auto scaled = [](double weight) { return Doubles{1.025 * weight, 0.975 * weight}; };
  return frame.Vary("weight", scaled, {"weight"}, {"scale_var_up", "scale_var_down"}, "scale");
}

struct Booked {
  Sample sample;
  std::string region;
  Histogram nominal;
  Variations varied;
};

std::vector<Booked> book(const Sample& sample, const Selection& selection, bool with_variations) {
  const bool is_varied = with_variations && sample.is_nominal();
  Node frame = with_one_lepton(ROOT::RDataFrame("Events", sample.path), selection);
  frame = with_weights(with_good_jets(frame, is_varied, selection), sample, is_varied);
  Histogram sums = frame.Filter([](int num_tags) { return num_tags == 1; }, {"num_tags"})
                       .Define("observable", [](const Doubles& pt) { return ROOT::VecOps::Sum(pt); }, {"pt"})
                       .Histo1D<double, double>({"", "", 25, 50, 550}, "observable", "weight");
  Histogram masses =
      frame.Filter([](int num_tags) { return num_tags >= 2; }, {"num_tags"})
          .Define("observable", trijet_mass, {"pt", "good", "Jet_eta", "Jet_phi", "Jet_mass", "is_tagged"})
          .Histo1D<double, double>({"", "", 25, 50, 550}, "observable", "weight");
  using ROOT::RDF::Experimental::VariationsFor;
  return {{sample, "4j1b", sums, VariationsFor(sums)}, {sample, "4j2b", masses, VariationsFor(masses)}};
}

// A key is "nominal", or a name of the variations together and that of the variation.
std::string name_of(const Booked& booked, const std::string& key) {
  const std::string variation = key.substr(key.find(':') == std::string::npos ? 0 : key.find(':') + 1);
  std::string name = booked.region + "_" + booked.sample.process;
  if (!booked.sample.is_nominal()) name += "_" + booked.sample.variation;
  return variation == "nominal" ? name : name + "_" + variation;
}

template <typename Value>
void write_bins(std::ostream& file, const char* what, const TH1D& histogram, Value value) {
  file << '"' << what << "\": [";
  for (int bin = 0; bin <= histogram.GetNbinsX() + 1; ++bin) file << (bin > 0 ? ", " : "") << value(bin);
  file << ']';
}

void write(const std::string& path, std::vector<Booked>& all) {
  std::ofstream file(path);
  file.precision(17);
  const char* separator = "{\n";
  for (Booked& booked : all) {
    for (const std::string& key : booked.varied.GetKeys()) {
      const TH1D& histogram = booked.varied[key];
      file << separator << '"' << name_of(booked, key) << "\": {";
      write_bins(file, "sums", histogram, [&](int bin) { return histogram.GetBinContent(bin); });
      file << ", ";
      write_bins(file, "variances", histogram,
                 [&](int bin) { return std::pow(histogram.GetBinError(bin), 2); });
      file << '}';
      separator = ",\n";
    }
  }
  file << "}\n";
}

void run(const Selection& selection, bool with_variations, const std::string& samples,
         const std::string& output) {
  const auto start = Clock::now();
  std::vector<Booked> all;
  for (const Sample& sample : read_samples(samples))
    for (Booked& booked : book(sample, selection, with_variations)) all.push_back(std::move(booked));
  std::vector<ROOT::RDF::RResultHandle> results;
  for (Booked& booked : all) results.emplace_back(booked.varied);
  ROOT::RDF::RunGraphs(results);
  std::cout << std::chrono::duration<double>(Clock::now() - start).count() << '\n';
  write(output, all);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) {
    std::cerr << "usage: rdataframe_agc v1|v2 all|nominal THREADS SAMPLES OUTPUT\n";
    return 2;
  }
  try {
    const bool is_v1 = std::string(arguments[1]) == "v1",
               with_variations = std::string(arguments[2]) == "all";
    const int threads = std::atoi(arguments[3]);
    if (threads > 1) ROOT::EnableImplicitMT(static_cast<unsigned>(threads));
    run(is_v1 ? Selection{25, 25, false} : Selection{30, 30, true}, with_variations, arguments[4],
        arguments[5]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

// SPDX-License-Identifier: BSD-3-Clause
// The ADL benchmark queries with ROOT's RDataFrame, all lambdas compiled and all columns typed, combinations
// by plain loops that end as soon as they can:
//
//   rdataframe_queries QUERY THREADS INPUT OUTPUT
//
// QUERY is q1 to q8. Writes the contents of the query's histograms, with both flow bins, as JSON to OUTPUT,
// and prints the seconds of the event loop. One thread means no implicit threading. Arithmetic is in double.
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <ROOT/RDataFrame.hxx>
#include <ROOT/RVec.hxx>
#include <TH1D.h>
#include <TROOT.h>

namespace {

using Floats = ROOT::RVec<float>;
using Integers = ROOT::RVec<std::int32_t>;
using Node = ROOT::RDF::RNode;
using Histograms = std::vector<ROOT::RDF::RResultPtr<TH1D>>;
using Clock = std::chrono::steady_clock;

constexpr double kPi = 3.14159265358979323846, kTopMass = 172.5, kZMass = 91.2;

struct Momentum {
  double x = 0, y = 0, z = 0, energy = 0;

  Momentum operator+(const Momentum& other) const {
    return {x + other.x, y + other.y, z + other.z, energy + other.energy};
  }
  double pt() const { return std::sqrt(x * x + y * y); }
  double mass() const {
    const double square = energy * energy - (x * x + y * y + z * z);
    return square < 0 ? -std::sqrt(-square) : std::sqrt(square);
  }
};

Momentum momentum(double pt, double eta, double phi, double mass) {
  const double x = pt * std::cos(phi), y = pt * std::sin(phi), z = pt * std::sinh(eta);
  return {x, y, z, std::sqrt(x * x + y * y + z * z + mass * std::abs(mass))};
}

using Momenta = ROOT::RVec<Momentum>;

void append(const Floats& pt, const Floats& eta, const Floats& phi, const Floats& mass, Momenta& momenta) {
  for (std::size_t i = 0; i < pt.size(); ++i) momenta.push_back(momentum(pt[i], eta[i], phi[i], mass[i]));
}

double distance_squared(double eta1, double phi1, double eta2, double phi2) {
  const double eta = eta1 - eta2;
  double phi = std::abs(phi1 - phi2);
  if (phi > kPi) phi = 2 * kPi - phi;
  return eta * eta + phi * phi;
}

Histograms query1(Node frame) { return {frame.Histo1D<float>({"q1", "", 100, 0, 200}, "MET_pt")}; }

Histograms query2(Node frame) { return {frame.Histo1D<Floats>({"q2", "", 100, 15, 60}, "Jet_pt")}; }

Histograms query3(Node frame) {
  const auto central = [](const Floats& pt, const Floats& eta) {
    Floats selected;
    selected.reserve(pt.size());
    for (std::size_t i = 0; i < pt.size(); ++i)
      if (std::abs(eta[i]) < 1) selected.push_back(pt[i]);
    return selected;
  };
  return {frame.Define("pt", central, {"Jet_pt", "Jet_eta"}).Histo1D<Floats>({"q3", "", 100, 15, 60}, "pt")};
}

Histograms query4(Node frame) {
  const auto has_two_hard_jets = [](const Floats& pt) {
    int number = 0;
    for (const float value : pt)
      if (value > 40 && ++number == 2) return true;
    return false;
  };
  return {frame.Filter(has_two_hard_jets, {"Jet_pt"}).Histo1D<float>({"q4", "", 100, 0, 200}, "MET_pt")};
}

bool has_z(const Floats& pt, const Floats& eta, const Floats& phi, const Floats& mass,
           const Integers& charge) {
  for (std::size_t i = 0; i < pt.size(); ++i) {
    for (std::size_t j = i + 1; j < pt.size(); ++j) {
      if (charge[i] == charge[j]) continue;
      const double pair_mass =
          (momentum(pt[i], eta[i], phi[i], mass[i]) + momentum(pt[j], eta[j], phi[j], mass[j])).mass();
      if (pair_mass > 60 && pair_mass < 120) return true;
    }
  }
  return false;
}

Histograms query5(Node frame) {
  return {frame.Filter([](std::uint32_t number) { return number >= 2; }, {"nMuon"})
              .Filter(has_z, {"Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass", "Muon_charge"})
              .Histo1D<float>({"q5", "", 100, 0, 200}, "MET_pt")};
}

struct Triplet {
  double pt = 0;
  std::array<std::size_t, 3> jets{};
};

Triplet best_triplet(const Floats& pt, const Floats& eta, const Floats& phi, const Floats& mass) {
  Momenta jets;
  jets.reserve(pt.size());
  append(pt, eta, phi, mass, jets);
  double smallest = std::numeric_limits<double>::infinity();
  Triplet best;
  for (std::size_t i = 0; i < jets.size(); ++i) {
    for (std::size_t j = i + 1; j < jets.size(); ++j) {
      const Momentum pair = jets[i] + jets[j];
      for (std::size_t k = j + 1; k < jets.size(); ++k) {
        const double distance = std::abs((pair + jets[k]).mass() - kTopMass);
        if (distance < smallest) smallest = distance, best.jets = {i, j, k};
      }
    }
  }
  best.pt = (jets[best.jets[0]] + jets[best.jets[1]] + jets[best.jets[2]]).pt();
  return best;
}

Histograms query6(Node frame) {
  const auto largest_btag = [](const Triplet& best, const Floats& btag) {
    return std::max(std::max(btag[best.jets[0]], btag[best.jets[1]]), btag[best.jets[2]]);
  };
  auto selected = frame.Filter([](std::uint32_t number) { return number >= 3; }, {"nJet"})
                      .Define("best", best_triplet, {"Jet_pt", "Jet_eta", "Jet_phi", "Jet_mass"})
                      .Define("pt", [](const Triplet& best) { return best.pt; }, {"best"})
                      .Define("btag", largest_btag, {"best", "Jet_btag"});
  return {selected.Histo1D<double>({"q6a", "", 100, 15, 40}, "pt"),
          selected.Histo1D<float>({"q6b", "", 100, 0, 1}, "btag")};
}

bool is_near(float jet_eta, float jet_phi, const Floats& pt, const Floats& eta, const Floats& phi) {
  for (std::size_t i = 0; i < pt.size(); ++i)
    if (pt[i] > 10 && distance_squared(jet_eta, jet_phi, eta[i], phi[i]) < 0.4 * 0.4) return true;
  return false;
}

// Negative if there is no jet.
double sum_of_lone_jets(const Floats& pt, const Floats& eta, const Floats& phi, const Floats& muon_pt,
                        const Floats& muon_eta, const Floats& muon_phi, const Floats& electron_pt,
                        const Floats& electron_eta, const Floats& electron_phi) {
  double sum = 0;
  bool is_found = false;
  for (std::size_t i = 0; i < pt.size(); ++i) {
    if (!(pt[i] > 30) || is_near(eta[i], phi[i], muon_pt, muon_eta, muon_phi) ||
        is_near(eta[i], phi[i], electron_pt, electron_eta, electron_phi))
      continue;
    sum += pt[i];
    is_found = true;
  }
  return is_found ? sum : -1;
}

Histograms query7(Node frame) {
  return {frame
              .Define("sum", sum_of_lone_jets,
                      {"Jet_pt", "Jet_eta", "Jet_phi", "Muon_pt", "Muon_eta", "Muon_phi", "Electron_pt",
                       "Electron_eta", "Electron_phi"})
              .Filter([](double sum) { return sum >= 0; }, {"sum"})
              .Histo1D<double>({"q7", "", 100, 15, 200}, "sum")};
}

struct Pair {
  bool is_found = false;
  std::size_t first = 0, second = 0;
};

// `first_other` is where the leptons of the other flavour begin.
Pair best_pair(const Momenta& leptons, const Integers& charge, std::size_t first_other) {
  double smallest = std::numeric_limits<double>::infinity();
  Pair best;
  for (std::size_t i = 0; i < leptons.size(); ++i) {
    const std::size_t end = i < first_other ? first_other : leptons.size();
    for (std::size_t j = i + 1; j < end; ++j) {
      if (charge[i] == charge[j]) continue;
      const double distance = std::abs((leptons[i] + leptons[j]).mass() - kZMass);
      if (distance < smallest) smallest = distance, best = {true, i, j};
    }
  }
  return best;
}

std::size_t leading_other(const Floats& pt, const Pair& pair) {
  std::size_t leading = pt.size();
  for (std::size_t i = 0; i < pt.size(); ++i) {
    if (i == pair.first || i == pair.second) continue;
    if (leading == pt.size() || pt[i] > pt[leading]) leading = i;
  }
  return leading;
}

// Negative if there is no pair.
double transverse_mass(const Floats& muon_pt, const Floats& muon_eta, const Floats& muon_phi,
                       const Floats& muon_mass, const Integers& muon_charge, const Floats& electron_pt,
                       const Floats& electron_eta, const Floats& electron_phi, const Floats& electron_mass,
                       const Integers& electron_charge, float met, float met_phi) {
  Momenta leptons;
  append(muon_pt, muon_eta, muon_phi, muon_mass, leptons);
  append(electron_pt, electron_eta, electron_phi, electron_mass, leptons);
  const Pair pair =
      best_pair(leptons, ROOT::VecOps::Concatenate(muon_charge, electron_charge), muon_pt.size());
  if (!pair.is_found) return -1;
  const Floats pt = ROOT::VecOps::Concatenate(muon_pt, electron_pt);
  const std::size_t other = leading_other(pt, pair);
  const std::size_t num_muons = muon_pt.size();
  const double phi = other < num_muons ? muon_phi[other] : electron_phi[other - num_muons];
  return std::sqrt(2. * pt[other] * met * (1 - std::cos(met_phi - phi)));
}

Histograms query8(Node frame) {
  const auto has_three = [](std::uint32_t muons, std::uint32_t electrons) { return muons + electrons >= 3; };
  return {
      frame.Filter(has_three, {"nMuon", "nElectron"})
          .Define("mass", transverse_mass,
                  {"Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass", "Muon_charge", "Electron_pt",
                   "Electron_eta", "Electron_phi", "Electron_mass", "Electron_charge", "MET_pt", "MET_phi"})
          .Filter([](double mass) { return mass >= 0; }, {"mass"})
          .Histo1D<double>({"q8", "", 100, 0, 200}, "mass")};
}

const std::map<std::string, std::function<Histograms(Node)>> kQueries = {
    {"q1", query1}, {"q2", query2}, {"q3", query3}, {"q4", query4},
    {"q5", query5}, {"q6", query6}, {"q7", query7}, {"q8", query8}};

void write_bins(Histograms& histograms, const std::string& path) {
  std::ofstream file(path);
  file.precision(17);
  const char* separator = "{";
  for (auto& histogram : histograms) {
    file << separator << '"' << histogram->GetName() << "\": [";
    for (int bin = 0; bin <= histogram->GetNbinsX() + 1; ++bin)
      file << (bin > 0 ? ", " : "") << histogram->GetBinContent(bin);
    file << ']';
    separator = ", ";
  }
  file << "}\n";
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5 || kQueries.count(arguments[1]) == 0) {
    std::cerr << "usage: rdataframe_queries q1|q2|q3|q4|q5|q6|q7|q8 THREADS INPUT OUTPUT\n";
    return 2;
  }
  const int threads = std::atoi(arguments[2]);
  if (threads > 1) ROOT::EnableImplicitMT(static_cast<unsigned>(threads));
  ROOT::RDataFrame frame("Events", arguments[3]);
  const auto start = Clock::now();
  Histograms histograms = kQueries.at(arguments[1])(frame);
  write_bins(histograms, arguments[4]);
  std::cout << std::chrono::duration<double>(Clock::now() - start).count() << '\n';
}

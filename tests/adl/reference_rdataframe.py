# SPDX-License-Identifier: BSD-3-Clause
"""The ADL benchmark queries with RDataFrame, as a user writes them: expressions as text, and C++ functions where
text does not reach. All arithmetic is in double.
"""

from collections.abc import Callable

import ROOT

FUNCTIONS = r"""
namespace adl {
using ROOT::VecOps::RVec;
using Momentum = ROOT::Math::PxPyPzEVector;

template <typename Pt, typename Other>
RVec<Momentum> Momenta(const RVec<Pt>& pt, const RVec<Other>& eta, const RVec<Other>& phi, const RVec<Other>& mass) {
  RVec<Momentum> momenta;
  for (std::size_t i = 0; i < pt.size(); ++i) {
    momenta.emplace_back(ROOT::Math::PtEtaPhiMVector(pt[i], eta[i], phi[i], mass[i]));
  }
  return momenta;
}

RVec<double> PairMasses(const RVec<Momentum>& momenta, const RVec<RVec<std::size_t>>& pairs) {
  RVec<double> masses;
  for (std::size_t i = 0; i < pairs[0].size(); ++i) {
    masses.push_back((momenta[pairs[0][i]] + momenta[pairs[1][i]]).M());
  }
  return masses;
}

RVec<std::size_t> BestTriplet(const RVec<Momentum>& momenta, double mass) {
  const auto triplets = ROOT::VecOps::Combinations(momenta, 3);
  double smallest = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  for (std::size_t i = 0; i < triplets[0].size(); ++i) {
    const Momentum sum = momenta[triplets[0][i]] + momenta[triplets[1][i]] + momenta[triplets[2][i]];
    const double distance = std::abs(sum.M() - mass);
    if (distance < smallest) {
      smallest = distance;
      best = i;
    }
  }
  return {triplets[0][best], triplets[1][best], triplets[2][best]};
}

// For each jet, whether no lepton of more than 10 GeV is nearer than 0.4.
RVec<int> AreFarFrom(const RVec<float>& jet_eta, const RVec<float>& jet_phi, const RVec<float>& pt,
                     const RVec<float>& eta, const RVec<float>& phi) {
  RVec<int> is_far(jet_eta.size(), 1);
  for (std::size_t i = 0; i < jet_eta.size(); ++i) {
    for (std::size_t j = 0; j < pt.size(); ++j) {
      const double distance = ROOT::VecOps::DeltaR<double>(jet_eta[i], eta[j], jet_phi[i], phi[j]);
      if (pt[j] > 10 && distance < 0.4) is_far[i] = 0;
    }
  }
  return is_far;
}

// Indices of the pair of equal flavour and opposite charge nearest to the mass; none if there is no such pair.
RVec<std::size_t> BestPair(const RVec<Momentum>& momenta, const RVec<int>& charge, const RVec<int>& flavour,
                           double mass) {
  RVec<std::size_t> best;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < momenta.size(); ++i) {
    for (std::size_t j = i + 1; j < momenta.size(); ++j) {
      if (flavour[i] != flavour[j] || charge[i] == charge[j]) continue;
      const double distance = std::abs((momenta[i] + momenta[j]).M() - mass);
      if (distance < smallest) {
        smallest = distance;
        best = {i, j};
      }
    }
  }
  return best;
}
}  // namespace adl
"""

Histograms = dict[str, object]


def query1(frame) -> Histograms:
    return {"q1": frame.Histo1D(("q1", "", 100, 0, 200), "MET_pt")}


def query2(frame) -> Histograms:
    return {"q2": frame.Histo1D(("q2", "", 100, 15, 60), "Jet_pt")}


def query3(frame) -> Histograms:
    central = frame.Define("central_pt", "Jet_pt[abs(Jet_eta) < 1]")
    return {"q3": central.Histo1D(("q3", "", 100, 15, 60), "central_pt")}


def query4(frame) -> Histograms:
    selected = frame.Filter("Sum(Jet_pt > 40) >= 2")
    return {"q4": selected.Histo1D(("q4", "", 100, 0, 200), "MET_pt")}


def query5(frame) -> Histograms:
    selected = (
        frame.Filter("nMuon >= 2")
        .Define("pairs", "Combinations(Muon_pt, 2)")
        .Define("momenta", "adl::Momenta(Muon_pt, Muon_eta, Muon_phi, Muon_mass)")
        .Define("masses", "adl::PairMasses(momenta, pairs)")
        .Define("is_opposite", "Take(Muon_charge, pairs[0]) != Take(Muon_charge, pairs[1])")
        .Filter("Any(is_opposite && masses > 60 && masses < 120)")
    )
    return {"q5": selected.Histo1D(("q5", "", 100, 0, 200), "MET_pt")}


def query6(frame) -> Histograms:
    best = (
        frame.Filter("nJet >= 3")
        .Define("momenta", "adl::Momenta(Jet_pt, Jet_eta, Jet_phi, Jet_mass)")
        .Define("best", "adl::BestTriplet(momenta, 172.5)")
        .Define("pt", "(momenta[best[0]] + momenta[best[1]] + momenta[best[2]]).Pt()")
        .Define("btag", "Max(Take(Jet_btag, best))")
    )
    return {
        "q6a": best.Histo1D(("q6a", "", 100, 15, 40), "pt"),
        "q6b": best.Histo1D(("q6b", "", 100, 0, 1), "btag"),
    }


def query7(frame) -> Histograms:
    is_far = "adl::AreFarFrom(Jet_eta, Jet_phi, {0}_pt, {0}_eta, {0}_phi)"
    sums = (
        frame.Define("is_good", f"Jet_pt > 30 && {is_far.format('Muon')} && {is_far.format('Electron')}")
        .Filter("Any(is_good)")
        .Define("sum", "Sum(ROOT::RVecD(Jet_pt[is_good]))")
    )
    return {"q7": sums.Histo1D(("q7", "", 100, 15, 200), "sum")}


def query8(frame) -> Histograms:
    leptons = frame.Filter("nMuon + nElectron >= 3")
    for name in ("pt", "eta", "phi", "mass", "charge"):
        leptons = leptons.Define(f"lepton_{name}", f"Concatenate(Muon_{name}, Electron_{name})")
    selected = (
        leptons.Define("flavour", "Concatenate(ROOT::RVecI(nMuon, 0), ROOT::RVecI(nElectron, 1))")
        .Define("momenta", "adl::Momenta(lepton_pt, lepton_eta, lepton_phi, lepton_mass)")
        .Define("best", "adl::BestPair(momenta, lepton_charge, flavour, 91.2)")
        .Filter("best.size() == 2")
        .Define("index", "Enumerate(lepton_pt)")
        .Define("other_pt", "Where(index == best[0] || index == best[1], -1.f, lepton_pt)")
        .Define("other", "ArgMax(other_pt)")
        .Define("difference", "MET_phi - double(lepton_phi[other])")
        .Define("mass", "sqrt(2. * lepton_pt[other] * MET_pt * (1. - cos(difference)))")
    )
    return {"q8": selected.Histo1D(("q8", "", 100, 0, 200), "mass")}


QUERIES: dict[str, Callable[[object], Histograms]] = {
    f"q{number}": globals()[f"query{number}"] for number in range(1, 9)
}


def declare() -> None:
    if not hasattr(ROOT, "adl"):
        ROOT.gInterpreter.Declare(FUNCTIONS)


def histograms(path: str, query: str) -> dict[str, list[float]]:
    """Returns the contents of the query's histograms, under- and overflow first and last."""
    declare()
    booked = QUERIES[query](ROOT.RDataFrame("Events", str(path)))
    return {
        name: [histogram.GetBinContent(i) for i in range(histogram.GetNbinsX() + 2)]
        for name, histogram in booked.items()
    }

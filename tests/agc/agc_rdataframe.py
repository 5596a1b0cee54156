# SPDX-License-Identifier: BSD-3-Clause
"""The ttbar analysis of the AGC with RDataFrame and its own variations. All arithmetic is in double."""

from pathlib import Path

import agc_definition as agc
import numpy as np
import ROOT
from agc_definition import Contents, Histograms, Sample, Selection

FUNCTIONS = r"""
namespace agc {
using ROOT::VecOps::RVec;
using Doubles = RVec<double>;
using Momentum = ROOT::Math::PxPyPzEVector;

Doubles Smeared(const Doubles& pt) {
  return ROOT::VecOps::Map(pt, [](double value) {
    const long step = static_cast<long>(1000 * value) % 1000;
    return value * (1 + 0.05 * ROOT::Math::normal_quantile(0.001 * step + 0.0005, 1));
  });
}

// Up and down for each of the first four jets.
Doubles TagWeights(double weight, const Doubles& pt) {
  Doubles weights;
  for (std::size_t i = 0; i < 4; ++i) {
    const double change = 0.075 * pt[i] / 50;
    weights.push_back(weight * (1 + change));
    weights.push_back(weight * (1 - change));
  }
  return weights;
}

double TrijetMass(const Doubles& pt, const Doubles& eta, const Doubles& phi, const Doubles& mass,
                  const RVec<int>& is_tagged) {
  RVec<Momentum> momenta;
  for (std::size_t i = 0; i < pt.size(); ++i) {
    momenta.emplace_back(ROOT::Math::PtEtaPhiMVector(pt[i], eta[i], phi[i], mass[i]));
  }
  Momentum best;
  double largest = -1;
  for (std::size_t i = 0; i < pt.size(); ++i) {
    for (std::size_t j = i + 1; j < pt.size(); ++j) {
      for (std::size_t k = j + 1; k < pt.size(); ++k) {
        if (!is_tagged[i] && !is_tagged[j] && !is_tagged[k]) continue;
        const Momentum sum = momenta[i] + momenta[j] + momenta[k];
        if (sum.Perp2() <= largest) continue;
        largest = sum.Perp2();
        best = sum;
      }
    }
  }
  return best.M();
}
}  // namespace agc
"""

TAG_VARIATIONS = [f"btag_var_{i}_{direction}" for i in range(4) for direction in ("up", "down")]


def declare() -> None:
    if not hasattr(ROOT, "agc"):
        ROOT.gInterpreter.Declare(FUNCTIONS)


def with_one_lepton(frame, selection: Selection):
    electron, muon = f"Electron_pt > {selection.lepton_pt}", f"Muon_pt > {selection.lepton_pt}"
    if selection.has_quality:
        electron += " && abs(Electron_eta) < 2.1 && Electron_sip3d < 4 && Electron_cutBased == 4"
        muon += " && abs(Muon_eta) < 2.1 && Muon_sip3d < 4 && Muon_tightId && Muon_pfRelIso04_all < 0.15"
    return frame.Filter(f"Sum({electron}) + Sum({muon}) == 1")


def with_good_jets(frame, sample: Sample, selection: Selection):
    """Defines the jets that count, in events with at least four of them."""
    frame = frame.Define("all_pt", "ROOT::RVecD(Jet_pt)")
    if sample.is_nominal:
        varied = "ROOT::RVec<ROOT::RVecD>{all_pt * 1.03, agc::Smeared(all_pt)}"
        frame = frame.Vary("all_pt", varied, ["pt_scale_up", "pt_res_up"])
    is_good = f"all_pt > {selection.jet_pt}"
    if selection.has_quality:
        is_good += " && abs(Jet_eta) < 2.4 && Jet_jetId == 6"
    frame = frame.Define("is_good", is_good).Filter("Sum(is_good) >= 4").Define("pt", "all_pt[is_good]")
    for name in ("eta", "phi", "mass"):
        frame = frame.Define(name, f"ROOT::RVecD(Jet_{name}[is_good])")
    return frame.Define("is_tagged", f"Jet_btagCSVV2[is_good] > {selection.btag}")


def with_weights(frame, sample: Sample):
    frame = frame.Define("weight", repr(sample.weight))
    if not sample.is_nominal:
        return frame
    frame = frame.Vary("weight", "agc::TagWeights(weight, pt)", TAG_VARIATIONS, "tag")
    if sample.process != "wjets":
        return frame
    return frame.Vary(
        "weight", "ROOT::RVecD{1.025, 0.975} * weight", ["scale_var_up", "scale_var_down"], "scale"
    )


def book(frame, sample: Sample, selection: Selection) -> dict[str, object]:
    """The histogram of each region."""
    frame = with_weights(with_good_jets(with_one_lepton(frame, selection), sample, selection), sample)
    axis = ("", "", agc.BINS, agc.LOW, agc.HIGH)
    one, more = frame.Filter("Sum(is_tagged) == 1"), frame.Filter("Sum(is_tagged) >= 2")
    sums = one.Define("observable", "Sum(pt)")
    masses = more.Define("observable", "agc::TrijetMass(pt, eta, phi, mass, is_tagged)")
    return {
        "4j1b": sums.Histo1D(axis, "observable", "weight"),
        "4j2b": masses.Histo1D(axis, "observable", "weight"),
    }


def contents(histogram) -> Contents:
    places = range(histogram.GetNbinsX() + 2)
    return Contents(
        np.array([histogram.GetBinContent(i) for i in places]),
        np.array([histogram.GetBinError(i) for i in places]) ** 2,
    )


def book_variations(sample: Sample, selection: Selection) -> dict[str, object]:
    """The histograms of each region, with their variations."""
    declare()
    booked = book(ROOT.RDataFrame("Events", list(sample.paths)), sample, selection)
    return {region: ROOT.RDF.Experimental.VariationsFor(one) for region, one in booked.items()}


def collect(sample: Sample, varied: dict[str, object]) -> Histograms:
    """What was booked, by name."""
    found = {}
    for region, variations in varied.items():
        for key in variations.GetKeys():
            # A key is "nominal", or the varied column and the variation.
            name = str(key).rsplit(":", 1)[-1]
            found[sample.histogram(region, name)] = contents(variations[key])
    return found


def histograms_of_sample(sample: Sample, selection: Selection) -> Histograms:
    return collect(sample, book_variations(sample, selection))


def histograms(inputs: Path, selection: Selection) -> Histograms:
    """All histograms of the samples listed in `inputs`."""
    found = {}
    for sample in agc.read_samples(inputs):
        found |= histograms_of_sample(sample, selection)
    return agc.with_pseudodata(found)

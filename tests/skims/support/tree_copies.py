# SPDX-License-Identifier: BSD-3-Clause
"""Trees with the events of RNTuples, written by ROOT, and values of both, to compare."""

import math
from pathlib import Path
from typing import Any

import awkward as ak
import numpy as np
import ROOT
import uproot

ROOT.gROOT.SetBatch(True)
ROOT.gInterpreter.Declare(
    """
    // Copies chosen columns of events; lists become arrays with a leaf count.
    template <typename T>
    struct CopiedList {
      CopiedList(ROOT::RNTupleReader &reader, TTree &tree, std::string name, std::string count, char code, int basket)
          : view(reader.GetView<std::vector<T>>(name)) {
        tree.Branch(name.c_str(), values, (name + "[" + count + "]/" + code).c_str(), basket)
            ->SetTitle(("all " + name).c_str());
      }
      void operator()(ROOT::NTupleSize_t entry) {
        const auto &list = view(entry);
        std::copy(list.begin(), list.end(), values);
      }
      ROOT::RNTupleView<std::vector<T>> view;
      T values[64];
    };
    void CopyToTree(const char *from, const char *to, int basket, int cluster) {
      auto reader = ROOT::RNTupleReader::Open("Events", from);
      auto file = std::unique_ptr<TFile>(TFile::Open(to, "RECREATE", "", 505));
      TTree tree("Events", "Events");
      tree.SetAutoFlush(cluster);
      UInt_t nMuon, nJet; ULong64_t event; Float_t met;
      tree.Branch("nMuon", &nMuon, "nMuon/i", basket);
      tree.Branch("nJet", &nJet, "nJet/i", basket + 30);
      tree.Branch("event", &event, "event/l", basket);
      tree.Branch("MET_pt", &met, "MET_pt/F", basket)->SetTitle("missing momentum");
      std::vector<std::unique_ptr<CopiedList<float>>> lists;
      for (std::string name : {"Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass"})
        lists.push_back(std::make_unique<CopiedList<float>>(*reader, tree, name, "nMuon", 'F', basket * 2));
      for (std::string name : {"Jet_pt", "Jet_eta"})
        lists.push_back(std::make_unique<CopiedList<float>>(*reader, tree, name, "nJet", 'F', basket * 3));
      CopiedList<std::int32_t> charges(*reader, tree, "Muon_charge", "nMuon", 'I', basket);
      auto muons = reader->GetView<std::uint32_t>("nMuon"), jets = reader->GetView<std::uint32_t>("nJet");
      auto mets = reader->GetView<float>("MET_pt");
      auto events = reader->GetView<std::uint64_t>("event");
      for (auto entry : reader->GetEntryRange()) {
        nMuon = muons(entry); nJet = jets(entry); met = mets(entry); event = events(entry);
        for (auto &list : lists) (*list)(entry);
        charges(entry);
        tree.Fill();
      }
      tree.Write();
    }
    // What NanoAOD has beside its events.
    void WriteTreesBeside(const char *path, int entries, int seed) {
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "UPDATE"));
      TTree runs("Runs", "Runs"), blocks("LuminosityBlocks", "LuminosityBlocks");
      UInt_t run = seed, block = 0; Long64_t count; Double_t sum, squares;
      runs.Branch("run", &run, "run/i");
      runs.Branch("genEventCount", &count, "genEventCount/L");
      runs.Branch("genEventSumw", &sum, "genEventSumw/D");
      runs.Branch("genEventSumw2", &squares, "genEventSumw2/D");
      blocks.Branch("run", &run, "run/i");
      blocks.Branch("luminosityBlock", &block, "luminosityBlock/i");
      TRandom3 random(seed);
      for (int i = 0; i < entries; ++i) {
        count = random.Integer(100000); sum = random.Uniform(1e6); squares = random.Uniform(1e9);
        runs.Fill();
        for (int k = 0; k < 3; ++k) { block = 3 * i + k; blocks.Fill(); }
      }
      runs.Write(); blocks.Write();
    }
    // A branch that holds no numbers, beside one that does.
    void WriteUnreadable(const char *path, int entries) {
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "RECREATE"));
      TTree tree("Events", "Events");
      auto *graph = new TGraph(3);
      Float_t x = 0; Float_t y = 0;
      tree.Branch("x", &x, "x/F"); tree.Branch("graph", &graph, 32000, 0); tree.Branch("y", &y, "y/F");
      for (int i = 0; i < entries; ++i) { x = i; y = -i; tree.Fill(); }
      tree.Write();
      delete graph;
    }
    """
)


def copy_to_tree(source: Path, target: Path, basket: int = 1000, cluster: int = 700) -> Path:
    """The dimuon events of an RNTuple as a tree, with small baskets."""
    ROOT.CopyToTree(str(source), str(target), basket, cluster)
    return target


def histograms_of(path: Path) -> dict[str, list[Any]]:
    """Contents and errors of all histograms of a file, by name."""
    with uproot.open(path) as file:
        return {
            key: [array.tolist() for array in (file[key].values(flow=True), file[key].variances(flow=True))]
            for key, name in file.classnames(cycle=False).items()
            if name.startswith(("TH", "TProfile"))
        }


def as_list(values: Any) -> list[Any]:
    return ak.to_list(values) if isinstance(values, ak.Array) else np.asarray(values).tolist()


def same(one: Any, other: Any) -> bool:
    """Equality of lists in which NaN is like NaN."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and math.isnan(one):
        return math.isnan(other)
    return one == other

# SPDX-License-Identifier: BSD-3-Clause
"""Fills the histograms of one task with RDataFrame from Python, expressions as text.

rdataframe_text.py TASK THREADS INPUT OUTPUT

The ADL queries are the reference of tests/adl; the tasks of bench/compare are here. Histograms are written as
JSON, {name: contents}, flow bins included.
"""

import json
import sys
from pathlib import Path

import ROOT

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "adl"))
import reference_rdataframe

OPPOSITE_PAIR = "nMuon == 2 && Muon_charge[0] != Muon_charge[1]"


def flat(frame) -> dict:
    return {"histogram": frame.Histo1D(("flat", "", 100, 0, 200), "MET_pt")}


def jagged(frame) -> dict:
    return {"histogram": frame.Histo1D(("jagged", "", 100, 0, 200), "Muon_pt")}


def mass(frame) -> dict:
    pairs = frame.Filter(OPPOSITE_PAIR).Define("m", "InvariantMass(Muon_pt, Muon_eta, Muon_phi, Muon_mass)")
    return {"histogram": pairs.Histo1D(("mass", "", 120, 60, 120), "m")}


def write_skim(frame, output: str) -> None:
    options = ROOT.RDF.RSnapshotOptions()
    options.fMode = "RECREATE"
    options.fOutputFormat = ROOT.RDF.ESnapshotOutputFormat.kRNTuple
    options.fCompressionAlgorithm = ROOT.RCompressionSetting.EAlgorithm.kZSTD
    options.fCompressionLevel = 5
    frame.Filter(OPPOSITE_PAIR).Filter("Muon_pt[0] > 15").Snapshot("Events", output, "", options)


HISTOGRAMS = reference_rdataframe.QUERIES | {"flat": flat, "jagged": jagged, "mass": mass}


def main() -> None:
    task, threads, data, output = sys.argv[1:]
    if int(threads) > 1:
        ROOT.EnableImplicitMT(int(threads))
    if task in reference_rdataframe.QUERIES:
        reference_rdataframe.declare()
    # Otherwise files of a server on this machine are looked for on its disk.
    ROOT.gEnv.SetValue("TFile.ForceRemote", 1)
    frame = ROOT.RDataFrame("Events", data)
    if task == "skim":
        write_skim(frame, output)
        return
    contents = {
        name: [histogram.GetBinContent(i) for i in range(histogram.GetNbinsX() + 2)]
        for name, histogram in HISTOGRAMS[task](frame).items()
    }
    Path(output).write_text(json.dumps(contents))


if __name__ == "__main__":
    main()

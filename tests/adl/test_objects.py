# SPDX-License-Identifier: BSD-3-Clause
"""Queries of the ADL benchmark written with objects fill the same bits as those of lists."""

import json
import subprocess
from pathlib import Path

import pytest
import uproot
from plain_configs import parsed
from test_adl import place

CONFIGS = Path(__file__).resolve().parents[2] / "configs" / "adl"

NEAR = {
    "is_near(jet_eta, jet_phi, eta, phi)": "Any(DeltaR(jet_eta, ForEach(jet_eta, eta), jet_phi, ForEach(jet_phi, phi)) < 0.4)"
}
WITH_OBJECTS = {
    "q5": {
        "define": {
            "pairs": "Combinations(Muon, 2)",
            "pair_mass": "(Take(Muon, pairs[0]).p4() + Take(Muon, pairs[1]).p4()).mass()",
            "is_opposite": "Take(Muon, pairs[0]).charge != Take(Muon, pairs[1]).charge",
        },
        "select": [
            {"name": "two muons", "where": "Muon.size() >= 2"},
            {"name": "a Z", "where": "Any(is_opposite && pair_mass > 60 && pair_mass < 120)"},
        ],
    },
    "q6": {
        "define": {
            "triplets": "Combinations(Jet, 3)",
            "trijets": "Take(Jet, triplets[0]).p4() + Take(Jet, triplets[1]).p4() + Take(Jet, triplets[2]).p4()",
            "best": "ArgMin(abs(trijets.mass() - 172.5))",
            "best_pt": "trijets[best].pt()",
            "best_btag": "max(Jet[triplets[0][best]].btag, Jet[triplets[1][best]].btag, Jet[triplets[2][best]].btag)",
        },
    },
    "q7": {
        "objects": {
            "jet": {"from": "Jet", "where": "pt > 30"},
            "muon": {"from": "Muon", "where": "pt > 10"},
            "electron": {"from": "Electron", "where": "pt > 10"},
            "lone": {"from": "jet", "where": "is_lone"},
        },
        "functions": NEAR,
        "define": {
            "near_muon": "is_near(double(jet.eta), double(jet.phi), double(muon.eta), double(muon.phi))",
            "near_electron": "is_near(double(jet.eta), double(jet.phi), double(electron.eta), double(electron.phi))",
            "is_lone": "!near_muon && !near_electron",
        },
        "select": [
            {"name": "a hard jet", "where": "jet.size() > 0"},
            {"name": "a lone jet", "where": "lone.size() > 0"},
        ],
        "histograms": {"q7": {"x": {"value": "Sum(double(lone.pt))", "bins": 100, "range": [15, 200]}}},
    },
}


def filled(skimline, folder, text, name):
    """The cells, sums of squares and statistics of all histograms."""
    path = folder / name
    path.mkdir()
    (path / "job.json").write_text(text)
    done = subprocess.run([skimline, "run", path / "job.json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with uproot.open(path / "out.root") as file:
        return {
            key: (
                file[key].values(flow=True).tobytes(),
                file[key].variances(flow=True).tobytes(),
                file[key].member("fTsumwx"),
            )
            for key in file.keys(cycle=False, filter_name="q*")
        }


@pytest.mark.parametrize("query", WITH_OBJECTS)
def test_same_bits(query, events, skimline, tmp_path):
    described = parsed(place(CONFIGS / f"{query}.json", events, Path("out.root")))
    by_lists = filled(
        skimline, tmp_path, json.dumps({**described, "output": {"histograms": "out.root"}}), "lists"
    )
    described.pop("functions", None)
    changed = {**described, **WITH_OBJECTS[query], "output": {"histograms": "out.root"}}
    assert by_lists and by_lists == filled(skimline, tmp_path, json.dumps(changed), "objects")

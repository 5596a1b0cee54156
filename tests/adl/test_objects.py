# SPDX-License-Identifier: BSD-3-Clause
"""Queries of the ADL benchmark fill the same bits with objects as with lists."""

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
WRITTEN_OTHERWISE = {
    "q5": {
        "objects": None,
        "define": {
            "muons": "Muon.p4()",
            "pairs": "Combinations(Muon, 2)",
            "pair_mass": "(Take(muons, pairs[0]) + Take(muons, pairs[1])).mass()",
            "is_opposite": "Take(Muon.charge, pairs[0]) != Take(Muon.charge, pairs[1])",
        },
        "select": [
            {"name": "two muons", "where": "Muon.size() >= 2"},
            {"name": "a Z", "where": "Any(is_opposite && pair_mass > 60 && pair_mass < 120)"},
        ],
    },
    "q5 with objects": {
        "objects": {
            "z_bosons": {
                "from": "Combinations(Muon, 2)",
                "where": "a.charge != b.charge && mass > 60 && mass < 120",
            }
        },
        "select": [
            {"name": "two muons", "where": "Muon.size() >= 2"},
            {"name": "a Z", "where": "!z_bosons.empty()"},
        ],
    },
    "q6": {
        "objects": None,
        "define": {
            "jets": "Jet.p4()",
            "triplets": "Combinations(Jet, 3)",
            "sums": "Take(jets, triplets[0]) + Take(jets, triplets[1]) + Take(jets, triplets[2])",
            "best": "ArgMin(abs(sums.mass() - 172.5))",
            "best_pt": "sums[best].pt()",
            "best_btag": "max(Jet[triplets[0][best]].btag, Jet[triplets[1][best]].btag, Jet[triplets[2][best]].btag)",
        },
        "histograms": {
            "q6a": {"x": {"value": "best_pt", "bins": 100, "range": [15, 40]}},
            "q6b": {"x": {"value": "best_btag", "bins": 100, "range": [0, 1]}},
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


@pytest.mark.parametrize("query", WRITTEN_OTHERWISE)
def test_same_bits(query, events, skimline, tmp_path):
    described = parsed(place(CONFIGS / f"{query.split()[0]}.json", events, Path("out.root")))
    described["output"] = {"histograms": "out.root"}
    as_shipped = filled(skimline, tmp_path, json.dumps(described), "shipped")
    described.pop("functions", None)
    changed = {**described, **WRITTEN_OTHERWISE[query]}
    changed = {key: value for key, value in changed.items() if value is not None}
    assert as_shipped and as_shipped == filled(skimline, tmp_path, json.dumps(changed), "otherwise")

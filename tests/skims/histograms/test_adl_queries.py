# SPDX-License-Identifier: BSD-3-Clause
"""The queries of the ADL benchmark that are written with objects give what loops over events give."""

import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import uproot

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, skimline):
    """With configs/adl, and events where those expect them."""
    folder = tmp_path_factory.mktemp("adl")
    shutil.copytree(ROOT / "configs" / "adl", folder / "configs" / "adl")
    (folder / "out").mkdir()
    command = [skimline, "generate", "adl", "--events", "20000", "-o", folder / "out" / "adl.root", "-q"]
    subprocess.run(command, check=True)
    return folder


@pytest.fixture(scope="module")
def events(folder):
    names = [
        f"{kind}_{member}" for kind in ("Muon", "Electron", "Jet") for member in ("pt", "eta", "phi", "mass")
    ]
    names += ["Muon_charge", "Electron_charge", "Jet_btag", "MET_pt", "MET_phi"]
    return uproot.open(f"{folder}/out/adl.root:Events").arrays(names).to_list()


def filled(folder, skimline, query):
    config = folder / "configs" / "adl" / f"{query}.json"
    subprocess.run([skimline, "run", config, "-q", "--no-report"], check=True)
    with uproot.open(folder / "out" / f"adl_{query}.root") as file:
        return {
            name: file[name].values(flow=True) for name in file.keys(cycle=False, filter_classname="TH1*")
        }


def histogram(values, bins, low, high):
    counts = np.zeros(bins + 2)
    for value in values:
        counts[min(max(math.floor((value - low) / (high - low) * bins) + 1, 0), bins + 1)] += 1
    return counts


def distance(eta1, phi1, eta2, phi2):
    return math.hypot(eta1 - eta2, math.remainder(phi1 - phi2, 2 * math.pi))


def lone_jets(event):
    leptons = [
        (event[f"{kind}_eta"][i], event[f"{kind}_phi"][i])
        for kind in ("Muon", "Electron")
        for i, pt in enumerate(event[f"{kind}_pt"])
        if pt > 10
    ]
    for pt, eta, phi in zip(event["Jet_pt"], event["Jet_eta"], event["Jet_phi"], strict=True):
        if pt > 30 and all(distance(eta, phi, *lepton) >= 0.4 for lepton in leptons):
            yield pt


def momentum(pt, eta, phi, mass):
    p = np.array([pt * math.cos(phi), pt * math.sin(phi), pt * math.sinh(eta)])
    return np.array([*p, math.sqrt(p @ p + mass**2)])


def mass(p):
    return math.sqrt(max(p[3] ** 2 - p[:3] @ p[:3], 0))


def leptons_of(event):
    """Kind, charge, pt, phi and momentum of each, muons first."""
    return [
        (kind, event[f"{kind}_charge"][i], pt, event[f"{kind}_phi"][i],
         momentum(pt, event[f"{kind}_eta"][i], event[f"{kind}_phi"][i], event[f"{kind}_mass"][i]))
        for kind in ("Muon", "Electron")
        for i, pt in enumerate(event[f"{kind}_pt"])
    ]  # fmt: skip


def test_q5_has_a_pair_near_the_z(folder, events, skimline):
    def has_pair(event):
        muons = [each for each in leptons_of(event) if each[0] == "Muon"]
        return any(
            a[1] != b[1] and 60 < mass(a[4] + b[4]) < 120 for i, a in enumerate(muons) for b in muons[i + 1 :]
        )

    expected = [event["MET_pt"] for event in events if has_pair(event)]
    assert len(expected) > 100
    np.testing.assert_array_equal(filled(folder, skimline, "q5")["q5"], histogram(expected, 100, 0, 200))


def test_q6_takes_the_best_three_jets(folder, events, skimline):
    momenta, tags = [], []
    for event in events:
        columns = (event[f"Jet_{name}"] for name in ("pt", "eta", "phi", "mass"))
        p = np.array([momentum(*jet) for jet in zip(*columns, strict=True)])
        if len(p) < 3:
            continue
        i, j, k = np.array(
            [(i, j, k) for i in range(len(p)) for j in range(i + 1, len(p)) for k in range(j + 1, len(p))]
        ).T
        sums = p[i] + p[j] + p[k]
        masses = np.sqrt(np.maximum(sums[:, 3] ** 2 - np.sum(sums[:, :3] ** 2, axis=1), 0))
        best = np.argmin(np.abs(masses - 172.5))
        momenta.append(math.hypot(*sums[best, :2]))
        tags.append(max(event["Jet_btag"][index] for index in (i[best], j[best], k[best])))
    found = filled(folder, skimline, "q6")
    assert len(momenta) > 100
    np.testing.assert_array_equal(found["q6a"], histogram(momenta, 100, 15, 40))
    np.testing.assert_array_equal(found["q6b"], histogram(tags, 100, 0, 1))


def test_q7_sums_up_lone_jets(folder, events, skimline):
    expected = [sum(jets) for jets in (list(lone_jets(event)) for event in events) if jets]
    assert len(expected) > 1000
    np.testing.assert_array_equal(filled(folder, skimline, "q7")["q7"], histogram(expected, 100, 15, 200))


def test_q8_takes_the_leading_lepton_beside_the_best_pair(folder, events, skimline):
    expected = []
    for event in events:
        leptons = leptons_of(event)
        pairs = [
            (abs(mass(a[4] + b[4]) - 91.2), i, j)
            for i, a in enumerate(leptons)
            for j, b in enumerate(leptons)
            if i < j and a[0] == b[0] and a[1] != b[1]
        ]
        if len(leptons) < 3 or not pairs:
            continue
        _, i, j = min(pairs)
        _, _, pt, phi, _ = max(
            (each for k, each in enumerate(leptons) if k not in (i, j)), key=lambda each: each[2]
        )
        expected.append(math.sqrt(2 * pt * event["MET_pt"] * (1 - math.cos(event["MET_phi"] - phi))))
    assert len(expected) > 100
    np.testing.assert_array_equal(filled(folder, skimline, "q8")["q8"], histogram(expected, 100, 0, 200))

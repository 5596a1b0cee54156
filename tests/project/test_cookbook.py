# SPDX-License-Identifier: BSD-3-Clause
"""The recipes of the cookbook give what a plain evaluation with numpy and Awkward Array gives."""

import itertools
import math
from pathlib import Path

import awkward as ak
import numpy as np
import pytest
import uproot
from console import Console
from pages import ROOT
from plain_configs import parsed


@pytest.fixture
def recipe(request, skimline, build_folder, tmp_path) -> Path:
    """The folder in which the commands of the page ran that the test names."""
    console = Console(tmp_path, Path(skimline).resolve(), build_folder.resolve() / "python")
    page = ROOT / "docs" / "cookbook" / f"{request.param}.md"
    for _ in console.play(page.read_text()):
        pass
    return console.folder


def cooked(name: str):
    return pytest.mark.parametrize("recipe", [name], indirect=True)


def events_of(folder: Path, name: str) -> ak.Array:
    """All columns, real numbers as doubles."""
    events = uproot.open(folder / name)["Events"].arrays()
    is_float = {field: "float32" in str(events[field].type) for field in events.fields}
    return ak.zip(
        {f: ak.values_astype(events[f], np.float64) if is_float[f] else events[f] for f in events.fields},
        depth_limit=1,
    )


def assert_is(histogram, values, weights=None) -> None:
    """Compares all bins and flow cells of a histogram with those of numpy."""
    edges = [-np.inf, *histogram.axis().edges(), np.inf]
    expected = np.histogram(ak.to_numpy(values), edges, weights=weights)[0]
    assert np.count_nonzero(expected) > 5
    np.testing.assert_allclose(histogram.values(flow=True), expected, rtol=1e-12, atol=1e-9)


@cooked("triggers")
def test_triggers(recipe):
    adl, dimuon = (events_of(recipe, name) for name in ("adl.root", "dimuon.root"))
    muon = np.concatenate([adl.HLT_IsoMu24 | adl.HLT_IsoMu24_eta2p1, dimuon.HLT_IsoMu24])
    tau = np.concatenate([adl.HLT_IsoMu17_eta2p1_LooseIsoPFTau20, np.zeros(len(dimuon), bool)])
    pt = ak.fill_none(ak.max(ak.concatenate([adl.Muon_pt, dimuon.Muon_pt]), axis=1), -1)
    met = ak.concatenate([adl.MET_pt, dimuon.MET_pt])
    has_muon = pt >= 0
    file = uproot.open(recipe / "triggers.root")
    assert_is(file["all"], pt[has_muon])
    assert_is(file["passed"], pt[has_muon & muon])
    assert_is(file["muon_trigger__met"], met[has_muon & muon])
    assert_is(file["tau_trigger_only__met"], met[has_muon & tau & ~muon])
    assert np.any(ak.to_numpy(has_muon & tau & muon))
    filled = file["all"].values() > 0
    fractions = file["passed"].values()[filled] / file["all"].values()[filled]
    np.testing.assert_allclose(file["efficiency"].values()[filled], fractions, rtol=1e-12)


@cooked("object-cleaning")
def test_object_cleaning(recipe):
    events = events_of(recipe, "adl.root")
    good = (events.Muon_pt > 10) & (abs(events.Muon_eta) < 2.4) & (events.Muon_pfRelIso04_all < 0.25)
    jets = ak.zip({"eta": events.Jet_eta, "phi": events.Jet_phi})
    muons = ak.zip({"eta": events.Muon_eta[good], "phi": events.Muon_phi[good]})
    jet, muon = ak.unzip(ak.cartesian([jets, muons], nested=True))
    delta_phi = (jet.phi - muon.phi + np.pi) % (2 * np.pi) - np.pi
    is_near = ak.any((jet.eta - muon.eta) ** 2 + delta_phi**2 < 0.16, axis=2)
    clean = (events.Jet_pt > 30) & (abs(events.Jet_eta) < 2.4) & ~is_near
    selected = ak.any(good, axis=1) & (ak.sum(clean, axis=1) >= 2)
    pt = events.Jet_pt[clean][selected]
    file = uproot.open(recipe / "cleaning.root")
    assert ak.any(is_near & (events.Jet_pt > 30))
    assert_is(file["jet_pt"], ak.flatten(pt))
    assert_is(file["ht"], ak.sum(pt, axis=1))


def four_vector(pt, eta, phi, mass):
    momentum = (pt * math.cos(phi), pt * math.sin(phi), pt * math.sinh(eta))
    return (*momentum, math.sqrt(sum(p * p for p in momentum) + mass * abs(mass)))


def mass_of(*vectors) -> float:
    x, y, z, energy = (sum(parts) for parts in zip(*vectors, strict=True))
    return math.sqrt(energy**2 - x**2 - y**2 - z**2)


def best_z(event) -> tuple[float, float] | None:
    """The mass nearest to that of the Z among pairs with opposite charge, and its larger momentum."""
    pairs = itertools.combinations(range(len(event["Muon_pt"])), 2)
    keys = ("Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass")
    found = [
        (
            mass_of(*(four_vector(*(event[key][k] for key in keys)) for k in (i, j))),
            max(event["Muon_pt"][i], event["Muon_pt"][j]),
        )
        for i, j in pairs
        if event["Muon_charge"][i] != event["Muon_charge"][j]
    ]
    return min(found, key=lambda pair: abs(pair[0] - 91.2), default=None)


@cooked("best-pair")
def test_best_pair(recipe):
    events = events_of(recipe, "adl.root")
    muons = [field for field in events.fields if field.startswith("Muon_")]
    found = [best_z(event) for event in events[muons][events.nMuon >= 2].to_list()]
    chosen = np.array([pair for pair in found if pair and abs(pair[0] - 91.2) < 15])
    assert ak.any(events.nMuon > 2)
    file = uproot.open(recipe / "best_pair.root")
    assert_is(file["z_mass"], chosen[:, 0])
    assert_is(file["leading_pt"], chosen[:, 1])


@cooked("trimming")
def test_trimming(recipe):
    source = uproot.open(recipe / "nano.root")["Events"].arrays()
    n_good = ak.sum((source.Muon_pt > 20) & source.Muon_tightId, axis=1)
    expected = source[source.HLT_IsoMu24 & (n_good >= 2)]
    assert 100 < len(expected) < len(source)
    skim = uproot.open(recipe / "trimmed.root")["Events"].arrays()
    muons = {f for f in source.fields if f.startswith("Muon_")} - {"Muon_dz"}
    others = {"run", "luminosityBlock", "event", "nMuon", "MET_pt", "MET_phi", "genWeight"}
    assert set(skim.fields) == muons | others | {"n_good"}
    for field in muons | others:
        assert ak.array_equal(skim[field], expected[field]), field
    assert skim.n_good.to_list() == n_good[source.HLT_IsoMu24 & (n_good >= 2)].to_list()
    tree = uproot.open(recipe / "tree.root")["Events"].arrays()
    for field in ("event", "nMuon", "Muon_pt", "Muon_eta"):
        assert tree[field].to_list() == expected[field].to_list()


CONTENT = {
    "nominal": [0.97, 0.98, 0.99, 0.94, 0.96, 0.97],
    "muon_id_up": [0.99, 0.99, 1.0, 0.98, 0.98, 0.98],
    "muon_id_down": [0.95, 0.97, 0.98, 0.90, 0.94, 0.96],
}


@cooked("corrections")
def test_corrections(recipe):
    events = events_of(recipe, "zmumu.root")
    pairs = events[events.nMuon == 2]
    column = np.clip(np.digitize(ak.flatten(pairs.Muon_pt), [0, 25, 50, 100]) - 1, 0, 2)
    row = np.clip(np.digitize(abs(ak.flatten(pairs.Muon_eta)), [0, 1.2, 2.4]) - 1, 0, 1)
    file = uproot.open(recipe / "corrections.root")
    for name, content in CONTENT.items():
        factors = np.array(content)[3 * row + column].reshape(-1, 2)
        assert_is(file[f"met__{name}"], pairs.MET_pt, pairs.genWeight * factors[:, 0] * factors[:, 1])


@cooked("systematics")
def test_systematic_uncertainties(recipe):
    events = events_of(recipe, "zmumu.root")
    rate = 1976.0 * 100 / np.sum(events.genWeight)
    pileup = 0.005 * events.PV_npvs
    shifts = {
        "nominal": (1.0, 1.0),
        "jes_up": (1.03, 1.0),
        "jes_down": (0.97, 1.0),
        "pileup_up": (1.0, 1 + pileup),
        "pileup_down": (1.0, 1 - pileup),
    }
    file = uproot.open(recipe / "systematics.root")
    for name, (scale, weight) in shifts.items():
        pt = events.Jet_pt * scale
        good = (pt > 30) & (abs(events.Jet_eta) < 2.4)
        selected = ak.any(good, axis=1)
        weights = (events.genWeight * rate * weight)[selected]
        assert_is(file[f"ht__{name}"], ak.sum(pt[good], axis=1)[selected], weights)


@cooked("abcd")
def test_abcd(recipe):
    events = events_of(recipe, "data.root")
    one = events[events.nMuon == 1]
    one = one[one.Muon_pt[:, 0] > 15]
    isolated, met = one.Muon_pfRelIso04_all[:, 0] < 0.15, one.MET_pt > 20
    masks = {"A": isolated & met, "B": isolated & ~met, "C": ~isolated & met, "D": ~isolated & ~met}
    file = uproot.open(recipe / "abcd.root")
    for region, mask in masks.items():
        assert_is(file[f"{region}__muon_pt"], one.Muon_pt[:, 0][mask])


@cooked("batch")
def test_batch(recipe):
    events = events_of(recipe, "dimuon.root")
    pairs = events[events.nMuon == 2]
    skim = uproot.open(recipe / "pairs.root")["Events"].arrays()
    assert skim.event.to_list() == pairs.event.to_list()
    pt, eta, phi = (pairs[f"Muon_{name}"] for name in ("pt", "eta", "phi"))
    cosines = np.cosh(eta[:, 0] - eta[:, 1]) - np.cos(phi[:, 0] - phi[:, 1])
    massless = np.sqrt(2 * pt[:, 0] * pt[:, 1] * cosines)
    heavy = ak.to_numpy(massless > 20)
    np.testing.assert_allclose(skim.mll[heavy], massless[heavy], rtol=2e-3)
    assert_is(uproot.open(recipe / "mass.root")["mass"], skim.mll, pairs.genWeight)
    for shard in range(1, 4):
        assert (recipe / f"pairs.shard{shard}of3.root").is_file()
    assert parsed((recipe / "batch.json").read_text())["schema_version"] == 1


def test_every_recipe_is_judged():
    pages = {path.stem for path in (ROOT / "docs" / "cookbook").glob("*.md")} - {"index"}
    judged = {
        mark.args[1][0]
        for name, function in globals().items()
        if name.startswith("test_")
        for mark in getattr(function, "pytestmark", [])
    }
    assert judged == pages

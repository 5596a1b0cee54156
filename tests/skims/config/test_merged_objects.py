# SPDX-License-Identifier: BSD-3-Clause
"""Objects of several collections as one: values as awkward concatenates them, and mistakes at their places."""

import awkward as ak
import numpy as np
import pytest
from nano_objects import assert_same, events_of

MEMBERS = ("pt", "eta", "phi", "mass", "charge", "pdgId", "dxy")

OBJECTS = {
    "electrons": {"from": "Electron", "where": "pt > 10"},
    "muons": {"from": "Muon", "where": "pt > 5 && pfRelIso04_all < 1", "sort": "eta"},
    "leptons": {"from": "Concatenate(electrons, muons)", "where": "abs(eta) < 2.1", "sort": "-pt"},
    "all": {"from": "Concatenate(Muon, Electron, Tau)"},
    "pairs": {"from": "Combinations(leptons, 2)", "fields": ["lead", "trail"]},
    "ee": {"from": "Combinations(electrons, 2)", "fields": ["lead", "trail"]},
    "mm": {"from": "Combinations(muons, 2)", "fields": ["lead", "trail"]},
    "same_flavour": {"from": "Concatenate(ee, mm)", "where": "lead.charge != trail.charge", "sort": "-mass"},
}


def collection(file, name, *members):
    events = events_of(file, *(f"{name}_{member}" for member in members))
    return ak.zip({member: events[f"{name}_{member}"] for member in members})


@pytest.fixture
def chosen(nano):
    """Electrons and muons as the objects of these names."""
    electrons, muons = (
        collection(nano, "Electron", *MEMBERS),
        collection(nano, "Muon", *MEMBERS, "pfRelIso04_all"),
    )
    muons = muons[(muons.pt > 5) & (muons.pfRelIso04_all < 1)]
    return electrons[electrons.pt > 10], muons[ak.argsort(muons.eta, axis=1, stable=True)]


def joined(member, *parts):
    return ak.concatenate([part[member] for part in parts], axis=1)


def test_members_are_those_of_all_parts_one_after_the_other(columns_of, nano, chosen):
    found = columns_of(
        nano,
        {
            "pt": "leptons.pt",
            "id": "leptons_pdgId",
            "charge": "leptons.charge",
            "first": "leptons.size() > 0 ? leptons[0].phi : -9.f",
            "n": "leptons.size()",
            "part": "leptons.part_",
            "part_of_all": "all.part_",
            "nearest": "MinDeltaR(Jet, leptons)",
            "tau": "all.dz",
            "n_all": "all.size()",
            "place": "all.index_",
            "central": "leptons[abs(leptons.eta) < 1].dxy",
        },
        objects=OBJECTS,
    )
    keep = abs(joined("eta", *chosen)) < 2.1
    order = ak.argsort(-joined("pt", *chosen)[keep], axis=1, stable=True)
    expected = {member: joined(member, *chosen)[keep][order] for member in MEMBERS}
    assert_same(found["pt"], expected["pt"])
    assert_same(found["id"], expected["pdgId"])
    assert_same(found["charge"], expected["charge"])
    assert_same(found["part"], ak.where(abs(expected["pdgId"]) == 11, 0, 1))
    assert ak.to_list(found["n"]) == ak.to_list(ak.num(expected["pt"]))
    assert ak.max(ak.num(expected["pt"])) > 2 and ak.any(abs(expected["pdgId"]) == 11)
    first = ak.fill_none(ak.firsts(expected["phi"]), np.float32(-9))
    assert ak.to_list(found["first"]) == ak.to_list(first)
    assert_same(found["central"], expected["dxy"][abs(expected["eta"]) < 1])
    three = [collection(nano, name, "dz") for name in ("Muon", "Electron", "Tau")]
    assert_same(found["tau"], joined("dz", *three))
    assert_same(found["place"], ak.concatenate([ak.local_index(part.dz) for part in three], axis=1))
    parts = [ak.zeros_like(part.dz) + number for number, part in enumerate(three)]
    assert_same(found["part_of_all"], ak.concatenate(parts, axis=1))
    assert ak.to_list(found["n_all"]) == ak.to_list(sum(ak.num(part.dz) for part in three))


def test_momenta_and_combinations_are_of_them(columns_of, nano, chosen):
    found = columns_of(
        nano,
        {
            "lead": "pairs.lead.pdgId",
            "trail": "pairs.trail.pt",
            "mass": "pairs.mass",
            "again": "(pairs.lead.p4() + pairs.trail.p4()).mass()",
            "p4": "leptons.p4().eta()",
            "eta": "leptons.eta",
        },
        objects=OBJECTS,
    )
    keep = abs(joined("eta", *chosen)) < 2.1
    order = ak.argsort(-joined("pt", *chosen)[keep], axis=1, stable=True)
    lead, trail = (
        ak.unzip(ak.combinations(joined(member, *chosen)[keep][order], 2)) for member in ("pdgId", "pt")
    )
    assert_same(found["lead"], lead[0])
    assert_same(found["trail"], trail[1])
    assert_same(found["mass"], found["again"])
    np.testing.assert_allclose(ak.flatten(found["p4"]), ak.flatten(found["eta"]), rtol=1e-5, atol=1e-6)


def test_combinations_of_several_collections_are_merged(columns_of, nano, chosen):
    names = {name: f"{name}.mass" for name in ("ee", "mm", "same_flavour")}
    more = {
        "lead": "same_flavour.lead.pt",
        "made": "same_flavour.lead.p4().pt()",
        "id": "same_flavour.trail.pdgId",
    }
    signs = {f"{name}_signs": f"{name}.lead.charge * {name}.trail.charge" for name in ("ee", "mm")}
    found = columns_of(nano, names | more | signs, objects=OBJECTS)
    masses = ak.concatenate([found[name][found[f"{name}_signs"] < 0] for name in ("ee", "mm")], axis=1)
    order = ak.argsort(-masses, axis=1, stable=True)
    assert_same(found["same_flavour"], masses[order])
    assert ak.any(ak.num(found["ee"]) > 0) and ak.any(ak.num(found["mm"]) > 0)
    pairs = [ak.combinations(part, 2, fields=["lead", "trail"]) for part in chosen]
    pairs = [part[part.lead.charge != part.trail.charge] for part in pairs]
    lead = ak.concatenate([part.lead.pt for part in pairs], axis=1)[order]
    assert_same(found["lead"], lead)
    assert_same(found["id"], ak.concatenate([part.trail.pdgId for part in pairs], axis=1)[order])
    np.testing.assert_allclose(ak.flatten(found["made"]), ak.flatten(lead), rtol=1e-6)


def test_variations_of_one_part_vary_all(columns_of, nano, chosen):
    found = columns_of(
        nano,
        {"pt": "leptons.pt", "n": "leptons.size()"},
        objects=OBJECTS,
        redefine={"Muon_pt": "Muon_pt * 3.f"},
    )
    electrons, _ = chosen
    raw = collection(nano, "Muon", *MEMBERS, "pfRelIso04_all")
    raw["pt"] = raw.pt * np.float32(3)
    raw = raw[(raw.pt > 5) & (raw.pfRelIso04_all < 1)]
    parts = (electrons, raw[ak.argsort(raw.eta, axis=1, stable=True)])
    pt = joined("pt", *parts)[abs(joined("eta", *parts)) < 2.1]
    assert_same(found["pt"], pt[ak.argsort(-pt, axis=1, stable=True)])


def test_lists_of_other_sizes_are_refused(mistake_in, nano):
    said = mistake_in(
        nano,
        objects=OBJECTS,
        histograms={"h": {"x": {"value": "leptons.pt", "bins": 2, "range": [0, 9]}, "weight": "Muon_pt"}},
        output={"histograms": "h.root"},
    )
    assert 'this is a list for "Muon", and cannot be filled with one for "leptons"' in said


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        ({"x": {"from": "Concatenate(Electron)"}}, "write Concatenate(objects, others)"),
        ({"x": {"from": "Concatenate(Muon, Muon)"}}, '"Muon" is there twice'),
        ({"x": {"from": "Concatenate(Muon, Elektron)"}}, '"Elektron" (did you mean "Electron"?)'),
        ({"x": {"from": "concatenate(Muon, Electron)"}}, "write Concatenate(objects, others)"),
        ({"x": {"from": "Concatenate(Muon, Electron.pt)"}}, 'unknown collection "Electron.pt"'),
        ({"x": {"from": "Concatenate(Muon, 2)"}}, "expected the name of a collection"),
        ({"x": {"from": "Concatenate(Muon, Electron)", "fields": ["a", "b"]}}, "objects of one kind"),
        ({"x": {"from": "Concatenate(y, Muon)"}, "y": {"from": "Muon"}}, 'unknown collection "y"'),
    ],
)
def test_mistakes(mistake_in, nano, objects, message):
    said = mistake_in(nano, objects=objects, select=[{"name": "c", "where": "nJet > 0"}])
    assert message in said
    assert said.count("error:") == 1 and "job.json:" in said


def test_members_that_a_part_lacks_are_unknown(mistake_in, nano):
    said = mistake_in(
        nano, objects=OBJECTS, select=[{"name": "c", "where": "Any(leptons.pfRelIso04_all > 1)"}]
    )
    assert 'unknown column "leptons.pfRelIso04_all" (did you mean "leptons.pfRelIso03_all"?)' in said


def test_a_part_is_thinned_by_no_objects_of_several(mistake_in, nano):
    skims = {"s": {"file": "s.root", "keep": ["Muon_*", "nMuon"], "thin": {"Muon": "leptons"}}}
    said = mistake_in(nano, objects=OBJECTS, skims=skims)
    assert '"leptons" are objects of "Concatenate(electrons, muons)", not of "Muon"' in said

# SPDX-License-Identifier: BSD-3-Clause
"""Collections, and objects chosen of them: values as awkward has them, and mistakes at their places."""

import json

import awkward as ak
import numpy as np
import pytest
import uproot
from nano_objects import GOOD_JETS, assert_same, events_of

PHYSLITE = "uproot-physlite-rntuple_v1-0-0-0.root"


def test_objects_are_those_of_awkward(columns_of, nano):
    found = columns_of(
        nano,
        {"pt": "good_jets.pt", "mass": "good_jets_mass", "n": "good_jets.size()", "id": "good_jets.jetId"},
        objects={"good_jets": GOOD_JETS},
    )
    events = events_of(nano, "Jet_pt", "Jet_eta", "Jet_mass", "Jet_jetId")
    jets = ak.zip({name[4:]: events[name] for name in events.fields})
    jets = jets[(jets.pt > 30) & (abs(jets.eta) < 2.4)]
    jets = jets[ak.argsort(-jets.pt, stable=True)]
    assert ak.sum(ak.num(jets)) > 100
    for name, member in [("pt", "pt"), ("mass", "mass"), ("id", "jetId")]:
        assert_same(found[name], jets[member])
    assert ak.to_list(found["n"]) == ak.to_list(ak.num(jets))


def test_objects_of_objects_and_members_behind_choices(columns_of, nano):
    found = columns_of(
        nano,
        {
            "hard": "hard_jets.eta",
            "central": "Jet[abs(Jet.eta) < 1].pt",
            "picked": "Take(good_jets, 2, 0).pt",
            "back": "good_jets[good_jets.pt > 60][abs(good_jets[good_jets.pt > 60].eta) < 1].phi",
        },
        objects={"good_jets": GOOD_JETS, "hard_jets": {"from": "good_jets", "where": "pt > 60"}},
    )
    events = events_of(nano, "Jet_pt", "Jet_eta", "Jet_phi")
    jets = ak.zip({name[4:]: events[name] for name in events.fields})
    good = jets[(jets.pt > 30) & (abs(jets.eta) < 2.4)]
    good = good[ak.argsort(-good.pt, stable=True)]
    hard = good[good.pt > 60]
    assert_same(found["hard"], hard.eta)
    assert_same(found["central"], jets[abs(jets.eta) < 1].pt)
    assert_same(found["picked"], ak.fill_none(ak.pad_none(good.pt, 2, clip=True), 0))
    assert_same(found["back"], hard[abs(hard.eta) < 1].phi)


def test_long_chains_of_objects(columns_of, nano):
    """Each condition asks for three members of the objects before, whose conditions do so too."""
    links = range(40)
    where = [
        f"pt > {10 + link} && abs(eta) < {4 - link * 0.05:.2f} && phi < {3.1 - link * 0.01:.2f}"
        for link in links
    ]
    objects = {
        f"jets_{link}": {"from": f"jets_{link - 1}" if link else "Jet", "where": where[link]}
        for link in links
    }
    found = columns_of(nano, {"pt": "jets_39.pt", "n": "jets_39.size()"}, objects=objects)
    events = events_of(nano, "Jet_pt", "Jet_eta", "Jet_phi")
    jets = ak.zip({name[4:]: events[name] for name in events.fields})
    jets = jets[(jets.pt > 49) & (abs(jets.eta) < 2.05) & (jets.phi < 2.71)]
    assert ak.sum(ak.num(jets)) > 50
    assert_same(found["pt"], jets.pt)


@pytest.mark.parametrize("sort", ["-hard.pt", "-Muon.pt", "eta[pt > 40]"])
def test_objects_without_a_number_to_sort_by_are_an_error(job, nano, sort):
    """They are not left out."""
    config = {
        "schema_version": 1,
        "samples": {"s": {"files": [str(nano)]}},
        "objects": {
            "hard": {"from": "Jet", "where": "pt > 40"},
            "jets": {"from": "Jet", "sort": sort},
        },
        "histograms": {"pt": {"x": {"value": "jets.pt", "bins": 10, "range": [0, 100]}}},
        "output": {"histograms": "h.root"},
    }
    done = job(config)
    assert done.returncode == 1
    assert "lists of different sizes" in done.stderr and 'in "sort of jets"' in done.stderr


@pytest.mark.parametrize(
    "value", ["sorted.tracks", "pairs.a.tracks", "pairs[0].b.tracks", "of_sorted.a.tracks"]
)
def test_lists_of_other_sizes_that_are_called_like_members_are_an_error(job, tmp_path, value):
    """They are not cut to the size of the others."""
    pt = ak.Array([[30.0, 20.0, 40.0], [10.0, 50.0]])
    with uproot.recreate(tmp_path / "jets.root") as file:
        file["Events"] = {"Jet_pt": pt, "Jet_tracks": ak.Array([[1, 2, 3, 4, 5], [6, 7, 8]])}
    config = {
        "schema_version": 1,
        "samples": {"s": {"files": [str(tmp_path / "jets.root")]}},
        "collections": {"Jet": "Jet_*"},
        "objects": {
            "sorted": {"from": "Jet", "sort": "-pt"},
            "pairs": {"from": "Combinations(Jet, 2)"},
            "of_sorted": {"from": "Combinations(sorted, 2)"},
        },
        "histograms": {"pt": {"x": {"value": value, "bins": 10, "range": [0, 100]}}},
        "output": {"histograms": "h.root"},
    }
    done = job(config)
    assert done.returncode == 1
    assert "lists of different sizes, 5 and 3" in done.stderr


def test_numbers_to_sort_by_may_be_computed_in_any_way(columns_of, nano):
    """Also where it does not show that there is one for each object."""
    for sort in ["-pt", "-Jet_pt", "Reverse(Reverse(-pt))", "Take(-pt, Enumerate(pt))"]:
        found = columns_of(nano, {"eta": "jets.eta"}, objects={"jets": {"from": "Jet", "sort": sort}})
        events = events_of(nano, "Jet_pt", "Jet_eta")
        expected = events.Jet_eta[ak.argsort(-events.Jet_pt, stable=True)]
        assert_same(found["eta"], expected)


def test_momenta(columns_of, nano):
    found = columns_of(
        nano,
        {
            "mass": "Sum(good_jets.p4()).mass()",
            "two": "good_jets.size() > 1 ? (good_jets[0].p4() + good_jets[1].p4()).mass() : 0.",
        },
        objects={"good_jets": GOOD_JETS},
    )
    by_hand = columns_of(
        nano,
        {
            "mass": "Sum(P4(pt, eta, phi, mass)).mass()",
            "two": "pt.size() > 1 ? (P4(pt[0], eta[0], phi[0], mass[0]) + P4(pt[1], eta[1], phi[1], mass[1])).mass() : 0.",
        },
        define={
            "good": "Jet_pt > 30 && abs(Jet_eta) < 2.4",
            "order": "Argsort(-Jet_pt[good])",
            **{name: f"Take(Jet_{name}[good], order)" for name in ("pt", "eta", "phi", "mass")},
        },
    )
    for name in ("mass", "two"):
        assert ak.to_numpy(found[name]).tobytes() == ak.to_numpy(by_hand[name]).tobytes()


@pytest.mark.parametrize(
    "names",
    [
        ("pt", "eta", "phi", "E"),
        ("PT", "Eta", "Phi", "Mass"),
        ("px", "py", "pz", "e"),
        ("Px", "Py", "Pz", "E"),
        ("PX", "PY", "PZ", "ENERGY"),
    ],
)
def test_momenta_of_members_as_ntuples_spell_them(columns_of, mistake_in, tmp_path, names):
    numbers = np.random.default_rng(len("".join(names)))
    counts = numbers.integers(2, 5, 100)
    x, y, z, mass = numbers.normal(0, 30, (4, counts.sum()))
    mass = abs(mass)
    pt, energy = np.hypot(x, y), np.sqrt(x * x + y * y + z * z + mass * mass)
    direction = (x, y, z) if names[0].lower() == "px" else (pt, np.arcsinh(z / pt), np.arctan2(y, x))
    values = (*direction, mass if names[-1] == "Mass" else energy)
    members = {name: ak.unflatten(value, counts) for name, value in zip(names, values, strict=True)}
    with uproot.recreate(tmp_path / "mu.root") as file:
        file.mktree("Events", {"Mu": ak.zip(members).type}).extend({"Mu": ak.zip(members), "nMu": counts})
    found = columns_of(
        tmp_path / "mu.root",
        {"mass": "(Mu[0].p4() + Mu[1].p4()).mass()", "of_pair": "pairs.mass"},
        objects={"pairs": {"from": "Combinations(Mu, 2)"}},
    )
    first, second = ([ak.unflatten(each, counts)[:, i] for each in (x, y, z, energy)] for i in (0, 1))
    px, py, pz, total = (a + b for a, b in zip(first, second, strict=True))
    expected = np.sqrt(total**2 - px**2 - py**2 - pz**2)
    np.testing.assert_allclose(ak.to_numpy(found["mass"]), ak.to_numpy(expected), rtol=1e-6)
    np.testing.assert_allclose(ak.to_numpy(found["of_pair"][:, 0]), ak.to_numpy(expected), rtol=1e-6)
    other = names[0].swapcase()
    said = mistake_in(tmp_path / "mu.root", select=[{"name": "c", "where": f"Mu[0].{other} > 3"}])
    assert f'unknown column "Mu.{other}" (did you mean "Mu_{names[0]}"?)' in said


def test_objects_without_momenta(columns_of, mistake_in, tmp_path):
    with uproot.recreate(tmp_path / "hits.root") as file:
        hits = ak.zip({"x": [[1.0, 2.0], [3.0]], "layer": [[1, 2], [3]]})
        file.mktree("Events", {"Hit": hits.type}).extend({"Hit": hits, "nHit": np.array([2, 1])})
    for where, message in [
        ("Hit[0].p4().pt() > 3", '"Hit" has no momenta, which are made of the members "pt", "eta"'),
        ("Any(pairs.mass > 3)", 'unknown column "pairs.mass": its members have no momenta'),
        ("Any(pairs.masss > 3)", 'unknown column "pairs.masss" (did you mean "pairs.mass"?)'),
    ]:
        said = mistake_in(
            tmp_path / "hits.root",
            objects={"pairs": {"from": "Combinations(Hit, 2)"}},
            select=[{"name": "c", "where": where}],
        )
        assert message in said


def test_cross_references_are_followed(columns_of, nano):
    found = columns_of(
        nano,
        {
            "pt": "Jet.muon1.pt",
            "charge": "Jet.muon1.charge",
            "good": "good_jets.muon1.pt",
            "mother": "GenPart.genPartMother.pdgId",
        },
        objects={"good_jets": GOOD_JETS},
    )
    events = events_of(
        nano,
        "Jet_pt",
        "Jet_eta",
        "Jet_muonIdx1",
        "Muon_pt",
        "Muon_charge",
        "GenPart_genPartIdxMother",
        "GenPart_pdgId",
    )

    def followed(values, index, missing):
        chosen = ak.mask(index, (index >= 0) & (index < ak.num(values)))
        return ak.fill_none(values[chosen], missing)

    pt = followed(events.Muon_pt, events.Jet_muonIdx1, np.nan)
    assert 0 < ak.sum(~np.isnan(ak.flatten(pt))) < ak.count(pt)
    assert_same(found["pt"], pt)
    assert_same(found["charge"], followed(events.Muon_charge, events.Jet_muonIdx1, 0))
    assert_same(found["mother"], followed(events.GenPart_pdgId, events.GenPart_genPartIdxMother, 0))
    good = (events.Jet_pt > 30) & (abs(events.Jet_eta) < 2.4)
    order = ak.argsort(-events.Jet_pt[good], stable=True)
    assert_same(found["good"], pt[good][order])


def test_variations_go_through_objects(call, tmp_path, nano):
    def counts(**config):
        job = {
            "schema_version": 1,
            "samples": {"s": {"files": [str(nano)]}},
            "variations": {"jes": {"columns": {"Jet_pt": {"up": "Jet_pt * 1.1f", "down": "Jet_pt * 0.9f"}}}},
            "output": {"histograms": "out.root"},
            **config,
        }
        path = tmp_path / "job.json"
        path.write_text(json.dumps(job))
        done = call("run", path, "--force")
        assert done.returncode == 0, done.stderr
        with uproot.open(tmp_path / "out.root") as out:
            return {
                key: out[key].values(flow=True).tolist() for key in out.keys(filter_name=["pt_*", "lead_*"])
            }

    histogram = {"bins": 50, "range": [0, 500]}
    found = counts(
        objects={"good_jets": GOOD_JETS},
        define={"lead": "Max(good_jets.pt)"},
        select=[{"name": "two", "where": "good_jets.size() >= 2"}],
        histograms={
            "pt": {"x": {"value": "good_jets.pt", **histogram}},
            "lead": {"x": {"value": "lead", **histogram}},
        },
    )
    expected = counts(
        define={"good": "Jet_pt > 30 && abs(Jet_eta) < 2.4", "lead": "Max(Jet_pt[good])"},
        select=[{"name": "two", "where": "Jet_pt[good].size() >= 2"}],
        histograms={
            "pt": {"x": {"value": "Jet_pt[good]", **histogram}},
            "lead": {"x": {"value": "lead", **histogram}},
        },
    )
    assert len(found) == 6 and found == expected
    assert len({str(values) for values in found.values()}) == 6


def test_rntuple_and_physlite(columns_of, shared_data):
    found = columns_of(
        str(shared_data / PHYSLITE) + ":EventData",
        {
            "pt": "muons.pt",
            "n": "AnalysisMuons.size()",
            "central": "AnalysisMuons[abs(AnalysisMuons.eta) < 1].phi",
        },
        objects={"muons": {"from": "AnalysisMuons", "where": "pt > 10000", "sort": "-pt"}},
    )
    with uproot.open(shared_data / PHYSLITE) as opened:
        events = opened["EventData"].arrays([f"AnalysisMuonsAuxDyn:{name}" for name in ("pt", "eta", "phi")])
    pt, eta, phi = (events[f"AnalysisMuonsAuxDyn:{name}"] for name in ("pt", "eta", "phi"))
    assert_same(found["pt"], ak.sort(pt[pt > 10000], ascending=False))
    assert ak.to_list(found["n"]) == ak.to_list(ak.num(pt))
    assert_same(found["central"], phi[abs(eta) < 1])


def test_configured_collections(columns_of, shared_data):
    found = columns_of(
        str(shared_data / "uproot-HZZ.root") + ":events",
        {"px": "hard.Px", "n": "Jets.size()"},
        collections={"Jets": "Jet_P*", "Muons": "Muon_*"},
        objects={"hard": {"from": "Muons", "where": "abs(Px) > 30"}},
    )
    with uproot.open(shared_data / "uproot-HZZ.root") as opened:
        events = opened["events"].arrays(["Muon_Px", "Jet_Px"])
    assert_same(found["px"], events.Muon_Px[abs(events.Muon_Px) > 30])
    assert ak.to_list(found["n"]) == ak.to_list(ak.num(events.Jet_Px))


@pytest.mark.parametrize(
    ("pattern", "aliases", "taken"),
    [
        ("Muon_*", {"met": "MET_pt"}, "Jet_eta"),
        ("Muon_p*", {"Jet_t": "Jet_eta"}, "Jet_eta"),
        ("M*_pt", {"Jet_uon": "nJet"}, "nJet"),
    ],
)
def test_collections_whose_members_are_called_as_other_columns_are_an_error(
    mistake_in, nano, pattern, aliases, taken
):
    """`Jet.pt` would be that column, without a word."""
    said = mistake_in(nano, collections={"Jet": pattern}, aliases=aliases, select=[])
    assert 'error: "Jet" cannot name this collection: "Jet.' in said
    assert f'is the column "{taken}", and would be "Muon_' in said


@pytest.mark.parametrize(("pattern", "member"), [("Jet_*", "pt"), ("Jet_p*", "t")])
def test_collections_may_be_called_as_their_members_begin(columns_of, nano, pattern, member):
    found = columns_of(nano, {"a": f"Jet.{member}", "n": "Jet.size()"}, collections={"Jet": pattern})
    assert_same(found["a"], events_of(nano, "Jet_pt").Jet_pt)


def test_lists_of_different_collections_are_not_filled_together(mistake_in, nano):
    said = mistake_in(
        nano,
        histograms={
            "h": {"x": {"value": "Muon_pt * 2", "bins": 10, "range": [0, 1]}, "weight": "Jet_pt / 10"}
        },
        output={"histograms": "h.root"},
    )
    assert 'this is a list for "Jet", and cannot be filled with one for "Muon"' in said
    assert '"Jet_pt / 10"' in said and '"Muon_pt * 2"' in said


@pytest.mark.parametrize(
    "weight",
    [
        "Take(Jet_pt, Muon_jetIdx, 0)",
        "Jet_pt[Jet_pt > 30]",
        "Muon_pt + Take(Jet_pt, Muon_jetIdx, 0)",
        "genWeight",
    ],
)
def test_what_need_not_be_of_another_collection_passes(call, tmp_path, nano, weight):
    job = {
        "schema_version": 1,
        "samples": {"s": {"files": [str(nano)]}},
        "histograms": {"h": {"x": {"value": "Muon_pt", "bins": 10, "range": [0, 1]}, "weight": weight}},
        "output": {"histograms": "h.root"},
    }
    (tmp_path / "job.json").write_text(json.dumps(job))
    done = call("validate", tmp_path / "job.json")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        ({"a": {"from": "Jets"}}, 'unknown collection "Jets" (did you mean "Jet"?)'),
        ({"Jet": {"from": "Muon"}}, '"Jet" cannot name objects: there is a column "Jet_area"'),
        ({"a": {"from": "Jet", "where": "ptt > 3"}}, 'unknown column "ptt" (did you mean "pt"?)'),
        (
            {"a": {"from": "Jet", "where": "nJet > 3"}},
            "the condition must be a list with a bool for each object",
        ),
        ({"a": {"from": "Jet", "sort": "3"}}, "objects are sorted by a list with a number for each"),
        (
            {"a": {"from": "Jet", "sort": "ForEach(pt, eta)"}},
            "objects are sorted by a list with a number for each: this is list of lists of float",
        ),
        (
            {
                "a": {"from": "Jet", "where": "pt > Max(b.pt)"},
                "b": {"from": "Jet", "where": "pt > Max(a.pt)"},
            },
            "are defined by themselves",
        ),
        ({"a": {"from": "b"}, "b": {"from": "Jet"}}, 'unknown collection "b"'),
    ],
)
def test_mistakes_in_objects(mistake_in, nano, objects, message):
    said = mistake_in(nano, objects=objects, select=[{"name": "c", "where": "nJet > 0"}])
    assert message in said
    assert "error:" in said and "job.json:" in said


def test_mistakes_in_uses_of_objects(mistake_in, nano):
    for where, message in [
        ("good_jets.ptt > 3", 'unknown column "good_jets.ptt" (did you mean "good_jets.pt"?)'),
        ("good_jets", '"good_jets" is a collection: name a member, as in good_jets.'),
        ("Any(Jet_pt.eta > 3)", 'unknown column "Jet_pt.eta"'),
        ("(nJet + 1).pt > 0", '"nJet + 1" is no collection'),
    ]:
        said = mistake_in(nano, objects={"good_jets": GOOD_JETS}, select=[{"name": "c", "where": where}])
        assert message in said


def test_a_mistake_in_objects_is_said_once(mistake_in, nano):
    said = mistake_in(
        nano,
        objects={"a": {"from": "Jet", "where": "ptt > 3"}, "b": {"from": "a", "where": "pt > 3"}},
        define={"x": "Max(a.pt)", "y": "Max(b.pt) + x"},
        select=[{"name": "c", "where": "x > 3 && y > 2"}],
    )
    assert said.count("error:") == 1


def test_objects_that_nobody_uses(call, tmp_path, nano):
    job = {
        "schema_version": 1,
        "samples": {"s": {"files": [str(nano)]}},
        "objects": {"a": GOOD_JETS, "b": {"from": "Muon"}, "c": {"from": "b", "where": "pt > 10"}},
        "select": [{"name": "c", "where": "c.size() > 3"}],
    }
    (tmp_path / "job.json").write_text(json.dumps(job))
    done = call("validate", tmp_path / "job.json")
    assert done.returncode == 0, done.stderr
    assert 'the objects "a" are not used' in done.stdout
    assert done.stdout.count("not used") == 1


def test_plans_call_members_by_their_names(call, tmp_path, nano):
    objects = {"good": GOOD_JETS, "pairs": {"from": "Combinations(good, 2)", "where": "mass > 40"}}
    job = {
        "schema_version": 1,
        "samples": {"s": {"files": [str(nano)]}},
        "objects": objects,
        "skims": {"out": {"file": "out.root", "columns": {"best": "Max(pairs.a.pt) + Sum(good.eta)"}}},
    }
    (tmp_path / "job.json").write_text(json.dumps(job))
    done = call("plan", tmp_path / "job.json")
    for name in (
        "good.eta",
        "Combinations(good, 2).mass",
        "pairs.a.pt",
    ):
        assert f"compute  {name} (" in done.stdout, done.stdout

# SPDX-License-Identifier: BSD-3-Clause
"""Objects that are pairs, triples and the like of others: values as awkward has them, and mistakes at their places."""

import json

import awkward as ak
import numpy as np
import pytest
import uproot
from nano_objects import GOOD_JETS, assert_same, events_of


def jets_of(file):
    events = events_of(
        file, "Jet_pt", "Jet_eta", "Jet_phi", "Jet_mass", "Jet_btagCSVV2", "Jet_muonIdx1", "Muon_charge"
    )
    jets = ak.zip({name[4:]: events[name] for name in events.fields if name.startswith("Jet_")})
    return events, jets


def momentum_of(jets):
    """In double, as P4 computes it."""
    pt, eta, phi, mass = (ak.values_astype(jets[name], "float64") for name in ("pt", "eta", "phi", "mass"))
    x, y, z = pt * np.cos(phi), pt * np.sin(phi), pt * np.sinh(eta)
    return x, y, z, np.sqrt(x * x + y * y + z * z + mass * mass)


def mass_of(*members):
    x, y, z, energy = (sum(component) for component in zip(*map(momentum_of, members), strict=True))
    square = energy * energy - x * x - y * y - z * z
    return np.copysign(np.sqrt(abs(square)), square)


def assert_near(found, expected):
    assert ak.to_list(ak.num(found)) == ak.to_list(ak.num(expected))
    np.testing.assert_allclose(
        ak.to_numpy(ak.flatten(found)), ak.to_numpy(ak.flatten(expected)), rtol=1e-6, atol=1e-4
    )


COMBINED = {
    "good_jets": GOOD_JETS,
    "pairs": {"from": "Combinations(good_jets, 2)"},
    "trijets": {"from": "Combinations(Jet, 3)", "fields": ["x", "y", "z"]},
    "tops": {
        "from": "Combinations(Jet, 3)",
        "where": "mass > 100 && mass < 250 && max(a.btagCSVV2, b.btagCSVV2, c.btagCSVV2) > 0.3",
        "sort": "abs(mass - 172.5)",
    },
    "lepton_jets": {
        "from": "Combinations(Muon, good_jets)",
        "fields": ["muon", "jet"],
        "where": "jet.pt > muon.pt",
    },
    "quads": {"from": "Combinations(good_jets, 4)"},
    "twins": {"from": "Combinations(pairs, Muon)"},
}


def test_combinations_are_those_of_awkward(columns_of, nano):
    found = columns_of(
        nano,
        {
            "first": "pairs.a.pt",
            "second": "pairs_b_eta",
            "n": "pairs.size()",
            "place": "pairs.index_",
            "z": "trijets.z.pt",
            "heavy": "trijets[trijets.mass > 100].y.eta",
            "mass": "trijets.mass",
            "top": "tops.mass",
            "top_b": "tops.b.btagCSVV2",
            "charge": "trijets.x.muon1.charge",
            "muon": "lepton_jets.muon.charge",
            "jet": "lepton_jets.jet.pt",
            "fourth": "quads.d.pt",
            "twin": "twins.a.b.pt",
            "twin_mass": "twins.a.mass",
        },
        objects=COMBINED,
    )
    events, jets = jets_of(nano)
    good = jets[(jets.pt > 30) & (abs(jets.eta) < 2.4)]
    good = good[ak.argsort(-good.pt, stable=True)]
    pairs = ak.combinations(good, 2, fields=["a", "b"])
    triples = ak.combinations(jets, 3, fields=["a", "b", "c"])
    mass = mass_of(triples.a, triples.b, triples.c)
    assert_same(found["first"], pairs.a.pt)
    assert_same(found["second"], pairs.b.eta)
    assert ak.to_list(found["n"]) == ak.to_list(ak.num(pairs))
    assert_same(found["place"], ak.local_index(pairs.a.pt))
    assert_same(found["z"], triples.c.pt)
    assert_near(found["mass"], mass)
    assert_same(found["heavy"], triples.b.eta[mass > 100])
    score = np.maximum(np.maximum(triples.a.btagCSVV2, triples.b.btagCSVV2), triples.c.btagCSVV2)
    chosen = (mass > 100) & (mass < 250) & (score > 0.3)
    order = ak.argsort(abs(mass[chosen] - 172.5), stable=True)
    assert 0 < ak.sum(ak.num(order)) < ak.sum(ak.num(mass))
    assert_near(found["top"], mass[chosen][order])
    assert_same(found["top_b"], triples.b.btagCSVV2[chosen][order])
    muons = ak.zip({"charge": events.Muon_charge, "pt": events_of(nano, "Muon_pt").Muon_pt})
    both = ak.cartesian({"muon": muons, "jet": good})
    both = both[both.jet.pt > both.muon.pt]
    assert ak.sum(ak.num(both)) > 20
    assert_same(found["muon"], both.muon.charge)
    assert_same(found["jet"], both.jet.pt)
    assert_same(found["fourth"], ak.combinations(good, 4, fields="abcd").d.pt)
    twins = ak.cartesian({"a": pairs, "b": muons})
    assert_same(found["twin"], twins.a.b.pt)
    assert_near(found["twin_mass"], mass_of(twins.a.a, twins.a.b))
    owner = ak.where(jets.muonIdx1 >= 0, jets.muonIdx1, 0)
    charges = [
        [row[i] if index >= 0 else 0 for i, index in zip(owners, indexes, strict=True)]
        for row, owners, indexes in zip(
            ak.to_list(events.Muon_charge), ak.to_list(owner), ak.to_list(jets.muonIdx1), strict=True
        )
    ]
    assert_same(found["charge"], ak.combinations(ak.Array(charges), 3, fields="abc").a)


def test_reductions_of_combinations_that_may_be_none(columns_of, call, tmp_path, nano):
    """Their lists are never written, and are empty for events with too few objects."""
    found = columns_of(
        nano,
        {
            "sum": "Sum(pairs.mass)",
            "any": "Any(trios.mass > 300)",
            "all": "All(trios.mass > 100)",
            "every": "All(central_trios.mass > 100)",  # of nothing else
            "number": "Sum(pairs.mass > 100)",
            "nearest": "pairs.empty() ? -1 : int(ArgMin(abs(pairs.mass - 91.2)))",
            "largest": "trios.size() > 0 ? Max(trios.mass) : 0.",
        },
        objects={
            "good_jets": GOOD_JETS,
            "pairs": {"from": "Combinations(good_jets, 2)"},
            "trios": {"from": "Combinations(good_jets, 3)"},
            "central_jets": {"from": "good_jets", "where": "abs(eta) < 2"},
            "central_trios": {"from": "Combinations(central_jets, 3)"},
        },
    )
    _, jets = jets_of(nano)
    good = jets[(jets.pt > 30) & (abs(jets.eta) < 2.4)]
    good = good[ak.argsort(-good.pt, stable=True)]
    pairs, trios = (ak.combinations(good, n, fields=list("abc")[:n]) for n in (2, 3))
    of_pairs, of_trios = mass_of(pairs.a, pairs.b), mass_of(trios.a, trios.b, trios.c)
    central = ak.combinations(good[abs(good.eta) < 2], 3, fields="abc")
    assert {0, 1, 2} < set(ak.to_list(ak.num(good)))
    np.testing.assert_allclose(found["sum"], ak.sum(of_pairs, axis=1), rtol=1e-6)
    np.testing.assert_allclose(found["largest"], ak.fill_none(ak.max(of_trios, axis=1), 0), rtol=1e-6)
    for name, expected in [
        ("any", ak.any(of_trios > 300, axis=1)),
        ("all", ak.all(of_trios > 100, axis=1)),
        ("every", ak.all(mass_of(central.a, central.b, central.c) > 100, axis=1)),
        ("number", ak.sum(of_pairs > 100, axis=1)),
        ("nearest", ak.fill_none(ak.argmin(abs(of_pairs - 91.2), axis=1), -1)),
    ]:
        assert ak.to_list(found[name]) == ak.to_list(expected), name
    job = {
        "schema_version": 1,
        "samples": {"s": {"files": [str(nano)]}},
        "objects": {"pairs": {"from": "Combinations(Muon, 2)"}},
        "select": [{"name": "c", "where": "ArgMin(pairs.mass) > 0"}],
    }
    (tmp_path / "job.json").write_text(json.dumps(job))
    done = call("run", tmp_path / "job.json")
    assert done.returncode != 0 and "ArgMin of an empty list" in done.stderr


def test_combinations_are_what_expressions_of_indexes_give(columns_of, nano):
    """The same bits, of one combination too."""
    found = columns_of(
        nano,
        {
            "pt": "enough ? trijets[best].pt : 0.",
            "mass": "enough ? trijets[best].p4().mass() : 0.",
            "b": "enough ? max(trijets[best].x.btagCSVV2, trijets[best].z.btagCSVV2) : 0.f",
            "dr": "enough ? DeltaR(trijets[best].x.p4(), trijets.y[best].p4()) : 0.",
            "far": "DeltaR(pairs.a.p4(), pairs.b.p4())",
            "eta": "pairs.p4().eta()",
            "mixed": "(lepton_jets.muon.p4() + lepton_jets.jet.p4()).mass()",
        },
        objects=COMBINED,
        define={"enough": "Jet.size() > 2", "best": "ArgMin(abs(trijets.mass - 172.5))"},
    )
    sorted_jets = {name: f"Take(Jet_{name}[good], order)" for name in ("pt", "eta", "phi", "mass")}
    expected = columns_of(
        nano,
        {
            "pt": "enough ? sums[best].pt() : 0.",
            "mass": "enough ? sums[best].mass() : 0.",
            "b": "enough ? max(Jet_btagCSVV2[t[0][best]], Jet_btagCSVV2[t[2][best]]) : 0.f",
            "dr": "enough ? DeltaR(p[t[0][best]], p[t[1][best]]) : 0.",
            "far": "g.size() > 1 ? DeltaR(Take(g, c[0]), Take(g, c[1])) : none",
            "eta": "g.size() > 1 ? (Take(g, c[0]) + Take(g, c[1])).eta() : none",
            "mixed": "(Take(m, d[0])[e] + Take(g, d[1])[e]).mass()",
        },
        define={
            "enough": "nJet > 2",
            "p": "P4(Jet_pt, Jet_eta, Jet_phi, Jet_mass)",
            "t": "Combinations(Jet_pt, 3)",
            "sums": "Take(p, t[0]) + Take(p, t[1]) + Take(p, t[2])",
            "best": "ArgMin(abs(sums.mass() - 172.5))",
            "good": "Jet_pt > 30 && abs(Jet_eta) < 2.4",
            "order": "Argsort(-Jet_pt[good])",
            "g": f"P4({', '.join(sorted_jets.values())})",
            "c": "Combinations(g, 2)",
            "none": "double(Jet_pt[Jet_pt < 0])",
            "m": "P4(Muon_pt, Muon_eta, Muon_phi, Muon_mass)",
            "d": "Combinations(m, g)",
            "e": f"Take({sorted_jets['pt']}, d[1]) > Take(Muon_pt, d[0])",
        },
    )
    for name in found.fields:
        values = [ak.to_numpy(ak.flatten(each[name], axis=None)) for each in (found, expected)]
        assert values[0].tobytes() == values[1].tobytes(), name
        assert len(np.unique(values[0])) > 20


def test_variations_go_through_combinations(call, tmp_path, nano):
    def counts(objects, value, **config):
        job = {
            "schema_version": 1,
            "samples": {"s": {"files": [str(nano)]}},
            "variations": {"jes": {"columns": {"Jet_pt": {"up": "Jet_pt * 1.1f", "down": "Jet_pt * 0.9f"}}}},
            "objects": {"good_jets": GOOD_JETS, **objects},
            "histograms": {"m": {"x": {"value": value, "bins": 50, "range": [0, 500]}}},
            "output": {"histograms": "out.root"},
            **config,
        }
        (tmp_path / "job.json").write_text(json.dumps(job))
        done = call("run", tmp_path / "job.json", "--force")
        assert done.returncode == 0, done.stderr
        with uproot.open(tmp_path / "out.root") as out:
            return {key: out[key].values(flow=True).tolist() for key in out.keys(filter_name="m*")}

    found = counts({"pairs": {"from": "Combinations(good_jets, 2)", "where": "mass > 50"}}, "pairs.mass")
    expected = counts(
        {},
        "m[m > 50]",
        define={
            "c": "Combinations(good_jets, 2)",
            "m": "good_jets.size() > 1 ? (Take(good_jets, c[0]).p4() + Take(good_jets, c[1]).p4()).mass() : double(Jet_pt[Jet_pt < 0])",
        },
    )
    assert len(found) == 3 and found == expected
    assert len({str(values) for values in found.values()}) == 3


@pytest.mark.parametrize(
    ("value", "weight", "owners"),
    [
        ("pairs.mass", "Jet_pt", ("Jet", "pairs")),
        ("pairs.a.pt * 2", "trijets.x.pt", ("trijets", "pairs")),
        ("(trijets.x.p4() + trijets.y.p4()).mass()", "tops.mass", ("tops", "trijets")),
        ("(pairs.a.p4() + pairs.b.p4()).mass()", "lepton_jets.jet.pt", ("lepton_jets", "pairs")),
        ("good_jets.pt", "Jet_pt", ("Jet", "good_jets")),
    ],
)
def test_lists_of_different_combinations_are_not_filled_together(mistake_in, nano, value, weight, owners):
    said = mistake_in(
        nano,
        objects=COMBINED,
        define={"used": "trijets.x.pt"},
        histograms={"h": {"x": {"value": value, "bins": 10, "range": [0, 1]}, "weight": weight}},
        output={"histograms": "h.root"},
    )
    assert f'this is a list for "{owners[0]}", and cannot be filled with one for "{owners[1]}"' in said
    assert f'"{weight}"' in said and f'"{value}"' in said


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        ({"a": {"from": "Combinations(Jets, 3)"}}, 'unknown collection "Jets" (did you mean "Jet"?)'),
        ({"a": {"from": "Combinations(Jet, 1)"}}, "2 to 16 objects can be combined"),
        ({"a": {"from": "Combinations(Jet, 17)"}}, "2 to 16 objects can be combined"),
        ({"a": {"from": "Combinations(Jet, -2)"}}, "expected the name of a collection"),
        ({"a": {"from": "Combinations(Jet, 2.5)"}}, "expected how many objects to combine"),
        ({"a": {"from": "Combinations(Jet)"}}, "of two or three collections"),
        ({"a": {"from": "Combinations(Jet, Muon, Jet, Muon)"}}, "of two or three collections"),
        ({"a": {"from": "Combinations(Jet[Jet.pt > 3], 2)"}}, "expected the name of a collection"),
        ({"a": {"from": "ak.cartesian(Jet, Muon)"}}, "write Combinations(objects, number)"),
        ({"a": {"from": "Cartesian(Jet, Muon)"}}, "write Combinations(objects, number)"),
        ({"a": {"from": "Take(Jet, 2)"}}, "objects are those of a collection, Combinations("),
        ({"a": {"from": "Combinations(Jet, 3"}}, "expected"),
        ({"a": {"from": "Jet", "fields": ["x"]}}, "this is a collection"),
        (
            {"a": {"from": "Combinations(Jet, 2)", "fields": ["x"]}},
            'these have 2 members, not the 1 of "fields"',
        ),
        ({"a": {"from": "Combinations(Jet, 2)", "fields": ["x", "x"]}}, 'another member is called "x" too'),
        ({"a": {"from": "Combinations(Jet, 2)", "fields": ["x", "mass"]}}, '"mass" cannot name a member'),
        ({"a": {"from": "Combinations(Jet, 2)", "fields": ["x", "1"]}}, '"1"'),
        ({"Jet": {"from": "Combinations(Muon, 2)"}}, '"Jet" cannot name objects'),
        ({"pairs": {"from": "Combinations(Jet, 2)", "where": "d.pt > 3"}}, 'unknown column "d.pt"'),
        (
            {"pairs": {"from": "Combinations(Jet, 2)", "where": "a.ptt > 3"}},
            'unknown column "a.ptt" (did you mean "a.pt"?)',
        ),
        ({"pairs": {"from": "Combinations(Jet, 2)", "where": "pairs.mass > 3"}}, "are defined by themselves"),
        (
            {
                "a": {"from": "Jet", "where": "pt > Max(b.mass)"},
                "b": {"from": "Combinations(a, 2)"},
            },
            "are defined by themselves",
        ),
        (
            {
                "p": {"from": "Combinations(Jet, 2)"},
                "q": {"from": "Combinations(p, 2)"},
                "r": {"from": "Combinations(q, 2)"},
                "s": {"from": "Combinations(r, 2)"},
            },
            "more than 3 combinations are made of one another",
        ),
    ],
)
def test_mistakes_in_combinations(mistake_in, nano, objects, message):
    said = mistake_in(nano, objects=objects, select=[{"name": "c", "where": "nJet > 0"}])
    assert message in said
    assert said.count("error:") == 1 and "job.json:" in said


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("Any(trijets.a.pt > 3)", 'unknown column "trijets.a.pt" (did you mean "trijets.x.pt"?)'),
        ("Any(trijets.x.ptt > 3)", 'unknown column "trijets.x.ptt" (did you mean "trijets.x.pt"?)'),
        ("trijets", '"trijets" is a collection: name a member, as in trijets.x.pt'),
        ("trijets.x", '"trijets.x" is a collection: name a member, as in trijets.x.pt'),
        ("Any(trijets.charge > 3)", 'unknown column "trijets.charge"'),
        ("trijets[0].w.p4().pt() > 3", "p4() is of objects of a collection"),
    ],
)
def test_mistakes_in_uses_of_combinations(mistake_in, nano, where, message):
    assert message in mistake_in(nano, objects=COMBINED, select=[{"name": "c", "where": where}])


def test_members_of_combinations_that_nobody_uses_are_not_read(call, tmp_path, nano):
    job = {
        "schema_version": 1,
        "samples": {"s": {"files": [str(nano)]}},
        "objects": {"trijets": {"from": "Combinations(Jet, 3)"}, "pairs": {"from": "Combinations(Jet, 2)"}},
        "select": [{"name": "c", "where": "Any(trijets.b.btagCSVV2 > 0.5) && !trijets.empty()"}],
    }
    (tmp_path / "job.json").write_text(json.dumps(job))
    done = call("plan", tmp_path / "job.json", "--json")
    assert done.returncode == 0, done.stderr
    assert '"Jet_btagCSVV2"' in done.stdout and '"Jet_eta"' not in done.stdout
    said = call("validate", tmp_path / "job.json").stdout
    assert 'the objects "pairs" are not used' in said and 'objects "trijets"' not in said

# SPDX-License-Identifier: BSD-3-Clause
"""Aliases and objects of frames."""

import json

import awkward as ak
import numpy as np
import pytest
import skimline as sk

GOOD = {"good": {"from": "Muon", "where": "pt > 20", "sort": "-pt"}}


@pytest.fixture
def events(dimuon):
    return sk.open(dimuon, objects=GOOD, aliases={"met": "MET_pt", "mu_*": "Muon_*"})


def test_values_are_those_of_lists(events, dimuon):
    found = events.filter("good.size() > 1").arrays(["good[1].pt", "met", "mu[0].eta"], library="np")
    plain = sk.open(dimuon).filter("Sum(Muon_pt > 20) > 1")
    expected = plain.arrays(
        ["Take(Muon_pt[Muon_pt > 20], Argsort(-Muon_pt[Muon_pt > 20]))[1]", "MET_pt", "Muon_eta[0]"],
        library="np",
    )
    for one, other in zip(found.values(), expected.values(), strict=True):
        assert len(one) > 0
        np.testing.assert_array_equal(one, other)


def test_objects_behind_the_dot(events):
    good = events.good
    hard = good[good.pt > 40]
    texts = {
        "good.pt": good.pt,
        "good[good.pt > 40].eta": hard.eta,
        "good[good.pt > 40].p4()": hard.p4(),
        "good[Range(size(good)) < 2].phi": good[:2].phi,
        "good[0].pt > 30": good[0].pt > 30,
        "size(good)": good.size(),
    }
    for text, column in texts.items():
        assert str(column) == text
    assert str(good["max"]) == "good.max"
    assert {"pt", "charge"} <= set(dir(good)) and "good" in dir(events)
    shown = events.arrays({"x": good[:2].phi, "y": good.phi}, library="ak")
    assert ak.to_list(shown["x"]) == ak.to_list(shown["y"][:, :2]) and ak.any(ak.num(shown["x"]) == 0)
    found = events.filter(good.size() > 1).arrays([hard.eta, good[:2].phi, good[0].pt], library="ak")
    names = ["Muon_pt", "Muon_eta", "Muon_phi"]
    muons = ak.zip(dict(zip(("pt", "eta", "phi"), ak.unzip(events.arrays(names, library="ak")), strict=True)))
    muons = muons[muons.pt > 20]
    muons = muons[ak.argsort(-muons.pt, stable=True)]
    muons = muons[ak.num(muons) > 1]
    expected = [muons[muons.pt > 40].eta, muons[:, :2].phi, muons[:, 0].pt]
    for name, values in zip(ak.fields(found), expected, strict=True):
        assert ak.to_list(found[name]) == ak.to_list(values)
    with pytest.raises(sk.ExpressionError, match=r"good\.ptt"):
        events.arrays([good.ptt])
    assert not hasattr(good, "__array_interface__")


def test_combinations(dimuon):
    events = sk.open(
        dimuon,
        objects={
            **GOOD,
            "pairs": {"from": "Combinations(good, 2)", "fields": ["lead", "trail"], "where": "mass > 5"},
        },
    )
    names = [events.pairs.lead.pt, events.pairs[0].mass]
    assert {"lead", "mass"} <= set(dir(events.pairs))
    found = events.filter(events.pairs.size() > 0).arrays(names, library="np")
    plain = sk.open(dimuon).define("pt", "Take(Muon_pt[Muon_pt > 20], Argsort(-Muon_pt[Muon_pt > 20]))")
    plain = plain.filter("pt.size() > 1").arrays("pt", library="np")["pt"]
    assert 0 < len(found["pairs.lead.pt"]) <= len(plain)
    assert np.max(np.concatenate(found["pairs.lead.pt"])) == max(max(each[:-1]) for each in plain)
    assert np.min(found["pairs[0].mass"]) > 5
    again = sk.Frame.from_config(json.loads(json.dumps(events.filter("pairs.size() > 0").to_config())))
    assert again.count() == len(found["pairs.lead.pt"])
    with pytest.raises(sk.ExpressionError, match="2 to 16 objects"):
        sk.open(dimuon, objects={"p": {"from": "Combinations(Muon, 1)"}}).filter("true").count()


def test_configs_have_them(events):
    config = events.filter("good.size() > 1").to_config()
    assert config["objects"] == GOOD and config["aliases"] == {"met": "MET_pt", "mu_*": "Muon_*"}
    again = sk.Frame.from_config(json.loads(json.dumps(config)))
    assert again.count() == events.filter("good.size() > 1").count()


def test_objects_of_definitions(dimuon):
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": [str(dimuon)]}},
        "objects": {"hard": {"from": "Muon", "where": "pt > threshold"}},
        "define": {"threshold": "30", "n": "hard.size()"},
        "select": [{"name": "hard", "where": "n > 0"}],
    }
    assert sk.Frame.from_config(config).count() == sk.open(dimuon).filter("Any(Muon_pt > 30)").count()


def test_variations_go_through_objects(events, dimuon):
    def filled(frame, value):
        varied = frame.vary("scale", {"Muon_pt": {"up": "Muon_pt * 1.5f", "down": "Muon_pt * 0.5f"}})
        booked = varied.hist(value, bins=20, range=(0, 100), name="h")
        sk.run(booked)
        return {name: booked.variations[name].values().tolist() for name in booked.variations}

    found = filled(events, "good.pt")
    assert found and found == filled(sk.open(dimuon), "Muon_pt[Muon_pt > 20]")


def test_what_objects_would_not_follow_is_refused(events):
    with pytest.raises(sk.ConfigError, match="objects would not follow"):
        events.redefine("Muon_pt", "Muon_pt * 2").filter("good.size() > 1").count()


def test_mistakes(dimuon):
    with pytest.raises(sk.ConfigError, match="a column has that name"):
        sk.open(dimuon, aliases={"nMuon": "MET_pt"})
    with pytest.raises(sk.ConfigError, match="which no column matches"):
        sk.open(dimuon, aliases={"a": "MET_ptt"}).filter("nMuon > 0").count()
    with pytest.raises(sk.SchemaError, match='unknown collection "Muons"'):
        sk.open(dimuon, objects={"good": {"from": "Muons"}}).filter("true").count()


def test_collections_behind_the_dot(dimuon, shared_data):
    events = sk.open(dimuon, collections={"Mu": "Muon_p*"})
    assert str(events.Mu[events.Mu.t > 20].hi) == "Mu.hi[Mu.t > 20]"
    found = events.arrays({"phi": events.Mu[events.Mu.t > 20].hi, "plain": "Muon_phi[Muon_pt > 20]"})
    assert ak.array_equal(found.phi, found.plain)
    assert "Mu" in dir(events) and "Mu" in events
    with pytest.raises(AttributeError, match='Mu has no "tt"'):
        events.Mu.tt  # noqa: B018
    physlite = sk.open(f"{shared_data / 'uproot-physlite-rntuple_v1-0-0-0.root'}:EventData")
    found = physlite.arrays({"pt": physlite.AnalysisMuons.pt, "plain": "`AnalysisMuonsAuxDyn:pt`"})
    assert ak.array_equal(found.pt, found.plain)
    assert "AnalysisMuons" in dir(physlite)


@pytest.mark.parametrize("how", [lambda f: "good", lambda f: f.good, lambda f: {"where": "good"}])
def test_skims_keep_objects(events, arrays, tmp_path, how):
    sk.run(events.skim(tmp_path / "thin.root", keep=["nMuon", "Muon_*"], thin={"Muon": how(events)}))
    found = sk.open(tmp_path / "thin.root").arrays(["nMuon", "Muon_eta"])
    expected = arrays.Muon_eta[arrays.Muon_pt > 20]
    assert ak.array_equal(found.Muon_eta, expected)
    assert found.nMuon.to_list() == ak.num(expected).to_list()


def test_configs_that_keep_objects(dimuon, arrays, tmp_path):
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(dimuon)]}},
        "objects": GOOD,
        "skims": {
            "thin": {"file": str(tmp_path / "thin.root"), "keep": ["Muon_*"], "thin": {"Muon": "good"}}
        },
    }
    booked = sk.book(config)
    sk.run(booked.skims["thin"])
    found = sk.open(tmp_path / "thin.root").arrays(["Muon_pt"]).Muon_pt
    assert ak.array_equal(found, arrays.Muon_pt[arrays.Muon_pt > 20])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            {"aliases": {"met": "MET_ptt"}},
            r'"met" stands for "MET_ptt", which no column matches .*mean "MET_pt"',
        ),
        ({"aliases": {"mu_*": "Moun_*"}}, r'"mu_\*" stands for "Moun_\*", which no column matches'),
        ({"collections": {"Mu": "Moun_*"}}, r'no column matches "Moun_\*" of the collection "Mu"'),
    ],
)
def test_names_that_stand_for_nothing(dimuon, names, message):
    with pytest.raises(sk.ConfigError, match=message):
        sk.open(dimuon, **names)
    aliased = sk.open(dimuon, aliases={"mu_*": "Muon_*", "lead": "mu_pt"}, collections={"Mu": "mu_p*"})
    assert "lead" in aliased and "Mu" in aliased


def test_merged_collections_need_members_alike(tmp_path):
    columns = {
        "a_pt": ak.Array([[1.0], [2.0, 3.0]]),
        "a_hits": ak.Array([[1], [2, 3]]),
        "b_pt": ak.Array([[], [5.0]]),
        "b_hits": ak.Array([[], [[1, 2]]]),
        "c_x": ak.Array([[], [5.0]]),
    }
    path = tmp_path / "events.root"
    sk.write(f"{path}:Events", columns)

    def merged(text, names="abc"):
        collections = {name: f"{name}_*" for name in names}
        return sk.open(path, collections=collections, objects={"all": {"from": text}})

    found = merged("Concatenate(b, a)").arrays(["all.pt", "all.part_", "all.index_"])
    assert found["all.pt"].to_list() == [[1.0], [5.0, 2.0, 3.0]]
    assert found["all.part_"].to_list() == [[1], [0, 1, 1]]
    assert found["all.index_"].to_list() == [[0], [0, 0, 1]]
    said = '"hits" is list of std::int64_t in "a" and list of lists of std::int64_t in "b"'
    with pytest.raises(sk.Error, match=said):
        merged("Concatenate(a, b)").arrays(["all.hits"])
    with pytest.raises(sk.Error, match="these collections have no member in common"):
        merged("Concatenate(a, c)").arrays(["all.pt"])

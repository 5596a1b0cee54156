# SPDX-License-Identifier: BSD-3-Clause
"""Columns that have several names: what a frame changes of one holds for all of them."""

import awkward as ak
import numpy as np
import pytest
import skimline as sk
import uproot

JETS = ak.Array([[30.0, 20.0], [], [50.0], [10.0, 5.0, 1.0]])
NAMES = ("Jet_pt", "Jet.pt")


@pytest.fixture(scope="module", params=["tree", "records", "vectors"])
def jets(request, tmp_path_factory):
    """A file with a collection: a TTree, an RNTuple with projections of its members, one without records."""
    folder = tmp_path_factory.mktemp("jets")
    with uproot.recreate(folder / "tree.root") as file:
        file.mktree("Events", {"Jet": "var * {pt: float64, eta: float64}", "met": "float64"})
        file["Events"].extend({"Jet": ak.zip({"pt": JETS, "eta": JETS * 0}), "met": np.arange(4.0)})
    if request.param != "tree":
        sk.convert(folder / "tree.root", folder / f"{request.param}.root", collections=request.param)
    return folder / f"{request.param}.root"


def sums(frame, *names):
    return [frame.sum(f"Sum({name})").value for name in names]


@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_redefined_is_so_by_each_name(jets, name, behind):
    events = sk.open(jets)
    changed = (events.filter("true") if behind else events).redefine(name, f"{name} * 2")
    assert sums(changed, *NAMES) == [2 * ak.sum(JETS)] * 2
    assert sums(changed.redefine("Jet_pt", "Jet.pt + 1"), *NAMES) == [2 * ak.sum(JETS) + ak.count(JETS)] * 2
    assert changed.filter("Jet.pt.size() > 0 && Jet.pt[0] > 50").count() == 2
    assert changed.define("leading", "Sum(Jet.pt)").sum("leading").value == 2 * ak.sum(JETS)
    assert ak.to_list(changed.arrays(["Jet.pt"])["Jet.pt"]) == ak.to_list(JETS * 2)
    assert sums(events, *NAMES) == [ak.sum(JETS)] * 2


@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_what_varies_does_so_by_each_name(jets, name, behind):
    events = sk.open(jets).define("before", "Sum(Jet.pt)")
    varied = (events.filter("true") if behind else events).vary("jes", {name: {"up": f"{name} * 3"}})
    booked = [varied.sum(text) for text in ("Sum(Jet_pt)", "Sum(Jet.pt)", "before")]
    sk.run(*booked)
    assert [each.value for each in booked] == [ak.sum(JETS)] * 3
    assert [each.numbers["jes_up"] for each in booked] == [3 * ak.sum(JETS)] * 3


@pytest.mark.parametrize(
    "options", [{}, {"format": "ttree"}, {"collections": "vectors"}, {"keep": ["Jet_*"]}]
)
@pytest.mark.parametrize("name", NAMES)
def test_skims_have_what_is_redefined_once(jets, tmp_path, name, options):
    changed = sk.open(jets).redefine(name, f"{name} * 2")
    sk.run(changed.skim(tmp_path / "s.root", **options))
    names = uproot.open(tmp_path / "s.root")["Events"].keys()
    assert not any(each.endswith("_2") for each in names)
    assert sums(sk.open(tmp_path / "s.root"), *NAMES) == [2 * ak.sum(JETS)] * 2


@pytest.mark.parametrize("text", ["Sum(Jet[Jet.pt > 20].pt)", "Jet.size()", "Sum(Take(Jet, 1).pt)"])
def test_objects_of_what_has_changed_are_refused(jets, text):
    events = sk.open(jets)
    changed = events.filter("met > 0").redefine("Jet_pt", "Jet_pt * 2")
    for use in (changed.define, lambda name, text: changed.hist(text, bins=1, range=(0, 1), name=name)):
        with pytest.raises(sk.ConfigError, match='do not follow what "Jet_pt" means'):
            use("x", text)
    assert events.redefine("met", "met + 1").define("x", text).columns[-1] == "x"


@pytest.fixture(scope="module")
def collections_of_lists(tmp_path_factory):
    path = tmp_path_factory.mktemp("collections") / "events.root"
    jets = {f"Jet_{member}": JETS for member in ("pt", "eta", "phi", "mass")}
    sk.write(
        path, {**jets, "nJet": ak.num(JETS), "Muon_pt": JETS, "nMuon": ak.num(JETS), "met": np.arange(4)}
    )
    return sk.open(path)


MORE = {"Jet_pt": "Jet_pt * 2", "met": "met + 1"}


@pytest.mark.parametrize(
    "what",
    [
        lambda events, text: events.define("x", text).filter("nJet > 0").vary("v", MORE),
        lambda events, text: events.vary("v", MORE).define("x", text).in_variation("v"),
        lambda events, text: events.vary("v", MORE).filter(f"{text} > 0").in_variation("v"),
        lambda events, text: events.redefine("met", "met + 1")
        .redefine("Jet_pt", "Jet_pt * 2")
        .define("x", text),
    ],
)
@pytest.mark.parametrize(
    "text", ["Sum(Jet[Jet.pt > 20].eta)", "Sum(Jet.p4().pt())", "(AnyOf('m?t') ? 1 : 0)"]
)
def test_what_would_not_follow_is_refused(collections_of_lists, what, text):
    with pytest.raises(sk.ConfigError, match=r'follow what "(Jet_pt|met)"'):
        what(collections_of_lists, text).arrays(["nJet"])
    other = what(collections_of_lists, "Sum(Muon[Muon.pt > 20].pt) + (AnyOf('nM*n') ? 1 : 0)")
    assert len(other.arrays(["nJet"])) > 0


@pytest.mark.parametrize(
    "booked",
    [
        lambda varied: varied.define("x", "Sum(Jet[Jet.pt > 30].eta)").sum("x"),
        lambda varied: varied.sum("Sum(Jet[Jet.pt > 30].eta)"),
    ],
)
def test_what_would_not_follow_beside_frames_that_do_not_vary_is_refused(collections_of_lists, booked):
    varied = collections_of_lists.vary("v", {"Jet_pt": "Jet_pt * 2"})
    alone = booked(varied)
    sk.run(alone)
    assert (alone.value, alone.numbers["v"]) == (50, ak.sum(JETS[JETS * 2 > 30]))
    with pytest.raises(sk.ConfigError, match='do not follow what "Jet_pt"'):
        sk.run(booked(varied), varied.sum("Sum(Jet_pt)"), collections_of_lists.sum("met"))


def test_aliases_are_names_of_columns(jets, tmp_path):
    events = sk.open(jets, aliases={"j_*": "Jet_*", "missing": "met"})
    changed = events.filter("true").redefine("j_pt", "j_pt * 2").redefine("met", "met + 1")
    assert sums(changed, "j_pt", "Jet_pt", "Jet.pt") == [2 * ak.sum(JETS)] * 3
    assert changed.sum("missing").value == changed.sum("met").value == 10
    sk.run(changed.skim(tmp_path / "s.root", keep=["j_*", "missing"]))
    written = sk.open(tmp_path / "s.root")
    assert sums(written, "Jet_pt") == [2 * ak.sum(JETS)]
    assert written.sum("met").value == 10
    sk.run(changed.skim(tmp_path / "t.root", drop=["j_pt"]))
    assert "Jet_pt" not in sk.open(tmp_path / "t.root").columns


def test_an_alias_of_another_column_in_each_sample_is_a_name_of_its_own(jets):
    samples = {
        "a": {"files": [str(jets)], "aliases": {"x": "Jet_pt"}},
        "b": {"files": [str(jets)], "aliases": {"x": "Jet_eta"}},
    }
    config = {"schema_version": 1, "samples": samples, "select": [{"name": "all", "where": "true"}]}
    changed = sk.Frame.from_config(config).redefine("x", "x + 1")
    values = changed.sum("Sum(x)")
    assert values.of("a") == ak.sum(JETS) + ak.count(JETS)
    assert values.of("b") == ak.count(JETS)
    assert changed.sum("Sum(Jet_pt)").of("b") == ak.sum(JETS)


def test_aliases_of_another_column_in_each_sample_are_refused_where_they_would_not_follow(tmp_path):
    """Runs of a config have them follow."""
    sk.write(tmp_path / "a.root", {"x": np.arange(4.0), "y": np.arange(4.0) + 10})
    samples = {
        name: {"files": [str(tmp_path / "a.root")], "aliases": {"other": column}}
        for name, column in (("a", "x"), ("b", "y"))
    }
    config = {"schema_version": 1, "samples": samples, "select": []}
    frame = sk.Frame.from_config(config)
    scale = {"up": "x * 100"}
    varied = frame.vary("v", {"x": scale}, samples="a")
    varied = varied.hist("other", bins=1, range=(-1, 1e6), profile="other")
    sk.run(varied)
    assert (varied.variation("v_up", "a").values()[0], varied["b"].values()[0]) == (150, 11.5)
    for column in ("x", "other"):
        with pytest.raises(sk.ConfigError, match="is another column in each sample"):
            frame.vary("v", {column: scale}).arrays("other", sample="a", variation="v_up")
        with pytest.raises(sk.ConfigError, match="is another column in each sample"):
            frame.filter("y > 0").vary("v", {column: scale}).hist("other", bins=1, range=(0, 1))
    assert frame.redefine("x", "x * 100").sum("x + y").of("a") == 600 + 46
    with pytest.raises(sk.ConfigError, match='"other" in "other" stands for "x" in some samples only'):
        frame.redefine("x", "x * 100").define("again", "other")
    histogram = {"x": {"value": "other", "bins": 1, "range": [0, 1000]}}
    booked = sk.book({**config, "redefine": {"x": "x * 100"}, "histograms": {"h": histogram}})
    with pytest.raises(sk.ConfigError, match="in some samples only"):
        sk.run(booked.histograms["h"])


@pytest.fixture(scope="module")
def oddly_named(tmp_path_factory):
    """A file of columns that are called as no definition can be, and a friend of it."""
    folder = tmp_path_factory.mktemp("odd")
    for path, tree, names in (("events", "Events", ("Aux:pt", "Jet.pt")), ("friend", "Friend", ("pt",))):
        with uproot.recreate(folder / f"{path}.root") as file:
            file.mktree(tree, dict.fromkeys(names, "var * float64"))
            file[tree].extend(dict.fromkeys(names, JETS))
    return folder


def opened(folder):
    return {
        "files": [str(folder / "events.root")],
        "friends": {"more": {"files": [f"{folder / 'friend.root'}:Friend"]}},
        "aliases": {"J_*": "Aux:*"},
    }


@pytest.mark.parametrize("name", ["`Aux:pt`", "J_pt", "J.pt", "Jet.pt", "Jet_pt", "more.pt", "more_pt"])
@pytest.mark.parametrize("output", ["rntuple", "ttree"])
def test_columns_of_any_name_are_redefined(oddly_named, tmp_path, name, output):
    column = name.replace("J_", "Aux:").replace("J.", "Aux:").replace("more_", "more.").strip("`")
    skim = {"file": str(tmp_path / "s.root"), "format": output}
    config = {
        "schema_version": 1,
        "samples": {"mc": opened(oddly_named)},
        "redefine": {name: f"{name} * 2"},
        "histograms": {"pt": {"x": {"value": name, "bins": 20, "range": [0, 100]}}},
        "skims": {"s": skim},
        "output": {"histograms": str(tmp_path / "h.root"), "report": False},
    }

    def written():
        """Without what counts lists, which has a branch of its own for the columns of a skim."""
        with uproot.open(tmp_path / "s.root") as file:
            arrays = file["Events"].arrays()
        lists = [each for each in arrays.fields if not each.startswith("n")]
        return {each.replace(".", "_"): ak.to_list(arrays[each]) for each in lists}

    expected = sk.run_config(config).histograms["pt"].values()
    of_config = written()
    assert of_config[column.replace(".", "_")] == ak.to_list(JETS * 2)
    booked = sk.book(config)
    sk.run(booked.histograms["pt"], booked.skims["s"], force=True)
    assert np.array_equal(booked.histograms["pt"].values(), expected)
    assert written() == of_config

    events = sk.open(**opened(oddly_named))
    changed = events.redefine(name, f"{name} * 2")
    varied = changed.filter("true").vary("more", {name: f"{name} * 3"}).sum(f"Sum({name})")
    before = events.sum(f"Sum({name})")
    sk.run(varied, before)
    assert (before.value, varied.value, varied.numbers["more"]) == tuple(ak.sum(JETS) * n for n in (1, 2, 6))
    assert sums(sk.Frame.from_config(config), name) == [2 * ak.sum(JETS)]


KEPT = [
    ("Jet_pt", ["Jet.*"]),
    ("Jet_pt", ["`Jet_pt`", "met"]),
    ("Jet.pt", ["Jet.pt"]),
    ("my_pt", ["my.pt"]),
    ("my_pt", ["`my_pt`"]),
]


@pytest.mark.parametrize(("name", "keep"), KEPT)
def test_patterns_mean_to_frames_what_they_mean_to_skims(jets, tmp_path, name, keep):
    """What a frame did not take for kept was written with the values of the file."""
    changed = sk.open(jets).redefine("Jet_pt", "Jet_pt * 2").define("my_pt", "Jet_pt")
    sk.run(changed.skim(tmp_path / "s.root", keep=keep))
    assert sums(sk.open(tmp_path / "s.root"), name) == [2 * ak.sum(JETS)]


@pytest.mark.parametrize("drop", [keep for name, keep in KEPT if name != "my_pt"])
def test_what_is_dropped_does_not_come_back(jets, tmp_path, drop):
    changed = sk.open(jets).redefine("Jet_pt", "Jet_pt * 2")
    sk.run(changed.skim(tmp_path / "s.root", drop=drop))
    assert "Jet_pt" not in uproot.open(tmp_path / "s.root")["Events"].keys()


def test_names_as_frames_list_them_are_kept(oddly_named, tmp_path):
    changed = sk.open(oddly_named / "events.root").redefine("`Aux:pt`", "`Aux:pt` * 2")
    sk.run(changed.skim(tmp_path / "s.root", keep=changed.columns))
    assert sums(sk.open(tmp_path / "s.root"), "`Aux:pt`") == [2 * ak.sum(JETS)]

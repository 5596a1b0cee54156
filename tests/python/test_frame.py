# SPDX-License-Identifier: BSD-3-Clause
"""Frames: what they show, what they refuse at once, and the configs that are made of them."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
import skimline as sk
import uproot

MASS = "InvariantMass(Muon_pt, Muon_eta, Muon_phi, Muon_mass)"


def test_columns_are_those_of_the_file(events, arrays):
    assert set(events.columns) == set(arrays.fields)
    assert events.types["Muon_pt"] == "list of float"
    assert events.num_entries == len(arrays)
    assert events.unsupported == {}


def test_what_varies_may_be_a_column_of_the_frame(events):
    varied = events.vary("scale", {events.MET_pt: {"up": events.MET_pt * 2}})
    assert varied.max("MET_pt").value == events.max("MET_pt").value
    assert varied.in_variation("scale_up").max("MET_pt").value == 2 * events.max("MET_pt").value


def test_shows_files_filters_and_columns(events, dimuon):
    shown = str(events.filter("nMuon == 2", name="two"))
    assert f"events: 10 000 events, RNTuple in {dimuon}:Events" in shown
    assert "filter two: nMuon == 2" in shown
    assert "Muon_pt" in shown
    html = events._repr_html_()
    assert "<td" in html
    assert "transverse momentum [GeV]" in html
    assert "1 filters" in repr(events.filter("nMuon > 3"))


def test_definitions_are_columns_and_frames_do_not_change(events):
    more = events.define("pt2", "Muon_pt * 2").define("sum", "Sum(pt2)")
    assert (more.types["pt2"], more.types["sum"]) == ("list of float", "float")
    assert "pt2" not in events.columns


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda f: f.define("x", "Muon_ptt"), sk.ExpressionError, 'did you mean "Muon_pt"?'),
        (lambda f: f.filter("nMuonn > 1"), sk.ExpressionError, 'did you mean "nMuon"?'),
        (lambda f: f.filter("Muon_pt > 1"), sk.ExpressionError, "Any"),
        (lambda f: f.define("MET_pt", "1"), sk.SchemaError, "MET_pt"),
        (lambda f: f.define("a b", "1"), sk.Error, "a b"),
        (lambda f: f.function("f(a", "a"), sk.ExpressionError, "f(a"),
        (lambda f: f.hist("MET", bins=1, range=(0, 1)), sk.ExpressionError, "MET"),
        (lambda f: f.hist("MET_pt", bins=1, range=(0, 1), weight="w"), sk.ExpressionError, '"w"'),
        (
            lambda f: f.hist("MET_pt", bin=1),
            TypeError,
            "hist() got an unexpected keyword argument 'bin'",
        ),
        (lambda f: f.hist("MET_pt", "nMuon"), sk.ConfigError, 'skimline.axis("MET_pt", ...)'),
        (lambda f: f.hist(), sk.ConfigError, "what is to be filled"),
        (lambda f: f.define("x", len), sk.ConfigError, "columns="),
        (lambda f: f.define(3, "x"), TypeError, "define(): name must be a text, not 3"),
        (
            lambda f: f.filter("MET_pt > 1\0 && nMuon > 1"),
            sk.ConfigError,
            r"has the character NUL: 'MET_pt > 1\x00 && nMuon > 1'",
        ),
        (lambda f: f.define("x", 3), TypeError, "must be a text, not 3"),
        (
            lambda f: f.define("true", "MET_pt"),
            sk.ConfigError,
            '"true" cannot name a definition: it is a word',
        ),
        (lambda f: f.define("entry_", "MET_pt"), sk.ConfigError, "it is a word of the expression language"),
        (lambda f: f.weight("not", "2."), sk.ConfigError, '"not" cannot name a factor: it is a word'),
        (
            lambda f: f.define("weight_", "2."),
            sk.ConfigError,
            '"weight_" cannot name a definition: expressions',
        ),
        (lambda f: f.alias("normalisation_", "MET_pt"), sk.ConfigError, '"normalisation_" cannot name'),
        (lambda f: f.weight("normalisation_", "2."), sk.ConfigError, '"normalisation_" cannot name a factor'),
        (lambda f: f.filter(5), TypeError, "condition must be a text, not 5"),
        (lambda f: f.hist(sk.axis(5, bins=1, range=(0, 1))), TypeError, "must be a text, not 5"),
        (lambda f: f.count(threads=-1), sk.ConfigError, "threads: -1 is not from 0 to 4096"),
        (lambda f: f.arrays("MET_pt", threads=5000), sk.ConfigError, "threads: 5000"),
        (
            lambda f: f.hist("MET_pt", bins=1, range=(0, float("nan"))).to_config()
            and sk.run(f.hist("MET_pt", bins=1, range=(0, float("nan")))),
            sk.ConfigError,
            "is not two finite numbers",
        ),
        (lambda f: f.arrays(sample="nope"), sk.ConfigError, 'no sample "nope"'),
    ],
)
def test_mistakes_are_found_where_they_are_made(events, make, error, text):
    with pytest.raises(error) as caught:
        make(events)
    assert text in str(caught.value)


def test_skims_may_hold_the_weight_by_its_name(events, tmp_path, arrays):
    weighted = events.weight("generator", "genWeight")
    sk.run(weighted.skim(tmp_path / "s.root", keep=["MET_pt"], columns={"weight_": "weight_"}))
    read = sk.open(tmp_path / "s.root")
    assert np.allclose(read.arrays("weight_", library="np")["weight_"], arrays.genWeight.to_numpy())


def test_an_expression_error_knows_its_place(events):
    with pytest.raises(sk.ExpressionError) as caught:
        events.filter("nMuon > 1 && Muon_ptt[0] > 2")
    assert (caught.value.text, caught.value.offset, caught.value.length) == (
        "nMuon > 1 && Muon_ptt[0] > 2",
        13,
        8,
    )
    assert caught.value.problem.startswith("unknown column")


def test_opening_what_is_not_there(tmp_path):
    with pytest.raises(sk.ConfigError, match="no file matches"):
        sk.open(str(tmp_path / "none*.root"))
    (tmp_path / "text.root").write_text("no ROOT file")
    with pytest.raises(sk.FileError) as caught:
        sk.open(tmp_path / "text.root")
    assert caught.value.path == str(tmp_path / "text.root")
    assert caught.value.fault == "damaged"
    assert isinstance(caught.value, sk.Error)


def test_what_cannot_be_opened():
    class OfBytes:
        def __fspath__(self):
            return b"a.root"

    for wrong, text in ((5, "not 5"), (b"a.root", "not b'a.root'"), (OfBytes(), "not an OfBytes")):
        with pytest.raises(TypeError, match=f"files must be a path or several, {text}"):
            sk.open(wrong)
    for wrong in (b"a.root", OfBytes(), 5):
        with pytest.raises(TypeError, match=r"files must be a path or several: .* is none"):
            sk.open([wrong])
    with pytest.raises(sk.ConfigError, match='"files" must not be empty'):
        sk.open([])


@pytest.mark.parametrize("kind", [set, frozenset])
def test_a_set_of_files_has_one_order(tmp_path, kind):
    """Of its own it has another in each process."""
    paths = [str(tmp_path / f"{number}.root") for number in range(8)]
    for number, path in enumerate(paths):
        sk.write(path, {"number": [number]})
    assert sk.open(kind(paths)).arrays(["number"])["number"].to_list() == list(range(8))
    assert sk.open(reversed(paths)).arrays(["number"])["number"].to_list() == list(range(8))[::-1]


def test_names_of_samples_are_given_once(dimuon):
    for named in ({"a": dimuon}, {"a": dimuon, "b": dimuon}):
        with pytest.raises(sk.ConfigError, match='sample="mc" is for files that have no name'):
            sk.open(named, sample="mc")
    with pytest.raises(sk.ConfigError, match='"" cannot name a sample'):
        sk.open(dimuon, sample="")
    assert sk.open(dimuon, sample="mc").samples.names == ["mc"]


def test_working_in_a_folder_that_was_removed(dimuon, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(sk.FileError, match="the working folder cannot be found"):
        sk.open(dimuon)


def test_numbers_of_numpy(events):
    h = events.hist("MET_pt", bins=np.int64(5), range=(np.float32(0), np.float64(100)), name="h")
    v = events.hist("MET_pt", edges=np.linspace(0, 100, 6), name="v")
    sk.run(h, v)
    np.testing.assert_array_equal(h.values(), v.values())
    json.dumps(sk.to_config(h, v))


def test_paths_and_lists_of_them(dimuon, tmp_path):
    assert sk.open(dimuon).num_entries == 10000
    other = tmp_path / "other.root"
    other.write_bytes(dimuon.read_bytes())
    with pytest.raises(sk.ConfigError, match="is a copy of another"):
        sk.open([dimuon, f"{other}:Events"])
    assert sk.open([dimuon, f"{other}:Events"], allow_duplicates=True).num_entries == 20000


def test_skims_of_the_same_events(dimuon, tmp_path):
    for name, least in (("loose", 1), ("tight", 2)):
        sk.run(sk.open(dimuon).filter(f"nMuon >= {least}").skim(tmp_path / f"{name}.root"))
    skims = [str(tmp_path / "loose.root"), str(tmp_path / "tight.root")]
    for files in (skims, [skims[0], str(dimuon)]):
        events = sk.open(files)
        with pytest.raises(sk.ConfigError, match=r"would count events twice.*allow_duplicates=True"):
            events.arrays(["nMuon"])
        with pytest.raises(sk.ConfigError, match="would count events twice"):
            next(iter(events.iterate(["nMuon"])))
        with pytest.raises(sk.ConfigError, match="would count events twice"):
            events.head(1, ["nMuon"])
    twice = sk.open(skims, allow_duplicates=True)
    assert len(twice.arrays(["nMuon"])["nMuon"]) == twice.num_entries
    # Each of them is a sample of its own.
    apart = sk.open({"loose": skims[0], "tight": skims[1]})
    assert len(apart.arrays(["nMuon"], sample="*")["nMuon"]) == twice.num_entries


def test_parts_of_a_skim(dimuon, tmp_path):
    skim = sk.open(dimuon).filter("nMuon >= 2").skim(tmp_path / "skim.root", split={"events": 2000})
    sk.run(skim)
    parts = sorted(str(part) for part in tmp_path.glob("skim*.root"))
    assert len(parts) > 2
    assert len(sk.open(parts).arrays(["nMuon"])["nMuon"]) > 4000
    with pytest.warns(UserWarning, match="of which 1 are not read"):
        sk.open(parts[1:]).arrays(["nMuon"])


def test_filters_are_counted(events, arrays):
    pairs = events.filter("nMuon == 2", name="two muons").filter("MET_pt > 20")
    steps = {step.name: step.events for step in pairs.cutflow()}
    mask = arrays.nMuon == 2
    assert steps == {
        "all events": 10000,
        "two muons": int(mask.to_numpy().sum()),
        "MET_pt > 20": int((mask & (arrays.MET_pt > 20)).to_numpy().sum()),
    }
    assert pairs.count() == steps["MET_pt > 20"]


def test_a_chain_becomes_select(events):
    one = events.filter("nMuon == 2", name="two")
    two = one.filter("MET_pt > 20", name="met")
    config = sk.to_config(
        events.hist("nMuon", integers=(0, 5)),
        one.hist("MET_pt", bins=2, range=(0, 1)),
        two.skim("x.root", keep=["nMuon"]),
    )
    assert [step["name"] for step in config["select"]] == ["two", "met"]
    assert config["histograms"]["nMuon"]["after"] == "all events"
    assert config["histograms"]["MET_pt"]["after"] == "two"
    assert "after" not in config["skims"]["x"]
    assert "regions" not in config


def branch_steps(cutflow):
    return {(step.after, step.name): (step.events, step.of_previous, step.of_all) for step in cutflow}


def test_filters_count_the_same_whatever_runs_beside_them(events, arrays):
    """Each step is a part of what the filters before it leave, in its own branch."""
    pairs = events.filter("nMuon == 2", name="pairs")
    branches = [
        pairs.filter("MET_pt > 20", name="hard").filter("Muon_pt[0] > 30"),
        pairs.filter("MET_pt > 40", name="harder").filter("Muon_pt[0] > 30"),
        events.filter("nMuon == 1", name="single").filter("MET_pt > 20", name="hard"),
    ]
    number, met = np.asarray(arrays.nMuon), np.asarray(arrays.MET_pt)
    masks = {"pairs": number == 2, "single": number == 1, "hard": met > 20, "harder": met > 40}
    masks["Muon_pt[0] > 30"] = np.array([len(pt) > 0 and pt[0] > 30 for pt in arrays.Muon_pt.tolist()])
    expected = {}
    for branch in branches:
        kept, after = np.ones(len(met), bool), "all events"
        for step in branch.filters:
            passed = kept & masks[step.name]
            counts = (passed.sum(), passed.sum() / kept.sum(), passed.sum() / len(met))
            expected.setdefault((after, step.name), counts)
            kept, after = passed, step.name
    booked = [
        branch.hist("MET_pt", bins=5, range=(0, 100), name=f"h{i}") for i, branch in enumerate(branches)
    ]
    together = sk.run(*booked).cutflow
    counted = branch_steps(together)
    assert counted.pop(("", "all events")) == (len(met), 1, 1)
    assert counted == {step: pytest.approx(parts) for step, parts in expected.items()}
    for branch, histogram in zip(branches, booked, strict=True):
        for alone in (branch.cutflow(), sk.run(histogram).cutflow):
            assert branch_steps(alone).items() <= branch_steps(together).items()
    with pytest.raises(sk.ConfigError, match='several branches have a step "hard", after "pairs", "single"'):
        together["hard"]
    assert "after" in str(together) and "after" not in str(branches[0].cutflow())


@pytest.mark.filterwarnings("ignore:(?s).*pages without checksums")  # as uproot writes them
def test_columns_are_in_the_form_that_expressions_take(tmp_path):
    path = tmp_path / "odd.root"
    uproot = pytest.importorskip("uproot")
    with uproot.recreate(path) as file:
        ntuple = file.mkrntuple("Events", {"Muons:pt": np.float64, "plain": np.int32})
        ntuple.extend({"Muons:pt": np.arange(6.0), "plain": np.arange(6, dtype=np.int32)})
    odd = sk.open(path)
    assert odd.columns == ["`Muons:pt`", "plain"]
    column = odd.columns[0]
    twice = odd.define("twice", f"2 * {column}").filter(f"{column} > 1")
    assert twice.arrays([column, "twice"]).tolist() == [{"Muons:pt": i, "twice": 2 * i} for i in range(2, 6)]
    assert odd.arrays().fields == ["Muons:pt", "plain"]
    assert [len(part) for part in odd.iterate(column, step=4)] == [4, 2]
    varied = odd.vary("shift", {column: {"up": f"{column} + 1"}})
    booked = varied.hist(column, bins=6, range=(0, 6), weight=column)
    assert booked.name == "Muons_pt"
    sk.run(booked)
    assert booked.values().tolist() == [0, 1, 2, 3, 4, 5]
    assert booked.variations["shift_up"].values().tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(sk.ExpressionError, match="`Muons:pt`"):
        odd.hist("Muons:pt", bins=6, range=(0, 6))


def test_regions_of_configs_are_parts_of_the_step_that_they_are_taken_from(dimuon, arrays, tmp_path):
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": [str(dimuon)]}},
        "select": [{"name": "pairs", "where": "nMuon == 2"}, {"name": "met", "where": "MET_pt > 10"}],
        "regions": {"hard": {"where": "MET_pt > 20"}},
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 5, "range": [0, 5]}, "regions": ["hard"]}},
        "output": {"histograms": str(tmp_path / "h.root"), "report": False},
    }
    step = sk.run_config(config).cutflow["hard"]
    number, met = np.asarray(arrays.nMuon), np.asarray(arrays.MET_pt)
    passed = np.sum((number == 2) & (met > 20))
    assert (step.region, step.after, step.events) == (True, "met", passed)
    assert step.of_previous == passed / np.sum((number == 2) & (met > 10))
    assert step.of_all == passed / len(met)


def test_branches_become_regions(events, arrays):
    base = events.filter("nMuon > 0", name="muons")
    low = base.filter("MET_pt < 20", name="low met").filter("nJet == 0", name="no jet")
    high = base.filter("MET_pt > 50", name="high met")
    booked = [
        frame.hist("nMuon", integers=(0, 5), name=name)
        for frame, name in ((base, "all"), (low, "low"), (high, "high"))
    ]
    result = sk.run(booked)
    muons = arrays.nMuon > 0
    expected = [muons, muons & (arrays.MET_pt < 20) & (arrays.nJet == 0), muons & (arrays.MET_pt > 50)]
    assert [h.result.entries for h in booked] == [int(mask.to_numpy().sum()) for mask in expected]
    assert result.cutflow["low met"].region
    assert [step.name for step in result.cutflow][1:] == ["muons", "low met", "no jet", "high met"]
    assert result.cutflow["no jet"].events == booked[1].result.entries
    assert result.histogram("high", region="high_met") == booked[2].result


def test_only_what_is_used_is_in_the_config(events):
    frame = (
        events.function("twice(x)", "x * 2")
        .function("once(x)", "x")
        .define("a", "twice(MET_pt)")
        .define("b", "a + 1")
        .define("unused", "once(b)")
    )
    config = frame.hist("b", bins=2, range=(0, 1)).to_config()
    assert list(config["define"]) == ["a", "b"]
    assert list(config["functions"]) == ["twice(x)"]
    assert list(frame.skim("x.root", keep=["unus*"]).to_config()["define"]) == ["a", "b", "unused"]
    labelled = frame.hist("MET_pt", bins=2, range=(0, 1), label="a", title="b", weight="MET_phi > 0 ? 1 : 2")
    assert "define" not in labelled.to_config()
    weighted = frame.hist("MET_pt", bins=2, range=(0, 1), weight="1", weight_variations={"up": "a"})
    assert list(weighted.to_config()["define"]) == ["a"]
    profile = frame.hist(*[sk.axis("MET_pt", bins=2, range=(0, 1))] * 2, profile={"value": "twice(b)"})
    assert list(profile.to_config()["define"]) == ["a", "b"]


def test_names_that_are_taken_twice(events):
    booked = [events.hist("MET_pt", bins=1, range=(0, 1)) for _ in range(2)]
    with pytest.raises(sk.ConfigError, match='two histograms are called "MET_pt"'):
        sk.run(booked)


@pytest.mark.parametrize("is_branched", [False, True])
def test_the_program_makes_the_same_bytes_of_the_config(dimuon, tmp_path, monkeypatch, program, is_branched):
    monkeypatch.chdir(tmp_path)
    events = sk.open(str(dimuon), metadata={"scale": 2.5}, sum_weights="genWeight")
    pairs = events.define("met2", "MET_pt * scale").filter("nMuon == 2", name="two muons")
    mass = pairs.hist(MASS, bins=120, range=(60, 120), name="mass", weight="genWeight", unit="GeV")
    quiet = events.filter("MET_pt < 20") if is_branched else events
    met = (pairs.filter("nJet > 1") if is_branched else pairs).hist("met2", bins=10, range=(0, 100))
    rest = quiet.hist("nMuon", integers=(0, 5))
    skim = pairs.skim("pairs.root", keep=["Muon_*", "met2"])
    sk.run(mass, met, rest, skim, histograms="histograms.root", threads=2)
    names = ("pairs.root", "histograms.root")
    written = {name: (tmp_path / name).read_bytes() for name in names}
    (tmp_path / "analysis.json").write_text(json.dumps(sk.to_config(mass, met, rest, skim)))
    subprocess.run([program, "run", "-j1", "--force", "analysis.json"], check=True, capture_output=True)
    assert {name: (tmp_path / name).read_bytes() for name in names} == written
    sk.run(
        skim, mass, met, rest, force=True
    )  # the order of what is booked is the order in the config, here of one kind each
    assert (tmp_path / "pairs.root").read_bytes() == written["pairs.root"]


def test_several_samples(dimuon, arrays, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    events = sk.open(
        {
            "data": str(dimuon),
            "mc": {"files": str(dimuon), "metadata": {"scale": 3}},
        }
    )
    assert events.samples.names == ["data", "mc"]
    assert events.num_entries == 20000
    h = events.filter("nMuon == 2").hist("MET_pt", bins=20, range=(0, 100))
    skim = events.filter("nMuon == 2").skim("{sample}.root", keep=["nMuon"])
    result = sk.run(h, skim)
    assert result.files == ["data.root", "mc.root"]
    assert h["data"].entries == h["mc"].entries == int((arrays.nMuon == 2).to_numpy().sum())
    assert (h["data"] + h["mc"]).entries == sum([h["data"], h["mc"]]).entries == 2 * h["mc"].entries
    with pytest.raises(sk.Error, match=r'h\["data"\], h\["mc"\]'):
        h.values()
    with pytest.raises(sk.ConfigError, match=r'no sample "dat".*did you mean "data"'):
        h["dat"]
    with pytest.raises(sk.ExpressionError):
        events.define("x", "scale")  # only one of them has it
    assert "sample" in str(result.cutflow)


def test_skims_are_split(events, tmp_path):
    pairs = events.filter("nMuon == 2")
    whole = pairs.arrays(["MET_pt"])
    done = sk.run(pairs.skim(tmp_path / "x.root", keep=["MET_pt"], split={"events": 1000}))
    names = [f"x_{i + 1:04}.root" for i in range(-(-len(whole) // 1000))]
    assert [Path(file).name for file in done.files] == names
    parts = sk.open(f"{tmp_path}/x_*.root:Events").arrays(["MET_pt"])
    assert parts.MET_pt.to_list() == whole.MET_pt.to_list()
    with pytest.raises(sk.ConfigError, match="split='1 kB' is not from 65536 to"):
        pairs.skim("x.root", split="1 kB")
    with pytest.raises(sk.ConfigError, match='did you mean "events"'):
        sk.run(pairs.skim("x.root", split={"event": 3}))


def test_numbers_are_numbers(dimuon):
    events = sk.open(dimuon)
    mean, most = events.mean("MET_pt"), events.max("MET_pt")
    met = events.arrays(["MET_pt"], library="np")["MET_pt"].astype(float)
    assert mean / 2 == mean.value / 2 and isinstance(mean / 2, float)
    assert mean.value == pytest.approx(met.mean(), rel=1e-12)
    for made, expected in (
        (mean * 2, mean.value * 2),
        (2 * mean, 2 * mean.value),
        (1 / mean, 1 / mean.value),
        (most / mean, met.max() / mean.value),
        (most - mean, met.max() - mean.value),
        (1 - mean, 1 - mean.value),
        (sum([mean, most]), mean.value + met.max()),
        (-mean, -mean.value),
        (abs(-mean), mean.value),
        (mean**2, mean.value**2),
        (2**mean, 2**mean.value),
    ):
        assert made == expected and isinstance(made, float)
    assert mean < most and most >= mean and mean > 0 and not most <= 0
    with pytest.raises(TypeError):
        _ = mean / "a"


def test_a_definition_may_be_dropped(dimuon, tmp_path):
    """It is not computed then, and what names it alone says nothing."""
    events = sk.open(dimuon).define("twice", "2 * MET_pt").define("thrice", "3 * MET_pt")
    for i, keep in enumerate((["MET_*", "twice"], ["MET_*"], ["MET_*", "t*"], None)):
        chosen = {} if keep is None else {"keep": keep}
        sk.run(events.skim(tmp_path / f"{i}.root", drop=["twice"], **chosen))
        with uproot.open(tmp_path / f"{i}.root") as file:
            columns = set(file["Events"].keys())
        assert "twice" not in columns
        assert {"MET_pt", "MET_phi"} <= columns
        assert ("thrice" in columns) == (i == 2)
    with pytest.raises(sk.ConfigError, match='no column is left in the skim "x"'):
        sk.run(events.skim(tmp_path / "x.root", keep=["twice"], drop=["tw*"]))
    with pytest.raises(sk.ConfigError, match='no column matches "twic"'):
        events.skim(tmp_path / "x.root", drop=["twic"])


def test_an_empty_list_to_drop_drops_nothing(dimuon, tmp_path):
    events = sk.open(dimuon)
    skims = [
        events.skim(tmp_path / f"{i}.root", keep=["MET_*"], drop=drop)
        for i, drop in enumerate((None, [], ()))
    ]
    sk.run(*skims)
    assert len({(tmp_path / f"{i}.root").read_bytes() for i in range(3)}) == 1
    assert "drop" not in events.skim("x.root", drop=[]).to_config()["skims"]["x"]


def test_a_column_that_some_samples_lack(tmp_path):
    sk.write(tmp_path / "data.root", {"x": np.arange(3.0)})
    sk.write(tmp_path / "mc.root", {"x": np.arange(3.0), "HLT_Mu": np.array([True, False, True])})
    files = {name: str(tmp_path / f"{name}.root") for name in ("mc", "data")}
    events = sk.open(files)
    told = r'"HLT_Mu" .* for the sample "data": open\(..., defaults={\'HLT_Mu\': ...}\) says what it is'
    for ask in (
        lambda: events.filter("HLT_Mu"),
        lambda: events.define("y", "HLT_Mu && x > 1"),
        lambda: events.hist("HLT_Mu", integers=(0, 1)),
    ):
        with pytest.raises(sk.ExpressionError, match=told):
            ask()
    with pytest.raises(sk.ExpressionError, match=r"at character 1$"):
        events.filter("HLT_Muu")
    assert sk.open(files, defaults={"HLT_Mu": False}).filter("HLT_Mu").count() == 2


def test_samples_need_no_columns_of_texts_that_others_stand_for(tmp_path):
    """Factors of data are 1, as in configs, and samples may have their own texts."""
    sk.write(tmp_path / "data.root", {"x": np.arange(3.0)})
    sk.write(tmp_path / "mc.root", {"x": np.arange(3.0), "gen": np.array([1.5, -1, 2])})
    samples = {
        "data": {"files": str(tmp_path / "data.root"), "is_data": True},
        "own": {"files": str(tmp_path / "data.root"), "define": {"y": "-x"}, "weights": {"g": "2 * x"}},
        "mc": str(tmp_path / "mc.root"),
    }
    frame = sk.open(samples).weight("g", "gen")
    assert frame.filter("weight_ > 0").count() == 3 + 2 + 2
    frame = frame.weight("h", "g + 1").vary("up", {"g": "gen * 2"}, samples="mc")
    values = frame.arrays({"w": "weight_", "g": "g"}, sample="*", library="np")
    assert values["w"].tolist() == [1, 1, 1, 0, 6, 20, 3.75, 0, 6]
    booked = frame.hist("x", bins=1, range=(0, 9))
    sk.run(booked)
    assert [booked[each].values().item() for each in samples] == [3, 26, 9.75]
    assert booked["mc"].variations["up"].values().item() == 12 + 2 + 20

    defined = sk.open({each: samples[each] for each in ("own", "mc")}).define("y", "gen * x")
    assert defined.filter("y < 0").arrays("y", sample="*", library="np")["y"].tolist() == [-1, -2, -1]
    with pytest.raises(sk.ExpressionError, match=r'unknown column "gen" .* for the sample "data"'):
        sk.open(samples).define("z", "gen")


def test_factors_of_the_weight_are_one_number(events):
    with pytest.raises(
        sk.SchemaError, match=r'"muon" must be one number per event: .* list of double \(use Product\)'
    ):
        events.weight("muon", "1 + 0.01 * Muon_pt")
    weighted = events.weight("muon", "Product(1 + 0.01 * Muon_pt)").hist("MET_pt", bins=2, range=(0, 100))
    sk.run(weighted)
    assert weighted.result.entries == 10000


def test_factors_that_are_integers_do_not_wrap_around(tmp_path):
    """Nor do those of a frame that is run with others, which has a product of its own in the config."""
    sk.write(tmp_path / "a.root", {"n": np.array([2, 3], np.uint32), "q": np.array([-1, 1], np.int32)})
    one = sk.open(tmp_path / "a.root").weight("sign", "q").weight("number", "n")
    books = [
        each.hist("0.5", bins=1, range=(0, 1), name=name)
        for name, each in (
            ("all", one),
            ("more", one.weight("half", "0.5")),
            ("negative", one.filter("weight_ < 0")),
        )
    ]
    sk.run(*books)
    assert [each.values().item() for each in books] == [1, 0.5, -2]
    assert one.arrays({"w": "weight_"}, library="np")["w"].tolist() == [-2, 3]
    sk.run(books[0])
    assert books[0].values().item() == 1


def test_factors_that_are_integers_do_not_wrap_around_in_values_of_a_variation(tmp_path):
    """Neither in what replaces a column, nor where a condition stands between the factors."""
    numbers = {"n": np.array([2, 3], np.uint32), "q": np.array([-1, 1], np.int32), "x": np.array([0.5, 2])}
    sk.write(tmp_path / "a.root", numbers)
    whole = sk.open(tmp_path / "a.root").weight("sign", "q").weight("number", "n")
    frame = whole.vary("s", {"x": {"up": "x + weight_"}}).filter("weight_ < 0").weight("half", "0.5")
    read = frame.arrays({"x": "x", "w": "weight_"}, variation="s_up", library="np")
    assert (read["x"].tolist(), read["w"].tolist()) == ([-1.5], [-1])
    assert frame.in_variation("s_up").arrays("x", library="np")["x"].tolist() == [-1.5]


def test_factors_that_are_integers_in_one_sample_do_not_wrap_around(tmp_path):
    """Where a text of its own makes them such, or what they are made of."""
    numbers = {"n": np.array([2, 3], np.uint32), "q": np.array([-1, 1], np.int32)}
    sk.write(tmp_path / "a.root", numbers)
    samples = {"own": {"files": str(tmp_path / "a.root"), "weights": {"sign": "q"}, "define": {"m": "n"}}}
    frame = sk.open(samples).define("m", "0.5 * n").weight("sign", "-0.5").weight("number", "m")
    books = [
        each.hist("0.5", bins=1, range=(0, 1), name=name, where="weight_ < 0")
        for name, each in (("all", frame), ("more", frame.weight("half", "0.5")))
    ]
    sk.run(*books)
    assert [each.values().item() for each in books] == [-2, -1]


def test_factors_may_be_made_of_columns_that_are_called_like_the_weight(events, arrays):
    frame = events.define("weight_mc", "genWeight * 2").weight("generator", "weight_mc + 0")
    assert frame.sum("weight_").value == pytest.approx(2 * np.asarray(arrays["genWeight"]).sum(dtype=float))
    with pytest.raises(sk.ConfigError, match="cannot be made of weight_"):
        frame.weight("other", "2 * weight_")

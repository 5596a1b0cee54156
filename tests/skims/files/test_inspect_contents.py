# SPDX-License-Identifier: BSD-3-Clause
"""What `skimline inspect` shows of histograms and values, against what ROOT and uproot see."""

import json

import awkward as ak
import numpy as np
import pytest
import ROOT
import uproot
from exit_codes import DONE, WRONG_USAGE


def shown_as_json(call, *arguments):
    done = call("inspect", "--json", *arguments)
    assert (done.returncode, done.stderr) == (DONE, "")
    return json.loads(done.stdout)


@pytest.fixture
def filled(job, sample, tmp_path):
    """A file of ours with histograms of several kinds."""
    config = {
        "schema_version": 1,
        "samples": {"s": {"files": [str(sample)]}},
        "histograms": {
            "met": {
                "x": {"value": "MET_pt", "bins": 60, "range": [5, 60], "label": "MET", "unit": "GeV"},
                "weight": "genWeight",
            },
            "map": {
                "x": {"value": "Muon_pt", "bins": 6, "range": [10, 120]},
                "y": {"value": "Muon_eta", "edges": [-2, 0, 1, 2]},
            },
            "charge": {"x": {"value": "Muon_charge", "categories": [-1, 1]}},
            "profile": {"x": {"value": "MET_pt", "bins": 5, "range": [0, 50]}, "profile": {"value": "nJet"}},
        },
        "output": {"histograms": "h.root"},
    }
    assert job(config).returncode == DONE
    return tmp_path / "h.root"


@pytest.fixture
def of_root(tmp_path):
    """A file of ROOT's with histograms of many classes, in folders and with two cycles."""
    random = np.random.default_rng(3)
    file = ROOT.TFile(str(tmp_path / "root.root"), "RECREATE")
    flat = ROOT.TH1F("flat", "a title;x [cm];n", 7, -1.0, 2.5)
    cube = ROOT.TH3I("cube", "", 2, 0.0, 1.0, 3, 0.0, 1.0, 4, 0.0, 1.0)
    for x, y, z in random.normal(0.5, 0.6, (500, 3)):
        flat.Fill(x, y)
        cube.Fill(x, y, z)
    file.WriteObject(flat, "flat")
    flat.Fill(0.1)
    file.WriteObject(flat, "flat")
    file.mkdir("deep/er").WriteObject(cube, "cube")
    file.WriteObject(ROOT.TH1D("empty", "", 3, 0.0, 1.0), "empty")
    file.Close()
    return tmp_path / "root.root"


@pytest.mark.parametrize("which", ["filled", "of_root"])
def test_histograms_are_those_of_root(call, request, which):
    path = request.getfixturevalue(which)
    shown = shown_as_json(call, path)["histograms"]
    file = ROOT.TFile(str(path))
    with uproot.open(path) as keys:
        classes = dict(keys.classnames(cycle=False))
    names = [
        name for name, kind in classes.items() if kind.startswith("T") and name.split("/")[0] != "skimline"
    ]
    assert {each["name"] for each in shown} == {name for name in names if classes[name][1] in "HP"}
    for each in shown:
        theirs = file.Get(each["name"])
        assert each["class"] == theirs.ClassName()
        assert each["title"] == theirs.GetTitle()
        assert each["entries"] == theirs.GetEntries()
        axes = [theirs.GetXaxis(), theirs.GetYaxis(), theirs.GetZaxis()][: theirs.GetDimension()]
        assert [axis["bins"] for axis in each["axes"]] == [axis.GetNbins() for axis in axes]
        assert [axis["title"] for axis in each["axes"]] == [axis.GetTitle() for axis in axes]
        if each["class"] == "TProfile":
            assert each["integral"] is None
        else:
            assert each["integral"] == pytest.approx(theirs.Integral(), rel=1e-14)
        for number, axis in enumerate(each["axes"], 1):
            if axis["mean"] is None:
                assert theirs.GetEntries() == 0 or axis["kind"].endswith("categories")
                continue
            assert axis["mean"] == pytest.approx(theirs.GetMean(number), rel=1e-12)
            assert axis["rms"] == pytest.approx(theirs.GetStdDev(number), rel=1e-9)
            assert (axis["low"], axis["high"]) == (axes[number - 1].GetXmin(), axes[number - 1].GetXmax())
        if len(axes) == 1:
            flow = theirs.GetBinContent(0), theirs.GetBinContent(axes[0].GetNbins() + 1)
            if each["class"] != "TProfile":
                assert (each["underflow"], each["overflow"]) == flow
        else:
            assert each["underflow"] is each["overflow"] is None


def test_the_same_of_uhi_json(call, job, filled, tmp_path):
    assert call("run", "a.json", "--set", "output.histograms=h.json", cwd=tmp_path).returncode == DONE
    ours, uhi = (shown_as_json(call, path)["histograms"] for path in (filled, tmp_path / "h.json"))
    assert len(uhi) == 4
    for left, right in zip(
        sorted(ours, key=lambda each: each["name"]), sorted(uhi, key=lambda each: each["name"]), strict=True
    ):
        for key in ("name", "entries", "integral", "sparkline", "underflow"):
            assert left[key] == right[key], key


def test_sparklines_follow_the_contents(call, tmp_path):
    with uproot.recreate(tmp_path / "h.root") as file:
        file["steps"] = np.array([0.0, 1, 2, 3, 4, 5, 6, 7, 8]), np.arange(10.0)
        file["nothing"] = np.zeros(3), np.arange(4.0)
    text = call("inspect", tmp_path / "h.root").stdout
    assert " ▁▂▃▄▅▆▇█\n" in text
    ascii_text = call("inspect", "--ascii", tmp_path / "h.root").stdout
    assert ascii_text.isascii()
    assert " ..::++##\n" in ascii_text


def test_histograms_are_no_other_objects(call, filled):
    shown = shown_as_json(call, filled)
    assert {each["name"] for each in shown["objects"]} == {
        "skimline/record",
        "skimline/cutflow/s",
        "skimline/weighted_cutflow/s",
    }


def test_damaged_histograms_say_so(call, filled):
    data = bytearray(filled.read_bytes())
    place = data.index(b"TH2D", 200) + 60
    data[place] ^= 0xFF
    filled.write_bytes(data)
    done = call("inspect", filled)
    assert "checksum" in done.stdout + done.stderr


@pytest.mark.parametrize("form", ["rntuple", "ttree"])
def test_ranges_and_first_entries_are_those_of_uproot(call, generate, tmp_path, form):
    path = generate("dimuon", tmp_path / "d.root", 7000, "--seed", 11, "--format", form)
    shown = shown_as_json(call, "--ranges", "--head", 3, path)
    (events,) = shown["ntuples"] + shown["trees"]
    with uproot.open(path) as file:
        arrays = file["Events"].arrays()
    assert len(events["ranges"]) == len(arrays.fields)
    for each in events["ranges"]:
        theirs = arrays[each["column"]]
        flat = ak.flatten(theirs, axis=None)
        assert each["values"] == len(flat)
        low, high = ak.min(flat), ak.max(flat)
        assert (each["minimum"], each["maximum"]) == pytest.approx((low, high), rel=1e-7)
        assert np.float32(each["minimum"]) == np.float32(low)
        assert each["nan"] == 0
        if theirs.ndim > 1:
            sizes = ak.num(theirs)
            assert (each["shortest_list"], each["longest_list"]) == (ak.min(sizes), ak.max(sizes))
    assert len(events["first_entries"]) == 3
    for number, entry in enumerate(events["first_entries"]):
        assert set(entry) == set(arrays.fields)
        for name, value in entry.items():
            assert value == pytest.approx(
                arrays[name][number].tolist() if isinstance(value, list) else arrays[name][number], rel=1e-6
            ), name


def test_odd_values(call, tmp_path):
    values = {
        "x": np.array([np.nan, -np.inf, 2.5, np.nan], dtype=np.float32),
        "all_nan": np.full(4, np.nan),
        "big": np.array([2**64 - 1, 0, 5, 7], dtype=np.uint64),
        "flag": np.array([True, False, True, True]),
        "text": np.array(["a", 'quote "', "", "long " * 20]),
        "nested": ak.Array([[[1, 2], []], [], [[3]], [[-4, 5, 6]]]),
    }
    with uproot.recreate(tmp_path / "x.root") as file:
        file.mkrntuple("n", values)
    (events,) = shown_as_json(call, "--ranges", "--head", 9, tmp_path / "x.root")["ntuples"]
    ranges = {each["column"]: each for each in events["ranges"]}
    assert (ranges["x"]["minimum"], ranges["x"]["maximum"], ranges["x"]["nan"]) == ("-inf", 2.5, 2)
    assert (ranges["all_nan"]["minimum"], ranges["all_nan"]["nan"]) == (None, 4)
    assert ranges["big"]["maximum"] == 2**64 - 1
    assert (ranges["flag"]["minimum"], ranges["flag"]["maximum"]) == (False, True)
    assert ranges["text"]["minimum"] is None
    assert (ranges["nested"]["minimum"], ranges["nested"]["maximum"]) == (-4, 6)
    assert (ranges["nested"]["shortest_list"], ranges["nested"]["longest_list"]) == (0, 2)
    entries = events["first_entries"]
    assert len(entries) == 4
    assert [entry["x"] for entry in entries] == ["nan", "-inf", 2.5, "nan"]
    assert [entry["nested"] for entry in entries] == [[[1, 2], []], [], [[3]], [[-4, 5, 6]]]
    assert [entry["text"] for entry in entries] == values["text"].tolist()
    text = call("inspect", "--head", 4, tmp_path / "x.root").stdout
    assert "long long" in text
    assert max(map(len, text.splitlines())) < 200


@pytest.fixture(scope="module")
def paired(tmp_path_factory):
    """An RNTuple with pairs, whose first members are called "_0" as elements of lists are."""
    model = ROOT.RNTupleModel.Create()
    model.MakeField["std::pair<float,std::int32_t>"]("pair")
    model.MakeField["std::vector<std::pair<float,std::pair<float,float>>>"]("pairs")
    model.MakeField["std::vector<std::vector<float>>"]("lists")
    path = tmp_path_factory.mktemp("pairs") / "in.root"
    with ROOT.RNTupleWriter.Recreate(model, "n", str(path)) as writer:
        entry = writer.CreateEntry()
        entry["pairs"].push_back(ROOT.std.pair["float,std::pair<float,float>"]())
        writer.Fill(entry)
    return path


MEMBERS = ["pairs", "pairs._0", "pairs._1", "pairs._1._0", "pairs._1._1"]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [("*", ["pair", "pair._0", "pair._1", *MEMBERS, "lists"]), ("pair._0", ["pair._0"]), ("pairs", MEMBERS)],
)
def test_first_members_of_pairs_are_told_from_elements(call, paired, pattern, names):
    table = call("inspect", paired, pattern).stdout.split("\nfields\n")[1].split("\n\n")[0]
    assert [line.split()[0] for line in table.splitlines()[1:]] == names


def test_patterns_choose(call, sample, filled):
    shown = shown_as_json(call, sample, "Muon_p?", "MET_pt")
    (events,) = shown["ntuples"]
    assert [field["name"] for field in events["fields"]] == ["Muon_pt", "Muon_pt._0", "MET_pt"]
    assert {column["field"] for column in events["columns"]} == {"Muon_pt", "Muon_pt._0", "MET_pt"}
    assert shown["objects"] == []
    shown = shown_as_json(call, filled, "m*")
    assert [each["name"] for each in shown["histograms"]] == ["met", "map"]
    assert shown["objects"] == []


def test_fields_are_listed_as_expressions_name_them(call, shared_data):
    text = call(
        "inspect", shared_data / "Run2012BC_DoubleMuParked_Muons_1000evts_rntuple_v1-0-0-0.root"
    ).stdout
    fields = text.split("fields\n")[1].split("columns\n")[0]
    names = [line.split()[0] for line in fields.splitlines()[1:] if line.strip()]
    assert names == ["Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass", "Muon_charge", "nMuon"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["Moun_pt"], WRONG_USAGE, 'no column or histogram matches "Moun_pt" (did you mean "Muon_pt"?)'),
        (["Moun_*"], WRONG_USAGE, 'no column or histogram matches "Moun_*" (did you mean "Muon_*"?)'),
        (["MET_pt", "nothing*"], WRONG_USAGE, 'no column or histogram matches "nothing*"'),
        (["--head", "-1"], WRONG_USAGE, "--head"),
    ],
)
def test_mistakes(call, sample, arguments, code, message):
    done = call("inspect", sample, *arguments)
    assert done.returncode == code
    assert message in done.stderr


def test_threads_change_nothing(call, sample):
    first, second = (call("inspect", "--ranges", "-j", threads, sample).stdout for threads in (1, 4))
    assert first == second


def test_statistics_of_bins_are_those_of_root(call, tmp_path):
    """Histograms that are made bin by bin have none of their own."""
    axes = (7, 0.0, 3.5), (4, -1.0, 1.0), (3, 2.0, 9.0)
    made = [ROOT.TH1D("one", "", *axes[0]), ROOT.TH2F("two", "", *axes[0], *axes[1])]
    made.append(ROOT.TH3D("three", "", *axes[0], *axes[1], *axes[2]))
    for histogram in made:
        for cell in range(histogram.GetNcells()):
            histogram.SetBinContent(cell, (cell * 7) % 11)
    made.append(ROOT.TProfile("profile", "", *axes[0]))
    for cell in range(1, 8):
        made[-1].SetBinContent(cell, 2 * cell)
        made[-1].SetBinEntries(cell, cell % 3)
    with ROOT.TFile.Open(str(tmp_path / "h.root"), "recreate") as file:
        for histogram in made:
            histogram.SetDirectory(ROOT.nullptr)
            file.WriteObject(histogram, histogram.GetName())
    done = call("inspect", "--json", tmp_path / "h.root")
    found = {each["name"]: each["axes"] for each in json.loads(done.stdout)["histograms"]}
    for histogram in made:
        for number, axis in enumerate(found[histogram.GetName()], 1):
            assert axis["mean"] == pytest.approx(histogram.GetMean(number), rel=1e-12)
            assert axis["rms"] == pytest.approx(histogram.GetStdDev(number), rel=1e-12)


def test_sums_of_negative_weights_as_numbers_of_entries(call, tmp_path):
    """uproot writes the sum of the contents."""
    content = np.array([1.0, -4.0, 0.5])
    path = tmp_path / "h.root"
    with uproot.recreate(path) as file:
        file["h"] = content, np.arange(4.0)
    with ROOT.TFile.Open(str(path)) as file:
        assert file.Get("h").GetEntries() == -2.5
    (shown,) = shown_as_json(call, path)["histograms"]
    assert (shown["integral"], shown["entries"]) == (-2.5, 3)
    assert call("diff", path, path).returncode == DONE


def test_values_of_events_whose_names_are_no_utf8(call, tmp_path):
    """JSON has other names for them, and the values all the same."""
    path = tmp_path / "in.root"
    with uproot.recreate(path, compression=None) as file:
        for number, name in enumerate(["nameA", "nameB", "other"]):
            file.mktree(name, {"x": "int32"}).extend({"x": np.arange(number, number + 2, dtype=np.int32)})
    content = path.read_bytes().replace(b"nameA", b"nam\xe9\xe8")
    path.write_bytes(content.replace(b"nameB", b"nam\xe9\xe9"))
    trees = shown_as_json(call, "--ranges", "--head", 1, path)["trees"]
    assert [tree["first_entries"] for tree in trees] == [[{"x": 0}], [{"x": 1}], [{"x": 2}]]
    assert [tree["ranges"][0]["maximum"] for tree in trees] == [1, 2, 3]

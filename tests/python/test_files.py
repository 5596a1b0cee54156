# SPDX-License-Identifier: BSD-3-Clause
"""Files from Python say and do what the program does, and histograms are those that uproot reads."""

import dataclasses
import hashlib
import json
import random
import re
import shutil
import subprocess
import sys
from unittest import mock

import awkward as ak
import numpy as np
import pytest
import skimline as sk
import uproot
from skimline import files, writing
from skimline.errors import ConfigError, Error, FileError, IncompleteWarning

MAKE_HISTOGRAMS = """
import sys, ROOT, numpy
generator = numpy.random.default_rng(4)
file = ROOT.TFile(sys.argv[1], "RECREATE")
folder = file.mkdir("muons/tight")
counts = ROOT.TH1D("counts", "counts;p_{T} [GeV];Events", 10, 0, 10)
weighted = ROOT.TH2F("weighted", "", 4, 0, 4, 3, -1, 2)
weighted.Sumw2()
profile = ROOT.TProfile("profile", "", 5, 0, 10)
letters = ROOT.TH1I("letters", "", 3, 0, 3)
for number, letter in enumerate("abc", 1): letters.GetXaxis().SetBinLabel(number, letter)
for x, y, w in generator.uniform(-2, 12, (500, 3)):
    counts.Fill(x)
    weighted.Fill(x / 3, y / 5, round(w * 4) / 4)
    profile.Fill(x, y)
    letters.Fill("abc"[int(abs(y)) % 3], 1)
file.WriteObject(counts, "counts")
counts.Fill(5)
file.WriteObject(counts, "counts")
for histogram in (weighted, profile): folder.WriteObject(histogram, histogram.GetName())
file.WriteObject(letters, "letters")
file.WriteObject(ROOT.TNamed("note", "text"), "note")
file.Close()
"""


def run(program, *arguments, code=0):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stderr
    return done.stdout


def without_times(text):
    return re.sub(r"[\d.]+ s\b|[\d.]+ \w+/s", "TIME", text)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def histograms(tmp_path_factory):
    """What ROOT wrote."""
    path = tmp_path_factory.mktemp("histograms") / "histograms.root"
    done = subprocess.run([sys.executable, "-c", MAKE_HISTOGRAMS, path], capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def parts(program, dimuon, tmp_path_factory):
    """What a run wrote, and two halves of it."""
    folder = tmp_path_factory.mktemp("parts")
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": [f"{dimuon}:Events"], "metadata": {"year": 2026}}},
        "select": [{"name": "two muons", "where": "nMuon == 2"}],
        "histograms": {
            "met": {"x": {"value": "MET_pt", "bins": 20, "range": [0, 100]}, "weight": "genWeight * 0.3"},
            "mean": {"x": {"value": "nJet", "integers": [0, 5]}, "profile": {"value": "MET_pt"}},
        },
        "output": {"histograms": "whole.root"},
    }
    (folder / "config.json").write_text(json.dumps(config))
    run(program, "run", folder / "config.json")
    halves = []
    for number in (1, 2):
        halves.append(folder / f"half{number}.root")
        setting = f"output.histograms={halves[-1].name}"
        run(program, "run", folder / "config.json", "--shard", f"{number}/2", "--set", setting)
    return folder / "whole.root", *[each for half in halves for each in folder.glob(f"{half.stem}*.root")]


# inspect


def test_inspect_says_what_the_program_says(program, dimuon):
    inspection = files.inspect(dimuon)
    assert str(inspection) == run(program, "inspect", dimuon)
    found = json.loads(run(program, "inspect", "--json", dimuon))
    assert (inspection.path, inspection.size) == (found["path"], found["size"])
    (ntuple,) = inspection.ntuples
    for key in ("name", "description", "writer", "format_version", "entries", "cluster_groups"):
        assert getattr(ntuple, key) == found["ntuples"][0][key]
    for key in ("fields", "columns", "clusters", "unsupported_fields"):
        assert [vars(each) for each in getattr(ntuple, key)] == found["ntuples"][0][key]
    with uproot.open(dimuon) as file:
        assert ntuple.entries == file["Events"].num_entries
        assert {each.name for each in ntuple.fields if "." not in each.name} == set(
            file["Events"].keys(recursive=False)
        )


def test_inspect_is_folded_in_notebooks(shared_data, tmp_path):
    shown = files.inspect(
        shared_data / "cmsopendata2015_ttbar_19980_NANOAOD_RNTupleImporter_rntuple_v1-0-0-1.root"
    )._repr_html_()
    assert "<summary>RNTuple Events: " in shown
    assert re.search(r"<details><summary>\d+ fields</summary><table>", shown)
    assert shown.count("<details") == shown.count("</details>") > 3
    assert "<summary>TTree events: " in files.inspect(shared_data / "uproot-HZZ.root")._repr_html_()
    hostile = "<script>x</script>"
    with uproot.recreate(tmp_path / "hostile.root") as file:
        file.mktree("t", {"b": "int32"}, title=hostile).extend({"b": [1, 2]})
        file[hostile] = "text"
    shown = files.inspect(tmp_path / "hostile.root")._repr_html_()
    assert hostile not in shown
    assert "&lt;script&gt;" in shown


def test_inspect_trees_and_objects(program, histograms, tmp_path):
    path = tmp_path / "tree.root"
    with uproot.recreate(path) as file:
        file.mktree("dir/tree", {"x": "f8", "n": "i4"}, title="a tree")
        file["dir/tree"].extend({"x": np.arange(10.0), "n": np.arange(10, dtype="i4")})
    (tree,) = files.inspect(path).trees
    assert (tree.name, tree.title, tree.entries, tree.branches) == ("dir/tree", "a tree", 10, 2)
    assert [(each.name, each.type) for each in tree.columns] == [("x", "Double_t"), ("n", "Int_t")]
    assert files.inspect(f"{path}:dir/tree").trees == (tree,)
    assert str(files.inspect(path)) == run(program, "inspect", path)
    inspection = files.inspect(histograms)
    found = {each.name: each.class_name for each in inspection.objects + inspection.histograms}
    with uproot.open(histograms) as file:
        names = file.classnames(cycle=False)
    assert found == {name: kind for name, kind in names.items() if kind != "TDirectory"}


def test_inspect_has_the_numbers_of_histograms(program, tmp_path):
    x = np.array([-1.0, 0.5, 1.5, 1.5, 3.5, 9.0])
    with uproot.recreate(tmp_path / "h.root") as file:
        file["dir/one"] = np.histogram(x, bins=4, range=(0, 4))
        file["two"] = np.histogram2d(x, x, bins=(2, 3), range=((0, 4), (0, 6)))
        file["text"] = "other"
    inspection = files.inspect(tmp_path / "h.root")
    assert str(inspection) == run(program, "inspect", tmp_path / "h.root")
    one, two = sorted(inspection.histograms, key=lambda each: each.name)
    assert (one.name, one.class_name, one.integral) == ("dir/one", "TH1D", 4)
    assert (two.integral, len(two.axes), two.underflow, two.sparkline) == (4, 2, None, "")
    (axis,) = one.axes
    assert (axis.bins, axis.low, axis.high, axis.kind) == (4, 0, 4, "regular")
    assert axis.mean == pytest.approx(np.average([0.5, 1.5, 2.5, 3.5], weights=[1, 2, 0, 1]))
    assert len(one.sparkline) > 0
    assert [each.class_name for each in inspection.objects] == ["TObjString"]
    shown = inspection._repr_html_()
    assert "<summary>2 histograms</summary>" in shown
    assert shown.count("dir/one") == 1
    found = json.loads(run(program, "inspect", "--json", tmp_path / "h.root"))["histograms"]
    for ours, theirs in zip(inspection.histograms, found, strict=True):
        values = dataclasses.asdict(ours)
        assert values.pop("class_name") == theirs.pop("class")
        assert values == theirs | {"axes": tuple(theirs["axes"])}


def test_inspect_other_files(tmp_path):
    with pytest.raises(FileError) as caught:
        files.inspect(tmp_path / "missing.root")
    assert caught.value.fault == "unavailable"
    (tmp_path / "text.root").write_text("no ROOT file")
    with pytest.raises(FileError, match=r"text\.root"):
        files.inspect(tmp_path / "text.root")


# verify


def test_verify_sound_files(program, dimuon, histograms, tmp_path):
    path = tmp_path / "tree.root"
    with uproot.recreate(path) as file:
        file.mktree("tree", {"x": "f8"}).extend({"x": np.arange(10.0)})
    report = files.verify(dimuon, str(path), threads=2)
    assert report.sound is True
    assert [(each.name, each.format, each.sound, each.problem) for each in report.items] == [
        ("Events", "RNTuple", True, ""),
        ("tree", "TTree", True, ""),
    ]
    assert str(report) == run(program, "verify", dimuon, path)
    with pytest.raises(TypeError, match=r"report\.sound"):
        bool(report)
    (item,) = files.verify(histograms).items
    assert (item.name, item.format, item.sound, item.faults) == ("", "objects", True, ())
    assert item.parts == item.unverified > 4
    with pytest.raises(ConfigError, match="no file"):
        files.verify()


def test_changed_histograms_are_damaged_unless_allowed(parts, tmp_path):
    whole, changed = tmp_path / "whole.root", tmp_path / "changed.root"
    files.merge(whole, [parts[0]], compression="none")
    (item,) = files.verify(whole).items
    assert (item.format, item.sound, item.unverified) == ("objects", True, 0)
    values = uproot.open(whole)["met"].values(flow=True).astype(">f8")
    content = bytearray(whole.read_bytes())
    at = content.rindex(values.tobytes())
    values[3] += 100
    content[at : at + 8 * len(values)] = values.tobytes()
    changed.write_bytes(content)
    assert 'histogram "met" at byte' in files.verify(changed).items[0].faults[0].problem
    for read in (lambda: files.read_histogram(changed, "met"), lambda: files.read_histograms(changed)):
        with pytest.raises(FileError, match=r'histogram "met" at byte .* checksum'):
            read()
    with pytest.raises(FileError, match=r'histogram "met" at byte .* checksum'):
        files.merge(tmp_path / "sum.root", [changed])
    assert files.merge(tmp_path / "sum.root", [changed], allow_changed=True).changed == 1
    for histogram in (
        files.read_histogram(changed, "met", allow_changed=True),
        files.read_histogram(tmp_path / "sum.root", "met"),
    ):
        assert np.array_equal(histogram.values(flow=True), values)


def test_verify_finds_every_changed_byte(program, dimuon, tmp_path):
    content = dimuon.read_bytes()
    pages = [
        (page.locator.offset, page.locator.num_bytes)
        for cluster in uproot.open(dimuon)["Events"].page_link_list
        for column in cluster
        for page in column.pages
    ]
    generator = random.Random(5)
    for trial in range(10):
        offset, size = generator.choice(pages)
        damaged = bytearray(content)
        damaged[offset + generator.randrange(size)] ^= 1 << generator.randrange(8)
        path = tmp_path / f"damaged{trial}.root"
        path.write_bytes(damaged)
        report = files.verify(dimuon, path)
        assert not report.sound
        assert [each.sound for each in report.items] == [True, False]
        (fault,) = report.items[1].faults
        assert fault.offset == offset
        assert fault.problem == "checksum is wrong"
        assert (fault.cluster, fault.first_entry, fault.entries) == (0, 0, 10_000)
        assert fault.column
        assert str(report) == run(program, "verify", dimuon, path, code=1)


def test_verify_goes_on_after_files_that_cannot_be_opened(program, dimuon, tmp_path):
    cut = tmp_path / "cut.root"
    cut.write_bytes(dimuon.read_bytes()[:-1000])
    report = files.verify(cut, tmp_path / "missing.root", dimuon)
    assert [each.sound for each in report.items] == [False, False, True]
    assert "missing.root" in report.items[1].problem
    assert str(report) == run(program, "verify", cut, tmp_path / "missing.root", dimuon, code=1)


def test_verify_damaged_baskets(tmp_path):
    path = tmp_path / "tree.root"
    with uproot.recreate(path, compression=uproot.ZLIB(1)) as file:
        file.mktree("tree", {"x": "i8"}).extend({"x": np.random.default_rng(1).integers(0, 9, 10_000)})
    with uproot.open(path) as file:
        size = file["tree"]["x"].basket(0).compressed_bytes
        begin = file["tree"]["x"].member("fBasketSeek")[0]
    content = bytearray(path.read_bytes())
    content[begin + size // 2] ^= 0xFF
    path.write_bytes(content)
    (item,) = files.verify(path).items
    assert (item.format, item.sound, len(item.faults)) == ("TTree", False, 1)
    assert item.faults[0].column is None
    assert "x" in item.faults[0].problem


# generate, convert


def test_generate_writes_what_the_program_writes(program, tmp_path):
    report = files.generate(
        "dijet", tmp_path / "a.root", events=5e3, seed=3, name="Jets", compression="lz4", threads=1
    )
    command = (
        "generate",
        "dijet",
        "--events",
        "5000",
        "--seed",
        "3",
        "--name",
        "Jets",
        "--compression",
        "lz4",
    )
    text = run(program, *command, "-o", tmp_path / "b.root")
    assert digest(tmp_path / "a.root") == digest(tmp_path / "b.root")
    assert (report.events, report.bytes) == (5000, (tmp_path / "a.root").stat().st_size)
    assert without_times(str(report)).split(",")[1:2] == without_times(text).split(",")[1:2]


def test_generate_makes_samples_and_trees(program, tmp_path):
    options = {"events": 500, "sample": "wjets__nominal", "format": "ttree"}
    files.generate("agc", tmp_path / "a.root", **options)
    command = ("generate", "agc", "--events", "500", "--sample", "wjets__nominal", "--format", "ttree")
    run(program, *command, "-o", tmp_path / "b.root")
    assert digest(tmp_path / "a.root") == digest(tmp_path / "b.root")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": "dimuno"}, 'did you mean "dimuon"'),
        ({"events": -1}, "events: -1"),
        ({"events": 1.5}, "events: 1.5"),
        ({"events": float("nan")}, "events: nan"),
        ({"seed": -1}, "seed: -1"),
        ({"threads": 5000}, "threads: 5000"),
        ({"compression": "zip"}, "zip"),
        ({"format": "parquet"}, "format must be 'rntuple' or 'ttree', not 'parquet'"),
        ({"sample": "ttbar__nominal"}, 'model "dimuon" has no samples'),
        ({"model": "lhbc"}, 'did you mean "lhcb"'),
        ({"model": "agc"}, "ttbar__nominal"),
        ({"model": "agc", "sample": "ttbar__nominl"}, 'did you mean "ttbar__nominal"'),
    ],
)
def test_generate_wrong_arguments(tmp_path, arguments, message):
    with pytest.raises(ConfigError, match=message):
        files.generate(**{"model": "dimuon", "output": tmp_path / "x.root", "events": 10, **arguments})
    assert list(tmp_path.iterdir()) == []


def test_convert_makes_lists_by_themselves(tmp_path):
    lists = ak.Array([[1.0, 2.0], [], [3.0]])
    with uproot.recreate(tmp_path / "tree.root") as file:
        file["tree"] = {"Jet": ak.zip({"pt": lists, "eta": -lists})}
    found = {}
    for collections in ("records", "vectors"):
        output = tmp_path / f"{collections}.root"
        files.convert(tmp_path / "tree.root", output, name="Events", collections=collections)
        found[collections] = uproot.open(output)["Events"].arrays()
    assert found["records"]["Jet"]["eta"].to_list() == (-lists).to_list()
    assert found["vectors"]["Jet_eta"].to_list() == (-lists).to_list()
    assert "Jet" not in found["vectors"].fields
    with pytest.raises(ConfigError, match="'records' or 'vectors', not 'lists'"):
        files.convert(tmp_path / "tree.root", tmp_path / "c.root", collections="lists")


def test_convert_writes_what_the_program_writes(program, tmp_path):
    path = tmp_path / "tree.root"
    with uproot.recreate(path) as file:
        file.mktree("tree", {"x": "f8", "n": "i2"}).extend(
            {"x": np.arange(100.0), "n": np.arange(100, dtype="i2")}
        )
    report = files.convert(f"{path}:tree", tmp_path / "a.root", name="Events", compression="zstd:9")
    arguments = (
        "convert",
        f"{path}:tree",
        "--name",
        "Events",
        "--compression",
        "zstd:9",
        "-o",
        tmp_path / "b.root",
    )
    text = run(program, *arguments)
    assert digest(tmp_path / "a.root") == digest(tmp_path / "b.root")
    assert without_times(str(report)) == without_times(text).replace("b.root", "a.root")
    assert (report.name, report.entries, report.columns, report.warnings) == ("Events", 100, 2, ())
    twice = files.convert([path, path], tmp_path / "twice.root", allow_duplicates=True)
    assert (twice.name, twice.entries) == ("tree", 200)
    with pytest.raises(ConfigError, match="is an input and the output"):
        files.convert(path, path)
    with pytest.raises(FileError):
        files.convert(tmp_path / "missing.root", tmp_path / "c.root")
    assert not (tmp_path / "c.root").exists()


# merge, show


def test_merge_writes_what_the_program_writes(program, histograms, tmp_path):
    copy = tmp_path / "copy.root"
    copy.write_bytes(histograms.read_bytes())
    names = ["counts", "muons/*", "letters"]
    report = files.merge(
        tmp_path / "a.root",
        [histograms, copy],
        include=names,
        exclude=["*/profile"],
        allow_overlap=True,
        threads=1,
    )
    options = ["--allow-overlap", *(option for name in names for option in ("--include", name))]
    text = run(program, "merge", *options, "--exclude", "*/profile", tmp_path / "b.root", histograms, copy)
    assert digest(tmp_path / "a.root") == digest(tmp_path / "b.root")
    assert (
        without_times(str(report)).splitlines()[2:]
        == without_times(text).replace("b.root", "a.root").splitlines()[2:]
    )
    assert (report.histograms, report.files, report.skipped, report.threads) == (3, 2, (), 1)
    with uproot.open(histograms) as one, uproot.open(tmp_path / "a.root") as two:
        assert np.array_equal(2 * one["counts"].values(flow=True), two["counts"].values(flow=True))


def test_merges_ntuples(dimuon, tmp_path):
    copy = shutil.copy(dimuon, tmp_path / "copy.root")
    with pytest.raises(Error, match="the same UUID"):
        files.merge(tmp_path / "m.root", [dimuon, copy])
    report = files.merge(
        tmp_path / "m.root", [dimuon, copy], allow_overlap=True, method="copy", verify=True, keep_order=True
    )
    (ntuple,) = report.ntuples
    assert ntuple.entries == 2 * uproot.open(dimuon)["Events"].num_entries
    assert ntuple.methods == {"copy": (ntuple.clusters, mock.ANY)}
    assert ntuple.pages_verified == ntuple.pages
    with pytest.raises(ConfigError, match=r'"clne" is no method \(did you mean "clone"'):
        files.merge(tmp_path / "a.root", [dimuon], method="clne")
    with pytest.raises(ConfigError, match="is no size of clusters"):
        files.merge(tmp_path / "a.root", [dimuon], cluster_size="large")


def test_merge_mistakes(histograms, dimuon, tmp_path):
    with pytest.raises(ConfigError, match="inputs must be a list"):
        files.merge(tmp_path / "a.root", str(histograms))
    with pytest.raises(ConfigError, match="include must be a list of texts"):
        files.merge(tmp_path / "a.root", [histograms], include="counts")
    with pytest.raises(ConfigError):
        files.merge(tmp_path / "a.root", [histograms, histograms])
    cut = tmp_path / "cut.root"
    cut.write_bytes(histograms.read_bytes()[:1000])
    with pytest.raises(FileError):
        files.merge(tmp_path / "a.root", [histograms, cut], exclude=["note"])
    assert not (tmp_path / "a.root").exists()
    report = files.merge(tmp_path / "a.root", [histograms, cut], exclude=["note"], skip_bad=True)
    assert len(report.skipped) == 1
    assert report.skipped[0].startswith(str(cut))


def test_halves_of_a_run_merge_to_the_whole(parts, tmp_path):
    whole, *halves = parts
    report = files.merge(tmp_path / "sum.root", halves)
    assert report.exact == report.histograms == 2
    total, expected = files.read_histograms(tmp_path / "sum.root"), files.read_histograms(whole)
    assert total == expected
    assert len(total) == 2
    assert sum(files.read_histograms(half)[name].entries for half in halves for name in total) == sum(
        each.entries for each in total.values()
    )
    with pytest.raises(Error):
        files.merge(tmp_path / "twice.root", [halves[0], whole])
    files.merge(tmp_path / "twice.root", [halves[0], whole], allow_overlap=True, incomplete=True)


def test_a_half_that_is_missing_is_warned_of(parts, tmp_path):
    told = ('shard 2/2 of the sample "data" is missing',)
    with pytest.warns(IncompleteWarning, match=f"half.root is incomplete: {told[0]}$"):
        assert files.merge(tmp_path / "half.root", parts[1:2]).missing == told
    assert files.merge(tmp_path / "half.root", parts[1:2], incomplete=True).missing == told


def test_what_runs_left_out_is_warned_of(dimuon, tmp_path):
    (tmp_path / "cut.root").write_bytes(dimuon.read_bytes()[:2000])
    config = {
        "schema_version": 1,
        "on_bad_file": "skip",
        "max_bad_fraction": 0.5,
        "samples": {"data": {"files": [str(dimuon), str(tmp_path / "cut.root")]}},
        "histograms": {"n": {"x": {"value": "nMuon", "bins": 5, "range": [0, 5]}}},
        "output": {"histograms": str(tmp_path / "h.root"), "report": False},
    }
    with pytest.warns(IncompleteWarning):
        sk.run_config(config)
    for incomplete in (False, True):
        with pytest.warns(
            IncompleteWarning, match="sum.root is incomplete: of the sample .*cut.root"
        ) as told:
            report = files.merge(
                tmp_path / "sum.root", [tmp_path / "h.root"], incomplete=incomplete, force=True
            )
        assert len(told) == len(report.left_out) == 1


def test_show_says_what_the_program_says(program, parts, dimuon):
    whole, *_ = parts
    record = files.show(whole)
    assert str(record) == run(program, "show", whole)
    assert dict(record) == json.loads(run(program, "show", "--json", whole))["files"][0]["record"]
    sample = record.samples["data"]
    assert [step["name"] for step in sample["cutflow"]] == ["all events", "two muons"]
    with uproot.open(dimuon) as file:
        muons = file["Events"]["nMuon"].array().to_numpy()
    assert [step["events"] for step in sample["cutflow"]] == [10_000, int((muons == 2).sum())]
    assert sample["metadata"] == {"year": 2026}
    assert record.problems == []
    assert record.configs[0]["select"][0]["name"] == "two muons"
    with pytest.raises(FileError, match="has no record of a run"):
        files.show(dimuon)


@pytest.mark.parametrize("name", ["counts", "muons/tight/weighted", "muons/tight/profile", "letters"])
def test_histograms_are_those_of_uproot(histograms, name):
    found = files.read_histograms(histograms)
    assert set(found) == {"counts", "letters", "muons/tight/weighted", "muons/tight/profile"}
    histogram = found[name]
    with uproot.open(histograms) as file:
        expected = file[name]
        values, variances = expected.values(flow=True), expected.variances(flow=True)
        edges = [axis.edges() for axis in expected.axes]
        counts = expected.counts(flow=True) if hasattr(expected, "counts") else None
    if name.endswith("profile"):
        assert histogram.kind == "MEAN"
        filled = counts > 0
        assert np.allclose(histogram.values(flow=True)[filled], values[filled], rtol=1e-12)
        assert np.array_equal(histogram.counts(flow=True), counts)
    else:
        assert np.array_equal(histogram.values(flow=True), values)
        assert np.array_equal(histogram.variances(flow=True), variances)
    for axis, expected_edges in zip(histogram.axes, edges, strict=True):
        assert np.array_equal(axis.edges, expected_edges)
    if name == "letters":
        assert list(histogram.axes[0]) == ["a", "b", "c"]
    if name == "counts":
        assert histogram.entries == 501
        assert histogram.axes[0].label == "p_{T} [GeV]"
    assert files.read_histogram(histograms, name) == histogram


def test_histograms_that_are_not_there(histograms, dimuon, tmp_path):
    with pytest.raises(
        FileError, match=r'contains no histogram "count" \(did you mean "counts"\?\)'
    ) as caught:
        files.read_histogram(histograms, "count")
    assert caught.value.path == str(histograms)
    with pytest.raises(FileError, match='"note" is no histogram but a TNamed'):
        files.read_histogram(histograms, "note")
    with pytest.raises(FileError, match="contains no histogram"):
        files.read_histogram(dimuon, "pt")
    assert files.read_histograms(dimuon) == {}
    cut = tmp_path / "cut.root"
    cut.write_bytes(histograms.read_bytes()[:-500])
    with pytest.raises(FileError):
        files.read_histograms(cut)


def test_paths_need_not_be_utf_8(dimuon, tmp_path):
    path = tmp_path / "d\udcffr.root"
    path.write_bytes(dimuon.read_bytes())
    report = files.verify(path)
    assert report.sound
    assert report.items[0].path == str(path)
    written = writing.write(tmp_path / "\udcff.root", {"x": [1.0]})
    assert written.path == str(tmp_path / "\udcff.root")
    assert (tmp_path / "\udcff.root").exists()

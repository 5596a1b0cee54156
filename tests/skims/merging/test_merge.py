# SPDX-License-Identifier: BSD-3-Clause
"""`skimline merge` against hadd, and what it says about files that cannot be merged."""

import json
import resource

import histogram_files
import numpy as np
import pytest
import ROOT
import uproot
from exit_codes import INCOMPLETE
from histogram_comparison import differences


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """Histograms of every class, with errors in all files, in none, and in some."""
    folder = tmp_path_factory.mktemp("kinds")
    paths = {}
    for seed in range(3):
        paths["weighted", seed] = histogram_files.write(folder / f"weighted{seed}.root", seed)
        paths["counted", seed] = histogram_files.write(
            folder / f"counted{seed}.root", seed, is_weighted=False
        )
    return paths


def small_file(path, name="h", bins=10, high=10.0, content=1.0, kind=ROOT.TH1D, labels=(), title="t"):
    histogram = kind(name, title, bins, 0, high)
    histogram.SetBinContent(1, content)
    histogram.SetEntries(1)
    for number, label in enumerate(labels, 1):
        histogram.GetXaxis().SetBinLabel(number, label)
    with_folders = name.split("/")
    histogram.SetName(with_folders[-1])
    file = ROOT.TFile(str(path), "update")
    (file.mkdir(with_folders[0]) if len(with_folders) > 1 else file).WriteTObject(histogram)
    file.Close()
    return path


def content_of(path, name="h"):
    return uproot.open(path)[name].values()[0]


@pytest.mark.thorough(quick=1)
@pytest.mark.parametrize(
    "inputs",
    [
        [("weighted", 0), ("weighted", 1), ("weighted", 2)],
        [("counted", 0), ("counted", 1), ("counted", 2)],
        [("counted", 1)],
    ],
)
def test_every_class_is_added_as_hadd_does(call, kinds, tmp_path, inputs):
    paths = [kinds[key] for key in inputs]
    histogram_files.hadd(tmp_path / "theirs.root", *paths)
    done = call("merge", tmp_path / "ours.root", *paths)
    assert done.returncode == 0, done.stderr
    compared, faults = differences(tmp_path / "theirs.root", tmp_path / "ours.root")
    assert compared == 58
    assert faults == []


def squared_weights(path, name):
    """Of a profile: its sums of squared weights, which are its entries where it says that they are all 1."""
    file = ROOT.TFile(str(path))
    profile = file.Get(name)
    stored = profile.GetBinSumw2()
    cells = range(profile.GetNcells())
    return np.array([stored[cell] if stored.GetSize() else profile.GetBinEntries(cell) for cell in cells])


@pytest.mark.parametrize(
    "inputs", [[("counted", 0), ("weighted", 1), ("counted", 2)], [("weighted", 0), ("counted", 1)]]
)
def test_histograms_with_errors_and_without(call, kinds, tmp_path, inputs):
    """For profiles hadd adds contents to squared weights where an input has none: theirs cannot be compared."""
    paths = [kinds[key] for key in inputs]
    histogram_files.hadd(tmp_path / "theirs.root", *paths)
    done = call("merge", tmp_path / "ours.root", *paths)
    assert done.returncode == 0, done.stderr
    compared, faults = differences(tmp_path / "theirs.root", tmp_path / "ours.root")
    assert compared == 58
    assert [fault for fault in faults if not fault.startswith("tprofile")] == []
    for name in ("tprofile", "tprofile2d", "tprofile3d"):
        expected = sum(squared_weights(path, name) for path in paths)
        assert np.allclose(squared_weights(tmp_path / "ours.root", name), expected, rtol=1e-14)


def test_uproot_reads_the_sum(call, kinds, tmp_path):
    paths = [kinds["weighted", seed] for seed in range(3)]
    call("merge", tmp_path / "sum.root", *paths)
    merged = uproot.open(tmp_path / "sum.root")
    parts = [uproot.open(path) for path in paths]
    for name in ("h1D", "h2F", "h3I", "one/two/h1S"):
        expected = sum(part[name].values(flow=True) for part in parts)
        assert np.array_equal(merged[name].values(flow=True), expected), name
        variances = sum(part[name].variances(flow=True) for part in parts)
        assert np.array_equal(merged[name].variances(flow=True), variances), name


def test_bytes_do_not_depend_on_threads(call, kinds, tmp_path):
    for threads in (1, 2, 4):
        done = call("merge", "-j", threads, tmp_path / f"{threads}.root", *kinds.values())
        assert done.returncode == 0, done.stderr
    expected = (tmp_path / "1.root").read_bytes()
    assert (tmp_path / "2.root").read_bytes() == expected
    assert (tmp_path / "4.root").read_bytes() == expected


@pytest.mark.parametrize("compression", ["none", "zstd:1", "lz4", "zlib:1", "lzma:1"])
def test_compression(call, kinds, tmp_path, compression):
    call("merge", tmp_path / "default.root", kinds["weighted", 0], kinds["weighted", 1])
    done = call(
        "merge",
        "--compression",
        compression,
        tmp_path / "sum.root",
        kinds["weighted", 0],
        kinds["weighted", 1],
    )
    assert done.returncode == 0, done.stderr
    assert differences(tmp_path / "default.root", tmp_path / "sum.root") == (58, [])


def test_the_newest_cycle_counts(call, tmp_path):
    for content in (1.0, 5.0, 3.0):
        small_file(tmp_path / "a.root", content=content)
    small_file(tmp_path / "b.root", content=10.0)
    assert len(uproot.open(tmp_path / "a.root").keys()) == 3
    done = call("merge", tmp_path / "sum.root", tmp_path / "a.root", tmp_path / "b.root")
    assert done.returncode == 0, done.stderr
    assert uproot.open(tmp_path / "sum.root").keys() == ["h;1"]
    assert content_of(tmp_path / "sum.root") == 13.0


def test_histograms_that_some_files_lack(call, tmp_path):
    for name, content in (("first", 1.0), ("both", 2.0)):
        small_file(tmp_path / "a.root", name, content=content)
    for name, content in (("both", 4.0), ("folder/last", 8.0)):
        small_file(tmp_path / "b.root", name, content=content)
    done = call("merge", "--json", tmp_path / "sum.root", tmp_path / "a.root", tmp_path / "b.root")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["histograms"], report["partial"], report["files"]) == (3, 2, 2)
    assert uproot.open(tmp_path / "sum.root").keys(recursive=True, filter_classname="TH1D") == [
        "first;1",
        "both;1",
        "folder/last;1",
    ]
    contents = [content_of(tmp_path / "sum.root", name) for name in ("first", "both", "folder/last")]
    assert contents == [1.0, 6.0, 8.0]


def test_patterns_and_lists(call, tmp_path):
    for name in ("muon_pt", "muon_eta", "jet_pt", "folder/muon_pt"):
        small_file(tmp_path / "a.root", name)
        small_file(tmp_path / "b.root", name)
    (tmp_path / "list.txt").write_text("a.root\n\nb.root\n")
    done = call(
        "merge", "--include", "muon*", "--include", "*/muon*", "--exclude", "*eta", "sum.root", "@list.txt",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    keys = uproot.open(tmp_path / "sum.root").keys(recursive=True, filter_classname="TH1D")
    assert keys == ["muon_pt;1", "folder/muon_pt;1"]
    assert content_of(tmp_path / "sum.root", "folder/muon_pt") == 2.0


def test_more_files_than_may_be_open(call, tmp_path):
    paths = [small_file(tmp_path / f"{number}.root", content=float(number)) for number in range(60)]
    limit = (40, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    done = call(
        "merge",
        tmp_path / "sum.root",
        *paths,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit),
    )
    assert done.returncode == 0, done.stderr
    assert content_of(tmp_path / "sum.root") == sum(range(60))


WRONG = [
    ({"bins": 20}, 'histogram "h" of a.root and b.root cannot be added: x axis: 10 bins and 20 bins'),
    ({"high": 12.0}, 'histogram "h" of a.root and b.root cannot be added: x axis: to 10 and to 12'),
    ({"labels": ["a"]}, 'x axis: labels no more and "a" at bin 1'),
    ({"kind": ROOT.TH1F}, 'histogram "h" is a TH1D in a.root and a TH1F in b.root'),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_histograms_that_cannot_be_added(call, tmp_path, change, message):
    small_file(tmp_path / "a.root")
    small_file(tmp_path / "b.root", **change)
    done = call("merge", "sum.root", "a.root", "b.root", cwd=tmp_path)
    assert done.returncode == 1
    assert message in done.stderr
    assert not (tmp_path / "sum.root").exists()


@pytest.mark.parametrize(
    ("kind", "largest"), [(ROOT.TH1C, 127), (ROOT.TH1S, 32767), (ROOT.TH1I, 2**31 - 1), (ROOT.TH1F, 3e38)]
)
def test_sums_that_do_not_fit(call, tmp_path, kind, largest):
    small_file(tmp_path / "a.root", kind=kind, content=float(largest))
    small_file(tmp_path / "b.root", kind=kind, content=0.0)
    done = call("merge", "sum.root", "a.root", "b.root", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert content_of(tmp_path / "sum.root") == np.array(largest).astype(
        np.float32 if kind is ROOT.TH1F else int
    )
    small_file(tmp_path / "c.root", kind=kind, content=float(largest))
    done = call("merge", "wrong.root", "a.root", "c.root", cwd=tmp_path)
    assert done.returncode == 1
    assert 'histogram "h" cannot be merged: the content of a bin' in done.stderr
    assert "does not fit into" in done.stderr


def test_all_objects_that_cannot_be_merged_are_listed(call, tmp_path):
    for name in ("a.root", "b.root"):
        small_file(tmp_path / name, kind=ROOT.TH1F if name == "b.root" else ROOT.TH1D)
        file = ROOT.TFile(str(tmp_path / name), "update")
        file.WriteTObject(ROOT.TRandom3(), "random")
        file.WriteTObject(ROOT.TH2Poly("poly", "", 0, 1, 0, 1), "poly")
        file.Close()
    done = call("merge", "sum.root", "a.root", "b.root", cwd=tmp_path)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0].endswith("not all objects can be merged:") and len(lines) == 5
    assert '  "random" (TRandom3) is in a.root and 1 more' in lines
    assert '"poly" (TH2Poly) is in a.root and 1 more' in done.stderr
    assert 'histogram "h" is a TH1D in a.root and a TH1F in b.root' in done.stderr
    excluded = ("--exclude", "random", "--exclude", "poly")
    assert call("merge", *excluded, "sum.root", "a.root", cwd=tmp_path).returncode == 0


def test_all_histograms_that_cannot_be_added_are_listed(call, tmp_path):
    for name in ("h", "i", "j"):
        small_file(tmp_path / "a.root", name=name)
        small_file(tmp_path / "b.root", name=name, bins=10 if name == "i" else 20)
    done = call("merge", "sum.root", "a.root", "b.root", cwd=tmp_path)
    assert done.returncode == 1
    assert "2 objects cannot be merged:" in done.stderr
    for name in ("h", "j"):
        assert f'histogram "{name}" of a.root and b.root cannot be added: x axis' in done.stderr
    assert '"i"' not in done.stderr
    assert not (tmp_path / "sum.root").exists()


def test_wrong_usage(call, tmp_path):
    small_file(tmp_path / "a.root")
    (tmp_path / "link.root").symlink_to("a.root")
    (tmp_path / "twin.root").hardlink_to(tmp_path / "a.root")
    (tmp_path / "empty.txt").write_text("\n")
    for arguments, message in (
        (["sum.root", "a.root", "a.root"], 'the file "a.root" is given twice'),
        (["sum.root", *2 * ["http://127.0.0.1:9/a.root"]], 'a.root" is given twice'),
        (["sum.root", "a.root", "link.root"], '"a.root" and "link.root" are the same file'),
        (["sum.root", "a.root", "twin.root"], '"a.root" and "twin.root" are the same file'),
        (["a.root", "link.root"], 'the output "a.root" is also an input'),
        (["sum.parquet", "a.root"], '"sum.parquet" would be a ROOT file'),
        (["a.root/sum.root", "a.root"], '"a.root" is a file, not a folder'),
        (["sum.root", "@empty.txt"], 'the list "empty.txt" names no file'),
        (["sum.root", "a.root", "--include", "H*"], 'no object matches "H*"'),
        (["sum.root", "a.root", "--best"], "--best"),
        (["sum.root", "a.root", "--compression", "zip"], "compression must be"),
        (["sum.root"], "inputs is required"),
    ):
        done = call("merge", *arguments, cwd=tmp_path)
        assert done.returncode == 2, arguments
        assert message in done.stderr, done.stderr
    assert not (tmp_path / "sum.root").exists()


def bad_files(folder):
    """A file each that is missing, empty, no ROOT file, cut off, and damaged inside a histogram."""
    (folder / "empty.root").write_bytes(b"")
    (folder / "text.root").write_text("not a ROOT file, but long enough to be one" * 10)
    content = bytearray((folder / "a.root").read_bytes())
    (folder / "cut.root").write_bytes(content[: len(content) // 2])
    key = uproot.open(folder / "a.root").key("big")
    content[key.fSeekKey + key.fNbytes - 2] ^= 1  # of the checksum of the compressed bytes
    (folder / "damaged.root").write_bytes(content)
    return [folder / f"{name}.root" for name in ("missing", "empty", "text", "cut", "damaged")]


def test_bad_files(call, tmp_path):
    for name, content in (("a", 1.0), ("b", 2.0)):
        small_file(tmp_path / f"{name}.root", content=content)
        small_file(tmp_path / f"{name}.root", "big", bins=1000, content=content)
    bad = bad_files(tmp_path)
    for path in bad:
        done = call("merge", tmp_path / "sum.root", tmp_path / "a.root", path, tmp_path / "b.root")
        assert done.returncode == 1
        assert str(path) in done.stderr
        assert not (tmp_path / "sum.root").exists()
    done = call("merge", "--skip-bad", tmp_path / "sum.root", tmp_path / "a.root", *bad, tmp_path / "b.root")
    assert done.returncode == 3, done.stderr
    for path in bad:
        assert f"left out   {path}" in done.stdout
    assert call("merge", tmp_path / "good.root", tmp_path / "a.root", tmp_path / "b.root").returncode == 0
    assert (tmp_path / "sum.root").read_bytes() == (tmp_path / "good.root").read_bytes()
    assert call("merge", "--skip-bad", tmp_path / "none.root", *bad).returncode == 1


def test_a_buffer_of_fills_is_no_histogram_yet(call, tmp_path):
    file = ROOT.TFile(str(tmp_path / "a.root"), "recreate")
    automatic = ROOT.TH1D("automatic", "t", 10, 0, 0)
    automatic.Fill(3)
    file.WriteTObject(automatic)
    limited = ROOT.TH1D("limited", "t", 10, 0, 1)
    limited.SetBuffer(100)
    limited.Fill(0.3)
    file.WriteTObject(limited)
    file.Close()
    done = call("merge", "sum.root", "a.root", cwd=tmp_path)
    assert done.returncode == 1
    for name in ("automatic", "limited"):
        assert f'"{name}" of a.root cannot be added: it still has its fills in a buffer' in done.stderr


CONFIG = {
    "schema_version": 1,
    "define": {"mass": "nMuon == 2 ? InvariantMass(Muon_pt, Muon_eta, Muon_phi, Muon_mass) : 0.f"},
    "regions": {"two": {"where": "nMuon == 2"}, "one": {"where": "nMuon == 1"}},
    "histograms": {
        "mass": {
            "x": {"value": "mass", "bins": 60, "range": [0, 120]},
            "weight": "genWeight",
            "weight_variations": {"up": "genWeight * 1.1"},
            "regions": ["two", "one"],
        },
        "count": {"x": {"value": "nMuon", "integers": [0, 5]}},
        "pt": {"x": {"value": "Muon_pt", "edges": [0, 5, 10, 50, 100]}, "type": "float"},
        "map": {
            "x": {"value": "Muon_pt", "bins": 50, "range": [0, 100]},
            "y": {"value": "Muon_eta", "bins": 40, "range": [-2.5, 2.5]},
            "weight": "genWeight",
        },
        "many": {
            "axes": [
                {"value": "Muon_pt", "bins": 5, "range": [0, 100]},
                {"value": "Muon_eta", "bins": 4, "range": [-2.5, 2.5]},
                {"value": "Muon_phi", "bins": 4, "range": [-3.2, 3.2]},
                {"value": "Muon_charge", "categories": [1, -1]},
            ],
            "weight": "genWeight",
        },
        "growing": {"x": {"value": "int(MET_pt)", "categories": [], "growing": True}, "weight": "genWeight"},
        "profile": {
            "x": {"value": "Muon_eta", "bins": 20, "range": [-2.5, 2.5]},
            "profile": {"value": "Muon_pt"},
            "weight": "genWeight",
        },
    },
}


@pytest.fixture(scope="module")
def shards(generate, run_in, tmp_path_factory):
    """Four files of events, a file of histograms for all of them, and one for each of four parts."""
    folder = tmp_path_factory.mktemp("shards")
    events = [f"events{seed}.root" for seed in range(4)]
    for seed, path in enumerate(events):
        generate("dimuon", folder / path, 500 + 4000 * seed, "--seed", seed)
    config = CONFIG | {"samples": {"s": {"files": events}}, "output": {"histograms": "all.root"}}
    for part in ([], *(["--shard", f"{number}/4"] for number in range(1, 5))):
        done = run_in(folder, config, *part)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2)])
def test_merged_shards_are_the_unsplit_run(call, shards, tmp_path, order):
    paths = [shards / f"all.shard{number + 1}of4.root" for number in order]
    done = call("merge", "--json", tmp_path / "sum.root", *paths)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["exact"] == 10
    assert (tmp_path / "sum.root").read_bytes() == (shards / "all.root").read_bytes()


def test_trees_of_merges_are_the_unsplit_run(call, shards, tmp_path):
    pairs = []
    for first, second in ((0, 2), (1, 3)):
        pairs.append(tmp_path / f"{first}{second}.root")
        done = call(
            "merge", pairs[-1], *(shards / f"all.shard{number + 1}of4.root" for number in (first, second))
        )
        assert done.returncode == INCOMPLETE, done.stderr
        missing = ", ".join(f"{number}/4" for number in (1, 2, 3, 4) if number - 1 not in (first, second))
        assert f'  missing    shard {missing} of the sample "s" is missing\n' in done.stdout
        assert f"  missing         shard {missing}\n" in call("show", pairs[-1]).stdout
    done = call("merge", tmp_path / "sum.root", *pairs)
    assert done.returncode == 0
    assert "missing" not in done.stdout + call("show", tmp_path / "sum.root").stdout
    assert (tmp_path / "sum.root").read_bytes() == (shards / "all.root").read_bytes()


def test_our_files_as_hadd_merges_them(call, shards, tmp_path):
    """hadd knows nothing of exact sums, and so its results can be added no longer exactly."""
    paths = [shards / f"all.shard{number + 1}of4.root" for number in range(4)]
    histogram_files.hadd(tmp_path / "theirs.root", *paths)
    compared, faults = differences(tmp_path / "theirs.root", shards / "all.root", tolerance=1e-12)
    assert compared == 13
    assert [fault for fault in faults if "labels" not in fault and "growing" not in fault] == []
    done = call(
        "merge", "--json", "--exclude", "growing", tmp_path / "sum.root", tmp_path / "theirs.root", paths[0]
    )
    assert done.returncode == 1
    assert "they would be counted twice" in done.stderr
    done = call(
        "merge",
        "--json",
        "--allow-overlap",
        "--exclude",
        "growing",
        tmp_path / "sum.root",
        tmp_path / "theirs.root",
        paths[0],
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["exact"] == 0

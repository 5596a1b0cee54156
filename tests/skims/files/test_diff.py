# SPDX-License-Identifier: BSD-3-Clause
"""`skimline diff`: what differs between files of histograms is found, and nothing else; tests as ROOT does them."""

import json

import numpy as np
import pytest
import ROOT
import uproot
from exit_codes import DIFFERENT, DONE, FAILED, INCOMPLETE, WRONG_USAGE


@pytest.fixture
def config(sample):
    """Histograms of all kinds."""
    return {
        "schema_version": 1,
        "samples": {"s": {"files": [f"{sample}:Events"]}},
        "select": [{"name": "two muons", "where": "nMuon == 2"}],
        "histograms": {
            "met": {"x": {"value": "MET_pt", "bins": 20, "range": [0, 100], "label": "MET"}},
            "weighted": {"x": {"value": "MET_pt", "bins": 20, "range": [0, 100]}, "weight": "genWeight"},
            "map": {
                "x": {"value": "Muon_pt", "bins": 6, "range": [0, 120]},
                "y": {"value": "Muon_charge", "categories": [-1, 1]},
            },
            "profile": {"x": {"value": "MET_pt", "bins": 5, "range": [0, 50]}, "profile": {"value": "nJet"}},
        },
        "output": {"histograms": "h.root"},
    }


@pytest.fixture
def made(job, config, tmp_path):
    """Runs the config, changed by settings, into a file."""

    def run(name, *settings):
        sets = [word for setting in settings for word in ("--set", setting)]
        done = job(config, *sets, "--set", f"output.histograms={name}")
        assert done.returncode == DONE, done.stderr
        return tmp_path / name

    return run


def test_equal_files_are_equal(made, call):
    a, b = made("a.root"), made("b.root")
    done = call("diff", a, b)
    assert (done.returncode, done.stdout) == (DONE, "4 histograms compared, none differs\n")


def test_formats_do_not_differ_in_contents(made, call):
    done = call("diff", made("a.root"), made("uhi.json"), "--include", "weighted", "--include", "m*")
    assert (done.returncode, done.stdout) == (DONE, "3 histograms compared, none differs\n")


def test_positions_inside_bins_are_compared(call, tmp_path):
    """Bins are alike, means and widths are not."""

    def written(name, positions, values=None):
        path = tmp_path / name
        file = ROOT.TFile(str(path), "RECREATE")
        histogram = ROOT.TH1D("h", "", 4, -2, 2) if values is None else ROOT.TProfile("h", "", 4, -2, 2)
        for number, position in enumerate(positions):
            histogram.Fill(*((position,) if values is None else (position, values[number])))
        histogram.Write()
        file.Close()
        return path

    positions = np.random.default_rng(1).normal(0, 1, 3000)
    a, again = written("a.root", positions), written("b.root", positions[::-1])
    assert call("diff", a, again).returncode == DONE  # but for rounding
    moved = np.where((positions > 0) & (positions < 1), np.floor(positions * 100) / 100, positions)
    other = written("c.root", moved)
    done = call("diff", a, other)
    assert done.returncode == DIFFERENT
    assert "h\n  sum of positions on axis 0: " in done.stdout
    assert "  sum of squared positions on axis 0: " in done.stdout
    assert call("diff", a, other, "--relative", "0.1").returncode == DONE
    values = np.ones(len(positions))
    done = call("diff", written("d.root", positions, values), written("e.root", moved, values))
    assert (done.returncode, "sum of positions on axis 0" in done.stdout) == (DIFFERENT, True)


def test_other_contents_are_named(made, call):
    a, b = made("a.root"), made("b.root", "histograms.met.x.value=MET_pt + 1", "histograms.map.x.bins=5")
    done = call("diff", a, b, "--json")
    assert done.returncode == DIFFERENT
    report = json.loads(done.stdout)
    assert not report["equal"]
    differing = {each["name"]: each for each in report["differing"]}
    assert set(differing) == {"met", "map"}
    with uproot.open(a) as first, uproot.open(b) as second:
        left, right = (file["met"].values(flow=True) for file in (first, second))
    place = np.flatnonzero(left != right)[0]
    cell = f"bin {place} [{5 * (place - 1)}, {5 * place})"
    assert f"content of {cell}: {int(left[place])}, and {int(right[place])}" in differing["met"]["problems"]
    more = np.count_nonzero(left != right) - 3
    assert f"content of {more} more cells of 22" in differing["met"]["problems"]
    assert differing["map"]["problems"] == ["axis 0 has other bins: 6 from 0 to 120, and 5 from 0 to 120"]
    assert any(problem.startswith("config: replace /histograms/met/x/value") for problem in report["record"])
    text = call("diff", a, b).stdout
    assert text.endswith("4 histograms compared, 2 differ\n")


@pytest.mark.parametrize(
    ("left", "right", "problem"),
    [
        ("ab", "ac", 'category 2 is "b", and "c"'),
        ("ab", "abc", 'category 3 is no more, and "c"'),
        ("ab", "", "texts as categories, and bins of equal width"),
        ([0, 0.5, 2], "", "bins between edges, and bins of equal width"),
        ([0, 0.5, 2], [0, 1.5, 2], "edge 1 at 0.5, and at 1.5"),
        ("", [0, 1, 3], "2 from 0 to 2, and 2 from 0 to 3"),
    ],
)
def test_other_bins_are_told_by_what_differs(call, tmp_path, left, right, problem):
    """Texts are the labels of bins, and lists their edges."""
    for name, bins in (("left", left), ("right", right)):
        if isinstance(bins, str):
            made = ROOT.TH1D("h", "", len(bins) or 2, 0, len(bins) or 2)
            for number, label in enumerate(bins, 1):
                made.GetXaxis().SetBinLabel(number, label)
        else:
            made = ROOT.TH1D("h", "", 2, np.array(bins, dtype=float))
        with ROOT.TFile(str(tmp_path / f"{name}.root"), "recreate") as file:
            file.WriteObject(made, "h")
    done = call("diff", tmp_path / "left.root", tmp_path / "right.root", "--json")
    assert done.returncode == DIFFERENT
    assert json.loads(done.stdout)["differing"][0]["problems"] == [f"axis 0 has other bins: {problem}"]


def test_labels_are_compared(made, call):
    a = made("a.root")
    for setting, problem in (
        ("histograms.met.x.label=missing", 'label of axis 0: "MET", and "missing"'),
        ("histograms.profile.profile.label=jets", 'label of the contents: "", and "jets"'),
        ("histograms.met.title=energy", 'title: "", and "energy"'),
    ):
        done = call("diff", a, made("b.root", setting), "--ignore-record", "--json")
        assert done.returncode == DIFFERENT
        (found,) = json.loads(done.stdout)["differing"]
        assert found["problems"] == [problem]


def test_the_newest_object_of_a_name_counts_wherever_it_is_listed(call, tmp_path):
    """uproot lists what is older first."""
    for name, values in (("a", [1, 2]), ("b", [3, 3, 3])):
        with uproot.recreate(tmp_path / f"{name}.root") as file:
            file.mktree("h", {"x": "int32"}).extend({"x": [1, 2, 3]})
            file["h"] = np.histogram(values, bins=5, range=(0, 5))
    done = call("diff", tmp_path / "a.root", tmp_path / "b.root")
    assert done.returncode == DIFFERENT, done.stderr
    assert "1 histogram compared, 1 differs" in done.stdout
    done = call("inspect", "--json", tmp_path / "a.root")
    assert [each["name"] for each in json.loads(done.stdout)["histograms"]] == ["h"]


def test_what_is_in_one_file_only(made, call, tmp_path):
    for name, contents in (("a", ["x", "y"]), ("b", ["y", "z"])):
        with uproot.recreate(tmp_path / f"{name}.root") as file:
            for each in contents:
                file[each] = (np.ones(2), np.arange(3.0))
    done = call("diff", tmp_path / "a.root", tmp_path / "b.root")
    assert done.returncode == DIFFERENT
    assert f"only in {tmp_path}/a.root: x\n" in done.stdout
    assert f"only in {tmp_path}/b.root: z\n" in done.stdout


@pytest.fixture
def near(tmp_path):
    """Two files whose second bin differs by 4 ULPs."""
    for name, value in (("a", 0.1), ("b", 0.1 + 4 * np.spacing(0.1))):
        with uproot.recreate(tmp_path / f"{name}.root") as file:
            file["h"] = (np.array([1.0, value, 3.0, -0.0]), np.arange(5.0))
    return tmp_path / "a.root", tmp_path / "b.root"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], DIFFERENT),
        (["--ulps", 3], DIFFERENT),
        (["--ulps", 4], DONE),
        (["--relative", 1e-17], DIFFERENT),
        (["--relative", 1e-15], DONE),
    ],
)
def test_tolerances(call, near, options, code):
    done = call("diff", *near, *options)
    assert done.returncode == code, done.stdout


def test_records_are_compared(made, call, generate, tmp_path):
    a = made("a.root")
    other = generate("dimuon", tmp_path / "other.root", 1000, "--seed", 9)
    b = made("b.root", f'samples.s.files=["{other}:Events"]', "histograms.met.title=MET")
    report = json.loads(call("diff", a, b, "--json", "--include", "none", "--include", "met").stdout)
    found = "\n".join(report["record"])
    assert 'sample "s": step "all events": 1e+05 events, and 1000' in found
    assert "other.root" in found
    assert call("diff", a, b, "--ignore-record", "--include", "map").returncode == DIFFERENT
    assert 'title: "", and "MET"' in "\n".join(report["differing"][0]["problems"])


def test_records_of_other_entries_differ(job, call, tmp_path):
    """Though all else is alike: parts of events that are all the same. Names of files may change."""
    (tmp_path / "in").mkdir()
    for number, name in enumerate(["a.root", "b.root"]):
        with uproot.recreate(tmp_path / "in" / name) as file:
            file.mktree("Events", {"x": "int32"}).extend({"x": np.full(100 * (number + 1), 7, np.int32)})
    config = {
        "schema_version": 1,
        "samples": {"s": {"files": ["in/*.root:Events"]}},
        "histograms": {"x": {"x": {"value": "x", "bins": 2, "range": [0, 10]}}},
        "output": {"histograms": "h.root"},
    }
    paths = [tmp_path / f"h.shard{number}of3.root" for number in (1, 2, 3)]
    for number in (1, 2, 3):
        assert job(config, "--shard", f"{number}/3").returncode == DONE
    done = call("diff", paths[1], paths[2])
    assert done.returncode == DIFFERENT
    assert 'record: sample "s": other entries of in/b.root were processed\n' in done.stdout
    assert call("diff", paths[1], paths[2], "--ignore-record").returncode == DONE
    assert job(config).returncode == DONE
    (tmp_path / "h.root").rename(tmp_path / "before.root")
    (tmp_path / "in" / "a.root").rename(tmp_path / "in" / "z.root")
    assert job(config).returncode == DONE
    done = call("diff", tmp_path / "before.root", tmp_path / "h.root")
    assert (done.returncode, done.stdout) == (DONE, "1 histogram compared, none differs\n")


@pytest.mark.parametrize("weighted", [False, True])
def test_tests_are_those_of_root(call, tmp_path, weighted):
    """Of many pairs of histograms, near and far ones, with empty bins."""
    root = pytest.importorskip("ROOT")
    random = np.random.default_rng(8)
    for trial in range(12):
        histograms = []
        for name in ("a", "b"):
            histogram = root.TH1D(f"h{trial}{name}", "", 15, -3.0, 3.0)
            histogram.Sumw2(weighted)
            shift = 0.02 * trial if name == "b" else 0.0
            for value in random.normal(shift, 1 / (1 + trial / 8), 40 * (trial + 1)):
                histogram.Fill(value, random.uniform(0.5, 1.5) if weighted else 1.0)
            histograms.append(histogram)
            file = root.TFile(str(tmp_path / f"{name}.root"), "RECREATE")
            file.WriteObject(histogram, "h")
            file.Close()
        (found,) = json.loads(call("diff", tmp_path / "a.root", tmp_path / "b.root", "--json").stdout)[
            "differing"
        ]
        found = found["compatibility"]
        kind = "WW" if weighted else "UU"
        left, right = histograms
        assert found["chi2"] == pytest.approx(left.Chi2Test(right, f"{kind} CHI2"), rel=1e-10)
        assert found["chi2_probability"] == pytest.approx(left.Chi2Test(right, kind), rel=1e-9, abs=1e-300)
        # ROOT has 2.50662827 for the root of 2 pi.
        assert found["kolmogorov_probability"] == pytest.approx(
            left.KolmogorovTest(right), rel=1e-8, abs=1e-8
        )
        ndf = left.Chi2Test(right, f"{kind} CHI2") / left.Chi2Test(right, f"{kind} CHI2/NDF")
        assert found["degrees_of_freedom"] == round(ndf)


def test_mistakes(made, call, tmp_path):
    a = made("a.root")
    empty = tmp_path / "empty.root"
    with uproot.recreate(empty) as file:
        file["text"] = "no events"
    for arguments, code, text in [
        ([a, tmp_path / "none.root"], FAILED, "none.root"),
        ([a, a, "--include", "nothing"], WRONG_USAGE, 'no histogram or column matches "nothing"'),
        ([empty, empty], WRONG_USAGE, "neither file has histograms or events"),
        ([a], WRONG_USAGE, "second"),
        ([a, a, "--relative", -1], WRONG_USAGE, "--relative"),
        # No difference would be left.
        ([a, a, "--relative", "nan"], WRONG_USAGE, "nan is no number"),
        ([a, a, "--ulps", -1], WRONG_USAGE, "-1 is not 0 or more"),
        ([a, a, "--ulps", 2**64], WRONG_USAGE, "is too large"),
        ([f"{a}:met", a], FAILED, '"met" is a TH1D, not an RNTuple'),
    ]:
        done = call("diff", *arguments)
        assert done.returncode == code, done.stderr
        assert text in done.stderr


def test_histograms_that_cannot_be_read_are_named(call, tmp_path):
    root = pytest.importorskip("ROOT")
    automatic, plain = root.TH1D("automatic", "", 10, 0, 0), root.TH1D("plain", "", 10, 0, 10)
    for histogram in (automatic, plain):
        histogram.SetDirectory(root.nullptr)
        histogram.Fill(1)
    path, other = tmp_path / "h.root", tmp_path / "other.root"
    for place, content in ((path, 1), (other, 2)):
        plain.SetBinContent(5, content)
        with root.TFile.Open(str(place), "recreate") as file:
            file.WriteObject(automatic, "automatic")
            file.WriteObject(plain, "plain")
    done = call("diff", path, path)
    assert (done.returncode, done.stderr) == (INCOMPLETE, "")
    named, summary = done.stdout.splitlines()
    assert named.startswith("not compared: ") and '"automatic"' in named and "in a buffer" in named
    assert summary == "1 histogram compared, none differs"
    done = call("diff", path, other, "--json")
    report = json.loads(done.stdout)
    assert done.returncode == DIFFERENT and [each["name"] for each in report["differing"]] == ["plain"]
    assert report["compared"] == 1 and len(report["not_compared"]) == 1
    assert call("diff", path, path, "--include", "auto*").returncode == INCOMPLETE

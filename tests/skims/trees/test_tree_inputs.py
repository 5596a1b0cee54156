# SPDX-License-Identifier: BSD-3-Clause
"""Runs on trees: what a run on the same events as an RNTuple gives, and ROOT."""

import json
import math
import re

import numpy as np
import pytest
import ROOT
import uproot
from exit_codes import DONE, FAILED, INCOMPLETE, WRONG_USAGE
from tree_copies import as_list, copy_to_tree, histograms_of

EVENTS = 6000


@pytest.fixture(scope="module")
def inputs(generate, tmp_path_factory):
    """A folder with the same events as an RNTuple, as a tree, and as two trees."""
    folder = tmp_path_factory.mktemp("inputs")
    generate("dimuon", folder / "ntuple.root", EVENTS, "--seed", 3)
    copy_to_tree(folder / "ntuple.root", folder / "tree.root")
    copy_to_tree(folder / "ntuple.root", folder / "large.root", basket=32000, cluster=-1)
    return folder


def config_of(*files, **more):
    return {"schema_version": 1, "samples": {"data": {"files": list(map(str, files))}}} | more


HISTOGRAMS = {
    "met": {"x": {"value": "MET_pt", "bins": 40, "range": [0, 200]}},
    "pt": {"x": {"value": "Muon_pt", "bins": 50, "range": [0, 100]}, "weight": "1 + nJet"},
    "dotted": {"x": {"value": "Jet.pt", "bins": 50, "range": [0, 200]}},
    "charge": {"x": {"value": "Sum(Muon_charge)", "integers": [-4, 4]}},
    "mass": {
        "x": {
            "value": "InvariantMass(Muon_pt, Muon_eta, Muon_phi, Muon_mass)",
            "bins": 60,
            "range": [0, 120],
        },
        "regions": ["two"],
    },
}
ANALYSIS = {
    "select": [{"name": "any", "where": "nMuon >= 1"}],
    "regions": {"two": {"where": "nMuon == 2 && Muon_charge[0] != Muon_charge[1]"}},
    "histograms": HISTOGRAMS,
    "output": {"histograms": "histograms.root"},
}


def report_of(job, tmp_path, config, *arguments, code=DONE):
    done = job(config, "--report", "-", *arguments)
    assert done.returncode == code, done.stderr + done.stdout
    return json.loads(done.stdout)


# Histograms


@pytest.mark.parametrize("name", ["tree.root", "large.root"])
def test_histograms_are_those_of_the_ntuple(job, inputs, tmp_path, name):
    found, cutflows = [], []
    for path in ("ntuple.root", name):
        report = report_of(job, tmp_path, config_of(inputs / path, **ANALYSIS))
        cutflows.append(report["samples"][0]["cutflow"])
        found.append(histograms_of(tmp_path / "histograms.root"))
    assert len(found[0]) >= 5
    assert found[0] == found[1]
    assert cutflows[0] == cutflows[1]


def test_histograms_are_those_of_rdataframe(job, inputs, tmp_path):
    done = job(config_of(inputs / "tree.root", **ANALYSIS))
    assert done.returncode == DONE, done.stderr
    frame = ROOT.RDataFrame("Events", str(inputs / "tree.root")).Filter("nMuon >= 1").Define("w", "1. + nJet")
    expected = {
        "met": frame.Histo1D(("", "", 40, 0.0, 200.0), "MET_pt"),
        "pt": frame.Histo1D(("", "", 50, 0.0, 100.0), "Muon_pt", "w"),
        "dotted": frame.Histo1D(("", "", 50, 0.0, 200.0), "Jet_pt"),
    }
    with uproot.open(tmp_path / "histograms.root") as file:
        for name, theirs in expected.items():
            (key,) = [key for key in file.keys(cycle=False) if key.split("__")[-1].split("/")[-1] == name]
            contents = [theirs.GetValue().GetBinContent(i) for i in range(theirs.GetValue().GetNbinsX() + 2)]
            assert file[key].values(flow=True).tolist() == contents, name


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_do_not_depend_on_threads(job, inputs, tmp_path, threads):
    contents = []
    for count in (1, threads):
        done = job(config_of(inputs / "tree.root", inputs / "large.root", **ANALYSIS), "-j", count)
        assert done.returncode == DONE, done.stderr
        contents.append((tmp_path / "histograms.root").read_bytes())
    assert contents[0] == contents[1]


def test_shards_merge_into_the_whole(job, call, inputs, tmp_path):
    config = config_of(inputs / "tree.root", inputs / "large.root", **ANALYSIS)
    whole = job(config)
    assert whole.returncode == DONE, whole.stderr
    before = (tmp_path / "histograms.root").read_bytes()
    for shard in range(1, 4):
        done = job(config, "--shard", f"{shard}/3")
        assert done.returncode == DONE, done.stderr
    parts = sorted(path for path in tmp_path.glob("histograms*.root") if path.name != "histograms.root")
    assert len(parts) == 3
    merged = call("merge", tmp_path / "merged.root", *parts)
    assert merged.returncode == DONE, merged.stderr
    assert histograms_of(tmp_path / "merged.root") == histograms_of(tmp_path / "histograms.root")
    assert (tmp_path / "merged.root").read_bytes() == before


@pytest.mark.parametrize("limit", [1, 699, 4321])
def test_limits_of_events(job, inputs, tmp_path, limit):
    counts = []
    for path in ("ntuple.root", "tree.root"):
        report = report_of(job, tmp_path, config_of(inputs / path, **ANALYSIS), "--limit-events", limit)
        counts.append([step["events"] for step in report["samples"][0]["cutflow"]])
    assert counts[0] == counts[1]
    assert counts[0][0] == limit


# Skims

SKIM = {
    "select": [{"name": "two", "where": "nMuon == 2 && Max(Muon_pt) > 25"}],
    "skims": {"events": {"file": "skim.root", "keep": ["Muon_*", "nMuon", "event", "MET_pt"]}},
}


def test_skims_have_the_events_that_pass(job, inputs, tmp_path):
    done = job(config_of(inputs / "tree.root", **SKIM))
    assert done.returncode == DONE, done.stderr
    frame = ROOT.RDataFrame("Events", str(inputs / "tree.root")).Filter("nMuon == 2 && Max(Muon_pt) > 25")
    expected = frame.AsNumpy(["event", "MET_pt"])
    with uproot.open(inputs / "tree.root") as trees, uproot.open(tmp_path / "skim.root") as file:
        events, tree = file["Events"], trees["Events"].arrays()
        passed = tree[np.isin(tree["event"], expected["event"])]
        assert as_list(events["event"].array()) == expected["event"].tolist()
        for name in ("Muon_pt", "Muon_eta", "Muon_charge", "nMuon", "MET_pt"):
            assert as_list(events[name].array()) == as_list(passed[name]), name
        assert "Jet_pt" not in events.keys()
    ours = ROOT.RDataFrame("Events", str(tmp_path / "skim.root"))
    assert ours.Sum("Muon_pt").GetValue() == frame.Sum("Muon_pt").GetValue()
    assert ours.Filter("nMuon != Muon_charge.size()").Count().GetValue() == 0


def test_skims_do_not_depend_on_threads(job, inputs, tmp_path):
    contents = set()
    for threads in (1, 2, 5):
        done = job(config_of(inputs / "tree.root", inputs / "large.root", **SKIM), "-j", threads)
        assert done.returncode == DONE, done.stderr
        contents.add((tmp_path / "skim.root").read_bytes())
    assert len(contents) == 1


@pytest.fixture(scope="module")
def unreadable(tmp_path_factory):
    """A tree with a branch that holds no numbers."""
    path = tmp_path_factory.mktemp("unreadable") / "a.root"
    ROOT.WriteUnreadable(str(path), 20)
    return path


def unreadable_names(call, path):
    shown = json.loads(call("inspect", "--json", path).stdout)
    return [field["name"] for field in shown["trees"][0]["unsupported"]]


def test_patterns_leave_unreadable_branches_out(call, job, unreadable, tmp_path):
    config = config_of(unreadable, skims={"all": {"file": "skim.root", "keep": ["*"]}})
    done = job(config)
    assert done.returncode == INCOMPLETE, done.stderr
    names = unreadable_names(call, unreadable)
    assert f'is written without "{names[0]}" (' in done.stderr
    config["skims"]["all"]["drop"] = names
    assert job(config).returncode == DONE
    with uproot.open(tmp_path / "skim.root") as file:
        assert as_list(file["Events"]["x"].array()) == [float(i) for i in range(20)]
        assert as_list(file["Events"]["y"].array()) == [-float(i) for i in range(20)]


def test_unreadable_branches_have_a_reason(call, job, unreadable):
    name = unreadable_names(call, unreadable)[0]
    done = job(config_of(unreadable, skims={"all": {"file": "skim.root", "keep": ["x", name]}}))
    assert done.returncode == WRONG_USAGE, done.stdout
    assert re.search(r"a\.json:\d+:\d+: ", done.stderr)
    assert f'"{name}"' in done.stderr
    done = job(config_of(unreadable, select=[{"name": "g", "where": f"{name} > 1"}]))
    assert done.returncode == WRONG_USAGE
    assert re.search(r"a\.json:\d+:\d+: ", done.stderr)
    assert name in done.stderr


# Files that differ


def numbers(path, content):
    """A tree of these columns, by uproot."""
    with uproot.recreate(path) as file:
        file.mktree("Events", {name: values.dtype for name, values in content.items()})
        file["Events"].extend(content)
    return path


def test_defaults_and_differences(job, tmp_path):
    a = numbers(tmp_path / "a.root", {"x": np.arange(5, dtype=np.int32), "y": np.ones(5, np.float32)})
    b = numbers(tmp_path / "b.root", {"x": np.arange(7, dtype=np.uint32)})
    histograms = {name: {"x": {"value": name, "integers": [-3, 9]}} for name in ("x", "y")}
    config = config_of(a, b, histograms=histograms, output={"histograms": "histograms.root"})
    config["defaults"] = {"y": -2}
    report = report_of(job, tmp_path, config)
    text = json.dumps(report)
    assert "differences" in text
    assert "it is read as std::int64_t" in text
    assert "it is the default there" in text
    values = {name: contents[0] for name, contents in histograms_of(tmp_path / "histograms.root").items()}
    assert sum(values["y"]) == 12
    assert values["y"][2] == 7
    assert values["x"][4:11] == [2, 2, 2, 2, 2, 1, 1]
    del config["defaults"]
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert re.search(r"a\.json:\d+:\d+: .*y", done.stderr)
    assert "missing in" in done.stderr


def test_both_formats_in_one_sample(job, inputs, tmp_path):
    reports = [
        report_of(job, tmp_path, config_of(*(inputs / name for name in names), **ANALYSIS))
        for names in (["ntuple.root", "tree.root"], ["tree.root", "ntuple.root"], ["ntuple.root"])
    ]
    counts = [[step["events"] for step in report["samples"][0]["cutflow"]] for report in reports]
    assert counts[0] == counts[1] == [2 * count for count in counts[2]]


# Other commands


def test_plan_and_validate(call, job, inputs, tmp_path):
    assert job(config_of(inputs / "tree.root", **ANALYSIS)).returncode == DONE
    valid = call("validate", "a.json", cwd=tmp_path)
    assert valid.returncode == DONE, valid.stderr
    assert "1 file, 6 000 events" in valid.stdout
    plan = call("plan", "a.json", cwd=tmp_path)
    assert plan.returncode == DONE, plan.stderr
    for name in ("Muon_pt", "MET_pt", "Jet_pt"):
        assert name in plan.stdout
    assert "Jet_eta" not in plan.stdout


def test_init(call, inputs, tmp_path):
    made = call("init", inputs / "tree.root", cwd=tmp_path)
    assert (made.returncode, made.stderr) == (DONE, "")
    assert call("validate", "analysis.json", cwd=tmp_path).returncode == DONE
    done = call("run", "analysis.json", cwd=tmp_path)
    assert done.returncode == DONE, done.stderr


def test_unused_branches_are_not_read(job, inputs, tmp_path):
    config = config_of(
        inputs / "large.root", histograms={"met": HISTOGRAMS["met"]}, output={"histograms": "h.root"}
    )
    report = report_of(job, tmp_path, config)
    with uproot.open(inputs / "large.root") as file:
        needed = file["Events"]["MET_pt"].member("fZipBytes")
    assert needed <= report["read"]["bytes"] < 0.5 * (inputs / "large.root").stat().st_size


# What NanoAOD has beside its events


def test_runs_are_summed_and_carried(job, call, inputs, tmp_path):
    paths = []
    for seed in range(2):
        path = copy_to_tree(inputs / "ntuple.root", tmp_path / f"{seed}.root")
        ROOT.WriteTreesBeside(str(path), 5, seed)
        paths.append(path)
    weights = np.concatenate(
        [uproot.open(path)["Runs"]["genEventSumw"].array(library="np") for path in paths]
    )
    config = config_of(*(f"{path}:Events" for path in paths), **SKIM)
    config["samples"]["data"] |= {"cross_section_pb": 10, "sum_weights": {"runs": True, "weight": "1"}}
    report = report_of(job, tmp_path, config)
    assert repr(math.fsum(weights)) in json.dumps(report)
    with uproot.open(tmp_path / "skim.root") as file:
        assert as_list(file["Runs"]["genEventSumw"].array()) == weights.tolist()
        assert file["LuminosityBlocks"].num_entries == 30


# Damage


def test_damaged_trees_are_left_out(job, inputs, tmp_path):
    bad = tmp_path / "bad.root"
    content = bytearray((inputs / "tree.root").read_bytes())
    with uproot.open(inputs / "tree.root") as file:
        branch = file["Events"]["MET_pt"]
        place = branch.member("fBasketSeek")[2] + 4
    content[place : place + 30] = bytes(30)
    bad.write_bytes(content)
    config = config_of(inputs / "tree.root", bad, **ANALYSIS)
    done = job(config)
    assert done.returncode == FAILED
    assert 'bad.root: TTree "Events", branch "MET_pt", basket 2' in done.stderr
    done = job(config | {"on_bad_file": "skip", "max_bad_fraction": 0.5})
    assert done.returncode == INCOMPLETE, done.stderr
    skipped = histograms_of(tmp_path / "histograms.root")
    assert job(config_of(inputs / "tree.root", **ANALYSIS)).returncode == DONE
    assert skipped == histograms_of(tmp_path / "histograms.root")


def test_files_that_end_early(job, inputs, tmp_path):
    content = (inputs / "tree.root").read_bytes()
    for part in (0.1, 0.9, 0.999):
        (tmp_path / "short.root").write_bytes(content[: int(part * len(content))])
        done = job(config_of(tmp_path / "short.root", **ANALYSIS))
        assert done.returncode == FAILED
        assert "short.root" in done.stderr


@pytest.mark.parametrize("position", [0, 1, 2])
def test_trees_without_entries_and_branches_lack_nothing(inputs, job, tmp_path, position):
    """Programs that had nothing to fill in write them."""
    file = ROOT.TFile(str(tmp_path / "void.root"), "RECREATE")
    ROOT.TTree("Events", "t").Write()
    file.Close()
    files = [inputs / "tree.root", inputs / "large.root"]
    histograms = {name: HISTOGRAMS[name] for name in ("met", "pt")}
    outputs = {"histograms": histograms, "output": {"histograms": "h.root"}}
    outputs["skims"] = {"s": {"file": "s.root", "keep": ["MET_*", "Muon_*"]}}
    made = {}
    for name, order in (
        ("without", files),
        ("with", [*files[:position], tmp_path / "void.root", *files[position:]]),
    ):
        done = job(config_of(*order) | outputs, "-f")
        assert done.returncode == DONE, done.stderr
        skim = uproot.open(tmp_path / "s.root")["Events"].arrays(["MET_pt", "Muon_pt"])
        made[name] = (histograms_of(tmp_path / "h.root"), skim.tolist())
    assert made["with"] == made["without"]
    assert len(made["with"][1]) == 2 * EVENTS


def test_weights_of_trees_are_said_not_to_be_applied(inputs, call, job, tmp_path):
    """Neither does RDataFrame; TTree::Draw does."""
    source = ROOT.TFile(str(inputs / "tree.root"))
    file = ROOT.TFile(str(tmp_path / "weighted.root"), "RECREATE")
    tree = source["Events"].CloneTree(100)
    tree.SetWeight(0.25)
    tree.Write()
    file.Close()
    done = job(config_of(tmp_path / "weighted.root", inputs / "tree.root") | ANALYSIS)
    assert done.returncode == DONE, done.stderr
    said = [line for line in done.stderr.splitlines() if "SetWeight" in line]
    assert len(said) == 1
    assert re.search(r'1 file of the sample "data" has .* not applied: ".*weighted\.root", 0\.25', said[0])
    muons = uproot.open(inputs / "tree.root")["Events"]["nMuon"].array(library="np")
    filled = sum(histograms_of(tmp_path / "histograms.root")["met"][0])
    assert filled == np.count_nonzero(muons) + np.count_nonzero(muons[:100])
    for command in (["inspect"], ["convert", "-o", "c.root"]):
        done = call(command[0], tmp_path / "weighted.root", *command[1:], cwd=tmp_path)
        assert done.returncode == DONE
        assert "has the weight 0.25 (TTree::SetWeight), which is not applied" in done.stdout + done.stderr

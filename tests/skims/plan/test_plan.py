# SPDX-License-Identifier: BSD-3-Clause
"""`skimline plan` says what `skimline run` does: what is read for which events, outputs, memory."""

import json
import os
import re

import pytest
import uproot
from exit_codes import DONE, FAILED, WRONG_USAGE

CHECKSUM = 8

CONFIG = {
    "schema_version": 1,
    "define": {
        "mll": "InvariantMass(Muon_pt, Muon_eta, Muon_phi, Muon_mass)",
        "lead": "nMuon > 0 ? Max(Muon_pt) : 0",
        "unused": "Sum(Jet_pt)",
    },
    "select": [
        {"name": "two muons", "where": "nMuon == 2"},
        {"name": "opposite charge", "where": "Muon_charge[0] != Muon_charge[1]"},
    ],
    "regions": {
        "2j": {"where": "nJet >= 2 && MET_pt > 20"},
        "leading": {"after": "all events", "where": "lead > 20"},
    },
    "histograms": {
        "mass": {"x": {"value": "mll", "bins": 60, "range": [60, 120]}},
        "met": {
            "x": {"value": "MET_pt", "edges": [0, 1, 2, 4]},
            "regions": ["2j", "leading"],
            "weight": "genWeight",
        },
    },
    "skims": {"pairs": {"file": "skim.root", "keep": ["Muon_*", "MET_phi", "mll"]}},
    "output": {"histograms": "histograms.root"},
}


def only_sample(done):
    """The plan of the only sample, with what is said of all."""
    report = json.loads(done.stdout)
    (sample,) = report.pop("samples")
    return report | sample


@pytest.fixture
def plan(call, sample, tmp_path):
    """Writes a config into an own folder and plans it there."""

    def run(*arguments, **more):
        config = CONFIG | {"samples": {"data": {"files": [f"{sample}:Events"]}}} | more
        (tmp_path / "a.json").write_text(json.dumps(config, indent=1))
        return call("plan", "a.json", *arguments, cwd=tmp_path)

    return run


@pytest.fixture
def planned(plan):
    done = plan("--json", "-j", "2")
    assert done.returncode == DONE, done.stderr
    return only_sample(done)


def test_input(planned, sample):
    theirs = uproot.open(sample)["Events"]
    assert planned["files"] == [
        {
            "path": str(sample),
            "ntuple": "Events",
            "entries": theirs.num_entries,
            "clusters": len(theirs.cluster_summaries),
            "bytes": sample.stat().st_size,
        }
    ]
    assert planned["entries"] == theirs.num_entries
    assert planned["slices"] * planned["largest_slice"] >= planned["entries"]


def test_columns_are_read_for_the_events_that_need_them(planned, pages_of, sample):
    events = planned["events"]
    read = {
        ",".join(each["names"]): {column["name"] for column in each["columns"]}
        for each in events
        if each["names"]
    }
    assert read["all events"] == {"nMuon"}
    assert read["two muons"] == {"Muon_charge"}
    assert {"Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass", "nJet"} == read["opposite charge"]
    assert read["region 2j"] == {"genWeight"}
    every = {column["name"] for each in events for column in each["columns"]}
    assert "Jet_pt" not in every  # the definition that needs it is used nowhere
    for each in events:
        for column in each["columns"]:
            pages = pages_of(sample, column["name"]).values()
            assert column["bytes_stored"] == sum(size + CHECKSUM for _, size in pages), column


def test_sets_of_events_are_nested(planned):
    events = planned["events"]
    assert [each["number"] for each in events] == list(range(len(events)))
    assert events[0]["outer"] is None
    assert all(each["outer"] < each["number"] for each in events[1:])
    named = {name: each for each in events for name in each["names"]}
    assert named["two muons"]["outer"] == 0
    assert named["opposite charge"]["outer"] == named["two muons"]["number"]
    between = events[named["region 2j"]["outer"]]
    assert between["where"] == "nJet >= 2"
    assert between["outer"] == named["opposite charge"]["number"]
    assert named["region leading"]["outer"] == 0
    sides = [each for each in events if not each["is_selection"] and each["number"] > 0]
    assert [(side["where"], side["keep_when"]) for side in sides] == [
        ("nMuon > 0", True),
        ("nMuon > 0", False),
    ]


def test_histograms_and_skims_stand_where_they_are_filled(planned):
    events = planned["events"]
    at = {h["name"]: events[h["events"]]["names"] for h in planned["histograms"]}
    assert at == {"mass": ["opposite charge"], "2j__met": ["region 2j"], "leading__met": ["region leading"]}
    for histogram in planned["histograms"]:
        assert histogram["name"] in events[histogram["events"]]["histograms"]
    assert {h["name"]: (h["axes"][0]["bins"], h["weight"]) for h in planned["histograms"]} == {
        "mass": (60, ""),
        "2j__met": (3, "genWeight"),
        "leading__met": (3, "genWeight"),
    }
    (skim,) = planned["skims"]
    assert events[skim["events"]]["names"] == ["opposite charge"]
    assert skim["computed"] == ["mll"]
    assert "Muon_pt" in skim["carried"]
    assert "MET_phi" in skim["carried"]


def test_values_have_text_and_type(planned):
    values = {value["name"]: value for each in planned["events"] for value in each["values"] if value["name"]}
    assert set(values) == {"mll", "lead"}
    assert values["mll"]["expression"] == CONFIG["define"]["mll"]
    assert values["mll"]["type"] == "float"


def test_carried_fields_that_expressions_cannot_hold_have_bytes(call, tmp_path):
    with uproot.recreate(tmp_path / "in.root") as file:
        file.mkrntuple("Events", {"x": [1, 2, 3], "deep": [[[1.0], []], [], [[2.0]]]})
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": ["in.root"]}},
        "skims": {"s": {"file": "s.root", "keep": ["deep"]}},
    }
    (tmp_path / "a.json").write_text(json.dumps(config))
    done = call("plan", "--json", "a.json", cwd=tmp_path)
    assert done.returncode == DONE, done.stderr
    assert only_sample(done)["skims"][0]["bytes_to_read"] > 0


def test_memory_grows_with_threads(plan):
    def estimate(threads):
        return only_sample(plan("--json", "-j", threads))["memory"]

    one, four = estimate(1), estimate(4)
    assert four["histograms"] == 4 * one["histograms"]
    assert four["batches"] == pytest.approx(4 * one["batches"], abs=4)
    assert one["columns"] <= four["columns"]
    for memory in (one, four):
        assert memory["total"] == pytest.approx(sum(memory.values()) - memory["total"], abs=5)


def test_histogram_memory_is_that_of_the_cells(plan):
    histograms = {"h": {"x": {"value": "MET_pt", "bins": 1000000, "range": [0, 1]}}}
    unweighted = only_sample(plan("--json", "-j", 1, histograms=histograms))["memory"]["histograms"]
    assert unweighted == pytest.approx(8e6, rel=0.01)
    histograms["h"]["weight"] = "genWeight"
    weighted = only_sample(plan("--json", "-j", 1, histograms=histograms))["memory"]["histograms"]
    assert weighted == pytest.approx(32e6, rel=0.01)


KINDS = {
    "flat": {"x": {"value": "MET_pt", "bins": 60, "range": [60, 120], "circular": True}},
    "plane": {
        "x": {"value": "MET_pt", "bins": 2000, "range": [0, 100]},
        "y": {"value": "Muon_pt", "edges": [0, *range(10, 610)]},
        "weight": "genWeight",
        "weight_variations": {"up": "genWeight * 2"},
    },
    "profile": {
        "axes": [{"value": "nMuon", "integers": [-1, 5]}, {"value": "file_", "categories": ["a", "b"]}],
        "profile": {"value": "MET_pt"},
    },
    "growing": {"x": {"value": "nMuon", "categories": [1], "growing": True}, "where": "nMuon > 0"},
}


def test_histograms_have_axes_storage_and_a_place(plan):
    done = plan("--json", "-j", 4, histograms=KINDS, histogram_memory="200 MiB")
    assert done.returncode == DONE, done.stderr
    planned = {each["name"]: each for each in only_sample(done)["histograms"]}
    axes = {
        name: [
            (axis["value"], axis["kind"], axis["bins"], axis["growing"], axis["circular"])
            for axis in each["axes"]
        ]
        for name, each in planned.items()
    }
    plane = [("MET_pt", "regular", 2000, False, False), ("Muon_pt", "variable", 600, False, False)]
    assert axes == {
        "flat": [("MET_pt", "regular", 60, False, True)],
        "plane__nominal": plane,
        "plane__up": plane,
        "profile": [("nMuon", "integer", 7, False, False), ("file_", "category", 2, False, False)],
        "growing": [("nMuon", "category", 1, True, False)],
    }
    assert {name: (each["storage"], each["weight"], each["profile"]) for name, each in planned.items()} == {
        "flat": ("count", "", ""),
        "plane__nominal": ("weighted", "genWeight", ""),
        "plane__up": ("weighted", "genWeight * 2", ""),
        "profile": ("profile", "", "MET_pt"),
        "growing": ("count", "", ""),
    }
    assert {name: (each["cells"], each["placement"]) for name, each in planned.items()} == {
        "flat": (62, "private"),
        "plane__nominal": (2002 * 602, "private"),
        "plane__up": (2002 * 602, "shared"),
        "profile": (9 * 4, "private"),
        "growing": (3, "private"),
    }


def test_histograms_of_one_fill_stand_at_their_events(plan):
    planned = only_sample(plan("--json", histograms=KINDS))
    at = {name: each["names"] for each in planned["events"] for name in each["histograms"]}
    assert at == {
        "flat": ["opposite charge"],
        "plane__nominal": ["opposite charge"],
        "plane__up": ["opposite charge"],
        "profile": ["opposite charge"],
        "growing": [],
    }
    for each in planned["histograms"]:
        assert each["name"] in planned["events"][each["events"]]["histograms"]


def test_shared_histograms_do_not_grow_with_threads(plan):
    def memory_of(threads):
        report = only_sample(plan("--json", "-j", threads, histograms=KINDS, histogram_memory="80 MiB"))
        for each in report["histograms"]:
            assert each["placement"] == ("shared" if "plane" in each["name"] and threads > 1 else "private")
        return report["memory"]["histograms"]

    one, two, four = (memory_of(threads) for threads in (1, 2, 4))
    assert one < two < four < 1.001 * one


def test_planning_does_not_take_the_memory_of_the_cells(plan, peak_memory, tmp_path):
    bins = {"value": "MET_pt", "bins": 5000, "range": [0, 1]}
    small = {"h": {"x": bins}}
    large = {f"h{i}": {"x": bins, "y": bins, "weight": "genWeight"} for i in range(4)}
    peaks = []
    for histograms in (small, large):
        done = plan("--json", "-j", 1, histograms=histograms, histogram_memory="16 GiB")
        assert done.returncode == DONE, done.stderr
        peaks.append(peak_memory(tmp_path, "plan", "a.json"))
    assert only_sample(done)["memory"]["histograms"] > 3e9
    assert peaks[1] < peaks[0] + 50e6


def test_memory_is_about_what_a_run_takes(plan, peak_memory, tmp_path):
    """Never less, and within a factor of four, on top of what the program takes before it reads."""
    histograms = {"h": {"x": {"value": "MET_pt", "bins": 1000000, "range": [0, 1]}, "weight": "genWeight"}}
    memory = only_sample(plan("--json", "-j", 2, histograms=histograms))["memory"]
    estimate = memory["total"] - memory["program"]
    before = peak_memory(tmp_path, "plan", "a.json")
    taken = peak_memory(tmp_path, "run", "-j", "2", "a.json") - before
    assert estimate / 4 < taken < estimate


def test_text_shows_the_tree(plan):
    shown = plan("-j", "1")
    assert shown.returncode == DONE, shown.stderr
    lines = shown.stdout.splitlines()
    for line in (
        "  all events",
        "    two muons: nMuon == 2",
        "      opposite charge: Muon_charge[0] != Muon_charge[1]",
        "        compute  mll = InvariantMass(Muon_pt, Muon_eta, Muon_phi, Muon_mass) (float)",
        "        fill     mass",
        "        keep     pairs",
        "        where nJet >= 2",
        "          region 2j: MET_pt > 20",
        "            fill     2j__met",
        "    region leading: lead > 20",
        "    only where nMuon > 0",
        "memory, estimated for 1 thread",
    ):
        assert line in lines, shown.stdout


def test_text_has_a_table_of_histograms(plan):
    shown = plan("-j", "4", histograms=KINDS, histogram_memory="200 MiB").stdout
    table = shown.split("\nhistograms\n")[1].split("\n\n")[0].splitlines()
    rows = [re.split(r"  +", line.strip()) for line in table]
    assert rows[0] == ["histogram", "bins", "weight", "cells", "a copy", "copies", "events"]
    assert rows[1][:4] == ["flat", "60 circular: MET_pt", "1", "62"]
    plane = "2 000 regular: MET_pt x 600 variable: Muon_pt"
    assert rows[2][:4] == ["plane__nominal", plane, "genWeight", "1 205 204"]
    assert [row[5] for row in rows[1:]] == ["per thread", "per thread", "shared", "per thread", "per thread"]
    assert rows[4][1] == "MET_pt in 7 integer: nMuon x 2 category: file_"
    assert rows[5][1] == "1 growing: nMuon"


def test_nothing_is_written(plan, tmp_path):
    assert plan().returncode == DONE
    assert os.listdir(tmp_path) == ["a.json"]


def test_mistakes_are_those_of_run(plan, call, tmp_path):
    done = plan(
        define={"mll": "InvariantMas(Muon_pt)"}, regions={"2j": {"where": "nJett"}, "leading": {"where": "1"}}
    )
    assert done.returncode == WRONG_USAGE
    assert done.stderr == call("run", "a.json", cwd=tmp_path).stderr
    assert "a.json:" in done.stderr
    assert plan(samples={"data": {"files": ["none.root"]}}).returncode == WRONG_USAGE
    (tmp_path / "in.root").write_text("no ROOT file")
    assert plan(samples={"data": {"files": ["in.root"]}}).returncode == FAILED


def test_an_empty_input_is_planned(plan, call, tmp_path):
    assert call("generate", "dimuon", "--events", "0", "-o", tmp_path / "in.root").returncode == DONE
    done = plan("--json", samples={"data": {"files": ["in.root"]}})
    assert done.returncode == DONE, done.stderr
    assert only_sample(done)["entries"] == 0


def many_histograms(number):
    """Histograms of 100 definitions, each of which needs the one before it; every third behind one of 185 conditions."""
    definitions = {"d0": "MET_pt"} | {f"d{i}": f"d{i - 1} + Sum(Jet_pt > {i})" for i in range(1, 100)}
    histograms = {}
    for i in range(number):
        histograms[f"h{i}"] = {"x": {"value": f"d{i % 100}", "bins": 20, "range": [0, 100 + i]}}
        if i % 3 == 0:
            histograms[f"h{i}"]["where"] = f"nJet > {i % 5} && MET_pt > {i % 37}"
    return {
        "define": definitions,
        "histograms": histograms,
        "regions": {"all": {"where": "true"}},
        "skims": {},
    }


def test_ten_thousand_histograms_share_their_steps(call, sample, tmp_path):
    config = CONFIG | {"samples": {"data": {"files": [f"{sample}:Events"]}}} | many_histograms(10000)
    del config["skims"], config["select"]
    (tmp_path / "a.json").write_text(json.dumps(config))
    planned = only_sample(call("plan", "--json", "a.json", cwd=tmp_path))
    assert len(planned["histograms"]) == 10000
    # All events, "all", 37 conditions on the missing momentum, which is read anyway, and five on jets behind each.
    assert len(planned["events"]) == 2 + 37 + 37 * 5
    values = sum(len(events["values"]) for events in planned["events"])
    # A loop, a sum and an addition, with a conversion, for each definition; conditions; nothing twice.
    assert values < 1000
    # Behind each condition a step takes the value of a definition from outside.
    assert planned["steps"] < 10000 + values + 185 * 100 + 1000


def test_ten_thousand_histograms_take_little_memory(peak_memory, sample, tmp_path):
    config = CONFIG | {"samples": {"data": {"files": [f"{sample}:Events"]}}} | many_histograms(10000)
    del config["skims"], config["select"]
    (tmp_path / "a.json").write_text(json.dumps(config))
    assert peak_memory(tmp_path, "plan", "a.json") < 300e6


def test_results_of_large_histograms_are_not_in_memory_at_once(plan, peak_memory, tmp_path):
    """A gigabyte of them: 112 bytes for each of nine million cells with weights."""
    axes = {
        "x": {"value": "Muon_pt", "bins": 1500, "range": [0, 100]},
        "y": {"value": "Muon_eta", "bins": 1000, "range": [-3, 3]},
    }
    histograms = {f"h{i}": axes | {"weight": "genWeight"} for i in range(6)}
    assert plan(histograms=histograms, skims={"s": {"file": "s.root", "keep": ["run"]}}).returncode == DONE
    assert peak_memory(tmp_path, "run", "-j", "2", "a.json") < 600e6
    written = uproot.open(tmp_path / "histograms.root")
    assert [key.split(";")[0] for key in written.keys() if not key.startswith("skimline")] == list(histograms)
    sums = {written[name].values(flow=True).sum() for name in histograms}
    assert len(sums) == 1
    assert sums.pop() > 0


def parse_dot(text):
    """Labels by node, and edges."""
    labels = dict(re.findall(r'^  (t\d+) \[label="(.*)"\];$', text, re.MULTILINE))
    return labels, re.findall(r"^  (t\d+) -> (t\d+)", text, re.MULTILINE)


def parse_mermaid(text):
    labels = dict(re.findall(r'^  (t\d+)\["(.*)"\]$', text, re.MULTILINE))
    return labels, re.findall(r"^  (t\d+) [-=]+> (t\d+)$", text, re.MULTILINE)


def test_the_graph_has_the_tasks_of_a_run(call, sample, tmp_path):
    config = CONFIG | {"samples": {"a": {"files": [str(sample)]}, "b-2": {"files": [str(sample)]}}}
    config["skims"] = {"pairs": {"file": "{sample}.root", "keep": ["Muon_*"]}}
    (tmp_path / "c.json").write_text(json.dumps(config))
    graphs = {}
    for name, parse in (("dot", parse_dot), ("mermaid", parse_mermaid)):
        done = call("plan", "--graph", name, "c.json", cwd=tmp_path)
        assert done.returncode == DONE, done.stderr
        labels, edges = graphs[name] = parse(done.stdout)
        # Each node but the first of each sample waits for one, and all lead to the last.
        assert {after for _, after in edges} == {each for each in labels if "open" not in labels[each]}
        assert {before for before, _ in edges} == set(labels) - {list(labels)[-1]}
    assert graphs["dot"][1] == graphs["mermaid"][1]

    ran = call("run", "c.json", "--trace", "trace.json", "-j", 2, cwd=tmp_path)
    assert ran.returncode == DONE, ran.stderr
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    counts = {}
    for event in events:
        if event["ph"] == "X":
            key = event["name"], event["args"]["sample"]
            counts[key] = counts.get(key, 0) + 1
    labels = graphs["dot"][0].values()
    for (stage, of), count in counts.items():
        assert [each for each in labels if each.startswith(f"{stage} {of}: {count} slice")], (
            stage,
            of,
            count,
        )


def test_the_graph_as_text(plan):
    text = plan("--graph", "text").stdout
    assert re.search(r"evaluate +\d+ slices? +after its own fetch", text)
    assert re.search(r"commit +\d+ slices?, in order +after its own seal", text)
    assert plan("--graph", "svg").returncode == WRONG_USAGE
    assert plan("--graph", "dot", "--json").returncode == WRONG_USAGE

# SPDX-License-Identifier: BSD-3-Clause
"""`skimline run --trace`: a timeline that Perfetto reads, also of runs that fail."""

import itertools
import json
import os
from collections import defaultdict

import pytest
from exit_codes import DONE, FAILED
from histogram_events import histogram_config

STAGES = ["evaluate", "stitch", "seal", "commit", "write"]


def config_for(path, **more):
    histograms = {"h": {"x": {"value": "MET_pt", "bins": 4, "range": [0, 100]}}}
    skims = {"s": {"file": "s.root", "keep": ["Muon_*"], "where": "nMuon > 1"}}
    return histogram_config([f"{path}:Events"], histograms) | {"skims": skims} | more


def spans(path):
    trace = json.loads(path.read_text())
    return [event for event in trace["traceEvents"] if event["ph"] == "X"]


@pytest.mark.parametrize("threads", [1, 3])
def test_every_stage_of_every_slice(job, sample, tmp_path, threads):
    done = job(config_for(sample), "--trace", "t.json", "-j", threads)
    assert done.returncode == DONE, done.stderr
    report = json.loads((tmp_path / "a.report.json").read_text())
    by_slice = defaultdict(list)
    by_thread = defaultdict(list)
    for event in spans(tmp_path / "t.json"):
        assert event["pid"] == 1 and event["args"]["sample"] == "data"
        assert 0 <= event["tid"] < threads
        assert event["ts"] >= 0 and event["dur"] >= 0
        by_slice[event["args"]["slice"]].append(event)
        by_thread[event["tid"]].append(event)
    assert sorted(by_slice) == list(range(len(by_slice))) and len(by_slice) > 1
    for events in by_slice.values():
        assert [event["name"] for event in events] == STAGES
        for earlier, later in itertools.pairwise(events):
            assert earlier["ts"] + earlier["dur"] <= later["ts"] + 0.01
    # What a thread does is one after the other, or one within the other.
    for events in by_thread.values():
        for earlier, later in itertools.pairwise(events):
            end = earlier["ts"] + earlier["dur"]
            assert later["ts"] >= end - 0.01 or later["ts"] + later["dur"] <= end + 0.01
    total = sum(event["dur"] for event in spans(tmp_path / "t.json") if event["name"] == "evaluate")
    assert total / 1e6 >= report["stages"]["evaluate"] * 0.99


def test_a_failed_run_has_one_too(job, sample, tmp_path):
    done = job(config_for(sample, select=[{"name": "x", "where": "Muon_pt[0] > 1"}]), "--trace", "t.json")
    assert done.returncode == FAILED
    assert sorted(os.listdir(tmp_path)) == ["a.json", "t.json"]
    assert {event["name"] for event in spans(tmp_path / "t.json")} >= {"evaluate"}


def test_a_full_disk_is_an_error(job, sample, tmp_path):
    done = job(config_for(sample), "--trace", "/dev/full")
    assert done.returncode == FAILED
    assert "No space left on device; output files are complete" in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["a.json", "a.report.json", "histograms.root", "s.root"]

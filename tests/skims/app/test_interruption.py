# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C ends a run within a second wherever it is, with exit code 130, and leaves nothing."""

import json
import os
import signal
import time

import pytest
from exit_codes import INTERRUPTED
from interrupted_runs import config_for, parts, running, visible, wait_until

# A busy machine gives a run less of a second.
SECONDS = max(1.0, os.getloadavg()[0] / os.cpu_count())


@pytest.fixture(scope="module")
def events(generate, tmp_path_factory):
    return generate("dimuon", tmp_path_factory.mktemp("events") / "in.root", 400000)


SLOW_EXPRESSION = {"define": {"n": "Sum(Range(nJet + 20000))"}, "select": [{"name": "n", "where": "n > 0"}]}
SLOW_SKIM = {"file": "s.root", "compression": "lzma:6", "cluster_size": "1 GiB", "page_size": "100 KiB"}
# No page is full before the end.
SEALED_AT_THE_END = SLOW_SKIM | {"compression": "zlib:9", "page_size": "8 MiB"}
MANY_HISTOGRAMS = {
    "histograms": {
        f"h{i}": {
            "x": {"value": "MET_pt", "bins": 1000, "range": [0, 100]},
            "y": {"value": "nMuon", "bins": 500, "range": [0, 5]},
            "weight": f"genWeight + {i}",
        }
        for i in range(24)
    }
}


def is_written(folder, name):
    return any(path.stat().st_size > 100000 for path in parts(folder) if path.name.startswith(f".{name}."))


POINTS = {
    "at the begin": ({}, lambda folder: parts(folder), 0),
    "in an expression": (SLOW_EXPRESSION, lambda folder: parts(folder), 0.4),
    "while pages are sealed": ({"skims": {"s": SLOW_SKIM}}, lambda folder: parts(folder), 0.8),
    "in the last cluster": ({"skims": {"s": SEALED_AT_THE_END}}, lambda folder: parts(folder), 1.0),
    "while histograms are written": (
        MANY_HISTOGRAMS,
        lambda folder: is_written(folder, "histograms.root"),
        0,
    ),
}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("point", POINTS)
def test_it_ends_within_a_second(skimline, events, tmp_path, point, number):
    if number != signal.SIGINT and point != "in an expression":
        pytest.skip("one point is enough for the other signals")
    more, condition, pause = POINTS[point]
    (tmp_path / "a.json").write_text(json.dumps(config_for(f"{events}:Events", **more)))
    (tmp_path / "histograms.root").write_text("of an earlier run")
    with running(skimline, tmp_path, "--force") as process:
        wait_until(lambda: condition(tmp_path), process)
        time.sleep(pause)
        assert process.poll() is None, "the run ended too early"
        asked = time.monotonic()
        process.send_signal(number)
        _, error = process.communicate(timeout=30)
        assert time.monotonic() - asked < SECONDS
    assert process.returncode == INTERRUPTED
    assert "interrupted, no output was written" in error
    assert sorted(os.listdir(tmp_path)) == ["a.json", "histograms.root"]
    assert (tmp_path / "histograms.root").read_text() == "of an earlier run"


def test_the_trace_of_an_interrupted_run(skimline, events, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(config_for(f"{events}:Events", **SLOW_EXPRESSION)))
    with running(skimline, tmp_path, "--trace", "t.json") as process:
        wait_until(lambda: len(parts(tmp_path)) >= 3, process)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == INTERRUPTED
    assert visible(tmp_path) == ["t.json"]
    spans = [
        event for event in json.loads((tmp_path / "t.json").read_text())["traceEvents"] if event["ph"] == "X"
    ]
    assert {event["name"] for event in spans} == {"evaluate"}


def test_a_second_signal_ends_it_at_once(skimline, events, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(config_for(f"{events}:Events", **SLOW_EXPRESSION)))
    with running(skimline, tmp_path) as process:
        wait_until(lambda: parts(tmp_path), process)
        process.send_signal(signal.SIGINT)
        time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode in (INTERRUPTED, -signal.SIGINT)
    assert visible(tmp_path) == []

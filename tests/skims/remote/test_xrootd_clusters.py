# SPDX-License-Identifier: BSD-3-Clause
"""Folders of which several servers of XRootD have parts, behind one that has none."""

import json
import tempfile
from pathlib import Path

import pytest
from xrootd_clusters import XrootdCluster

EVENTS = {"a": 1000, "b": 200, "both": 30, "own": 4}
CONFIG = {
    "schema_version": 1,
    "histograms": {"met": {"x": {"value": "MET_pt", "bins": 20, "range": [0, 200]}}},
    "output": {"histograms": "h.root"},
}


@pytest.fixture(scope="module")
def cluster(generate):
    """Each server has a file of its own, one that both have, and the second a folder; the manager has one more."""
    with tempfile.TemporaryDirectory(prefix="skimline-xrootd-") as name:
        roots = [Path(name) / "first", Path(name) / "second"]
        server = XrootdCluster(roots, Path(name) / "work")
        for root, files in zip(
            [*roots, Path(name) / "work/own"], (["a", "both"], ["b", "both"], ["own"]), strict=True
        ):
            (root / "data").mkdir(parents=True)
            (root / "data").chmod(0o777)
            for number, file in enumerate(files):
                generate("dimuon", root / "data" / f"{file}.root", EVENTS[file], "--seed", number)
        (roots[1] / "data/deep").mkdir()
        generate("dimuon", roots[1] / "data/deep/c.root", 5000)
        try:
            yield server.start()
        finally:
            server.stop()


@pytest.fixture
def events_of(job, cluster, tmp_path):
    """How many events a run over a pattern reads, or its message."""

    def read(pattern):
        done = job(CONFIG | {"samples": {"a": {"files": [cluster.url(pattern)]}}}, "-f")
        if done.returncode != 0:
            return done.stderr
        return json.loads((tmp_path / "a.report.json").read_text())["events"]

    cluster.wait_until(lambda: isinstance(read("data/a.root"), int) and isinstance(read("data/b.root"), int))
    return read


def test_folders_have_what_all_servers_have_of_them(events_of):
    assert events_of("data/*.root") == EVENTS["a"] + EVENTS["b"] + EVENTS["both"]
    assert events_of("*/[ab].root") == EVENTS["a"] + EVENTS["b"]


def test_folders_of_one_server_are_found(events_of):
    assert events_of("data/deep/*.root") == 5000
    assert events_of("data/d*/*.root") == 5000


def test_folders_of_the_manager_alone_are_none(events_of, cluster):
    (cluster.own / "hidden").mkdir(exist_ok=True)
    assert "hidden/: cannot be listed: " in str(events_of("hidden/*.root"))

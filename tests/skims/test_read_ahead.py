# SPDX-License-Identifier: BSD-3-Clause
"""Storage that answers late: reads are in flight together, and neither results nor messages are others."""

import json
import os

import pytest

CUTS = [{"name": "two muons", "where": "nMuon >= 2"}]
HISTOGRAMS = {
    "met": {"x": {"value": "MET_pt", "bins": 50, "range": [0, 200]}},
    "pt": {"x": {"value": "Sum(Muon_pt)", "bins": 50, "range": [0, 200]}},
}
SKIM = {"keep": ["Muon_*", "Jet_pt", "MET_*"], "file": "skim.root"}
# Of a file with four slices, so many at least: reads one after the other would have one.
READS_AT_ONCE = 2


@pytest.fixture(scope="module", params=["rntuple", "ttree"])
def events(request, generate, tmp_path_factory):
    path = tmp_path_factory.mktemp("events") / f"{request.param}.root"
    return generate("adl", path, 200_000, "--format", request.param, "--compression", "zstd:1")


@pytest.fixture
def run_on(call, build_folder, tmp_path):
    """Runs a config over a file that answers after so many milliseconds; returns the run and its folder."""

    def run(name, path, milliseconds, *options, skims=False):
        folder = tmp_path / name
        folder.mkdir()
        config = {
            "schema_version": 1,
            "samples": {"a": {"files": [str(path)]}},
            "select": CUTS,
            "histograms": HISTOGRAMS,
            "output": {"histograms": "h.root"},
        }
        if skims:
            config["skims"] = {"s": SKIM}
        (folder / "c.json").write_text(json.dumps(config))
        storage = {
            "LD_PRELOAD": str(build_folder / "tests" / "io" / "libio_slow_storage.so"),
            "SKIMLINE_STORAGE": str(milliseconds),
            "SKIMLINE_STORAGE_REPORT": str(folder / "reads_in_flight"),
        }
        environment = os.environ | (storage if milliseconds else {})
        return call("run", "c.json", *options, cwd=folder, env=environment), folder

    return run


def waiting(folder):
    return json.loads((folder / "c.report.json").read_text())["waiting"]


@pytest.mark.parametrize("threads", [1, 3])
def test_reads_are_in_flight_together(run_on, events, threads):
    fast, fast_folder = run_on("fast", events, 0, "-j", threads)
    slow, slow_folder = run_on("slow", events, 20, "-j", threads)
    assert fast.returncode == slow.returncode == 0, slow.stderr
    assert (fast_folder / "h.root").read_bytes() == (slow_folder / "h.root").read_bytes()
    assert int((slow_folder / "reads_in_flight").read_text()) >= READS_AT_ONCE
    assert waiting(slow_folder)["storage"] > 0.02


def test_skims_are_the_same(run_on, events):
    fast, fast_folder = run_on("fast", events, 0, skims=True)
    slow, slow_folder = run_on("slow", events, 5, skims=True)
    assert fast.returncode == slow.returncode == 0, slow.stderr
    assert (fast_folder / "skim.root").read_bytes() == (slow_folder / "skim.root").read_bytes()
    assert int((slow_folder / "reads_in_flight").read_text()) >= READS_AT_ONCE


def test_damage_is_found_in_the_same_place(run_on, events, tmp_path):
    content = bytearray(events.read_bytes())
    # A byte of each hundredth of the file: some of what is read is among them.
    for part in range(1, 100):
        content[len(content) * part // 100] ^= 0x55
    damaged = tmp_path / "damaged.root"
    damaged.write_bytes(content)
    fast, _ = run_on("fast", damaged, 0, skims=True)
    slow, _ = run_on("slow", damaged, 5, skims=True)
    assert fast.returncode == slow.returncode != 0
    assert fast.stderr == slow.stderr

# SPDX-License-Identifier: BSD-3-Clause
"""Runs that are killed at random points leave whole files or none, and those of the run before."""

import json
import random
import shutil
import time
from functools import partial

import pytest
import uproot
from interrupted_runs import running, visible, wait_until

NUM_KILLS = 200
NUM_KILLS_AT_THE_END = 30
OUTPUTS = ("all.root", "histograms.root", "muons.root")


def config_for(path, threshold):
    return {
        "schema_version": 1,
        "samples": {"data": {"files": [f"{path}:Events"]}},
        "select": [{"name": "met", "where": f"MET_pt > {threshold}"}],
        "histograms": {
            f"met{i}": {"x": {"value": "MET_pt", "bins": 50, "range": [0, 100]}, "weight": f"genWeight + {i}"}
            for i in range(20)
        },
        "skims": {
            "muons": {"file": "muons.root", "keep": ["Muon_*"], "compression": "zstd:1"},
            "all": {"file": "all.root", "keep": ["MET_*", "Jet_*"], "compression": "lz4"},
        },
        "output": {"histograms": "histograms.root"},
    }


@pytest.fixture(scope="module")
def whole(call, generate, run_in, tmp_path_factory):
    """The folder of an input, and the bytes of whole outputs of an earlier and of the killed run."""
    folder = tmp_path_factory.mktemp("whole")
    generate("dimuon", folder / "in.root", 60000)
    contents = []
    for threshold in (60, 10):
        done = run_in(folder, config_for("in.root", threshold))
        assert done.returncode == 0, done.stderr
        assert call("verify", *OUTPUTS[::2], cwd=folder).returncode == 0
        assert uproot.open(folder / "muons.root")["Events"].num_entries > 100
        assert uproot.open(folder / "histograms.root")["met3"].values().sum() != 0
        contents.append({name: (folder / name).read_bytes() for name in OUTPUTS})
    assert all(contents[0][name] != contents[1][name] for name in OUTPUTS)
    return folder, *contents


@pytest.fixture
def folder(whole, tmp_path):
    (tmp_path / "in.root").symlink_to(whole[0] / "in.root")
    shutil.copy(whole[0] / "a.json", tmp_path)
    return tmp_path


def begin(folder, old):
    """Removes what killed runs have left, and puts outputs of an earlier run there or not."""
    for path in folder.glob(".*.part"):
        path.unlink()
    for name in OUTPUTS:
        (folder / name).unlink(missing_ok=True)
        if old:
            (folder / name).write_bytes(old[name])
    (folder / "a.report.json").unlink(missing_ok=True)


def is_new(path, old_inode):
    return path.exists() and path.stat().st_ino != old_inode


def check(folder, old, new):
    """Returns how many outputs are new."""
    names = [name for name in visible(folder) if name != "a.report.json"]
    assert set(names) <= set(OUTPUTS)
    if old:
        assert set(names) == set(OUTPUTS)
    num_new = 0
    for name in names:
        contents = (folder / name).read_bytes()
        assert contents == new[name] or (old and contents == old[name]), name
        num_new += contents == new[name]
    if (folder / "a.report.json").exists():
        assert json.loads((folder / "a.report.json").read_text())["events"] == 60000
        assert num_new == len(OUTPUTS)
    return num_new


@pytest.mark.thorough
def test_killed_runs_leave_nothing_half_done(call, skimline, whole, folder, num_tries):
    _, old, new = whole
    started = time.monotonic()
    with running(skimline, folder) as process:
        assert process.wait() == 0
    seconds = time.monotonic() - started
    choose = random.Random(20)
    seen = set()
    for number in range(num_tries(NUM_KILLS, NUM_KILLS // 4)):
        earlier = old if number % 2 else None
        begin(folder, earlier)
        with running(skimline, folder, "-j", "2") as process:
            time.sleep(choose.uniform(0, 1.05 * seconds))
            process.kill()
        seen.add(process.returncode)
        check(folder, earlier, new)
    assert -9 in seen
    # Over what the last one has left.
    done = call("run", "a.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert check(folder, None, new) == len(OUTPUTS)


@pytest.mark.thorough
def test_killed_while_outputs_get_their_names(skimline, whole, folder, num_tries):
    _, old, new = whole
    choose = random.Random(21)
    counts = set()
    for number in range(num_tries(NUM_KILLS_AT_THE_END, NUM_KILLS_AT_THE_END // 2)):
        earlier = old if number % 2 else None
        begin(folder, earlier)
        target = folder / "muons.root"
        before = target.stat().st_ino if earlier else None
        with running(skimline, folder, "-j", "2") as process:
            try:
                wait_until(partial(is_new, target, before), process)
                time.sleep(choose.uniform(0, 0.02))
            except AssertionError:
                assert process.returncode == 0
            process.kill()
        counts.add(check(folder, earlier, new))
    assert counts - {0}

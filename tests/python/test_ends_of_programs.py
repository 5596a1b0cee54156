# SPDX-License-Identifier: BSD-3-Clause
"""Programs that end while the package works in other threads, which Python does not wait for."""

import os
import subprocess
import sys

import pytest

BEGIN = """
import sys, threading, time
import skimline as sk

events = sk.open(sys.argv[1])
slow = events.define("x", lambda met: (time.sleep(0.002), met)[1], columns=["MET_pt"], returns="float")

def again_and_again(work):
    def repeat():
        while True:
            work()
    threading.Thread(target=repeat, daemon=True).start()
    time.sleep(float(sys.argv[3]))

def write():
    with sk.create(sys.argv[2], force=True) as out:
        for _ in range(20):
            out.extend({"x": [1.0] * 10000})
"""
ENDS = {
    "a loop over a loader": "batches = iter(sk.loader(events, batch=7, columns=['MET_pt'], shuffle=1)); next(batches)",
    "a loader of a function": "batches = iter(sk.loader(slow, batch=7, columns=['x'])); next(batches)",
    "a run": "h = events.hist('MET_pt', bins=9, range=(0, 9)); again_and_again(lambda: sk.run(h, threads=2))",
    "arrays of a function": "again_and_again(lambda: slow.arrays(['x'], threads=2))",
    "parts": "again_and_again(lambda: list(events.iterate(['Muon_pt'], step=1000)))",
    "a writer": "again_and_again(write)",
}


def run(program, *arguments):
    """Its exit code, and what it said."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("end", ENDS)
def test_programs_end_as_they_are_told(dimuon, tmp_path, end):
    """Each a few times, as it depends on what the threads do at that moment."""
    for number in range(4):
        program = BEGIN + ENDS[end] + "\nsys.exit(3)"
        assert run(program, dimuon, tmp_path / "x.root", f"0.0{number}") == (3, "")


SKIM = """
import os, sys, threading, time, warnings
import skimline as sk

warnings.filterwarnings("ignore", message=".*fork", category=DeprecationWarning)  # of Python, wherever there are threads
slow = sk.open(sys.argv[1]).define("x", lambda met: (time.sleep(0.1), met)[1], columns=["MET_pt"], returns="float")
booked = slow.skim(sys.argv[2], keep=["x"])
threading.Thread(target=lambda: sk.run(booked, threads=2), daemon=True).start()
while not any("x.root" in name for name in os.listdir(os.path.dirname(sys.argv[2]))):
    time.sleep(0.01)
if sys.argv[3] == "child" and (child := os.fork()):
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
sys.exit(3)
"""


@pytest.fixture(scope="module")
def long(program, tmp_path_factory):
    """Events that take a while."""
    path = tmp_path_factory.mktemp("long") / "long.root"
    subprocess.run(
        [program, "generate", "dimuon", "--events", "300000", "-o", path], check=True, capture_output=True
    )
    return path


@pytest.mark.parametrize("ending", ["itself", "child"])
def test_what_was_being_written_is_removed(long, tmp_path, ending):
    """A child has none of the threads, and waits for none."""
    assert run(SKIM, long, tmp_path / "x.root", ending) == (3, "")
    assert os.listdir(tmp_path) == []

# SPDX-License-Identifier: BSD-3-Clause
"""Runs whose workers are killed at random points: $SKIMLINE_KILLS of them, of which each has the bytes of a run here."""

import contextlib
import multiprocessing
import os
import random
import signal
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
import skimline as sk
from skimline.processes import Processes

COUNT = 12
KILLS = int(os.environ.get("SKIMLINE_KILLS", "4"))


@pytest.fixture
def config(dimuon_files):
    inputs = dimuon_files(COUNT, 3000)
    return {
        "schema_version": 1,
        "samples": {"mc": {"files": [f"{inputs}/part*.root"]}},
        "select": [{"name": "a muon", "where": "nMuon > 0"}],
        "histograms": {
            "met": {"x": {"value": "MET_pt", "bins": 30, "range": [0, 150]}, "weight": "exp(MET_phi * 9)"},
            "number": {"x": {"value": "nMuon", "categories": [], "growing": True}},
        },
        "skims": {"s": {"file": "s.root", "keep": ["MET_*"]}},
        "output": {"histograms": "h.root", "cutflow": "c.csv"},
    }


@pytest.mark.thorough
def test_killed_workers_lose_and_double_nothing(config, run_in, tmp_path):
    expected = run_in(config, "here", store=tmp_path / "store")
    assert len(expected) == 3
    chance = random.Random(KILLS)
    with Processes(2) as pool, ThreadPoolExecutor(1) as own, warnings.catch_warnings():
        warnings.simplefilter("ignore", sk.RunWarning)  # that parts were computed again
        start = time.monotonic()
        assert run_in(config, "there", executor=pool) == expected
        seconds = time.monotonic() - start
        for number in range(KILLS):
            running = own.submit(run_in, config, f"killed{number}", executor=pool)
            time.sleep(chance.random() * seconds)
            workers = multiprocessing.active_children()
            if workers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(chance.choice(workers).pid, signal.SIGKILL)
            assert running.result(timeout=120) == expected

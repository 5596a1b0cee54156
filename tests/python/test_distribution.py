# SPDX-License-Identifier: BSD-3-Clause
"""Runs whose parts are computed elsewhere have the bytes of runs here, whatever becomes of the workers."""

import json
import multiprocessing
import os
import random
import signal
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import distributed
import pytest
import skimline as sk
from skimline.errors import ConfigError, Error, EvaluationError

COUNT = 6
OUTPUTS = ("h.root", "c.csv", "s.root")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    for number in range(COUNT):
        sk.generate("dimuon", folder / f"part{number}.root", events=2000 + 100 * number, seed=number)
    return folder


@pytest.fixture
def config(inputs):
    return {
        "schema_version": 1,
        "luminosity_pb": 10,
        "samples": {
            "mc": {
                "files": [str(inputs / f"part{number}.root") for number in range(COUNT)],
                "cross_section_pb": 2,
                "sum_weights": "0.1 * (1 + event % 3)",
            }
        },
        "variations": {"scale": {"columns": {"MET_pt": {"up": "MET_pt * 1.1f"}}}},
        "select": [{"name": "a muon", "where": "nMuon > 0"}],
        "histograms": {
            "met": {
                "x": {"value": "MET_pt", "bins": 30, "range": [0, 150]},
                "weight": "normalisation_ * (1 + entry_ % 7)",
            },
            "number": {"x": {"value": "nMuon", "categories": [], "growing": True}},
        },
        "skims": {"s": {"file": "s.root", "keep": ["MET_*"]}},
        "output": {"histograms": "h.root", "cutflow": "c.csv"},
    }


@pytest.fixture
def run_in(tmp_path, monkeypatch):
    """Runs a config in a folder of its own; returns the outputs."""

    def run(config, name, **options):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        run.result = sk.run_config(config, **options)
        return {name: (folder / name).read_bytes() for name in OUTPUTS}

    return run


@pytest.fixture(scope="module")
def processes():
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        yield pool


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    """A cluster of two processes, which run in another folder."""
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=None,
            local_directory=str(tmp_path_factory.mktemp("dask")),
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(params=["threads", "processes", "dask"])
def executor(request):
    if request.param == "threads":
        with ThreadPoolExecutor(3) as pool:
            yield pool
    else:
        yield request.getfixturevalue(request.param)


def test_outputs_have_the_bytes_of_a_run_here(config, run_in, executor, tmp_path):
    expected = run_in(config, "here")
    assert run_in(config, "elsewhere", executor=executor) == expected
    assert run_in.result.report["store"]["computed"] == 0
    assert run_in(config, "kept", executor=executor, store=tmp_path / "store") == expected
    assert run_in(config, "again", store=tmp_path / "store") == expected
    assert run_in.result.report["store"]["computed"] == 0


def test_configs_in_files_run_elsewhere(config, executor, inputs, tmp_path, monkeypatch):
    """Paths are relative to the config's folder, wherever a worker is."""
    for name in ("here", "elsewhere"):
        folder = tmp_path / name
        folder.mkdir()
        for path in inputs.iterdir():
            (folder / path.name).symlink_to(path)
        config["samples"]["mc"]["files"] = ["part*.root"]
        (folder / "a.json").write_text(json.dumps(config))
    monkeypatch.chdir(tmp_path)
    sk.run_config("here/a.json", limit_events=7001, sets=["luminosity_pb=20"])
    sk.run_config("elsewhere/a.json", limit_events=7001, sets=["luminosity_pb=20"], executor=executor)
    for name in OUTPUTS:
        assert (tmp_path / "elsewhere" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def test_bookings_run_elsewhere(inputs, executor, tmp_path):
    events = sk.open(f"{inputs}/part*.root:Events").filter("nMuon > 0")
    here, there = (
        events.hist("MET_pt", bins=20, range=(0, 100), weight="1 + MET_phi", name=name) for name in "ab"
    )
    sk.run(here)
    result = sk.run(there, executor=executor, store=tmp_path / "store")
    assert (there.result.values(flow=True) == here.result.values(flow=True)).all()
    assert (there.result.variances(flow=True) == here.result.variances(flow=True)).all()
    expected = sk.run(events.hist("MET_pt", bins=2, range=(0, 1)))
    assert result.report["samples"][0]["cutflow"] == expected.report["samples"][0]["cutflow"]


def test_functions_of_this_process_stay_here(inputs, executor):
    events = sk.open(f"{inputs}/part0.root:Events").define("double", lambda pt: 2 * pt, columns=["MET_pt"])
    with pytest.raises(ConfigError, match="no config can hold functions"):
        sk.run(events.hist("double", bins=2, range=(0, 1)), executor=executor)


def test_mistakes_are_told_before_anything_is_sent(config, run_in):
    class Untouched:
        def submit(self, *_):
            raise AssertionError

    config["histograms"]["met"]["x"]["value"] = "MET_pz"
    with pytest.raises(ConfigError, match='"MET_p'):
        run_in(config, "here", executor=Untouched())


def test_faults_of_events_are_told_with_their_place(config, run_in, executor):
    config["histograms"]["met"]["x"]["value"] = "Muon_pt[7]"
    del config["variations"]
    with pytest.raises(EvaluationError, match="index 7 is out of range") as here:
        run_in(config, "here")
    with pytest.raises(EvaluationError) as there, pytest.warns(sk.RunWarning, match="computed again"):
        run_in(config, "there", executor=executor)
    assert str(there.value) == str(here.value)


class Losing:
    """Computes here, but for parts that it loses: so many times each, by chance."""

    def __init__(self, times, seed=0):
        self.times = times
        self.chance = random.Random(seed)
        self.lost = {}
        self.num_computed = 0

    def submit(self, function, task):
        future = Future()
        key = task.part[6]
        if self.lost.setdefault(key, self.chance.randrange(self.times + 1)) > 0:
            self.lost[key] -= 1
            future.set_exception(ConnectionError("the worker is gone"))
        else:
            self.num_computed += 1
            future.set_result(function(task))
            if self.chance.random() < 0.3:
                function(task)  # some schedulers run a part twice
        return future


@pytest.mark.parametrize("seed", range(8))
def test_lost_parts_are_computed_again(seed, config, run_in):
    expected = run_in(config, "here")
    executor = Losing(2, seed)
    with pytest.warns(sk.RunWarning, match="a part was computed again: .*the worker is gone"):
        assert run_in(config, "there", executor=executor) == expected
    assert executor.num_computed == COUNT


def test_what_is_lost_for_good_is_named_and_the_rest_is_kept(config, run_in, tmp_path):
    class Hopeless(Losing):
        def submit(self, function, task):
            if "part3" in task.part[2]:
                future = Future()
                future.set_exception(ConnectionError("no route to host"))
                return future
            return super().submit(function, task)

    with pytest.raises(
        Error, match=r"1 of the parts .* 3 times.*part3\.root, entries 0 to .*no route to host"
    ):
        run_in(config, "there", executor=Hopeless(0), store=tmp_path / "store")
    assert not any((tmp_path / "there").iterdir())
    executor = Losing(0)
    run_in(config, "again", executor=executor, store=tmp_path / "store")
    assert executor.num_computed == 1


def test_killed_workers_lose_nothing(config, run_in, dask):
    """Dask gives their parts to others."""
    expected = run_in(config, "here")
    chance = random.Random(5)
    for number in range(4):
        workers = list(dask.run(os.getpid).values())
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(sk.run_config, config | {"skims": {}}, executor=dask, force=True)
            time.sleep(chance.random() * 0.2)
            os.kill(chance.choice(workers), signal.SIGKILL)
            running.result(timeout=60)
        dask.wait_for_workers(2, timeout=30)
        assert Path("h.root").read_bytes() != b""
        assert run_in(config, f"after{number}", executor=dask) == expected


def test_other_files_are_no_results(config, run_in, tmp_path):
    class Hostile:
        def submit(self, *_):
            future = Future()
            future.set_result({"../../outside.results.root": b"x"})
            return future

    with pytest.raises(ConfigError, match="gave results the place"):
        run_in(config, "there", executor=Hostile(), store=tmp_path / "store")
    assert not list(tmp_path.rglob("outside*"))


def test_results_that_are_damaged_on_the_way_are_computed_here(config, run_in):
    class Damaging(Losing):
        def submit(self, function, task):
            future = super().submit(function, task._replace(mark="/nowhere"))
            files = future.result()
            assert files
            damaged = Future()
            damaged.set_result({place: content[: len(content) // 2] for place, content in files.items()})
            return damaged

    expected = run_in(config, "here")
    assert run_in(config, "there", executor=Damaging(0)) == expected
    assert run_in.result.report["store"]["computed"] > 0

# SPDX-License-Identifier: BSD-3-Clause
"""Stores of results at URLs: the same outputs and the same safety as in a folder, over three protocols."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from exit_codes import DONE, FAILED, WRONG_USAGE
from remote_servers import HOST, Nginx, Target, free_port
from skim_events import comparable

COUNT = 3
OUTPUTS = ("h.root", "c.json", "s.root")


@pytest.fixture(scope="module")
def nginx(tmp_path_factory):
    server = Nginx(tmp_path_factory.mktemp("written"), tmp_path_factory.mktemp("nginx")).start()
    yield server
    server.stop()


@pytest.fixture(params=["http", "s3", "root"])
def target(request):
    server = {"http": "nginx", "s3": "s3", "root": "xrootd"}[request.param]
    return Target(request.param, request.getfixturevalue(server))


@pytest.fixture
def over_http(nginx):
    return Target("http", nginx)


@pytest.fixture(scope="module")
def inputs(generate, tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    for number in range(COUNT):
        generate("dimuon", folder / f"part{number}.root", 2000, "--seed", number)
    return folder


@pytest.fixture
def config(inputs):
    return {
        "schema_version": 1,
        "samples": {"data": {"files": [f"{inputs}/part*.root"]}},
        "select": [{"name": "a muon", "where": "nMuon > 0"}],
        "histograms": {
            "met": {"x": {"value": "MET_pt", "bins": 30, "range": [0, 150]}, "weight": "exp(MET_phi)"},
            "number": {"x": {"value": "nMuon", "categories": [], "growing": True}},
        },
        "skims": {"s": {"file": "s.root", "keep": ["MET_*", "event"]}},
        "output": {"histograms": "h.root", "cutflow": "c.json"},
    }


@pytest.fixture
def environment(tmp_path):
    """Nothing is to be left in the folder for temporary files by what was not killed."""
    (tmp_path / "brief").mkdir()
    yield os.environ | {"TMPDIR": str(tmp_path / "brief"), "SKIMLINE_REMOTE_PATIENCE": "2"}
    assert not list((tmp_path / "brief").iterdir())


@pytest.fixture
def run_with(run_in, tmp_path, environment):
    """Runs a config, with a store or without; returns the outputs and what the report says of the store."""

    def run(config, target=None, *arguments):
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        options = ["--report", "report.json", *arguments]
        options += ["--store", store_of(target)] if target else []
        more = target.environment if target else {}
        done = run_in(folder, config, *options, env=environment | more)
        assert done.returncode == DONE, done.stderr
        outputs = {name: comparable(folder / name) for name in OUTPUTS}
        return outputs, json.loads((folder / "report.json").read_text())["store"]

    return run


def store_of(target):
    return target.url("")


def test_outputs_are_those_of_a_run_without_a_store(config, run_with, target):
    expected, _ = run_with(config)
    first, said = run_with(config, target)
    assert first == expected
    assert said["taken"] == 0
    assert len([name for name in target.names() if name.endswith(".skim.root")]) == COUNT
    assert len([name for name in target.names() if name.endswith(".results.root")]) == COUNT
    assert len(target.names()) == 2 * COUNT
    again, after = run_with(config, target, "-j", "1")
    assert again == expected
    assert after == {"taken": said["computed"], "computed": 0}
    config["histograms"]["met"]["x"]["bins"] = 40
    edited, after = run_with(config, target)
    assert edited == run_with(config)[0]
    assert after == {"taken": said["computed"] - COUNT, "computed": COUNT}


@pytest.mark.parametrize("damage", ["cut", "flipped", "other", "gone"])
def test_damaged_files_are_computed_anew(damage, config, run_with, over_http):
    expected, said = run_with(config, over_http)
    names = over_http.names()
    for number, name in enumerate(names):
        if damage == "gone":
            (over_http.server.root / name).unlink()
            continue
        whole = over_http.bytes_of(name)
        middle = len(whole) // 2
        changed = {
            "cut": whole[:-100],
            "flipped": whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :],
            "other": over_http.bytes_of(names[number - 1]) if name.endswith("results.root") else b"no file",
        }
        over_http.put(name, changed[damage])
    again, after = run_with(config, over_http)
    assert again == expected
    assert after["computed"] > 0
    assert over_http.names() == names
    whole, after = run_with(config, over_http)
    assert whole == expected
    assert after == {"taken": said["computed"], "computed": 0}


def test_runs_at_once_share_a_store(config, run_with, target):
    expected, _ = run_with(config)
    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(run_with, config, target) for _ in range(3)]:
            assert done.result()[0] == expected
    assert run_with(config, target)[1]["computed"] == 0


def test_kills_lose_nothing(config, run_with, skimline, over_http, tmp_path):
    expected, _ = run_with(config)
    chance = random.Random(1)
    (tmp_path / "killed.json").write_text(json.dumps(config))
    (tmp_path / "left").mkdir()
    for _ in range(8):
        process = subprocess.Popen(
            [skimline, "run", "killed.json", "--no-report", "--force", "--store", store_of(over_http)],
            cwd=tmp_path,
            env=os.environ | {"TMPDIR": str(tmp_path / "left")},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(chance.random() * 0.3)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert run_with(config, over_http)[0] == expected
    assert run_with(config, over_http)[1]["computed"] == 0


def test_shares_fill_a_store(config, run_in, run_with, target, environment, tmp_path):
    for share in ("1/2", "2/2"):
        options = ["--store", store_of(target), "--fill-store", share]
        done = run_in(tmp_path, config, *options, env=environment | target.environment)
        assert done.returncode == DONE, done.stderr
    outputs, said = run_with(config, target)
    assert outputs == run_with(config)[0]
    assert said["computed"] == 0


EXECUTOR = """
import json, multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
import skimline as sk
if __name__ == "__main__":
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        result = sk.run_config("a.json", executor=pool, store=sys.argv[1])
    print(json.dumps([result.report["store"], result.report["reduction"]]))
"""


def test_workers_put_results_at_a_url(config, run_with, over_http, build_folder, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(config))
    (tmp_path / "run.py").write_text(EXECUTOR)
    done = subprocess.run(
        [sys.executable, "run.py", store_of(over_http)],
        env=os.environ | {"PYTHONPATH": str(build_folder / "python")},
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == DONE, done.stderr
    store, reduction = json.loads(done.stdout)
    assert store["computed"] == 0
    assert reduction == {"way": "star", "why": "results are kept at a URL", "blocks": 1}
    assert {name: comparable(tmp_path / name) for name in OUTPUTS} == run_with(config)[0]


def test_stores_are_looked_after(config, run_with, call, target, environment):
    run_with(config, target)
    where = environment | target.environment
    said = call("store", store_of(target), "--verify", env=where)
    assert said.returncode == DONE, said.stderr
    assert said.stdout.startswith(f"{2 * COUNT} files of {COUNT} parts, ")
    assert said.stdout.endswith("all of them are whole\n")
    target.put("mine.skim.root", b"of somebody else")
    target.put(target.names()[0], b"nothing")
    said = call("store", store_of(target), "--verify", env=where)
    assert said.returncode == FAILED
    assert "damaged: " in said.stdout
    refused = call("store", store_of(target), "--prune", "1 GiB", env=where)
    assert refused.returncode == WRONG_USAGE
    assert "is pruned by its server" in refused.stderr


def test_stores_that_cannot_be(config, run_in, over_http, environment, tmp_path):
    for store, said in {
        over_http.url("nowhere"): "no such folder",
        f"http://user:hidden@{HOST}:{free_port()}/store": "",
        "gopher://host/store": "gopher",
    }.items():
        done = run_in(tmp_path, config, "--store", store, env=environment)
        assert done.returncode in (FAILED, WRONG_USAGE)
        assert said in done.stderr
        assert "hidden" not in done.stderr
        assert not (tmp_path / "h.root").exists()
    refused = run_in(
        tmp_path, config, "--fill-store", "1/2", "--store", "s3://:hidden@host/b", env=environment
    )
    assert refused.returncode != DONE
    assert "hidden" not in refused.stderr


def test_jobs_of_batch_systems_keep_no_passwords(config, call, over_http, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(config))
    for store, code in ((store_of(over_http), DONE), ("https://me:hidden@host/store", WRONG_USAGE)):
        done = call("submit", "--force", "--store", store, "-o", "job", "a.json", cwd=tmp_path)
        assert done.returncode == code, done.stderr
        assert "hidden" not in done.stderr
    assert f"--store {store_of(over_http)} " in (tmp_path / "job" / "part.sh").read_text()

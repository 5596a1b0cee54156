# SPDX-License-Identifier: BSD-3-Clause
"""Schedulers that go, with and without coming back, and disks that are full where parts are computed."""

import contextlib
import json
import signal
import socket
import subprocess
import sys
import time

import package_program
import pytest

NUM_FILES = 30


@pytest.fixture(scope="module")
def inputs(dimuon_files):
    return dimuon_files(NUM_FILES, 4000)


@pytest.fixture
def config(inputs):
    return {
        "schema_version": 1,
        "samples": {"mc": {"files": [f"{inputs}/part*.root"]}},
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 30, "range": [0, 150]}}},
        "skims": {"s": {"file": "s.root", "keep": ["MET_*"]}},
        "output": {"histograms": "h.root"},
    }


@pytest.fixture
def start(config, tmp_path):
    """Starts the program in a folder of its own."""
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(config))

    def call(*arguments, patience=5):
        command = package_program.command("run", *arguments, "a.json")
        environment = package_program.environment(DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT=f"{patience}s")
        return subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)

    call.folder = folder
    return call


def outputs_in(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.root")}


@pytest.fixture
def expected(config, run_in, tmp_path):
    run_in(config, "here", store=tmp_path / "own")
    return outputs_in(tmp_path / "here")


# ---- schedulers


class Cluster:
    """Dask's scheduler and two workers, each a process of its own, at an address that stays the same."""

    def __init__(self, folder):
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.processes = []

    def start(self):
        shared = ["--no-dashboard", "--local-directory", self.folder]
        where = ["--host", "127.0.0.1", "--port", self.port]
        self._begin("dask_scheduler", *where, "--no-dashboard")
        for _ in range(2):
            self._begin("dask_worker", self.address, "--nthreads", 1, "--no-nanny", *shared)

    def _begin(self, what, *arguments):
        with (self.folder / "log").open("a") as log:
            command = [sys.executable, "-m", f"distributed.cli.{what}", *map(str, arguments)]
            environment = package_program.environment()
            self.processes.append(subprocess.Popen(command, stderr=log, stdout=log, env=environment))

    def kill(self):
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes = []


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path)
    made.start()
    yield made
    made.kill()


def wait_for_results(store):
    """Until the skims of a few parts are kept that workers have computed."""
    deadline = time.monotonic() + 60
    while sum(path.suffix == ".root" for path in store.rglob("*")) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.thorough
@pytest.mark.parametrize("comes_back", [True, False])
def test_a_scheduler_that_is_lost(comes_back, cluster, start, expected):
    store = start.folder / "store"
    running = start("--dask", cluster.address, "--store", store, patience=60 if comes_back else 5)
    wait_for_results(store)
    running.send_signal(signal.SIGSTOP)  # or it may be done before the cluster is gone
    cluster.kill()
    if comes_back:
        cluster.start()
    running.send_signal(signal.SIGCONT)
    _, said = running.communicate(timeout=90)
    assert "Traceback" not in said
    if comes_back:
        assert running.returncode == 0, said
        assert "computed again" in said
    else:
        assert running.returncode == 3
        assert len(said.split("Missing:\n")[1].splitlines()) == NUM_FILES
        assert outputs_in(start.folder) == {}
        again = start("--processes", 2, "--store", store)
        _, said = again.communicate(timeout=90)
        assert again.returncode == 0, said
    assert outputs_in(start.folder) == expected


# ---- full disks


@pytest.fixture
def small_disk(tmp_path):
    """Makes and enlarges a folder that holds so many bytes."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def resize(size):
        how = "remount," if folder.is_mount() else ""
        command = ["mount", "-t", "tmpfs", "-o", f"{how}size={size}", "tmpfs", folder]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"this machine does not mount small disks: {done.stderr.decode().strip()}")
        return folder

    yield resize
    with contextlib.suppress(subprocess.CalledProcessError):
        subprocess.run(["umount", folder], check=True, capture_output=True)


def test_a_full_disk_where_parts_are_kept(small_disk, start, expected):
    """Nothing that is there is spoilt, and with more room the run goes on where it ended."""
    disk = small_disk(256 * 1024)
    running = start("--processes", 2, "--store", disk / "store")
    _, said = running.communicate(timeout=90)
    assert running.returncode == 1, said
    assert "No space left on device" in said
    assert "Traceback" not in said
    assert outputs_in(start.folder) == {}
    small_disk(64 * 1024 * 1024)
    again = start("--processes", 2, "--store", disk / "store")
    _, said = again.communicate(timeout=90)
    assert again.returncode == 0, said
    assert outputs_in(start.folder) == expected

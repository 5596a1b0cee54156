# SPDX-License-Identifier: BSD-3-Clause
"""Folders that processes have for a while are left by none, not even by those that were killed."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import package_program
import pytest
from skimline.own_folders import OwnFolder

KILLED = """
import os, signal
from skimline.own_folders import OwnFolder
folder = OwnFolder()
open(os.path.join(folder.name, "result"), "w").close()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    """Where they are made."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


@pytest.fixture
def abandoned(folders):
    """One that a process that was killed has left."""
    before = set(folders.iterdir())
    done = subprocess.run([sys.executable, "-c", KILLED], env=package_program.environment(), check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = set(folders.iterdir()) - before
    assert (left / "content" / "result").exists()
    return left


def test_they_go_with_their_block(folders):
    with OwnFolder() as name:
        Path(name, "result").touch()
        assert len(list(folders.iterdir())) == 1
    assert not list(folders.iterdir())


def test_they_go_with_their_object(folders):
    folder = OwnFolder()
    assert Path(folder.name).is_dir()
    del folder
    assert not list(folders.iterdir())


def test_those_of_killed_processes_are_removed(abandoned):
    with OwnFolder():
        assert not abandoned.exists()


def test_those_in_use_stay(folders):
    with OwnFolder() as name:
        Path(name, "result").touch()
        subprocess.run([sys.executable, "-c", KILLED], env=package_program.environment(), check=False)
        assert Path(name, "result").exists()
        assert len(list(folders.iterdir())) == 2


def test_a_process_that_was_forked_leaves_them():
    with OwnFolder() as name:
        child = os.fork()
        if child == 0:
            try:
                OwnFolder.__exit__(folder_of(name))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        assert Path(name).is_dir()


def test_they_go_with_the_forked_processes_of_pools(folders):
    """Which end without what Python does at the end of others. What the parent has stays."""
    with OwnFolder() as name:
        child = multiprocessing.get_context("fork").Process(target=hold)
        child.start()
        child.join(60)
        assert child.exitcode == 0
        assert [str(each) for each in folders.iterdir()] == [str(Path(name).parent)]


def hold():
    held.append(OwnFolder())
    assert Path(held[0].name).is_dir()


held: list[OwnFolder] = []


def folder_of(name):
    import gc

    return next(each for each in gc.get_objects() if isinstance(each, OwnFolder) and each.name == name)


def test_what_is_not_known_to_be_abandoned_stays(folders, abandoned):
    """A folder of another name, one without a lock, one of another machine that shares the disk, and what a link leads to."""
    other = folders / "other"
    abandoned.rename(other)
    (folders / "skimline-link").symlink_to(other)
    (folders / "skimline-file").touch()
    (folders / "skimline-without").mkdir()
    elsewhere = folders / "skimline-elsewhere"
    elsewhere.mkdir()
    (elsewhere / "held").write_text(os.uname().nodename + "x")
    names = {each.name for each in folders.iterdir()}
    with OwnFolder():
        pass
    assert {each.name for each in folders.iterdir()} == names
    assert (other / "content" / "result").exists()


def test_the_run_after_a_killed_one_removes_its_folder(folders, dimuon_files, tmp_path_factory):
    """The program makes it itself."""
    work = tmp_path_factory.mktemp("work")
    config = {
        "schema_version": 1,
        "samples": {"s": {"files": [f"{dimuon_files(2, 1000)}/*.root"]}},
        "select": [{"name": "muons", "where": "nMuon > 0"}],
    }
    (work / "a.json").write_text(json.dumps(config))
    command = package_program.command("run", "--processes", "1", "a.json")
    environment = package_program.environment(TMPDIR=str(folders))
    killed = subprocess.Popen(
        command, cwd=work, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while not list(folders.glob("skimline-*/content")):
        assert killed.poll() is None and time.monotonic() < deadline
        time.sleep(0.005)
    killed.kill()
    assert killed.wait() == -signal.SIGKILL
    assert list(folders.iterdir())
    subprocess.run(command, cwd=work, env=environment, check=True, capture_output=True)
    assert not list(folders.glob("skimline-*"))

# SPDX-License-Identifier: BSD-3-Clause
"""The Python package as the build has it: $SKIMLINE_BUILD, else build/release."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import built_package
import numpy
import pytest
from made_once import made_once

built_package.put_first()

# Workers of Dask are forks of one process that has imported what they need: importing it takes longer than what they do here.
os.environ.setdefault("DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD", "forkserver")


@pytest.fixture(scope="session")
def program(skimline) -> Path:
    """The program."""
    return skimline


@pytest.fixture(scope="session")
def dimuon(program, tmp_path_factory) -> Path:
    """A file of 10 000 synthetic events."""
    path = tmp_path_factory.mktemp("dimuon") / "dimuon.root"
    command = [program, "generate", "dimuon", "--events", "10000", "-o", path]
    subprocess.run(command, check=True, capture_output=True)
    return path


@pytest.fixture
def events(dimuon):
    """A frame of these events."""
    import skimline

    return skimline.open(f"{dimuon}:Events")


@pytest.fixture(scope="session")
def arrays(dimuon):
    """The same as uproot reads them."""
    import uproot

    with uproot.open(dimuon) as file:
        return file["Events"].arrays()


@pytest.fixture(scope="session")
def dimuon_files(tmp_path_factory):
    """Makes a folder with part0.root and so on, each of other events and each with 100 more than the one before."""
    import skimline

    def make(count: int, events: int) -> Path:
        folder = tmp_path_factory.mktemp("inputs")
        for number in range(count):
            path = folder / f"part{number}.root"
            skimline.generate("dimuon", path, events=events + 100 * number, seed=number)
        return folder

    return make


@pytest.fixture(scope="session")
def table():
    """Events with columns of all kinds, as a table of Arrow."""
    import arrow_files

    return arrow_files.events()


@pytest.fixture
def arrow_cache(tmp_path, monkeypatch):
    """Where the copies of files of Arrow are: in a cache of its own for each test, which runs in an own folder."""
    monkeypatch.setenv("SKIMLINE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cache" / "arrow"


class RunIn:
    """Runs a config in a folder of its own, and returns the outputs as `read` has them."""

    def __init__(self, parent: Path, monkeypatch):
        self.parent, self.monkeypatch = parent, monkeypatch
        self.read = lambda folder: {path.name: path.read_bytes() for path in folder.iterdir()}
        self.result = None  # of the latest run

    def __call__(self, config, name, **options):
        import skimline

        folder = self.parent / name
        folder.mkdir()
        self.monkeypatch.chdir(folder)
        self.result = skimline.run_config(config, **options)
        return self.read(folder)


@pytest.fixture
def run_in(tmp_path, monkeypatch):
    return RunIn(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def inputs(dimuon_files):
    """The files of the config of parted_runs, unless a module has its own."""
    import parted_runs

    return dimuon_files(parted_runs.COUNT, 2000)


@pytest.fixture
def config(inputs):
    """The config of parted_runs, unless a module has its own."""
    import parted_runs

    return parted_runs.config_for(inputs)


@pytest.fixture
def outputs_of_parts(run_in):
    """Has run_in() return what parted_runs compares."""
    import parted_runs

    run_in.read = parted_runs.files_in


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    """A cluster of two processes, which run in another folder."""
    from dask_cluster import two_workers

    with two_workers(tmp_path_factory.mktemp("dask")) as client:
        yield client


def succeed(*command) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


@pytest.fixture(scope="session")
def wheel(repository, tmp_path_factory) -> Path:
    """The wheel as scripts/wheel makes it."""

    def make(folder: Path) -> Path:
        succeed(sys.executable, repository / "scripts" / "build_wheels.py", "--output", folder)
        (made,) = folder.glob("*.whl")
        return made

    return made_once(tmp_path_factory, "wheel", make)


@pytest.fixture(scope="session")
def environment(wheel, tmp_path_factory) -> Path:
    """An environment with the wheel and numpy only; numpy is that of these tests, so that no network is needed."""

    def make(folder: Path) -> Path:
        venv.create(folder / "venv", with_pip=True, symlinks=True)
        (packages,) = folder.glob("venv/lib/python*/site-packages")
        for part in Path(numpy.__file__).parents[1].glob("numpy*"):
            shutil.copytree(part, packages / part.name)
        python = folder / "venv" / "bin" / "python"
        succeed(python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", wheel)
        return folder / "venv"

    return made_once(tmp_path_factory, "environment", make)

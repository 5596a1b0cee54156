# SPDX-License-Identifier: BSD-3-Clause
"""All analyses that come with the project, by any number of workers: the bytes of a run here."""

import shutil
import subprocess

import distributed
import pytest
import skimline as sk
from dask_cluster import KillableCluster
from project_analyses import ANALYSES, CONFIGS, SAMPLES, objects_of

# Dask may wait for ever for a worker that it ends on a busy machine.
NUMBERS_OF_WORKERS = (1, 2, 4)


@pytest.fixture(scope="module")
def data(program, tmp_path_factory):
    """Several files for each analysis: a part is of one file."""
    folder = tmp_path_factory.mktemp("data")
    for number in range(3):
        for model, events in {"adl": 1500, "dimuon": 2000}.items():
            sk.generate(model, folder / f"{model}{number}.root", events=events + number, seed=number)
    command = [program, "generate", "agc", "--events", "100", "-o", folder / "agc"]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with KillableCluster(
        n_workers=0,
        threads_per_worker=1,
        dashboard_address=":0",
        local_directory=str(tmp_path_factory.mktemp("dask")),
    ) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def run(data, tmp_path_factory):
    """Runs an analysis in a copy of all configs. Returns the folder of its outputs."""

    def make(analysis, executor=None):
        folder = tmp_path_factory.mktemp("run")
        shutil.copytree(CONFIGS, folder / "configs")
        (folder / "out" / "agc").mkdir(parents=True)
        kind = analysis.partition("/")[0]
        inputs = []
        if kind in SAMPLES:
            inputs = [f"{SAMPLES[kind]}={data}/{SAMPLES[kind]}*.root"]
        else:
            for path in (data / "agc").iterdir():
                (folder / "out" / "agc" / path.name).symlink_to(path)
        sk.run_config(folder / "configs" / analysis, inputs=inputs, executor=executor)
        return folder / "out"

    return make


@pytest.fixture(scope="module")
def expected(run):
    return {analysis: contents_of(run(analysis)) for analysis in ANALYSES}


def contents_of(folder):
    """By file and name the bytes of all objects but the record, which says where it was made; of RNTuples the
    events, as their clusters may be others; of other files the bytes."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.name.endswith("report.json"):
            continue
        name = str(path.relative_to(folder))
        if path.suffix == ".root":
            found |= {(name, key): value for key, value in objects_of(path).items()}
        elif path.suffix != ".html":
            found[name] = path.read_bytes()
    return found


@pytest.mark.parametrize("number", NUMBERS_OF_WORKERS)
def test_analyses_have_the_bytes_of_runs_here(cluster, run, expected, number):
    cluster.scale(number)
    with distributed.Client(cluster) as client:
        client.wait_for_workers(number, timeout=60)
        for analysis, here in expected.items():
            found = contents_of(run(analysis, client))
            assert here
            assert found.keys() == here.keys(), analysis
            for name in here:
                assert found[name] == here[name], (analysis, name)

# SPDX-License-Identifier: BSD-3-Clause
"""A storage that is full, and files that go or change during a run: an error, and never half a file."""

import json
import os
import resource
import shutil
import signal
import subprocess

import pytest
from exit_codes import DONE, FAILED
from interrupted_runs import parts, running, stopped, visible, wait_until

OUTPUTS = ("histograms.root", "jets.root", "muons.root")


@pytest.fixture(scope="module")
def events(generate, run_in, tmp_path_factory):
    """An input with many clusters, so that a run reads from its begin to its end."""
    folder = tmp_path_factory.mktemp("events")
    generate("dimuon", folder / "one.root", 300000)
    skims = {"s": {"file": "in.root", "cluster_size": "2 MiB", "compression": "zstd:1"}}
    config = {"schema_version": 1, "samples": {"d": {"files": ["one.root"]}}, "skims": skims}
    assert run_in(folder, config).returncode == DONE
    return folder / "in.root"


def config_for(path, folder=".", compression="zstd:1"):
    return {
        "schema_version": 1,
        "samples": {"data": {"files": [f"{path}:Events"]}},
        "histograms": {
            "h": {"x": {"value": "MET_pt", "bins": 5000, "range": [0, 100]}, "weight": "genWeight"}
        },
        "skims": {
            "muons": {"file": f"{folder}/muons.root", "keep": ["Muon_*"], "compression": compression},
            "jets": {"file": f"{folder}/jets.root", "keep": ["Jet_*", "MET_*"], "compression": compression},
        },
        "output": {"histograms": f"{folder}/histograms.root"},
    }


@pytest.fixture(scope="module")
def expected(run_in, events, tmp_path_factory):
    folder = tmp_path_factory.mktemp("expected")
    assert run_in(folder, config_for(events)).returncode == DONE
    return {name: (folder / name).read_bytes() for name in OUTPUTS}


# A full storage


@pytest.fixture
def small_disk(tmp_path):
    """Mounts a file system of a number of bytes; the test is skipped where that is not allowed."""
    mounted = []

    def mount(size):
        folder = tmp_path / "small"
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"cannot mount: {done.stderr.strip()}")
        mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("part", [0.02, 0.3, 0.7, 0.99])
def test_a_full_disk(call, events, expected, small_disk, tmp_path, part):
    total = sum(map(len, expected.values()))
    folder = small_disk(4096 * int(part * total / 4096))
    (folder / "jets.root").write_text("of an earlier run")
    (tmp_path / "a.json").write_text(json.dumps(config_for(events, "small")))
    done = call("run", "a.json", "-f", cwd=tmp_path)
    assert done.returncode == FAILED, done.stderr
    assert "No space left on device" in done.stderr
    assert os.listdir(folder) == ["jets.root"]
    assert (folder / "jets.root").read_text() == "of an earlier run"
    assert visible(tmp_path) == ["small"]


def test_a_disk_of_the_right_size(call, events, expected, small_disk, tmp_path):
    total = sum(map(len, expected.values()))
    folder = small_disk(4096 * int(1.05 * total / 4096) + 65536)
    (tmp_path / "a.json").write_text(json.dumps(config_for(events, "small")))
    done = call("run", "a.json", cwd=tmp_path)
    assert done.returncode == DONE, done.stderr
    assert sorted(os.listdir(folder)) == list(OUTPUTS)
    assert call("verify", folder / "muons.root", folder / "jets.root").returncode == DONE


@pytest.mark.parametrize("name", OUTPUTS)
def test_files_beyond_the_size_that_is_allowed(call, events, expected, tmp_path, name):
    limit = len(expected[name]) - 1
    (tmp_path / "a.json").write_text(json.dumps(config_for(events)))
    (tmp_path / name).write_text("of an earlier run")
    done = call(
        "run",
        "a.json",
        "-f",
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == FAILED, done.stderr
    assert "File too large" in done.stderr
    assert visible(tmp_path) == [name]
    assert parts(tmp_path) == []
    assert (tmp_path / name).read_text() == "of an earlier run"


# Files that go or change while the run stands still


def wait_for_parts(folder, process):
    wait_until(lambda: len(parts(folder)) >= len(OUTPUTS), process)


def wait_until_it_writes(folder, process):
    """Until one of the parts grows: one that is removed as soon as it is there is made anew."""
    wait_for_parts(folder, process)
    sizes = [part.stat().st_size for part in parts(folder)]
    wait_until(lambda: [part.stat().st_size for part in parts(folder)] != sizes, process)


@pytest.fixture
def disturbed(skimline, events, tmp_path):
    """Runs, with a change made by `change` when what `wait` waits for has come. Returns code and messages."""

    def run(change, folder=".", wait=wait_for_parts, **options):
        shutil.copy(events, tmp_path / "in.root")
        (tmp_path / "a.json").write_text(json.dumps(config_for("in.root", folder, **options)))
        with running(skimline, tmp_path, "-j", "1") as process:
            wait(tmp_path / folder, process)
            with stopped(process):
                change(tmp_path)
            _, error = process.communicate(timeout=60)
            return process.returncode, error

    return run


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_part_is_removed(disturbed, tmp_path, name):
    def remove(folder):
        (part,) = (part for part in parts(folder) if part.name.startswith(f".{name}."))
        part.unlink()

    code, error = disturbed(remove, wait=wait_until_it_writes)
    assert code == FAILED
    assert f"{name}: cannot be given its name: No such file or directory" in error
    assert visible(tmp_path) == []
    assert parts(tmp_path) == []


def test_the_output_folder_is_removed(disturbed, tmp_path):
    (tmp_path / "out").mkdir()
    code, error = disturbed(lambda folder: shutil.rmtree(folder / "out"), folder="out")
    assert code == FAILED
    assert "No such file or directory" in error
    assert visible(tmp_path) == []


def test_the_input_is_cut(disturbed, tmp_path):
    code, error = disturbed(lambda folder: os.truncate(folder / "in.root", 100000))
    assert code == FAILED
    assert "in.root: " in error
    assert visible(tmp_path) == [] and parts(tmp_path) == []


def overwrite(path, contents):
    with path.open("r+b") as file:
        file.write(contents)


def test_the_input_is_overwritten(disturbed, tmp_path):
    code, error = disturbed(lambda folder: overwrite(folder / "in.root", os.urandom(1 << 22)))
    assert code == FAILED
    assert "in.root: " in error
    assert visible(tmp_path) == [] and parts(tmp_path) == []


def flat_file(generate, run_in, folder, seed):
    """A file without compression, whose pages lie at the same places for each seed."""
    folder.mkdir()
    generate("dimuon", folder / "all.root", 200000, "--seed", seed)
    skim = {
        "file": "in.root",
        "keep": ["MET_*", "genWeight", "run"],
        "compression": "none",
        "cluster_size": "64 KiB",
    }
    config = {"schema_version": 1, "samples": {"d": {"files": ["all.root"]}}, "skims": {"s": skim}}
    assert run_in(folder, config).returncode == DONE
    return (folder / "in.root").read_bytes()


def test_the_input_is_overwritten_by_a_sound_file_of_the_same_form(generate, run_in, skimline, tmp_path):
    """The checksums of its pages are right, but they are those of other events."""
    first, second = (flat_file(generate, run_in, tmp_path / f"seed{seed}", seed) for seed in (1, 2))
    assert len(first) == len(second)
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "in.root").write_bytes(first)
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": ["in.root"]}},
        "select": [{"name": "slow", "where": "Sum(Range(run * 0 + 10000)) > 0"}],
        "histograms": {"h": {"x": {"value": "MET_pt", "bins": 10, "range": [0, 100]}}},
        "output": {"histograms": "histograms.root"},
    }
    (folder / "a.json").write_text(json.dumps(config))
    with running(skimline, folder, "-j", "1") as process:
        wait_until(lambda: len(parts(folder)) >= 2, process)
        with stopped(process):
            overwrite(folder / "in.root", second)
        _, error = process.communicate(timeout=60)
    assert process.returncode == FAILED
    assert "in.root: " in error
    assert visible(folder) == [] and parts(folder) == []


def test_the_input_is_replaced(disturbed, expected, tmp_path):
    """The run goes on with the file it has begun with, or refuses the new one."""

    def replace(folder):
        (folder / "new").write_bytes(os.urandom(1000))
        (folder / "new").rename(folder / "in.root")

    code, error = disturbed(replace)
    if code == DONE:
        assert {name: (tmp_path / name).read_bytes() for name in OUTPUTS} == expected
    else:
        assert code == FAILED
        assert "in.root: " in error
        assert visible(tmp_path) == [] and parts(tmp_path) == []


def test_a_rerun_after_a_kill_succeeds(call, skimline, events, expected, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(config_for(events)))
    with running(skimline, tmp_path) as process:
        wait_until(lambda: len(parts(tmp_path)) >= 3, process)
        process.send_signal(signal.SIGKILL)
    assert len(parts(tmp_path)) >= 3
    assert call("run", "a.json", cwd=tmp_path).returncode == DONE
    assert {name: (tmp_path / name).read_bytes() for name in OUTPUTS} == expected

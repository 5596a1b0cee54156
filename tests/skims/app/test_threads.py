# SPDX-License-Identifier: BSD-3-Clause
"""Threads that cannot be started, and address space that ends: fewer threads, or a clean error."""

import json
import os
import resource
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
from exit_codes import DONE, FAILED
from interrupted_runs import config_for, parts, visible

NOBODY = 64000 + os.getpid() % 1000  # whose threads are no others than those of this test


@pytest.fixture(scope="module")
def events(generate, tmp_path_factory):
    return generate("dimuon", tmp_path_factory.mktemp("events") / "in.root", 20000)


@pytest.fixture
def folder(tmp_path, events):
    config = config_for("in.root", skims={"s": {"file": "s.root", "keep": ["MET_pt"]}})
    (tmp_path / "a.json").write_text(json.dumps(config))
    (tmp_path / "in.root").write_bytes(events.read_bytes())
    return tmp_path


COMMANDS = {
    "run": ["run", "a.json"],
    "generate": ["generate", "dimuon", "--events", "20000", "-o", "out.root"],
    "merge": ["merge", "out.root", "h1.root", "h2.root"],
    "verify": ["verify", "in.root"],
}


def limited(skimline, folder, arguments, limit, value, **options):
    def set_limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(limit, (value, value))

    return subprocess.run(
        [skimline, *arguments, "-j", "64"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=set_limit,
        **options,
    )


def make_parts(skimline, folder):
    for number in (1, 2):
        command = [
            skimline,
            "run",
            "a.json",
            "--shard",
            f"{number}/2",
            "--set",
            f"output.histograms=h{number}.root",
        ]
        subprocess.run(
            [*command, "--set", f"skims.s.file=s{number}.root"], cwd=folder, check=True, capture_output=True
        )
    for path in folder.glob("h?.shard*.root"):
        path.rename(folder / f"{path.name[:2]}.root")


@contextmanager
def given_to_nobody(folder):
    """The folder is that of a user whose threads are limited, and reached by it."""
    if os.getuid() != 0:
        pytest.skip("the number of threads of one's own user is not known")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    reachable = [path for path in folder.parents if not path.stat().st_mode & 0o001]
    modes = {path: path.stat().st_mode for path in reachable}
    try:
        for path in reachable:
            path.chmod(0o755)
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@pytest.mark.parametrize("command", COMMANDS)
def test_fewer_threads_are_taken_if_there_are_no_more(skimline, folder, command):
    make_parts(skimline, folder)
    with given_to_nobody(folder):
        done = limited(skimline, folder, COMMANDS[command], resource.RLIMIT_NPROC, 12, user=NOBODY)
    if "Permission denied" in done.stderr:
        pytest.skip("the program is not where another user may run it")
    assert done.returncode == DONE, done.stderr
    assert "of 64 threads can be started" in done.stderr
    assert parts(folder) == []
    if command == "run":
        report = json.loads((folder / "a.report.json").read_text())
        assert 1 <= report["threads"] <= 12
        assert any("threads can be started" in warning for warning in report["warnings"])


@pytest.mark.parametrize(("limit", "value"), [(resource.RLIMIT_NPROC, 12), (resource.RLIMIT_AS, 3000 << 20)])
def test_files_of_slow_storage_are_opened_by_as_many_threads_as_there_are(
    skimline, folder, generate, slow_storage, limit, value
):
    names = [f"{number}.root" for number in range(40)]
    for number, name in enumerate(names):
        generate("dimuon", folder / name, 100, "--seed", number + 1)
    (folder / "a.json").write_text(json.dumps(config_for(*names)))
    subprocess.run([skimline, "run", "a.json"], cwd=folder, check=True, capture_output=True)
    expected = (folder / "histograms.root").read_bytes()
    with given_to_nobody(folder):
        done = limited(
            skimline, folder, [*COMMANDS["run"], "--force"], limit, value, user=NOBODY, env=slow_storage(20)
        )
    if "Permission denied" in done.stderr:
        pytest.skip("the program is not where another user may run it")
    assert done.returncode == DONE, done.stderr
    assert (folder / "histograms.root").read_bytes() == expected


@pytest.mark.parametrize("megabytes", [20, 44, 52, 60, 68, 100, 200, 400, 1000])
def test_no_address_space_is_an_error(skimline, folder, megabytes, unsanitized):
    before = visible(folder)
    done = limited(skimline, folder, COMMANDS["run"], resource.RLIMIT_AS, megabytes << 20)
    if done.returncode == 127:
        pytest.skip("the program itself does not fit")
    assert done.returncode in (DONE, FAILED), done.stderr
    assert parts(folder) == []
    assert (visible(folder) == before) == (done.returncode == FAILED)
    assert done.returncode == DONE or "memory" in done.stderr or "thread" in done.stderr


def test_all_threads_are_taken_if_they_can_be(skimline, folder):
    done = subprocess.run(
        [skimline, "run", "a.json", "-j", "8"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert "can be started" not in done.stderr
    assert json.loads((folder / "a.report.json").read_text())["threads"] == 8
    assert Path(folder / "histograms.root").exists()

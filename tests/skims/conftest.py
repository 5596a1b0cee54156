# SPDX-License-Identifier: BSD-3-Clause
"""The program, a sample of events, and a folder to run configs in."""

import json
import subprocess

import pytest
import uproot


@pytest.fixture(scope="session")
def call(skimline):
    def run(*arguments, **options) -> subprocess.CompletedProcess:
        command = [skimline, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)

    return run


@pytest.fixture(scope="session")
def sample(call, tmp_path_factory):
    """100 000 synthetic dimuon events."""
    path = tmp_path_factory.mktemp("sample") / "dimuon.root"
    made = call("generate", "dimuon", "--events", "100000", "--seed", "4", "-o", path)
    assert made.returncode == 0, made.stderr
    return path


@pytest.fixture(scope="session")
def columns(sample):
    return uproot.open(sample)["Events"].arrays()


@pytest.fixture
def job(call, tmp_path):
    """Writes a config into an own folder and runs it there."""

    def run(config, *arguments, **options):
        (tmp_path / "a.json").write_text(config if isinstance(config, str) else json.dumps(config, indent=1))
        return call("run", "a.json", *arguments, cwd=tmp_path, **options)

    return run

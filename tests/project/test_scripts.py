# SPDX-License-Identifier: BSD-3-Clause
"""The scripts can be started, and say what is wrong when they cannot go on."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = [
    ".ci/run",
    "scripts/setup",
    "scripts/demo",
    "scripts/test",
    "scripts/check",
    "scripts/check-in-system",
    "scripts/check-on-aarch64",
    "scripts/wheel",
    "scripts/site",
    "bench/adl",
    "bench/agc",
    "bench/arrays",
    "bench/bit_rot",
    "bench/compare",
    "bench/convert",
    "bench/corpus",
    "bench/fills",
    "bench/formats",
    "bench/kernels",
    "bench/memory",
    "bench/merge",
    "bench/models",
    "bench/python_start",
    "bench/read",
    "bench/reduction",
    "bench/slim",
    "bench/sparse_skim",
    "bench/threads",
]


def run(*command, **options) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize("name", PROGRAMS)
def test_is_executable(name):
    assert os.access(ROOT / name, os.X_OK)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if not name.startswith("bench/")])
def test_stops_at_the_first_failure(name):
    assert "\nset -euo pipefail\n" in (ROOT / name).read_text()
    assert run("bash", "-n", ROOT / name).returncode == 0


def test_check_knows_its_parts():
    done = run(ROOT / "scripts" / "check", "format", "nosuch")
    assert done.returncode == 2
    assert done.stderr.startswith('scripts/check: no part "nosuch"; there are: ')
    parts = done.stderr.split(": ")[-1].split()
    described = (ROOT / "scripts" / "check").read_text().split("set -euo pipefail")[0]
    assert {"plain", "asan", "tsan", "every_float"} <= set(parts)
    assert [part for part in parts if f"\n#   {part} " not in described] == []


@pytest.mark.parametrize("arguments", [[], ["--nonsense"]])
def test_setup_prints_its_usage(arguments):
    done = run(ROOT / "scripts" / "setup", *arguments)
    assert done.returncode == 2
    assert "scripts/setup --demo" in done.stderr


@pytest.fixture
def bare_path(tmp_path):
    """A PATH with what the script itself needs and stand-ins for the package tools, but no sudo."""
    for tool in ("bash", "dirname", "sed", "cat"):
        (tmp_path / tool).symlink_to(f"/usr/bin/{tool}")
    stub(tmp_path / "id", "echo 1000")
    return tmp_path


def stub(path, body):
    path.write_text(f"#!/bin/bash\n{body}\n")
    path.chmod(0o755)


def setup(path):
    return run("/usr/bin/bash", ROOT / "scripts" / "setup", "--demo", env={"PATH": str(path)})


def test_without_apt_setup_names_the_packages(bare_path):
    done = setup(bare_path)
    assert done.returncode == 1
    assert "no apt on this machine" in done.stderr
    assert "libtbb-dev" in done.stderr


def test_without_root_and_sudo_setup_says_what_to_ask_for(bare_path):
    stub(bare_path / "apt-get", "exit 99")
    stub(bare_path / "dpkg-query", '[[ "$*" == *libtbb-dev ]] || echo -n installed')
    done = setup(bare_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].strip() == "apt-get install --no-install-recommends libtbb-dev"


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name.startswith("bench/")])
def test_benchmarks_explain_themselves(name):
    done = run(ROOT / name, "--help")
    assert done.returncode == 0
    assert "--json" in done.stdout


@pytest.mark.skipif(not shutil.which("ccache"), reason="needs ccache")
def test_builds_by_tests_know_what_is_compiled(caches_of_others):
    """Wheels and releases are not compiled from nothing."""

    def folder_of_ccache(**environment) -> Path:
        done = run("ccache", "--get-config", "cache_dir", env=os.environ | environment)
        return Path(done.stdout.strip()).resolve()

    if not (caches_of_others / "ccache").is_dir():
        pytest.skip("nothing is compiled")
    assert folder_of_ccache() == folder_of_ccache(XDG_CACHE_HOME=str(caches_of_others))

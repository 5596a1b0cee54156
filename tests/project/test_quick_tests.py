# SPDX-License-Identifier: BSD-3-Clause
"""What `pytest --quick` takes of tests with many cases."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import pytest

def test_alone(): pass

@pytest.mark.parametrize("case", range(9))
def test_many(case): pass

@pytest.mark.thorough
def test_long(): pass

@pytest.mark.thorough(quick=3)
@pytest.mark.parametrize("case", range(10))
def test_cases(case): pass

@pytest.mark.thorough(quick=3)
@pytest.mark.parametrize("case", range(2))
def test_few_cases(case): pass
"""


def collected(folder: Path, *options: str) -> list[str]:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--collect-only",
        "-p",
        "no:cacheprovider",
        *options,
        folder,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    return [line.partition("::")[2] for line in done.stdout.splitlines() if "::" in line]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "conftest.py").symlink_to(ROOT / "tests" / "conftest.py")
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    (tmp_path / "test_it.py").write_text(TESTS)
    return tmp_path


def test_some_cases_are_taken_of_thorough_tests(folder):
    assert collected(folder, "--quick") == [
        *("test_alone", "test_many[0]", "test_many[2]", "test_many[4]", "test_many[6]"),
        *("test_cases[0]", "test_cases[3]", "test_cases[6]"),
        *("test_few_cases[0]", "test_few_cases[1]"),
    ]


def test_all_are_taken_else(folder):
    assert len(collected(folder)) == 1 + 9 + 1 + 10 + 2


def test_continuous_integration_takes_all():
    assert "\nscripts/test --thorough\n" in (ROOT / ".ci" / "run").read_text()

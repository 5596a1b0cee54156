# SPDX-License-Identifier: BSD-3-Clause
"""What `pytest --quick` and `--some-seeds` take of tests with many cases."""

import re
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

@pytest.mark.thorough(quick=2, repeats=True)
@pytest.mark.parametrize("kind", "ab")
@pytest.mark.parametrize("seed", range(3))
def test_seeds(seed, kind): pass

def test_tries(num_tries): print(num_tries(9, 2), end=",")
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
        *("test_seeds[0-a]", "test_seeds[1-b]", "test_tries"),
    ]


def test_some_seeds_are_taken_and_all_other_cases(folder):
    everything = collected(folder)
    taken = collected(folder, "--some-seeds")
    left_out = [f"test_seeds[{case}]" for case in ("0-b", "1-a", "2-a", "2-b")]
    assert taken == [each for each in everything if each not in left_out]


@pytest.mark.parametrize(("options", "tries"), [((), 9), (("--some-seeds",), 2)])
def test_loops_try_fewer_random_things_with_some_seeds(folder, options, tries):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-qs",
        "-p",
        "no:cacheprovider",
        "-k",
        "tries",
        *options,
        folder,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    assert f"{tries}," in done.stdout


def test_all_are_taken_else(folder):
    assert len(collected(folder)) == 1 + 9 + 1 + 10 + 2 + 6 + 1


def test_continuous_integration_takes_all():
    assert "\nscripts/test --thorough\n" in (ROOT / ".ci" / "run").read_text()
    assert re.search(
        r'"\$is_thorough" \]\] \|\| seeds=\(--some-seeds\)', (ROOT / "scripts" / "test").read_text()
    )

# SPDX-License-Identifier: BSD-3-Clause
"""The package is typed throughout, and those who use it get its types."""

import os
import subprocess
import sys

import pytest

USER = """
import skimline
from skimline.errors import ConfigError, FileError


def version() -> str:
    return skimline.__version__


def path_of(error: FileError) -> str:
    return error.path


mistake: skimline.Error = ConfigError("text")
reveal_type(skimline.__version__)
"""

MISTAKES = """
import skimline

number: int = skimline.__version__
skimline.absent()
"""

MISTAKES_OF_KEYWORDS = """
import skimline

events = skimline.open("data.root")
events.hist("MET_pt", binz=10)
events.skim("x.root", compresion="zstd")
skimline.open("data.root", cross_section=1.0)
events.Filter("nMuon > 1")
cut = (events.Muon.pt > 20) & (events["MET_pt"] * 2 > 5)
events.filter(cut).hist(events.Muon.pt, bins=10, range=(0, 1))
values: dict[str, object] = events.arrays(["MET_pt"], library="np")
"""


def mypy(*arguments, **options) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "mypy", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_package_is_typed_throughout(repository):
    done = mypy(cwd=repository)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """What mypy knows of the package and of numpy."""
    return tmp_path_factory.mktemp("mypy")


@pytest.fixture
def check(environment, cache, tmp_path):
    """Checks a script of a user who has installed the wheel."""

    def run(text: str) -> subprocess.CompletedProcess:
        script = tmp_path / "analysis.py"
        script.write_text(text)
        options = [
            "--strict",
            "--config-file",
            os.devnull,
            "--python-executable",
            environment / "bin" / "python",
        ]
        return mypy(*options, "--cache-dir", cache, script, cwd=tmp_path)

    return run


def test_a_script_of_a_user_sees_the_types(check):
    done = check(USER)
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'Revealed type is "str"' in done.stdout


def test_mistakes_of_a_script_are_found(check):
    done = check(MISTAKES)
    assert done.returncode == 1
    assert "[assignment]" in done.stdout
    assert "[attr-defined]" in done.stdout


def test_mistakes_in_keywords_are_found(check):
    """In what is right, columns as objects included, none is."""
    done = check(MISTAKES_OF_KEYWORDS)
    assert "Found 4 errors" in done.stdout, done.stdout
    for word in ("binz", "compresion", "cross_section", "[operator]"):
        assert word in done.stdout

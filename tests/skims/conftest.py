# SPDX-License-Identifier: BSD-3-Clause
"""The program, a sample of events, and a folder to run configs in."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import uproot

# pytest's importlib mode does not let tests import what they share by itself.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from histogram_events import config_for, make_events

# Files that the tests make with uproot have no checksums of pages, which each run on them says.
NOTICE = re.compile(
    r'^[^\n]*warning: \d+ files? of the sample "[^"]*" ha(?:s|ve) RNTuple pages without checksums[^\n]*\n'
    r"(?:  [^\n]*\n +\^~*\n)?",
    re.MULTILINE,
)


@pytest.fixture(scope="session")
def call(skimline):
    """Runs the program. Without the notice of pages without checksums, which `unfiltered` has."""

    def run(*arguments, **options) -> subprocess.CompletedProcess:
        command = [skimline, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)
        done.unfiltered = done.stderr
        done.stdout, done.stderr = (NOTICE.sub("", text) for text in (done.stdout, done.stderr))
        return done

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


@pytest.fixture(scope="session")
def events_file(tmp_path_factory):
    """The path of an RNTuple with flat values, lists and lists of lists, and what is in it."""
    path = tmp_path_factory.mktemp("events") / "events.root"
    return path, make_events(path)


@pytest.fixture
def fill(job, events_file, tmp_path):
    """Fills histograms with the events of events_file and returns the file."""

    def run(histograms, *arguments, **more):
        done = job(config_for(events_file[0], histograms, **more), *arguments)
        assert done.returncode == 0, done.stderr
        return tmp_path / "histograms.root"

    return run


@pytest.fixture
def job(call, tmp_path):
    """Writes a config into an own folder and runs it there."""

    def run(config, *arguments, **options):
        (tmp_path / "a.json").write_text(config if isinstance(config, str) else json.dumps(config, indent=1))
        return call("run", "a.json", *arguments, cwd=tmp_path, **options)

    return run

# SPDX-License-Identifier: BSD-3-Clause
"""The package as the release build has it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "build" / "release" / "python"))


@pytest.fixture(scope="session")
def program():
    """The program."""
    return ROOT / "build" / "release" / "skimline"


@pytest.fixture(scope="session")
def dimuon(program, tmp_path_factory):
    """A file of 10 000 synthetic events."""
    path = tmp_path_factory.mktemp("dimuon") / "dimuon.root"
    command = [program, "generate", "dimuon", "--events", "10000", "-o", path]
    subprocess.run(command, check=True, capture_output=True)
    return path

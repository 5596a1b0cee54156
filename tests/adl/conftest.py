# SPDX-License-Identifier: BSD-3-Clause
"""The events that the queries run on; and lets the tests of this folder import what they share."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from coarse_events import write_coarse

NUM_EVENTS = 100_000


@pytest.fixture(scope="session", params=["generated", "coarse"])
def events(request, skimline, tmp_path_factory) -> Path:
    """Events as the program makes them; and the same rounded, so that cuts and edges of bins are met exactly."""
    folder = tmp_path_factory.mktemp("adl")
    generated = folder / "generated.root"
    command = [skimline, "generate", "adl", "--events", str(NUM_EVENTS), "--seed", "11", "-o", generated]
    subprocess.run(command, check=True, capture_output=True)
    if request.param == "generated":
        return generated
    write_coarse(generated, folder / "coarse.root")
    return folder / "coarse.root"

# SPDX-License-Identifier: BSD-3-Clause
"""The events that the queries run on and what the references fill of them; and lets the tests of this folder import what they share."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from made_once import made_once

sys.path.insert(0, str(Path(__file__).resolve().parent))
import reference_awkward
import reference_rdataframe
from coarse_events import write_coarse

NUM_EVENTS = 100_000


Filled = dict[str, np.ndarray] | dict[str, list[float]]


@pytest.fixture(scope="session", params=["generated", "coarse"])
def events(request, skimline, tmp_path_factory) -> Path:
    """Events as the program makes them; and the same rounded, so that cuts and edges of bins are met exactly."""

    def make(folder: Path) -> Path:
        generated = folder / "generated.root"
        command = [skimline, "generate", "adl", "--events", str(NUM_EVENTS), "--seed", "11", "-o", generated]
        subprocess.run(command, check=True, capture_output=True)
        write_coarse(generated, folder / "coarse.root")
        return folder

    return made_once(tmp_path_factory, "adl", make) / f"{request.param}.root"


@pytest.fixture(scope="session")
def awkward(tmp_path_factory) -> Callable[[Path, str], Filled]:
    """What awkward fills for a query, events taken in chunks that do not end where clusters do."""

    def histograms(events: Path, query: str) -> Filled:
        def fill(_: Path) -> Filled:
            return reference_awkward.histograms(events, query, step=37_001)

        return made_once(tmp_path_factory, f"adl_awkward_{events.stem}_{query}", fill)

    return histograms


@pytest.fixture(scope="session")
def rdataframe(tmp_path_factory) -> Callable[[Path, str], Filled]:
    """What RDataFrame fills for a query."""

    def histograms(events: Path, query: str) -> Filled:
        def fill(_: Path) -> Filled:
            return reference_rdataframe.histograms(events, query)

        return made_once(tmp_path_factory, f"adl_rdataframe_{events.stem}_{query}", fill)

    return histograms

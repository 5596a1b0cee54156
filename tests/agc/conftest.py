# SPDX-License-Identifier: BSD-3-Clause
"""Samples of the AGC and what the references fill of them; and lets the tests of this folder import what they share."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from made_once import made_once

sys.path.insert(0, str(Path(__file__).resolve().parent))
from agc_definition import VERSIONS, Histograms
from sample_files import LAYOUTS, write_samples


@pytest.fixture(scope="session")
def all_inputs(tmp_path_factory) -> dict[str, Path]:
    """The list of inputs of each layout."""
    return made_once(tmp_path_factory, "agc", write_samples)


@pytest.fixture(scope="session", params=LAYOUTS)
def inputs(request, all_inputs) -> Path:
    """The list of inputs, once for each layout."""
    return all_inputs[request.param]


@pytest.fixture(scope="session", params=VERSIONS)
def version(request) -> str:
    """The versions of the analysis."""
    return request.param


@pytest.fixture(scope="session")
def filled_by(tmp_path_factory) -> Callable[[ModuleType, Path, str], Histograms]:
    """What a reference fills of a list of inputs, for a version of the analysis."""

    def histograms(reference: ModuleType, inputs: Path, version: str) -> Histograms:
        name = f"{reference.__name__}_{inputs.parent.name}_{version}"
        return made_once(tmp_path_factory, name, lambda _: reference.histograms(inputs, VERSIONS[version]))

    return histograms

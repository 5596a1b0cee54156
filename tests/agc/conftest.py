# SPDX-License-Identifier: BSD-3-Clause
"""Samples of the AGC; and lets the tests of this folder import what they share."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from agc_definition import VERSIONS
from sample_files import LAYOUTS, write_samples


@pytest.fixture(scope="session")
def all_inputs(tmp_path_factory) -> dict[str, Path]:
    """The list of inputs of each layout."""
    return write_samples(tmp_path_factory.mktemp("agc"))


@pytest.fixture(scope="session", params=LAYOUTS)
def inputs(request, all_inputs) -> Path:
    """The list of inputs, once for each layout."""
    return all_inputs[request.param]


@pytest.fixture(scope="session", params=VERSIONS)
def version(request) -> str:
    """The versions of the analysis."""
    return request.param

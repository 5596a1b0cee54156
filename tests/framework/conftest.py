# SPDX-License-Identifier: BSD-3-Clause
"""Lets the tests of this folder import what they share, which pytest's importlib mode does not by itself."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture(scope="session")
def one_definition(build_folder):
    """The library with the functions of skimline::maths by their names in C, for processes of ROOT."""
    pytest.importorskip("ROOT", reason="ROOT is the oracle of these tests")
    found = build_folder / "tests" / "framework" / "libone_definition.so"
    if not found.is_file():
        pytest.fail(f"no library {found}: build with SKIMLINE_BUILD_TESTS=ON")
    return found

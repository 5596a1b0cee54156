# SPDX-License-Identifier: BSD-3-Clause
"""The program of the Python package, started from the build."""

import os
import sys
from pathlib import Path

import skimline


def command(*arguments) -> list[str]:
    return [sys.executable, "-m", "skimline", *map(str, arguments)]


def environment(**further: str) -> dict[str, str]:
    """That of this process, with the package."""
    return os.environ | {"PYTHONPATH": str(Path(skimline.__file__).parents[1])} | further

# SPDX-License-Identifier: BSD-3-Clause
"""The program of the Python package, started from the build."""

import os
import subprocess
import sys
from pathlib import Path

import skimline


def command(*arguments) -> list[str]:
    return [sys.executable, "-m", "skimline", *map(str, arguments)]


def environment(**further: str) -> dict[str, str]:
    """That of this process, with the package."""
    return os.environ | {"PYTHONPATH": str(Path(skimline.__file__).parents[1])} | further


def run(*arguments, **options) -> subprocess.CompletedProcess:
    """The program at its end, with what it said; `environment` is added to that of this process."""
    further = options.pop("environment", {})
    return subprocess.run(
        command(*arguments),
        check=False,
        capture_output=True,
        text=True,
        env=environment(**further),
        **options,
    )

# SPDX-License-Identifier: BSD-3-Clause
"""The command `skimline`."""

from __future__ import annotations

import sys

from skimline._core import run_program


def main() -> int:
    """Runs the program with the arguments of the process and returns its exit code."""
    return run_program(["skimline", *sys.argv[1:]])

# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program and measures its wall time and peak memory from outside.

Imports nothing heavy: a child's peak memory counts from that of the process that starts it.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Measurement:
    """One run: seconds of the whole process, peak resident bytes, what it printed, and seconds of all cores."""

    seconds: float
    peak_bytes: int
    output: str
    cpu_seconds: float = 0


def measure(command: Sequence[object]) -> Measurement:
    """Runs the command to its end. Raises RuntimeError with its output if it fails."""
    words = [str(word) for word in command]
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if process.returncode != 0:
        raise RuntimeError(f"exit code {process.returncode}: {' '.join(words)}\n{text}")
    return Measurement(seconds, usage.ru_maxrss * 1024, text, usage.ru_utime + usage.ru_stime)

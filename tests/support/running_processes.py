# SPDX-License-Identifier: BSD-3-Clause
"""Which processes of this machine still run."""

import time
from collections.abc import Iterable
from pathlib import Path


def is_running(process: int) -> bool:
    """Whether it has not ended: one that has may wait for ever for a first process of a container that takes no notice."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def have_ended(processes: Iterable[int], seconds: float = 30) -> bool:
    """Whether all end within the given time."""
    processes = list(processes)
    deadline = time.monotonic() + seconds
    while any(is_running(process) for process in processes):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True

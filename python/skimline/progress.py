# SPDX-License-Identifier: BSD-3-Clause
"""How far a run is, as a line on the standard error stream."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any, Callable, TextIO

__all__ = ["Listener", "ProgressLine", "listener_of"]

Listener = Callable[[Mapping[str, Any]], None]

_SECONDS_BETWEEN = 0.2


class ProgressLine:
    """Shows one line that changes; notebooks and terminals let a carriage return do that."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._start = time.monotonic()
        self._next = 0.0
        self._width = 0
        self._is_done = False

    def __call__(self, job: Mapping[str, Any]) -> None:
        now = time.monotonic()
        is_done = job["events"] == job["all_events"]
        if self._is_done or (now < self._next and not is_done):
            return
        self._is_done = is_done
        self._next = now + _SECONDS_BETWEEN
        self._show(self._text(job, now - self._start))

    def close(self) -> None:
        """Ends the line, if there is one."""
        if self._width:
            self._stream.write("\n")
            self._stream.flush()

    def _text(self, job: Mapping[str, Any], seconds: float) -> str:
        done = job["events"] / job["all_events"] if job["all_events"] else 1.0
        rate = job["events"] / seconds if seconds > 0 else 0.0
        left = f"  {seconds * (1 - done) / done:.0f} s left" if 0 < done < 1 else ""
        return (
            f"{100 * done:3.0f} %  {job['sample']}  {job['files']}/{job['all_files']} files  "
            f"{rate / 1e6:.2f} M events/s{left}"
        )

    def _show(self, text: str) -> None:
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)


def listener_of(progress: bool | Listener) -> Listener | None:
    """What is told how far a run is: nothing, a line, or what the user gives."""
    if progress is True:
        return ProgressLine()
    return progress or None

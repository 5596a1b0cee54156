# SPDX-License-Identifier: BSD-3-Clause
"""The command `skimline`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Callable

from skimline._core import run_program

_FAILED, _INCOMPLETE = 1, 3


def main() -> int:
    """Runs the program with the arguments of the process and returns its exit code."""
    # Python turns Ctrl-C into an exception and broken pipes into errors; the program wants the system's way.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    # Bytes, since a file's name need not be text.
    arguments = [os.fsencode(argument) for argument in ["skimline", *sys.argv[1:]]]
    code = run_program(arguments, _draw_pictures, _compute_parts)
    cache = sys.modules.get("skimline.arrow_cache")
    if cache is not None and code in (_FAILED, _INCOMPLETE):
        cache.suspect()
    return code


def _draw_pictures(request: str) -> tuple[bool, str, bool]:
    from skimline.plotting import draw_requested

    return draw_requested(request)


def _compute_parts(request: str, is_stopped: Callable[[], bool]) -> tuple[bool, str]:
    from skimline.requested_parts import answer

    with _broken_pipes_as_errors():
        return answer(request, is_stopped)


@contextmanager
def _broken_pipes_as_errors() -> Iterator[None]:
    """A server or process that is gone while something is sent to it is no reason to end without a word, as it is where
    nobody reads what the program prints. Threads that begin inside have it so, too."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
    try:
        yield
    finally:
        while signal.SIGPIPE in signal.sigpending() and signal.SIGPIPE not in before:
            signal.sigwait({signal.SIGPIPE})
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

# SPDX-License-Identifier: BSD-3-Clause
"""Processes of this machine that compute parts of a run."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from typing import Any

__all__ = ["Processes"]


class Processes:
    """A pool of processes that is replaced when one of them was killed: what it had to do is lost, and may be
    submitted again. They end with the process that made them, whatever happens to that."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._pool = self._started()

    def submit(self, function: Any, /, *arguments: Any) -> Future[Any]:
        try:
            return self._pool.submit(function, *arguments)
        except BrokenExecutor:
            self._pool.shutdown()
            self._pool = self._started()
            return self._pool.submit(function, *arguments)

    def terminate(self) -> None:
        """Ends what is computed now."""
        for process in multiprocessing.active_children():
            process.terminate()

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _started(self) -> ProcessPoolExecutor:
        # Threads of the engine do not survive a fork.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._number, mp_context=context, initializer=_begin)


def _begin() -> None:
    """Leaves an interrupt to the process that has made this one, and ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_maker, daemon=True).start()


def _end_with_maker() -> None:
    maker = multiprocessing.parent_process()
    if maker is not None:
        maker.join()
        os._exit(1)

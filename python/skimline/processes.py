# SPDX-License-Identifier: BSD-3-Clause
"""Processes of this machine that compute parts of a run."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any

__all__ = ["Processes"]

_SECONDS_TO_END = 5


class Processes:
    """A pool of processes that is replaced when one of them was killed: what it had to do is lost, and may be
    submitted again. They end with the process that made them, whatever happens to that."""

    def __init__(self, number: int) -> None:
        self._number = number
        # Threads of the engine do not survive a fork.
        self._context = multiprocessing.get_context("spawn")
        self._until_end, self._end = self._context.Pipe(duplex=False)
        self._pool = self._started()

    def submit(self, function: Any, /, *arguments: Any) -> Future[Any]:
        asked: Future[Any] = Future()
        self._submit(function, *arguments).add_done_callback(lambda done: _pass_on(done, asked))
        return asked

    def terminate(self) -> None:
        """Ends what is computed now."""
        for process in multiprocessing.active_children():
            process.terminate()

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        # A process that is killed while it takes work from the queue keeps the others from seeing that they shall end.
        timer = threading.Timer(_SECONDS_TO_END, self._end.close)
        timer.start()
        self._pool.shutdown(cancel_futures=True)
        timer.cancel()
        timer.join()
        self._end.close()
        self._until_end.close()

    def _submit(self, function: Any, /, *arguments: Any) -> Future[Any]:
        with _interrupts_held_back():
            try:
                return self._pool.submit(function, *arguments)
            except BrokenExecutor:
                self._pool.shutdown()
                self._pool = self._started()
                return self._pool.submit(function, *arguments)

    def _started(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self._number, mp_context=self._context, initializer=_begin, initargs=(self._until_end,)
        )


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Processes that begin inside have no interrupt before they leave it to others: Ctrl-C reaches all of a terminal."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _pass_on(done: Future[Any], asked: Future[Any]) -> None:
    """Gives what was computed to the future that was handed out: only that one may be cancelled. Pools of Python 3.11
    and older fail, and leave their processes running, where one of their own futures is cancelled while a process
    ends."""
    if done.cancelled():
        asked.cancel()
    elif asked.set_running_or_notify_cancel():
        fault = done.exception()
        asked.set_exception(fault) if fault is not None else asked.set_result(done.result())


def _begin(until_end: Connection) -> None:
    """Leaves an interrupt to the process that has made this one, and ends with it, or when nothing can come through
    `until_end` any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_maker, args=(until_end,), daemon=True).start()


def _end_with_maker(until_end: Connection) -> None:
    maker = multiprocessing.parent_process()
    if maker is not None:
        wait([maker.sentinel, until_end])
        os._exit(1)

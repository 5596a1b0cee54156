# SPDX-License-Identifier: BSD-3-Clause
"""How far a run is: a bar of tqdm or rich where they are installed, else a line on the standard error stream."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Callable, Literal, TextIO, Union

from skimline.arguments import checked_choice

__all__ = ["Bar", "Listener", "Progress", "ProgressLine", "listener_of", "listening"]

Listener = Callable[[Mapping[str, Any]], None]
Progress = Union[bool, Literal["tqdm", "rich", "line"], Listener]
"""True is the first of these that is installed."""

_SECONDS_BETWEEN = 0.2


class Bar:
    """Is told how far a run is a few times per second, and shows it until it is closed.

    No run ends because it cannot be shown, where the terminal is gone for instance.
    """

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._next = 0.0
        self._last: tuple[Any, ...] = ()
        self._is_lost = False

    def __call__(self, job: Mapping[str, Any]) -> None:
        now = time.monotonic()
        is_done = job["events"] == job["all_events"]
        state = (job["sample"], job["events"])
        if self._is_lost or state == self._last or (now < self._next and not is_done):
            return
        self._last, self._next = state, now + _SECONDS_BETWEEN
        self._is_lost = True
        with suppress(Exception):
            self._show(job)
            self._is_lost = False

    def close(self) -> None:
        """Leaves it as it is."""
        with suppress(Exception):
            self._end()

    def _show(self, job: Mapping[str, Any]) -> None:
        raise NotImplementedError

    def _end(self) -> None:
        raise NotImplementedError


class ProgressLine(Bar):
    """Shows one line that changes; notebooks and terminals let a carriage return do that."""

    def __init__(self, stream: TextIO | None = None) -> None:
        super().__init__()
        self._stream = stream if stream is not None else sys.stderr
        self._width = 0

    def _end(self) -> None:
        if self._width:
            self._stream.write("\n")
            self._stream.flush()

    def _show(self, job: Mapping[str, Any]) -> None:
        text = self._text(job, time.monotonic() - self._start)
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)

    def _text(self, job: Mapping[str, Any], seconds: float) -> str:
        done = job["events"] / job["all_events"] if job["all_events"] else 1.0
        rate = job["events"] / seconds if seconds > 0 else 0.0
        left = f"  {seconds * (1 - done) / done:.0f} s left" if 0 < done < 1 else ""
        files = f"  {job['files']}/{job['all_files']} files" if "files" in job else ""
        return f"{100 * done:3.0f} %  {job['sample']}{files}  {rate / 1e6:.2f} M events/s{left}"


class TqdmBar(Bar):
    """A bar of tqdm; in notebooks a widget, if these are installed."""

    def __init__(self) -> None:
        super().__init__()
        self._bar: Any = None

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.close()

    def _show(self, job: Mapping[str, Any]) -> None:
        if self._bar is None:
            module = "tqdm.notebook" if _is_notebook() and _is_installed("ipywidgets") else "tqdm"
            self._bar = importlib.import_module(module).tqdm(unit=" events", unit_scale=True)
        self._bar.total = job["all_events"]
        self._bar.set_description(str(job["sample"]), refresh=False)
        self._bar.update(job["events"] - self._bar.n)
        self._bar.refresh()


class RichBar(Bar):
    """A bar of rich."""

    def __init__(self) -> None:
        super().__init__()
        self._bar: Any = None

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _show(self, job: Mapping[str, Any]) -> None:
        if self._bar is None:
            rich: Any = importlib.import_module("rich.progress")
            self._bar = rich.Progress(console=importlib.import_module("rich.console").Console(stderr=True))
            self._bar.start()
            self._bar.add_task("", total=None)
        self._bar.update(
            self._bar.tasks[0].id,
            description=str(job["sample"]).replace("[", r"\["),
            total=job["all_events"],
            completed=job["events"],
        )


def _is_installed(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def listener_of(progress: Progress) -> Listener | None:
    """What is told how far a run is: nothing, a bar, or what the user gives."""
    if callable(progress):
        return progress
    if progress is None or progress is False:
        return None
    known = {"tqdm": TqdmBar, "rich": RichBar, "line": ProgressLine}
    if progress is True:
        return next(make for name, make in known.items() if name == "line" or _is_installed(name))()
    return known[checked_choice("progress", progress, list(known))]()


@contextmanager
def listening(progress: Progress) -> Iterator[Listener | None]:
    """What is told, for as long as it is."""
    listener = listener_of(progress)
    try:
        yield listener
    finally:
        if isinstance(listener, Bar):
            listener.close()


def _is_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"

# SPDX-License-Identifier: BSD-3-Clause
"""Runs whose parts are computed elsewhere: by Dask, by process pools, by anything that has `submit`."""

from __future__ import annotations

import os
import tempfile
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, NamedTuple, Protocol

from skimline import _core
from skimline.config import ConfigSource
from skimline.errors import ConfigError, Error, EvaluationError

__all__ = ["Executor", "Opened", "Task", "compute_blocks", "compute_elsewhere", "open_parts", "tasks_of"]

_SUFFIX = ".results.root"


class Future(Protocol):
    """What `submit` returns."""

    def result(self) -> Any: ...


class Executor(Protocol):
    """What parts are computed by: a `dask.distributed.Client`, or an executor of `concurrent.futures`."""

    def submit(self, function: Any, /, *arguments: Any) -> Any: ...


class Task(NamedTuple):
    """One part, for whoever computes it."""

    source: ConfigSource
    normalisations: list[tuple[str, float | None]]
    threads: int
    store: str
    mark: str  # a file in the store: whoever sees it has the same folder
    run: str  # tells the tasks of one run from those of others
    part: _core.Part


Files = dict[str, bytes]
"""Results by the places of their files in a store; empty where they are in the store already."""


def compute_elsewhere(
    source: ConfigSource, executor: Executor, opened: Opened, *, retries: int = 2
) -> list[str]:
    """Has the executor compute all parts that the store lacks, and puts them there.

    Returns what went wrong elsewhere: parts that were lost and computed again, and those that have a fault, which are
    left to a run here, so that it is told and treated as always. Throws the fault if all parts have one that is of
    no event, as where no worker sees the files; and Error naming what was lost `retries` times more than once. The
    store has all that was computed.
    """
    missing = [part for part in opened.parts if not part[-1]]
    if not missing:
        return []
    tasks = tasks_of(source, opened, missing)
    faults, problems = compute_all(
        tasks, executor, _compute, lambda files: _put(opened.store, files), retries=retries
    )
    fault_of_all(faults, len(missing))
    return problems


def compute_all(
    tasks: Sequence[Any], executor: Executor, compute: Any, take: Callable[[Any], None], *, retries: int = 2
) -> tuple[list[Error], list[str]]:
    """Has the executor call `compute` with each task, and takes what comes of it.

    Tasks have a `part`. Returns faults, and what went wrong in words. Throws Error naming what was lost `retries` times
    more than once.
    """
    outcome = _Outcome([], [], list(tasks))
    for _attempt in range(retries + 1):
        left, outcome.lost = outcome.lost, []
        _compute_some(left, executor, compute, take, outcome)
        if not outcome.lost:
            return outcome.faults, outcome.problems
    raise Error(
        f"{len(outcome.lost)} of the parts were lost {retries + 1} times, among them "
        f"{name_of_part(outcome.lost[0].part)}: {outcome.problems[-1]}; what was computed is in the store, and the "
        "same run goes on from there"
    )


def fault_of_all(faults: Sequence[Error], num_parts: int) -> None:
    """Throws the fault if all parts have one that is of no event, as where no worker sees the files."""
    if num_parts > 0 and len(faults) == num_parts and not isinstance(faults[0], EvaluationError):
        raise faults[0]


class Opened(NamedTuple):
    """What tasks of a run are made of."""

    parts: list[_core.Part]
    sums: list[tuple[str, int, int] | None]
    normalisations: list[tuple[str, float | None]]
    store: str
    mark: str
    run: str
    threads: int


def open_parts(source: ConfigSource, *, store: str, threads: int) -> Opened:
    """Opens and checks all inputs of a config. Throws what a run throws before it reads events."""
    job = _core.Parts(source.read(), store=store, threads=threads)
    parts = job.parts()
    run = uuid.uuid4().hex
    mark = str(Path(store) / f".run-{run}")
    return Opened(parts, job.sums(), job.normalisations(), store, mark, run, threads)


def tasks_of(source: ConfigSource, opened: Opened, parts: Sequence[_core.Part]) -> list[Task]:
    """What workers need to compute these parts."""
    return [
        Task(source, opened.normalisations, opened.threads, opened.store, opened.mark, opened.run, part)
        for part in parts
    ]


@dataclass
class _Outcome:
    """What became of tasks."""

    faults: list[Error]
    problems: list[str]
    lost: list[Any]


def _compute_some(
    tasks: Sequence[Any], executor: Executor, compute: Any, take: Callable[[Any], None], outcome: _Outcome
) -> None:
    futures: list[Future | None] = [_submit(executor, compute, task) for task in tasks]
    for number, task in enumerate(tasks):
        future, futures[number] = futures[number], None  # what it came to is not kept in memory
        try:
            if future is None:
                raise RuntimeError("the executor takes no more work")
            made = future.result()
        except Error as fault:
            outcome.faults.append(fault)
            outcome.problems.append(f"{name_of_part(task.part)}: {fault}")
            continue
        except Exception as problem:  # whatever an executor says when a worker is gone
            outcome.lost.append(task)
            outcome.problems.append(f"{name_of_part(task.part)}: {type(problem).__name__}: {problem}")
            continue
        except BaseException:
            _cancel(futures)
            raise
        take(made)


def _submit(executor: Executor, compute: Any, task: Any) -> Future | None:
    try:
        # Dask takes equal calls for one: results are put where they belong by each.
        if is_dask(executor):
            return executor.submit(compute, task, pure=False)  # type: ignore[call-arg,no-any-return]
        return executor.submit(compute, task)  # type: ignore[no-any-return]
    except RuntimeError:  # a broken pool
        return None


def is_dask(executor: object) -> bool:
    """Whether it is a client of Dask."""
    return type(executor).__module__.startswith("distributed")


def _cancel(futures: Sequence[Future | None]) -> None:
    for future in futures:
        cancel = getattr(future, "cancel", None)
        if cancel is not None:
            cancel()


def name_of_part(part: _core.Part) -> str:
    """Its file and entries."""
    _, _, file, first, count, *_ = part
    return f"{file}, entries {first} to {first + count - 1}"


@contextmanager
def marked(opened: Opened) -> Iterator[None]:
    """Makes the mark by which workers see whether they have the same store."""
    mark = Path(opened.mark)
    mark.touch()
    try:
        yield
    finally:
        mark.unlink(missing_ok=True)


def _put(store: str, files: Files) -> None:
    for place, content in files.items():
        target = Path(store) / _checked(place)
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
        unfinished.write_bytes(content)
        unfinished.replace(target)


def _checked(place: str) -> str:
    parts = Path(place).parts
    if len(parts) != 3 or any(not part.strip(".") for part in parts) or not place.endswith(_SUFFIX):
        raise ConfigError(f'a worker gave results the place "{place}"')
    return place


class _Opened(threading.local):
    """The run that a thread has last computed parts of: its files are opened once for all of them."""

    key: tuple[str, bool] | None = None
    parts: _core.Parts
    folder: tempfile.TemporaryDirectory[str] | None = None  # in place of a store that is out of reach


_opened = _Opened()


def _open(task: Task, *, is_shared: bool) -> None:
    key = (task.run, is_shared)
    if _opened.key == key:
        return
    _opened.key = None
    _opened.folder = None if is_shared or not task.store else tempfile.TemporaryDirectory(prefix="skimline-")
    store = task.store if _opened.folder is None else _opened.folder.name
    _opened.parts = _core.Parts(
        task.source.read(), store=store, threads=task.threads, normalisations=task.normalisations
    )
    _opened.key = key


def _compute(task: Task) -> Files:
    """Computes a part, wherever this is called."""
    sample, number, file, _, _, _, key, _ = task.part
    _open(task, is_shared=os.path.exists(task.mark))  # noqa: PTH110  pathlib takes long to import
    _opened.parts.compute(sample, number, file, key)
    return {} if _opened.folder is None else _taken_from(_opened.folder.name)


def compute_blocks(task: Task, digest: str, num_blocks: int) -> list[bytes]:
    """Computes a part, wherever this is called, and returns its results as blocks of sums with this digest.

    They are kept where the store of the run is seen. None are returned if the part is left to a run.
    """
    sample, number, file, _, _, _, key, _ = task.part
    is_shared = os.path.exists(task.mark)  # noqa: PTH110
    _open(task if is_shared else task._replace(store=""), is_shared=is_shared)
    return _opened.parts.compute_blocks(sample, number, file, key, digest, num_blocks)


def _taken_from(store: str) -> Files:
    root = Path(store)
    files = {}
    for path in list(root.rglob(f"*{_SUFFIX}")):
        files[str(path.relative_to(root))] = path.read_bytes()
        path.unlink()
    return files

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
from typing import Any, NamedTuple, Protocol

from skimline import _core
from skimline.config import ConfigSource
from skimline.errors import ConfigError, Error, EvaluationError

__all__ = ["Executor", "compute_elsewhere"]

_SUFFIX = ".results.root"


class Future(Protocol):
    """What `submit` returns."""

    def result(self) -> Any: ...


class Executor(Protocol):
    """What parts are computed by: a `dask.distributed.Client`, or an executor of `concurrent.futures`."""

    def submit(self, function: Any, /, *arguments: Any) -> Any: ...


class _Task(NamedTuple):
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
    source: ConfigSource, executor: Executor, *, store: str, threads: int, retries: int = 2
) -> list[str]:
    """Has the executor compute all parts that `store` lacks, and puts them there.

    Returns what went wrong elsewhere: parts that were lost and computed again, and those that have a fault, which are
    left to a run here, so that it is told and treated as always. Throws the fault if all parts have one that is of
    no event, as where no worker sees the files; and Error naming what was lost `retries` times more than once. The
    store has all that was computed.
    """
    job = _core.Parts(source.read(), store=store, threads=threads)
    missing = [part for part in job.parts() if not part[-1]]
    if not missing:
        return []
    normalisations = job.normalisations()
    run = uuid.uuid4().hex
    outcome = _Outcome([], [], missing)
    with _mark(store, run) as mark:
        for _attempt in range(retries + 1):
            tasks = [_Task(source, normalisations, threads, store, mark, run, part) for part in outcome.lost]
            outcome.lost = []
            _compute_all(tasks, executor, store, outcome)
            if not outcome.lost:
                break
    if outcome.lost:
        raise Error(
            f"{len(outcome.lost)} of the parts were lost {retries + 1} times, among them {_name(outcome.lost[0])}: "
            f"{outcome.problems[-1]}; what was computed is in the store, and the same run goes on from there"
        )
    if len(outcome.faults) == len(missing) and not isinstance(outcome.faults[0], EvaluationError):
        raise outcome.faults[0]
    return outcome.problems


@dataclass
class _Outcome:
    """What became of parts that are not in the store now."""

    faults: list[Error]
    problems: list[str]
    lost: list[_core.Part]


def _compute_all(tasks: Sequence[_Task], executor: Executor, store: str, outcome: _Outcome) -> None:
    futures: list[Future | None] = [_submit(executor, task) for task in tasks]
    for number, task in enumerate(tasks):
        future, futures[number] = futures[number], None  # what it came to is not kept in memory
        try:
            if future is None:
                raise RuntimeError("the executor takes no more work")
            files = future.result()
        except Error as fault:
            outcome.faults.append(fault)
            outcome.problems.append(f"{_name(task.part)}: {fault}")
            continue
        except Exception as problem:  # whatever an executor says when a worker is gone
            outcome.lost.append(task.part)
            outcome.problems.append(f"{_name(task.part)}: {type(problem).__name__}: {problem}")
            continue
        except BaseException:
            _cancel(futures)
            raise
        _put(store, files)


def _submit(executor: Executor, task: _Task) -> Future | None:
    try:
        # Dask takes equal calls for one: results are put where they belong by each.
        if type(executor).__module__.startswith("distributed"):
            return executor.submit(_compute, task, pure=False)  # type: ignore[call-arg,no-any-return]
        return executor.submit(_compute, task)  # type: ignore[no-any-return]
    except RuntimeError:  # a broken pool
        return None


def _cancel(futures: Sequence[Future | None]) -> None:
    for future in futures:
        cancel = getattr(future, "cancel", None)
        if cancel is not None:
            cancel()


def _name(part: _core.Part) -> str:
    _, _, file, first, count, *_ = part
    return f"{file}, entries {first} to {first + count - 1}"


@contextmanager
def _mark(store: str, run: str) -> Iterator[str]:
    mark = Path(store) / f".run-{run}"
    mark.touch()
    try:
        yield str(mark)
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


def _open(task: _Task, *, is_shared: bool) -> None:
    key = (task.run, is_shared)
    if _opened.key == key:
        return
    _opened.key = None
    _opened.folder = None if is_shared else tempfile.TemporaryDirectory(prefix="skimline-")
    store = task.store if _opened.folder is None else _opened.folder.name
    _opened.parts = _core.Parts(
        task.source.read(), store=store, threads=task.threads, normalisations=task.normalisations
    )
    _opened.key = key


def _compute(task: _Task) -> Files:
    """Computes a part, wherever this is called."""
    sample, number, file, _, _, _, key, _ = task.part
    _open(task, is_shared=os.path.exists(task.mark))  # noqa: PTH110  pathlib takes long to import
    _opened.parts.compute(sample, number, file, key)
    return {} if _opened.folder is None else _taken_from(_opened.folder.name)


def _taken_from(store: str) -> Files:
    root = Path(store)
    files = {}
    for path in list(root.rglob(f"*{_SUFFIX}")):
        files[str(path.relative_to(root))] = path.read_bytes()
        path.unlink()
    return files

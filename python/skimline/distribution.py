# SPDX-License-Identifier: BSD-3-Clause
"""Runs whose parts are computed elsewhere: by Dask, by process pools, by anything that has `submit`."""

from __future__ import annotations

import concurrent.futures
import json
import os
import re
import threading
import uuid
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Callable, NamedTuple, Protocol, Union

from skimline import _core
from skimline.config import ConfigSource
from skimline.errors import ConfigError, Error, EvaluationError, FileError, LostPartsError, RunWarning, warn
from skimline.own_folders import OwnFolder

__all__ = [
    "Common",
    "Done",
    "Executor",
    "Opened",
    "Work",
    "compute_all",
    "compute_blocks",
    "compute_elsewhere",
    "open_parts",
]

_SUFFIXES = (".results.root", ".skim.root")
_LOOKS_EVERY = 0.2  # seconds
_LOOKS_WITHOUT_WORKERS = 100  # before that is said
_MOST_ATTEMPTS = 10

IsStopped = Callable[[], bool]


class Future(Protocol):
    """What `submit` returns."""

    def result(self, timeout: float | None = None) -> Any: ...


Submitted = Union[Future, Exception]
"""What came of the try to submit a part."""


class Executor(Protocol):
    """What parts are computed by: a `dask.distributed.Client`, or an executor of `concurrent.futures`."""

    def submit(self, function: Any, /, *arguments: Any) -> Any: ...


class Common(NamedTuple):
    """What all tasks of a run have in common."""

    run: str  # tells the tasks of one run from those of others
    packed: bytes  # source and facts: each process unpacks them once
    threads: int
    store: str
    mark: str  # a file in the store: whoever sees it has the same folder; empty for a URL, which is for all the same
    makes_skims: bool
    keeps: bool = True  # whether results that are added up elsewhere go into the store besides

    @classmethod
    def of(
        cls,
        source: ConfigSource,
        facts: Sequence[_core.FactsOfSample],
        *,
        store: str,
        threads: int,
        makes_skims: bool,
    ) -> Common:
        """Of a new run."""
        run = uuid.uuid4().hex
        packed = zlib.compress(json.dumps([source, facts]).encode(), 1)
        mark = "" if is_url(store) else str(Path(store) / f".run-{run}")
        return cls(run, packed, threads, store, mark, makes_skims)

    def parts(self, store: str) -> _core.Parts:
        source, facts = json.loads(zlib.decompress(self.packed))
        made = ConfigSource(*source)
        return _core.Parts(
            made.read(finds_inputs=False),
            store=store,
            threads=self.threads,
            samples=facts,
            read_with_inputs=made.read,
        )


Files = dict[str, bytes]
"""Results by the places of their files in a store; empty where they are in the store already."""


class Done(NamedTuple):
    """What became of a part."""

    where: str
    made: Any
    fault: Error | None = None


class Work(NamedTuple):
    """What is done with each part."""

    compute: Callable[[Common, _core.Part], Done]
    """Called elsewhere."""
    take: Callable[[Any], None]
    """Called here with what was made."""


class Opened(NamedTuple):
    """The parts of a run, and what all of its tasks are made of."""

    parts: list[_core.Part]
    sums: list[tuple[str, int, int] | None]
    makes_skims: bool
    common: Common
    is_stopped: IsStopped | None = None

    @property
    def store(self) -> str:
        """A folder, or a URL."""
        return self.common.store

    @property
    def missing(self) -> list[_core.Part]:
        """What the store lacks."""
        return [part for part in self.parts if not part[-1]]


def open_parts(source: ConfigSource, *, store: str, threads: int) -> Opened:
    """Opens and checks all inputs of a config. Throws what a run throws before it reads events."""
    job = _core.Parts(source.read(), store=store, threads=threads)
    parts = job.parts()
    makes_skims = job.make_skims()
    common = Common.of(source, job.facts(), store=store, threads=threads, makes_skims=makes_skims)
    return Opened(parts, job.sums(), makes_skims, common)


def compute_elsewhere(executor: Executor, opened: Opened) -> list[str]:
    """Has the executor compute all parts that the store lacks, and puts them there: as `compute_all`."""
    return compute_for_store(executor, opened, opened.missing)


def compute_for_store(executor: Executor, opened: Opened, parts: Sequence[_core.Part]) -> list[str]:
    """The same for some parts."""
    work = _work_of_store(opened.common)
    return compute_all(executor, opened.common, parts, work, is_stopped=opened.is_stopped)


def _work_of_store(common: Common) -> Work:
    return Work(_compute, partial(put_files, common.store))


def compute_all(
    executor: Executor,
    common: Common,
    parts: Sequence[_core.Part],
    work: Work,
    *,
    retries: int = 2,
    is_stopped: IsStopped | None = None,
) -> list[str]:
    """Has the executor compute parts, and takes what they come to.

    Returns what went wrong elsewhere: parts that were lost and computed again, and those that have a fault, which are
    left to a run here, so that it is told and treated as always. Throws the fault if all parts have one that is of
    no event, as where no worker sees the files; and LostPartsError with what was lost `retries` times more than once, when
    nothing else could be computed. What was computed was taken. `is_stopped` is asked a few times per second; the
    function then ends early.
    """
    outcome = _Outcome(list(parts))
    tasks = _Tasks(executor, common, work, is_stopped)
    for attempt in range(len(parts) + retries + 1):
        if not outcome.missing or (attempt > retries and not outcome.has_advanced):
            break
        tasks.compute_all(outcome)
    if outcome.missing and not tasks.are_stopped():
        raise outcome.error_of_lost()
    fault_of_all(outcome.faults, len(parts))
    return outcome.problems


def fault_of_all(faults: Sequence[Error], num_parts: int) -> None:
    """Throws the fault if all parts have one that is of no event, as where no worker sees the files."""
    if len(faults) == num_parts > 0 and not isinstance(faults[0], EvaluationError):
        raise faults[0]


@dataclass
class _Outcome:
    """What became of parts."""

    missing: list[_core.Part]
    faults: list[Error] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    has_advanced: bool = True
    num_attempts: int = 0

    def error_of_lost(self) -> LostPartsError:
        return lost_parts(self.missing, self.num_attempts, self.problems[-1])


def lost_parts(parts: Sequence[_core.Part], num_attempts: int, problem: str) -> LostPartsError:
    """What to throw when parts were lost so many times, the last time by this problem."""
    text = (
        f"{len(parts)} part{'s were' if len(parts) > 1 else ' was'} lost {num_attempts} times ({problem}), and no output is "
        "written; a run with the same store goes on from what was computed. Missing:"
    )
    error = LostPartsError("".join([text, *(f"\n  {name_of_part(part)}" for part in parts)]))
    error.parts = tuple((part[2], part[5], part[6]) for part in parts)
    return error


class _Tasks:
    """Parts as tasks of an executor."""

    def __init__(self, executor: Executor, common: Common, work: Work, is_stopped: IsStopped | None) -> None:
        self._executor = executor
        self._common = common
        self._work = work
        self._is_stopped = is_stopped

    def are_stopped(self) -> bool:
        return self._is_stopped is not None and self._is_stopped()

    def compute_all(self, outcome: _Outcome) -> None:
        """Computes what is missing, each part once."""
        parts, outcome.missing = outcome.missing, []
        outcome.has_advanced = False
        outcome.num_attempts += 1
        futures: list[Submitted | None] = []
        try:
            self._submit_all(parts, futures)
            for number, part in enumerate(parts):
                future, futures[number] = futures[number], None  # what it came to is not kept in memory
                self._take(part, future, outcome)
        except BaseException:
            _cancel(futures)
            raise

    def _take(self, part: _core.Part, future: Submitted | None, outcome: _Outcome) -> None:
        try:
            if future is None or isinstance(future, Exception):
                raise future or RuntimeError("the executor takes no more work")
            done = _checked_done(result_of(future, self._is_stopped))
        except Exception as problem:  # whatever an executor says when a worker is gone
            outcome.missing.append(part)
            outcome.problems.append(f"{name_of_part(part)}: {in_one_line(problem)}")
            return
        outcome.has_advanced = True
        if done.fault is not None:
            outcome.faults.append(done.fault)
            outcome.problems.append(f"{name_of_part(part)}: {text_of(done.fault)} ({done.where})")
        else:
            self._work.take(done.made)

    def _submit_all(self, parts: Sequence[_core.Part], futures: list[Submitted | None]) -> None:
        try:
            common = shared_common(self._executor, self._common)
        except Exception as problem:  # whatever an executor says that has ended
            futures += [problem] * len(parts)
            return
        for part in parts:
            futures.append(self._submit(common, part))

    def _submit(self, common: Any, part: _core.Part) -> Submitted | None:
        try:
            # Dask takes equal calls for one: results are put where they belong by each.
            if is_of_dask(self._executor):
                return self._executor.submit(self._work.compute, common, part, pure=False)  # type: ignore[call-arg,no-any-return]
            return self._executor.submit(self._work.compute, common, part)  # type: ignore[no-any-return]
        except Exception as problem:  # a broken pool, for instance
            return problem


def _checked_done(result: Any) -> Done:
    """What became of a part. Throws TypeError for what no part comes to."""
    done = Done(*result) if isinstance(result, tuple) else None
    if done is None or not isinstance(done.made, (dict, tuple)) or not _is_fault(done.fault):
        raise TypeError(f"no part comes to {result!r:.100}")
    return done


def _is_fault(fault: object) -> bool:
    return fault is None or isinstance(fault, Error)


def text_of(fault: Error) -> str:
    """What a fault says without its place, which is one in the config as it was sent, and not as it was written."""
    return re.sub(r"^.*?:\d+:\d+: error: ", "", str(fault).partition("\n")[0])


def in_one_line(problem: BaseException) -> str:
    """What an exception says, which may come from anywhere and have any letters."""
    try:
        said = str(problem)
    except Exception:
        said = ""
    text = " ".join(f"{type(problem).__name__}: {said}".split()).rstrip(": ")
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def is_of_dask(executor: object) -> bool:
    """Whether it is a client of Dask, or what `get_executor()` of one returns."""
    return type(executor).__module__.startswith("distributed")


def is_dask(executor: object) -> bool:
    """Whether it is a client of Dask."""
    return is_of_dask(executor) and hasattr(executor, "nthreads")


def check_client(executor: Any) -> None:
    """Throws ConfigError for a client of Dask that cannot be waited for."""
    if not is_dask(executor):
        return
    if executor.asynchronous:
        raise ConfigError("executor is a Client of Dask that is asynchronous: a run waits for its results")
    if executor.status == "closed":
        raise ConfigError("executor is a Client of Dask that is closed")


def shared_common(executor: Executor, common: Common) -> Any:
    """What to give to tasks: Dask sends it to each worker once, and makes it anew where it was lost."""
    return executor.submit(Common, *common) if is_dask(executor) else common


class Stopped(BaseException):
    """Work shall end before it is done."""


def result_of(future: Future, is_stopped: IsStopped | None) -> Any:
    """What a future comes to. Throws Stopped soon after it is to stop, and ConnectionError when Dask's client has given
    up its scheduler: it leaves its futures as they are."""
    try:
        return _waited_for(future, is_stopped)
    except (Exception, KeyboardInterrupt, Stopped):
        raise
    except BaseException as problem:
        # What would end a task, such as SystemExit, does not end the program here. It may have ended itself meanwhile.
        if _problem_of(future) is problem:
            raise RuntimeError(in_one_line(problem)) from problem
        raise


def _problem_of(future: Any) -> BaseException | None:
    """What a task threw, if the future tells."""
    told: BaseException | None = None
    if hasattr(future, "exception") and getattr(future, "done", bool)():
        told = future.exception()
    return told


def _waited_for(future: Future, is_stopped: IsStopped | None) -> Any:
    client = getattr(future, "client", None)
    if client is not None:
        _wait_for_dask(future, client, is_stopped)
        return future.result()
    while is_stopped is not None:
        if is_stopped():
            raise Stopped
        try:
            return future.result(timeout=_LOOKS_EVERY)
        except (TimeoutError, concurrent.futures.TimeoutError):
            if getattr(future, "done", bool)():
                return future.result()
    return future.result()


def _wait_for_dask(future: Any, client: Any, is_stopped: IsStopped | None) -> None:
    """Until it is done. Its result is not asked for with a limit of time, which would break off transfers that take longer."""
    is_done = threading.Event()
    future.add_done_callback(lambda _: is_done.set())
    without_workers = 0
    while not is_done.is_set():
        if is_stopped is not None and is_stopped():
            raise Stopped
        if client.status == "closed":
            raise ConnectionError("the scheduler was lost, and did not come back")
        # As the client last heard: to ask would be to wait for a scheduler that may not answer.
        has_workers = (getattr(client, "_scheduler_identity", None) or {}).get("workers", True)
        without_workers = 0 if has_workers else without_workers + 1
        if without_workers == _LOOKS_WITHOUT_WORKERS:
            warn("the cluster of Dask has no worker: the run goes on when there is one", RunWarning)
        is_done.wait(_LOOKS_EVERY)


def _cancel(futures: Sequence[Submitted | None]) -> None:
    for future in futures:
        cancel = getattr(future, "cancel", None)
        if cancel is not None:
            cancel()


def name_of_part(part: _core.Part) -> str:
    """Its file and entries."""
    file, first, count = part[2], part[5], part[6]
    return f"{file}, entries {first} to {first + count - 1}"


@contextmanager
def marked(common: Common, *, is_needed: bool = True) -> Iterator[None]:
    """Makes the mark by which workers see whether they have the same store. Throws FileError where that is impossible,
    unless it `is_needed` by none: a store that has all may be one that nobody writes into."""
    if not common.mark:
        yield
        return
    mark = Path(common.mark)
    missing = [each for each in (mark.parent, *mark.parent.parents) if not each.exists()]
    try:
        with writing(mark.parent):
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
    except FileError:
        if is_needed:
            raise
    try:
        yield
    finally:
        # Of a run that failed before anything was kept nothing stays.
        with suppress(OSError):
            mark.unlink()
            for folder in missing:
                folder.rmdir()


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Makes a FileError of what the storage says."""
    try:
        yield
    except OSError as problem:
        fault = FileError(f"{path}: cannot be written: {problem.strerror or problem}")
        fault.path, fault.fault = str(path), "unwritable"
        raise fault from None


def put_whole(target: Path, content: Any) -> None:
    """Writes a file that others see whole or not at all, with the folders it lies in. Throws FileError.

    Others may remove folders that are empty meanwhile."""
    unfinished = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    with writing(target):
        for attempt in range(_MOST_ATTEMPTS):
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                unfinished.write_bytes(content)
                unfinished.replace(target)
                return
            except OSError as problem:
                with suppress(OSError):
                    unfinished.unlink()
                if not isinstance(problem, FileNotFoundError) or attempt + 1 == _MOST_ATTEMPTS:
                    raise


def put_files(store: str, files: Files) -> None:
    """Puts files where a worker has said. Throws ConfigError for places that are none, and FileError."""
    for place, content in files.items():
        if not isinstance(content, bytes):
            raise ConfigError(f"a worker gave results that are no bytes: {content!r:.100}")
        put_whole(Path(store) / _checked(place), content)


def _checked(place: str) -> str:
    parts = Path(place).parts if isinstance(place, str) else ()
    if len(parts) != 3 or any(not part.strip(".") for part in parts) or not place.endswith(_SUFFIXES):
        raise ConfigError(f'a worker gave results the place "{place}"')
    return place


class _Opened(threading.local):
    """The run that a thread has last computed parts of: its config is read once for all of them."""

    key: tuple[str, str] | None = None
    parts: _core.Parts
    folder: OwnFolder | None = None  # in place of a store that is out of reach


_opened = _Opened()


def _open(common: Common, kind: str) -> None:
    """`kind` says where results are put: "store", "folder" or "" for nowhere."""
    key = (common.run, kind)
    if _opened.key == key:
        return
    _opened.key = None
    _opened.folder = OwnFolder() if kind == "folder" else None
    store = common.store if kind == "store" else ""
    _opened.parts = common.parts(store if _opened.folder is None else _opened.folder.name)
    _opened.key = key


def _sees_store(common: Common) -> bool:
    return not common.mark or os.path.exists(common.mark)  # noqa: PTH110  pathlib takes long to import


def is_url(store: str) -> bool:
    """Whether a store is not a folder."""
    return "://" in store


def place() -> str:
    """Where this is."""
    return f"{os.uname().nodename}, process {os.getpid()}"


def _compute(common: Common, part: _core.Part) -> Done:
    """Computes a part, wherever this is called."""
    try:
        _open(common, "store" if _sees_store(common) else "folder")
        _opened.parts.compute(part)
    except Error as fault:
        return Done(place(), {}, fault)
    return Done(place(), files_out_of_reach())


def compute_blocks(common: Common, part: _core.Part, digest: str, num_blocks: int) -> list[bytes]:
    """Computes a part, wherever this is called, and returns its results as blocks of sums with this digest.

    They are kept where the store of the run is seen, if it keeps any. None are returned if the part is left to a run.
    """
    wants_store = common.keeps or common.makes_skims
    out_of_reach = "folder" if common.makes_skims else ""
    _open(common, "store" if wants_store and _sees_store(common) else out_of_reach)
    return _opened.parts.compute_blocks(part, digest, num_blocks)


def files_out_of_reach() -> Files:
    """What this thread has computed last for a store that it does not see."""
    return {} if _opened.folder is None else _taken_from(_opened.folder.name)


def _taken_from(store: str) -> Files:
    root = Path(store)
    files = {}
    for path in [path for suffix in _SUFFIXES for path in root.rglob(f"*{suffix}")]:
        files[str(path.relative_to(root))] = path.read_bytes()
        path.unlink()
    return files

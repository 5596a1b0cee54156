# SPDX-License-Identifier: BSD-3-Clause
"""Results of parts, added up where they are computed: by a tree or a shuffle of Dask, or in an in-memory store."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from skimline import _core
from skimline.distribution import (
    Common,
    Executor,
    IsStopped,
    compute_blocks,
    fault_of_all,
    in_one_line,
    is_dask,
    is_url,
    lost_parts,
    name_of_part,
    place,
    put_whole,
    result_of,
    shared_common,
    text_of,
)
from skimline.errors import ConfigError, Error

if TYPE_CHECKING:
    from skimline.distribution import Opened

__all__ = ["Reduction", "plan_reduction", "reduce_elsewhere", "sums_of_run", "write_sum"]

_FAN_IN = 8
"""Blocks that one task adds: each is read once, and the sum is written once."""
_FEW_PARTS = 4
_LARGE = 32_000_000
"""Bytes of the results of one part that are cut into blocks: a tree would move all of them at each of its levels."""
_MOST_BLOCKS = 128
_RETRIES = 2
_MOST_QUESTIONS = 10
_SECONDS_TO_COME_BACK = 0.3
_MOST_TASKS = 100_000
"""Of a shuffle: a scheduler of Dask takes up to a millisecond for each, as its documentation says."""
WAYS = ("star", "tree", "shuffle")


class Reduction(NamedTuple):
    """How results are added up."""

    way: str
    """ "star", "tree", "shuffle" or "store"."""
    why: str
    num_blocks: int = 1

    def described(self) -> dict[str, Any]:
        """As the report has it."""
        return {"way": self.way, "why": self.why, "blocks": self.num_blocks}


class _Made(NamedTuple):
    """What some parts have come to: a sum in one block or more, none if all have faults."""

    blocks: list[Any]  # arrays of bytes, which Dask does not copy
    faults: list[tuple[_core.Part, str, Error]]  # with where they were met


class _Sample(NamedTuple):
    """The parts of one sample that are to be added up."""

    number: int
    common: Common
    parts: list[_core.Part]
    digest: str


def plan_reduction(executor: Executor, opened: Opened, wanted: str | None, *, keeps: bool) -> Reduction:
    """Chooses how the results of a run are added up, unless `wanted` says it: by their size and what there is.

    `keeps` is whether the results of parts are to stay in the store. Throws ConfigError for what is impossible.
    """
    if wanted is not None and wanted not in WAYS and "://" not in wanted:
        raise ConfigError(
            f'reduce is "{wanted}", which is none of {", ".join(WAYS)}'
            + _core.did_you_mean(wanted, list(WAYS))
        )
    reason = _why_star(executor, opened, keeps)
    if reason and wanted in ("tree", "shuffle"):
        raise ConfigError(f'reduce="{wanted}" is not possible: {reason}')
    if wanted == "star":
        return Reduction("star", "as it was asked for")
    if reason:
        return Reduction("star", reason)
    return _by_size(executor, opened, wanted)


def _why_star(executor: Executor, opened: Opened, keeps: bool) -> str:
    """Why workers cannot add; empty if they can."""
    if is_url(opened.store):
        return "results are kept at a URL"
    if not is_dask(executor):
        return "the executor has no way from worker to worker"
    if any(sums is None for sums in opened.sums):
        return "some results are of functions of which only the name is known"
    if not (keeps or opened.makes_skims) or _all_see(executor, opened.common.mark):
        return ""
    made = "skims are made part by part" if opened.makes_skims else "results are kept"
    return f"{made} in a store that not all workers see"


def _all_see(executor: Any, path: str) -> bool:
    """A worker that is lost while it is asked says nothing: whoever is there then is asked again."""
    for _attempt in range(_MOST_QUESTIONS):
        said = list(executor.run(os.path.exists, path, on_error="return").values())
        if all(isinstance(each, bool) for each in said):
            return all(said)
        time.sleep(_SECONDS_TO_COME_BACK)
    return False


def _by_size(executor: Any, opened: Opened, wanted: str | None) -> Reduction:
    size = max(sums[1] for sums in opened.sums if sums is not None)
    shown = f"results of a part are about {size / 1e6:.1f} MB"
    workers = len(executor.nthreads())
    if wanted is None and len(opened.parts) < _FEW_PARTS:
        return Reduction("star", f"there are {len(opened.parts)} parts")
    if wanted == "tree" or (wanted is None and (size < _LARGE or workers < 2)):
        return Reduction("tree", "as it was asked for" if wanted else shown)
    blocks = max(2, min(workers, _MOST_BLOCKS))
    return Reduction("shuffle", "as it was asked for" if wanted else shown, blocks)


def reduce_elsewhere(executor: Any, opened: Opened, reduction: Reduction, *, retries: int = 2) -> list[str]:
    """Has the workers of Dask compute all parts and add up what they come to, and puts the sums into the store.

    Returns what went wrong elsewhere, as compute_elsewhere(), and throws what that throws. Parts that have a fault are
    in none of the sums.
    """
    problems: list[str] = []
    faults: list[Error] = []
    sums = _Sums(executor, reduction, opened.is_stopped)
    with sums.of_all(_samples(opened)) as samples:
        for sample in samples:
            made = _retried(sums, sample, problems, retries)
            write_sum(opened.store, sample.digest, made.blocks)
            for part, where, fault in made.faults:
                faults.append(fault)
                problems.append(f"{name_of_part(part)}: {text_of(fault)} ({where})")
    fault_of_all(faults, len(opened.parts))
    return problems


def _samples(opened: Opened) -> list[_Sample]:
    """Those that have parts."""
    samples = []
    for number, sums in enumerate(opened.sums):
        assert sums is not None
        parts = [part for part in opened.parts if part[0] == number]
        if parts:
            samples.append(_Sample(number, opened.common, parts, sums[0]))
    return samples


def _retried(sums: _Sums, sample: _Sample, problems: list[str], retries: int) -> _Made:
    for _attempt in range(retries + 1):
        try:
            return sums.take(sample)
        except Error:
            raise
        except Exception as problem:  # whatever Dask says when a worker is gone
            problems.append(in_one_line(problem))
    raise lost_parts(sample.parts, retries + 1, problems[-1])


class _Sums:
    """Sums of samples, which the workers make."""

    def __init__(self, client: Any, reduction: Reduction, is_stopped: IsStopped | None) -> None:
        self._client = client
        self._reduction = reduction
        self._is_stopped = is_stopped
        self._submitted: dict[int, list[Any]] = {}  # futures by the numbers of samples

    @contextmanager
    def of_all(self, samples: list[_Sample]) -> Iterator[list[_Sample]]:
        """Has the sums of all made, so that no worker waits for the last part of a sample."""
        try:
            for sample in samples:
                self._submitted[sample.number] = _submitted(self._client, sample, self._reduction)
            yield samples
        finally:
            for futures in self._submitted.values():
                self._client.cancel(futures)

    def take(self, sample: _Sample) -> _Made:
        """The sum of a sample, which the workers then forget. It is made anew where it was taken before, or lost."""
        futures = self._submitted.pop(sample.number, [])
        futures = futures or _submitted(self._client, sample, self._reduction)
        try:
            pieces = [result_of(future, self._is_stopped) for future in futures]
        except BaseException:
            self._client.cancel(futures)
            raise
        return _Made(
            [block for piece in pieces for block in piece.blocks],
            [each for piece in pieces for each in piece.faults],
        )


def _submitted(client: Any, sample: _Sample, reduction: Reduction) -> list[Any]:
    """The futures of all blocks of the sum."""
    count = reduction.num_blocks
    common = shared_common(client, sample.common)
    made = [_task(client, _make, common, part, sample.digest, count) for part in sample.parts]
    if reduction.way == "tree":
        return [_tree(client, made, 1)]
    made = _grouped(client, made, max(2 * count, _MOST_TASKS // count))
    return [
        _tree(client, [_task(client, _pick, each, number) for each in made], 1) for number in range(count)
    ]


def _grouped(client: Any, made: list[Any], most: int) -> list[Any]:
    """Sums of a few each, until there are no more than so many."""
    while len(made) > most:
        made = _level(client, made)
    return made


def _tree(client: Any, made: list[Any], most: int) -> Any:
    return _grouped(client, made, most)[0]


def _level(client: Any, made: list[Any]) -> list[Any]:
    groups = [made[first : first + _FAN_IN] for first in range(0, len(made), _FAN_IN)]
    return [_task(client, _add, group) if len(group) > 1 else group[0] for group in groups]


def _task(client: Any, function: Any, *arguments: Any) -> Any:
    # One that fails would be the end of the sum of all.
    return client.submit(function, *arguments, pure=False, retries=_RETRIES)


def _make(common: Common, part: _core.Part, digest: str, num_blocks: int) -> _Made:
    """Computes a part, wherever this is called."""
    try:
        return _Made([_array(block) for block in compute_blocks(common, part, digest, num_blocks)], [])
    except Error as fault:
        return _Made([], [(part, place(), fault)])


def _pick(made: _Made, number: int) -> _Made:
    """One block, for the worker that adds it."""
    return _Made(made.blocks[number : number + 1], made.faults if number == 0 else [])


def _add(made: Sequence[_Made]) -> _Made:
    full = [each.blocks for each in made if each.blocks]
    return _Made(
        [_array(_core.sum_blocks(blocks)) for blocks in zip(*full)],
        [fault for each in made for fault in each.faults],
    )


def _array(block: bytes) -> Any:
    import numpy as np

    return np.frombuffer(block, dtype=np.uint8)


def write_sum(store: str, digest: str, blocks: Iterable[Any]) -> None:
    """Puts the blocks of a sum where a run looks for them. Throws Error if one is damaged, and FileError."""
    for block in blocks:
        _, number, _, _ = _core.block_facts(block)
        put_whole(Path(store) / "sums" / digest / f"{number}.block", block)


@contextmanager
def sums_of_run(opened: Opened) -> Iterator[None]:
    """Sums lie in the store for as long as this goes on; results of parts stay there."""
    try:
        yield
    finally:
        folder = Path(opened.store) / "sums"
        for sums in opened.sums:
            shutil.rmtree(folder / (sums[0] if sums else "-"), ignore_errors=True)
        with suppress(OSError):  # those of another run
            folder.rmdir()

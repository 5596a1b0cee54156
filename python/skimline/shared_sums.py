# SPDX-License-Identifier: BSD-3-Clause
"""Runs whose parts are added up in a store in memory, which workers need not share a network with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from skimline import _core
from skimline.distribution import (
    Common,
    Done,
    Executor,
    Files,
    Opened,
    Stopped,
    Work,
    compute_all,
    compute_blocks,
    compute_for_store,
    files_out_of_reach,
    is_url,
    place,
    put_files,
)
from skimline.errors import ConfigError, Error
from skimline.reduction import Reduction, sums_of_run, write_sum
from skimline.sum_store import StoredBlocks, SumStore

__all__ = [
    "add_in_store",
    "blocks_in_store",
    "collect",
    "forget",
    "missing_parts",
    "put_here",
    "put_part",
    "read_out",
]

_BLOCK = 8_000_000
"""Bytes of a block, about: a server answers nobody else while it copies one."""


def blocks_in_store(opened: Opened, servers: str) -> list[StoredBlocks]:
    """The blocks of each sample. Throws Error if a sample cannot be added up in a store."""
    if is_url(opened.store):
        raise ConfigError("sums in the memory of servers want a store that is a folder, or none")
    store = SumStore(servers)
    all_blocks = []
    for sums in opened.sums:
        if sums is None:
            raise Error("results of functions of which only the name is known cannot be added up in a store")
        digest, size, _ = sums
        all_blocks.append(store.blocks(digest, _num_blocks(size, len(store))))
    return all_blocks


def _num_blocks(size: int, num_servers: int) -> int:
    """The same for all jobs of a run: so many that each server has as much to do."""
    if size < _BLOCK // 8:
        return 1
    return num_servers * max(1, -(-size // (_BLOCK * num_servers)))


@contextmanager
def add_in_store(executor: Executor, opened: Opened, servers: str) -> Iterator[tuple[list[str], Reduction]]:
    """Has the executor compute all parts that the store in memory lacks, and reads the sums out for the run.

    Returns what went wrong elsewhere. The servers forget the sums when the run is through. Throws Error for parts that are
    lost for good, and servers that do not answer.
    """
    blocks = blocks_in_store(opened, servers)
    problems = _make_lost_skims(executor, opened, blocks)
    with sums_of_run(opened):
        for _attempt in range(3):
            problems += _put_all(executor, opened, blocks, servers)
            if not collect(opened, blocks):
                break
        else:
            raise Error(
                f"blocks of parts got lost in {SumStore(servers).shown} three times: {blocks[0].problems[-1:]}"
            )
        problems += [problem for each in blocks for problem in each.problems]
        shown = SumStore(servers).shown
        yield (
            problems,
            Reduction("store", f"in {shown}, as it was asked for", max(each.count for each in blocks)),
        )
    for each in blocks:
        each.clear()


def _make_lost_skims(executor: Executor, opened: Opened, blocks: Sequence[StoredBlocks]) -> list[str]:
    """Of parts whose sums are there: an earlier run has put them, and its skims may be gone."""
    if not opened.makes_skims:
        return []
    missing = missing_parts(opened, blocks)
    return compute_for_store(executor, opened, [part for part in opened.missing if part not in missing])


def _put_all(executor: Executor, opened: Opened, blocks: Sequence[StoredBlocks], servers: str) -> list[str]:
    damaged: list[str] = []
    put = partial(put_part, servers, sums_to_make(opened, blocks))

    def take(made: tuple[list[str], Files]) -> None:
        damaged.extend(made[0])
        put_files(opened.store, made[1])

    parts = missing_parts(opened, blocks)
    problems = compute_all(executor, opened.common, parts, Work(put, take), is_stopped=opened.is_stopped)
    return [*problems, *damaged]


def sums_to_make(opened: Opened, blocks: Sequence[StoredBlocks]) -> list[tuple[str, int]]:
    """Of each sample the digest of its sums, and the number of their blocks."""
    return [(sums[0], each.count) for sums, each in zip(opened.sums, blocks) if sums is not None]


def put_part(servers: str, sums: Sequence[tuple[str, int]], common: Common, part: _core.Part) -> Done:
    """Computes a part and puts its blocks, wherever this is called. What was made is what was found damaged, and
    files that belong into a store that is not seen here."""
    digest, num_blocks = sums[part[0]]
    try:
        blocks = SumStore(servers).blocks(digest, num_blocks)
        made = compute_blocks(common, part, digest, num_blocks)
        if made:
            blocks.put(part[1], made)
    except Error as fault:
        return Done(place(), ([], {}), fault)
    return Done(place(), (blocks.problems, files_out_of_reach()))


class Put(NamedTuple):
    """What became of parts that were computed here."""

    num_put: int
    num_left: int
    """That only a run as a whole can deal with."""
    problems: list[str]


def put_here(opened: Opened, servers: str, parts: Sequence[_core.Part]) -> Put:
    """Computes those of the parts that the servers lack, one by one, and puts their blocks. Throws the first fault."""
    blocks = blocks_in_store(opened, servers)
    sums = sums_to_make(opened, blocks)
    wanted = {part[:2] for part in lacking_parts(opened, blocks)}
    num_put, num_left, problems = 0, 0, []
    for part in parts:
        if part[:2] not in wanted:
            continue
        if opened.is_stopped is not None and opened.is_stopped():
            raise Stopped
        digest, num_blocks = sums[part[0]]
        made = compute_blocks(opened.common, part, digest, num_blocks)
        if made:
            blocks[part[0]].put(part[1], made)
        num_put, num_left = num_put + bool(made), num_left + (not made)
    problems += [problem for each in blocks for problem in each.problems]
    return Put(num_put, num_left, problems)


def lacking_parts(opened: Opened, blocks: Sequence[StoredBlocks]) -> list[_core.Part]:
    """Parts of which not all blocks are in the servers, and those whose skims are not in the store."""
    missing = {part[:2] for part in missing_parts(opened, blocks)}
    return [part for part in opened.parts if part[:2] in missing or (opened.makes_skims and not part[-1])]


class ReadOut(NamedTuple):
    """What servers have of a run."""

    parts: list[list[int]]
    """By sample, the numbers of those that are in all blocks."""
    problems: list[str]


def read_out(opened: Opened, servers: str) -> ReadOut:
    """Reads all blocks that there are into the store of the run. Those of one sum may have different parts."""
    all_blocks = blocks_in_store(opened, servers)
    parts = []
    for (digest, _), blocks in zip(sums_to_make(opened, all_blocks), all_blocks):
        read = [blocks.read(number) for number in range(blocks.count)]
        write_sum(opened.store, digest, [block for block, _ in read if block])
        parts.append(sorted(set.intersection(*(known for _, known in read))))
    return ReadOut(parts, [problem for each in all_blocks for problem in each.problems])


def forget(opened: Opened, servers: str) -> None:
    """Has the servers forget a run."""
    for each in blocks_in_store(opened, servers):
        each.clear()


def missing_parts(opened: Opened, blocks: Sequence[StoredBlocks]) -> list[_core.Part]:
    """Parts of which not all blocks are in the store."""
    known = [each.known_parts() for each in blocks]
    return [part for part in opened.parts if part[1] not in known[part[0]]]


def collect(opened: Opened, blocks: Sequence[StoredBlocks]) -> list[_core.Part]:
    """Reads sums of parts out of the store in memory, for a run here.

    Returns parts of which some of the blocks are missing; their samples are not read.
    """
    torn: list[_core.Part] = []
    for number, (sums, each) in enumerate(zip(opened.sums, blocks)):
        read = [each.read(block) for block in range(each.count)]
        whole = set.intersection(*(parts for _, parts in read))
        some = set.union(*(parts for _, parts in read)) - whole
        torn += [part for part in opened.parts if part[0] == number and part[1] in some]
        if whole and not some and sums is not None:
            write_sum(opened.store, sums[0], [block for block, _ in read])
    return torn

# SPDX-License-Identifier: BSD-3-Clause
"""Batches of events for training loops."""

from __future__ import annotations

import math
import operator
import os
import queue
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from skimline._core import did_you_mean
from skimline.argument_types import checked, shown
from skimline.arguments import checked_choice
from skimline.columns import Column
from skimline.errors import ConfigError
from skimline.frame import Frame
from skimline.optional import require
from skimline.shuffling import (
    Columns,
    Pool,
    ReadEvents,
    common_types,
    in_order,
    joined,
    permutation,
    shuffled,
)

__all__ = ["Loader", "loader"]


_EVENTS_AT_ONCE = 1 << 16
_SHUFFLED_AT_ONCE = 1 << 17  # more leave the caches, fewer are far from one another
_LONGEST_LIST = 2**31 - 1


class _Block(NamedTuple):
    """Entries of a sample that are read at once."""

    sample: str
    start: int
    stop: int


@partial(checked, own=("shuffle",))
def loader(
    frame: Frame,
    *,
    batch: int,
    columns: str | Column | Sequence[str | Column] | Mapping[str, str | Column] | None = None,
    shuffle: int | None = None,
    rank: int = 0,
    world: int = 1,
    pad: int | None = None,
    labels: Mapping[str, float] | None = None,
    weights: Mapping[str, float] | None = None,
    library: str = "np",
    drop_last: bool = False,
    block: int = 250_000,
    pool: int = 4,
    threads: int = 0,
) -> Loader:
    """Returns batches of `batch` events that pass the filters, epoch by epoch: each loop over it is one.

    A batch is a dictionary of arrays: numpy's, or with `library` "torch" and "jax" theirs, in the same memory; jax makes
    numbers of 32 bits of those of 64 unless `jax_enable_x64` is set. Lists are awkward arrays; lists of numbers with `pad` rows of that length, filled with zeros, and the column `<name>_mask` says
    what was there.
    `labels` and `weights` have a number for patterns of samples, of which the first counts, and make the columns "label" and "weight" of 32 bits.

    `shuffle` is a seed, a whole number, or None for the order of the files: blocks of about `block` entries, whole clusters if these are not too large, are read in an order
    of chance, and the events of `pool` of them are mixed. In the order of the files a batch lies in the memory of its block, which stays as long as the batch. The order follows from seed, epoch, rank and world alone, not from threads. Each of `world` workers has
    a `rank` from 0, and gets blocks of its own. The next events are read while the loop works on those before.

    Throws ConfigError for numbers that do not fit, also into integers of jax, and while looping what `Frame.arrays` throws.

    >>> events = sk.open("dimuon.root:Events")
    >>> batches = sk.loader(events.filter("nMuon == 2"), batch=1000, columns=["MET_pt", "Muon_pt"], shuffle=1, pad=2)
    >>> [len(each["MET_pt"]) for each in batches], next(iter(batches))["Muon_pt"].shape
    ([1000, 1000, 1000, 1000, 1000, 234], (1000, 2))
    """
    for name, number, least in (
        ("batch", batch, 1),
        ("world", world, 1),
        ("block", block, 1),
        ("pool", pool, 1),
        ("rank", rank, 0),
        ("pad", pad if pad is not None else 1, 1),
    ):
        if operator.index(number) < least:
            raise ConfigError(f"{name}={number} is less than {least}")
    if pad is not None and pad > _LONGEST_LIST:
        raise ConfigError(f"pad={pad} is more than {_LONGEST_LIST}")
    if rank >= world:
        raise ConfigError(f"rank={rank} is not from 0 to {world - 1}: there are {world} workers")
    made = Loader(frame, columns, checked_choice("library", library, ("np", "torch", "jax")))
    made._check_names({"label": labels, "weight": weights}, pad)
    made._sizes = (batch, block, pool, drop_last)
    made._share = (rank, world)
    made._seed, made._pad, made._threads = _checked_seed(shuffle), pad, threads
    names = frame.samples.names
    frame._check_one_type(made._outputs, range(len(names)))
    made._numbers = {
        "label": _by_sample(names, labels, "labels"),
        "weight": _by_sample(names, weights, "weights"),
    }
    return made


class Loader:
    """Batches of events; see `loader`. `epoch` is the number of the next loop, and can be set."""

    def __init__(self, frame: Frame, columns: Any, library: str) -> None:
        if not hasattr(frame, "_outputs"):
            raise TypeError("loaders are made by loader()")
        self._frame = frame
        self._outputs = frame._outputs(columns)
        self._library = library
        self._sizes = (1, 1, 1, False)
        self._share = (0, 1)
        self._seed: int | None = None
        self._pad: int | None = None
        self._threads = 0
        self._numbers: dict[str, dict[str, float]] = {}
        self._types: Mapping[str, Any] | None = None
        self.epoch = 0
        require("awkward", "loader()")
        if library != "np":
            require(library, f'library="{library}"')

    def _check_names(self, numbers: Mapping[str, Any], pad: int | None) -> None:
        """Throws ConfigError if a column has the name of one that is made here."""
        made = {name for name, given in numbers.items() if given}
        if pad is not None:
            types = self._frame.types
            made |= {
                f"{name}_mask" for name, text in self._outputs.items() if "list" in types.get(text, "list")
            }
        for name in self._outputs:
            if name in made:
                raise ConfigError(
                    f'two columns are called "{name}", of which one is made here: ask for {{"other": "{name}"}}'
                )

    def __iter__(self) -> Iterator[dict[str, Any]]:
        epoch, self.epoch = self.epoch, self.epoch + 1
        return self._given(_ahead(_grouped(self._batches(epoch), max(1, _EVENTS_AT_ONCE // self._sizes[0]))))

    def _given(self, groups: Generator[list[Columns], None, None]) -> Iterator[dict[str, Any]]:
        """The batches in the library that is asked for."""
        process = os.getpid()
        with closing(groups):
            for group in groups:
                while group:
                    yield self._converted(group.pop())
                    if os.getpid() != process:  # where the thread that reads ahead is missing
                        raise ConfigError(
                            "a loop over batches was begun in another process: begin one in each, or give each a rank of its own"
                        )

    def _batches(self, epoch: int) -> Iterator[Columns]:
        """The batches of an epoch; what is left of a pool goes before the next one."""
        size, _, _, drops_last = self._sizes
        pieces: list[Columns] = []
        num_left = 0
        for pool in filter(len, self._pools(epoch)):
            start = min(size - num_left, len(pool)) if num_left else 0
            if start:
                pieces.append(pool.part(0, start))
                num_left += start
                if num_left < size:
                    continue
                yield joined(pieces)
            end = start + (len(pool) - start) // size * size
            for first in range(start, end, size):
                yield pool.part(first, first + size)
            num_left = len(pool) - end
            pieces = [pool.part(end, len(pool))] if num_left else []
        if num_left and not drops_last:
            yield joined(pieces)

    def _pools(self, epoch: int) -> Iterator[Pool]:
        rank, world = self._share
        blocks, types = self._blocks(), self._common_types()
        size, _, mixed, _ = self._sizes
        if self._seed is None:
            for block in _neighbours_as_one(blocks[rank::world], mixed):
                yield in_order(self._read(block), self._pad, types)
            return
        together = max(1, _SHUFFLED_AT_ONCE // size) * size
        blocks = [blocks[number] for number in permutation(len(blocks), (self._seed, epoch))]
        mine = blocks[rank::world]
        for number, first in enumerate(range(0, len(mine), mixed)):
            parts = [self._read(each) for each in mine[first : first + mixed]]
            yield from shuffled(parts, (self._seed, epoch, rank, world, number), self._pad, types, together)

    def _common_types(self) -> Mapping[str, Any]:
        """The types of numpy that hold the values of all samples, for what has only one in each."""
        if self._types is None:
            names = self._frame.samples.names
            parts = [self._read(_Block(name, 0, 0)) for name in names] if len(names) > 1 else []
            self._types = common_types(parts) if parts else {}
        return self._types

    def _blocks(self) -> list[_Block]:
        """Whole clusters, whose parts cost more to read; those of twice the size are cut."""
        size, samples = self._sizes[1], self._frame.samples
        blocks = []
        for name, opened in zip(samples.names, samples.columns):
            first, *starts = opened.clusters or [0]
            end = first + opened.num_entries
            for edge in (*starts, end):
                length = edge - first
                if length >= size or edge == end:
                    count = max(1, length // size)
                    cuts = [first + length * part // count for part in range(count + 1)]
                    blocks += [_Block(name, *cut) for cut in zip(cuts, cuts[1:])]
                    first = edge
        return blocks

    def _read(self, block: _Block) -> ReadEvents:
        size, columns = self._frame.arrays(
            self._outputs,
            library="parts",
            sample=block.sample,
            entry_start=block.start,
            entry_stop=block.stop,
            threads=self._threads,
        )
        numbers = {name: each[block.sample] for name, each in self._numbers.items() if each}
        return ReadEvents(size, columns, numbers)

    def _converted(self, columns: Columns) -> dict[str, Any]:
        """The same memory as arrays of the library."""
        if self._library == "np":
            return columns
        module = require(self._library, f'library="{self._library}"')
        convert = module.from_numpy if self._library == "torch" else module.numpy.from_dlpack
        made = dict(columns)
        for name, array in columns.items():
            if hasattr(array, "__dlpack__") and array.dtype.kind in "biufc":
                made[name] = convert(array)
                if self._library == "jax" and array.dtype.kind in "iu":
                    _check_fits(name, array, made[name].dtype)
        return made


def _check_fits(name: str, array: Any, taken: Any) -> None:
    """Throws ConfigError for integers that are not among those of the type that jax has made of them."""
    import numpy as np

    kind = np.iinfo(taken)
    if kind.bits < 8 * array.itemsize and array.size and (array.min() < kind.min or array.max() > kind.max):
        raise ConfigError(
            f'"{name}" has integers beyond {kind.bits} bits, to which jax cuts them: '
            'jax.config.update("jax_enable_x64", True)'
        )


def _neighbours_as_one(blocks: Sequence[_Block], most: int) -> Iterator[_Block]:
    """Reading more at once takes less time, and as much memory as a pool."""
    joined_blocks, count = blocks[:1], 1
    for block in blocks[1:]:
        (last,) = joined_blocks
        if count < most and (block.sample, block.start) == (last.sample, last.stop):
            joined_blocks, count = [last._replace(stop=block.stop)], count + 1
        else:
            yield last
            joined_blocks, count = [block], 1
    yield from joined_blocks


def _by_sample(names: Sequence[str], given: Mapping[str, float] | None, what: str) -> dict[str, float]:
    """The number of each sample, from those of patterns."""
    if not given:
        return {}
    found: dict[str, float] = {}
    for name in names:
        number = next((value for pattern, value in given.items() if fnmatchcase(name, pattern)), None)
        if number is None:
            raise ConfigError(f'{what} has no number for the sample "{name}"')
        found[name] = number
    matched = {pattern: {name for name in names if fnmatchcase(name, pattern)} for pattern in given}
    for pattern, number in given.items():
        if not matched[pattern]:
            raise ConfigError(f'{what}: no sample matches "{pattern}"' + did_you_mean(pattern, list(names)))
        if not _is_of_32_bits(number, is_exact=what == "labels"):
            raise ConfigError(f"{what}: {number} is no number of 32 bits, as the column has them")
    _check_decided(matched, given, what)
    return found


def _check_decided(matched: Mapping[str, set[str]], given: Mapping[str, float], what: str) -> None:
    """Throws ConfigError for a pattern behind a wider one, which says something else of all its samples."""
    for number, pattern in enumerate(matched):
        for before in list(matched)[:number]:
            is_wider = matched[before] > matched[pattern] or matched[pattern] == {pattern} <= matched[before]
            if is_wider and given[before] != given[pattern]:
                raise ConfigError(
                    f'{what}: "{pattern}" comes behind "{before}", which decides: the first pattern does that is for a sample'
                )


def _is_of_32_bits(number: float, *, is_exact: bool) -> bool:
    """Whether a real number of 32 bits is near to it, and of a whole one, if it has to be exact, the same."""
    import numpy as np

    try:
        with np.errstate(all="ignore"):
            taken = float(np.float32(number))
    except OverflowError:
        return False
    if not math.isfinite(taken) or taken == 0:
        return not math.isfinite(number) or taken == number
    return taken == number or number % 1 != 0 or not is_exact


def _checked_seed(shuffle: Any) -> int | None:
    """A number of which an order follows, None for the order of the files."""
    if shuffle is None or shuffle is False:
        return None
    if shuffle is True or not hasattr(shuffle, "__index__") or operator.index(shuffle) < 0:
        raise ConfigError(
            f"shuffle={shown(shuffle)} is no seed, a whole number from 0 on from which the order follows"
        )
    return operator.index(shuffle)


def _grouped(batches: Iterator[Columns], size: int) -> Iterator[list[Columns]]:
    """Lists of batches, the first one last: handing them over one by one would take as long as making them."""
    while group := list(islice(batches, size)):
        yield group[::-1]


def _ahead(groups: Iterator[list[Columns]]) -> Generator[list[Columns], None, None]:
    """The same, made in another thread while the caller works."""
    waiting: queue.Queue[tuple[list[Columns] | None, BaseException | None]] = queue.Queue(maxsize=2)
    stopped = threading.Event()

    def give(group: list[Columns] | None, error: BaseException | None = None) -> None:
        while not stopped.is_set():
            try:
                waiting.put((group, error), timeout=0.1)
                return
            except queue.Full:
                continue

    def work() -> None:
        try:
            for each in groups:
                give(each)
                if stopped.is_set():
                    return
            give(None)
        except BaseException as error:
            give(None, error)

    thread = threading.Thread(target=work, name="skimline loader", daemon=True)
    thread.start()
    try:
        while True:
            made, error = waiting.get()
            if error is not None:
                raise error
            if made is None:
                return
            yield made
    finally:
        stopped.set()
        thread.join()

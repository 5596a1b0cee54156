# SPDX-License-Identifier: BSD-3-Clause
"""Batches of events for training loops."""

from __future__ import annotations

import operator
import queue
import threading
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from skimline.arguments import checked_choice
from skimline.columns import Column
from skimline.errors import ConfigError
from skimline.frame import Frame
from skimline.optional import require

__all__ = ["Loader", "loader"]


class _Block(NamedTuple):
    """Entries of a sample that are read at once."""

    sample: str
    start: int
    stop: int


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
    block: int = 200_000,
    pool: int = 4,
    threads: int = 0,
) -> Loader:
    """Returns batches of `batch` events that pass the filters, epoch by epoch: each loop over it is one.

    A batch is a dictionary of arrays: numpy's, or with `library` "torch" and "jax" theirs, in the same memory. Lists are
    awkward arrays, or with `pad` rows of that length, filled with zeros, and the column `<name>_mask` says what was there.
    `labels` and `weights` have a number for patterns of samples, and make the columns "label" and "weight".

    `shuffle` is a seed: blocks of `block` entries are read in an order of chance, and the events of `pool` of
    them are mixed. The order follows from seed, epoch, rank and world alone, not from threads. Each of `world` workers has
    a `rank` from 0, and gets blocks of its own. The next events are read while the loop works on those before.

    Throws ConfigError for numbers that do not fit, and while looping what `Frame.arrays` throws.

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
    if rank >= world:
        raise ConfigError(f"rank={rank} is not from 0 to {world - 1}: there are {world} workers")
    made = Loader(frame, columns, checked_choice("library", library, ("np", "torch", "jax")))
    made._sizes = (batch, block, pool, drop_last)
    made._share = (rank, world)
    made._seed, made._pad, made._threads = shuffle, pad, threads
    names = frame.samples.names
    made._numbers = {
        "label": _by_sample(names, labels, "labels"),
        "weight": _by_sample(names, weights, "weights"),
    }
    return made


class Loader:
    """Batches of events; see `loader`. `epoch` is the number of the next loop, and can be set."""

    def __init__(self, frame: Frame, columns: Any, library: str) -> None:
        self._frame = frame
        self._outputs = frame._outputs(columns)
        self._library = library
        self._sizes = (1, 1, 1, False)
        self._share = (0, 1)
        self._seed: int | None = None
        self._pad: int | None = None
        self._threads = 0
        self._numbers: dict[str, dict[str, float]] = {}
        self.epoch = 0
        require("awkward", "loader()")
        if library != "np":
            require(library, f'library="{library}"')

    def __iter__(self) -> Iterator[dict[str, Any]]:
        epoch, self.epoch = self.epoch, self.epoch + 1
        return _ahead(self._batches(epoch))

    def _batches(self, epoch: int) -> Iterator[dict[str, Any]]:
        """The batches of an epoch; what is left of a pool goes to the next one."""
        ak = require("awkward", "loader()")
        size, _, _, drops_last = self._sizes
        left: Any = None
        for events in self._pools(epoch):
            whole = events if left is None else ak.concatenate([left, events])
            end = len(whole) - len(whole) % size
            made = self._made(whole[:end]) if end else {}
            for start in range(0, end, size):
                yield {name: self._given(each[start : start + size]) for name, each in made.items()}
            left = whole[end:]
        if left is not None and len(left) and not drops_last:
            yield {name: self._given(each) for name, each in self._made(left).items()}

    def _pools(self, epoch: int) -> Iterator[Any]:
        ak = require("awkward", "loader()")
        np = require("numpy", "loader()")
        rank, world = self._share
        blocks = self._blocks()
        if self._seed is not None:
            order = np.random.Generator(np.random.PCG64([self._seed, epoch])).permutation(len(blocks))
            blocks = [blocks[number] for number in order]
        mine, mixed = blocks[rank::world], self._sizes[2]
        for number, first in enumerate(range(0, len(mine), mixed)):
            events = ak.concatenate([self._read(each) for each in mine[first : first + mixed]])
            if self._seed is not None:
                chance = np.random.Generator(np.random.PCG64([self._seed, epoch, rank, world, number]))
                events = events[chance.permutation(len(events))]
            yield events

    def _blocks(self) -> list[_Block]:
        size, samples = self._sizes[1], self._frame.samples
        return [
            _Block(name, start, min(start + size, opened.num_entries))
            for name, opened in zip(samples.names, samples.columns)
            for start in range(0, opened.num_entries, size)
        ]

    def _read(self, block: _Block) -> Any:
        np = require("numpy", "loader()")
        events = self._frame.arrays(
            self._outputs,
            sample=block.sample,
            entry_start=block.start,
            entry_stop=block.stop,
            threads=self._threads,
        )
        for name, numbers in self._numbers.items():
            if numbers:
                events[name] = np.full(len(events), numbers[block.sample], dtype=np.float32)
        return events

    def _made(self, events: Any) -> dict[str, Any]:
        ak = require("awkward", "loader()")
        made: dict[str, Any] = {}
        for name in events.fields:
            column = events[name]
            if column.ndim == 1:
                made[name] = ak.to_numpy(column)
            elif self._pad is None:
                made[name] = column
            else:
                padded = ak.pad_none(column, self._pad, clip=True)
                made[f"{name}_mask"] = ak.to_numpy(~ak.is_none(padded, axis=1))
                made[name] = ak.to_numpy(ak.fill_none(padded, 0)).astype(
                    ak.to_numpy(ak.flatten(column)).dtype
                )
        return made

    def _given(self, array: Any) -> Any:
        """The array in the library that is asked for, without a copy."""
        if self._library == "np" or not hasattr(array, "__dlpack__"):
            return array
        module = require(self._library, f'library="{self._library}"')
        return module.from_numpy(array) if self._library == "torch" else module.numpy.from_dlpack(array)


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
    return found


def _ahead(batches: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The same, made in another thread while the caller works."""
    waiting: queue.Queue[Any] = queue.Queue(maxsize=8)
    stopped = threading.Event()

    def give(item: Any) -> None:
        while not stopped.is_set():
            try:
                waiting.put(item, timeout=0.1)
                return
            except queue.Full:
                continue

    def work() -> None:
        try:
            for each in batches:
                if stopped.is_set():
                    return
                give((each, None))
            give((None, None))
        except BaseException as error:
            give((None, error))

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

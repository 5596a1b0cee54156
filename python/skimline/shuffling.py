# SPDX-License-Identifier: BSD-3-Clause
"""Events that were read in parts, as columns in another order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable, NamedTuple

from skimline import _core
from skimline.arrays import Values, awkward_content, by_output
from skimline.optional import require

__all__ = ["Columns", "Pool", "ReadEvents", "joined", "permutation"]


class ReadEvents(NamedTuple):
    """A part of the events, as it was read, with numbers that all of them have."""

    size: int
    columns: list[Values]
    numbers: Mapping[str, float]


Columns = dict[str, Any]
"""Arrays of numpy or awkward of one length."""


class Pool:
    """Events of several parts in an order of chance, which follows from a key, or else as they come.

    With `pad` lists of numbers are rows of that length, with a column `<name>_mask`.
    """

    def __init__(self, parts: Sequence[ReadEvents], key: Sequence[int] | None, pad: int | None) -> None:
        np = require("numpy", "loader()")
        size = sum(part.size for part in parts)
        self._order = permutation(size, key) if key is not None else np.arange(size, dtype=np.uint32)
        self._takers: list[_Taker] = []
        for name, values in _by_name(parts).items():
            self._takers.append(_taker(name, values, self._order, pad))
        for name in parts[0].numbers:
            numbers = [np.full(part.size, part.numbers[name], dtype=np.float32) for part in parts]
            self._takers.append(_of_numbers(name, numbers))

    def __len__(self) -> int:
        return len(self._order)

    def part(self, start: int, stop: int) -> Columns:
        """The events from one number to another in the order, in memory of their own."""
        columns: Columns = {}
        for take in self._takers:
            take(columns, self._order[start:stop], slice(start, stop))
        return columns


def joined(first: Columns, second: Columns) -> Columns:
    """Events and others behind them."""
    return {name: _concatenated([each, second[name]]) for name, each in first.items()}


def permutation(count: int, key: Sequence[int]) -> Any:
    """The numbers below `count` in an order of chance, which follows from the key."""
    np = require("numpy", "loader()")
    return _core.permutation(count, int(np.random.SeedSequence(key).generate_state(1, np.uint64)[0]))


def _by_name(parts: Sequence[ReadEvents]) -> dict[str, list[list[Values]]]:
    """For each output its columns in each part."""
    grouped = [by_output(part.columns) for part in parts]
    return {name: [each[name] for each in grouped] for name in grouped[0]}


_Taker = Callable[[Columns, Any, slice], None]
"""Adds its columns of some events: by their numbers in all parts, and by their places in the order."""


def _taker(name: str, parts: list[list[Values]], order: Any, pad: int | None) -> _Taker:
    kind = parts[0][0].column
    if kind.member or kind.depth > 1 or kind.scalar == "string":
        return _of_other_kind(name, parts, order)
    values = _of_one_type([part[0].values for part in parts])
    if kind.depth == 0:
        return _of_numbers(name, values)
    offsets = [part[0].offsets[0] for part in parts]
    return _of_lists(name, values, offsets) if pad is None else _of_rows(name, values, offsets, pad)


def _of_numbers(name: str, values: list[Any]) -> _Taker:
    def take(columns: Columns, numbers: Any, places: slice) -> None:
        columns[name] = _core.take(values, numbers)

    return take


def _of_rows(name: str, values: list[Any], offsets: list[Any], pad: int) -> _Taker:
    def take(columns: Columns, numbers: Any, places: slice) -> None:
        columns[name], columns[f"{name}_mask"] = _core.take_padded(values, offsets, numbers, pad)

    return take


def _of_lists(name: str, values: list[Any], offsets: list[Any]) -> _Taker:
    ak = require("awkward", "loader()")
    contents, index = ak.contents, ak.index

    def take(columns: Columns, numbers: Any, places: slice) -> None:
        ends, flat = _core.take_lists(values, offsets, numbers)
        lists = contents.ListOffsetArray(index.Index64(ends), contents.NumpyArray(flat))
        columns[name] = ak.Array(lists)

    return take


def _of_other_kind(name: str, parts: list[list[Values]], order: Any) -> _Taker:
    """Strings, Lorentz vectors and lists of lists."""
    ak = require("awkward", "loader()")
    whole = ak.concatenate([ak.Array(awkward_content(ak, part)) for part in parts])[order]
    array = ak.to_numpy(whole) if whole.ndim == 1 else whole

    def take(columns: Columns, numbers: Any, places: slice) -> None:
        columns[name] = array[places]

    return take


def _of_one_type(values: list[Any]) -> list[Any]:
    """Samples may have other types of a column."""
    np = require("numpy", "loader()")
    common = np.result_type(*(each.dtype for each in values))
    return [each.astype(common, copy=False) for each in values]


def _concatenated(arrays: list[Any]) -> Any:
    np = require("numpy", "loader()")
    if all(isinstance(each, np.ndarray) for each in arrays):
        return np.concatenate(arrays)
    return require("awkward", "loader()").concatenate(arrays)

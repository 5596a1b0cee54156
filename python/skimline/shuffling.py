# SPDX-License-Identifier: BSD-3-Clause
"""Events that were read in parts, as batches of columns: in an order of chance, or as they come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Callable, NamedTuple

from skimline import _core
from skimline.arrays import Values, awkward_content, by_output, check_exact
from skimline.optional import require

__all__ = ["Columns", "Pool", "ReadEvents", "common_types", "in_order", "joined", "permutation", "shuffled"]


class ReadEvents(NamedTuple):
    """A part of the events, as it was read, with numbers that all of them have."""

    size: int
    columns: list[Values]
    numbers: Mapping[str, float]


Columns = dict[str, Any]
"""Arrays of numpy or awkward of one length."""

_Taker = Callable[[Columns, slice], None]
"""Adds the columns of an output for the events at some places."""


class Pool:
    """Events in an order, of which batches are made."""

    def __init__(self, size: int, takers: Sequence[_Taker]) -> None:
        self._size = size
        self._takers = takers

    def __len__(self) -> int:
        return self._size

    def part(self, start: int, stop: int) -> Columns:
        """The events from one place to another."""
        columns: Columns = {}
        for take in self._takers:
            take(columns, slice(start, stop))
        return columns


def in_order(part: ReadEvents, pad: int | None, types: Mapping[str, Any]) -> Pool:
    """The events of a part as they come, in its memory: only lists that become rows are copied.

    With `pad` lists of numbers are rows of that length, with a column `<name>_mask`. `types` are those of numpy that
    values get; those that it lacks keep their own.
    """
    takers = [_neighbours(name, values[0], pad) for name, values in _typed([part], types).items()]
    takers += [_slices(name, numbers) for name, numbers in _numbers([part]).items()]
    return Pool(part.size, takers)


def shuffled(
    parts: Sequence[ReadEvents], key: Sequence[int], pad: int | None, types: Mapping[str, Any], size: int
) -> Iterator[Pool]:
    """The events of all parts in an order of chance, which follows from the key, in pools of `size`.

    `pad` and `types` are as those of `in_order`.
    """
    # What lies anywhere in memory is waited for at each event. The events of a pool are first taken in the order in which
    # they lie, and then brought in theirs where all of them are near.
    order = permutation(sum(part.size for part in parts), key)
    sources = [_source(name, values, pad) for name, values in _typed(parts, types).items()]
    sources += [_source_of_numbers(name, [numbers]) for name, numbers in _numbers(parts).items()]
    for first in range(0, len(order), size):
        chosen = _Chosen(order[first : first + size])
        yield Pool(len(chosen.order), [source(chosen) for source in sources])


def joined(pieces: Sequence[Columns]) -> Columns:
    """Events behind one another."""
    if len(pieces) == 1:
        return pieces[0]
    return {name: _concatenated([each[name] for each in pieces]) for name in pieces[0]}


def permutation(count: int, key: Sequence[int]) -> Any:
    """The numbers below `count` in an order of chance, which follows from the key."""
    np = require("numpy", "loader()")
    return _core.permutation(count, int(np.random.SeedSequence(key).generate_state(1, np.uint64)[0]))


def common_types(parts: Sequence[ReadEvents]) -> dict[str, Any]:
    """The types of numpy that hold the values of all parts, for outputs that are numbers or have them in lists."""
    np = require("numpy", "loader()")
    return {
        name: np.result_type(*(part[0].values.dtype for part in values))
        for name, values in _by_name(parts).items()
        if all(_has_numbers(part) for part in values)
    }


def _by_name(parts: Sequence[ReadEvents]) -> dict[str, list[list[Values]]]:
    """For each output its columns in each part."""
    grouped = [by_output(part.columns) for part in parts]
    return {name: [each[name] for each in grouped] for name in grouped[0]}


def _typed(parts: Sequence[ReadEvents], types: Mapping[str, Any]) -> dict[str, list[list[Values]]]:
    def of_type(part: list[Values], kind: Any) -> list[Values]:
        for each in part:
            if kind.kind == "f":
                check_exact(each.column.name, [each.values, each.values[:0].astype(kind)])
        return [replace(each, values=each.values.astype(kind, copy=False)) for each in part]

    return {
        name: [of_type(part, types[name]) for part in values] if name in types else values
        for name, values in _by_name(parts).items()
    }


def _numbers(parts: Sequence[ReadEvents]) -> dict[str, Any]:
    """The columns of numbers that all events of a part have."""
    np = require("numpy", "loader()")
    return {
        name: np.concatenate([np.full(part.size, part.numbers[name], dtype=np.float32) for part in parts])
        for name in parts[0].numbers
    }


def _has_numbers(part: list[Values]) -> bool:
    """Whether an output is numbers, or lists of any depth of them."""
    kind = part[0].column
    return not kind.member and kind.scalar != "string"


def _is_simple(part: list[Values]) -> bool:
    """Whether an output has a number for each event, or a list of them."""
    return _has_numbers(part) and part[0].column.depth <= 1


def _neighbours(name: str, part: list[Values], pad: int | None) -> _Taker:
    """Takes events that lie one behind the other."""
    first = part[0]
    if not _is_simple(part):
        return _slices(name, _other_kind([part]))
    if first.column.depth == 0:
        return _slices(name, first.values)
    return _lists(name, first.values, first.offsets[0]) if pad is None else _rows_in_order(name, first, pad)


def _slices(name: str, array: Any) -> _Taker:
    def take(columns: Columns, places: slice) -> None:
        columns[name] = array[places]

    return take


def _lists(name: str, values: Any, offsets: Any) -> _Taker:
    def take(columns: Columns, places: slice) -> None:
        first, last = offsets[places.start], offsets[places.stop]
        ends = offsets[places.start : places.stop + 1] - first
        columns[name] = _as_lists(ends, values[first:last])

    return take


def _rows_in_order(name: str, part: Values, pad: int) -> _Taker:
    np = require("numpy", "loader()")

    def take(columns: Columns, places: slice) -> None:
        order = np.arange(places.start, places.stop, dtype=np.uint32)
        rows = _core.take_padded([part.values], *_core.find_lists([part.offsets[0]], order), pad)
        columns[name], columns[f"{name}_mask"] = rows

    return take


class _Chosen:
    """Events that are taken together: their numbers in an order of chance and in that of memory, and for each in an order of
    chance its place in the other."""

    def __init__(self, order: Any) -> None:
        self.order = order
        self.ascending, self.ranks = _core.sorted_with_ranks(order)
        self._lists: dict[tuple[int, ...], _NearLists] = {}

    def lists(self, offsets: list[Any]) -> _NearLists:
        """Where lists lie. Those of one collection have their offsets in the same memory."""
        key = tuple(each.ctypes.data for each in offsets)
        if key not in self._lists:
            self._lists[key] = _NearLists(_core.find_lists(offsets, self.ascending), self.ranks)
        return self._lists[key]


class _NearLists:
    """Where the lists lie of events that are taken together, and behind one another those of some of them."""

    def __init__(self, found: tuple[Any, Any], ranks: Any) -> None:
        self.found = found
        self._ranks = ranks
        self._places: slice | None = None
        self._at: tuple[Any, Any] = found

    def at(self, places: slice) -> tuple[Any, Any]:
        if self._places != places:
            self._places, self._at = places, _core.find_lists([self.found[1]], self._ranks[places])
        return self._at


_Source = Callable[[_Chosen], _Taker]
"""Makes what takes the columns of an output out of all parts."""


def _source(name: str, parts: list[list[Values]], pad: int | None) -> _Source:
    if not _is_simple(parts[0]):
        array = _other_kind(parts)
        return lambda chosen: _slices(name, array[chosen.order])
    values = [part[0].values for part in parts]
    if parts[0][0].column.depth == 0:
        return _source_of_numbers(name, values)
    return _source_of_lists(name, values, [part[0].offsets[0] for part in parts], pad)


def _source_of_numbers(name: str, values: list[Any]) -> _Source:
    def source(chosen: _Chosen) -> _Taker:
        near = [_core.take(values, chosen.ascending)]

        def take(columns: Columns, places: slice) -> None:
            columns[name] = _core.take(near, chosen.ranks[places])

        return take

    return source


def _source_of_lists(name: str, values: list[Any], offsets: list[Any], pad: int | None) -> _Source:
    def source(chosen: _Chosen) -> _Taker:
        lists = chosen.lists(offsets)
        near = [_core.take_lists(values, *lists.found)]

        def take(columns: Columns, places: slice) -> None:
            firsts, ends = lists.at(places)
            if pad is None:
                columns[name] = _as_lists(ends, _core.take_lists(near, firsts, ends))
            else:
                columns[name], columns[f"{name}_mask"] = _core.take_padded(near, firsts, ends, pad)

        return take

    return source


def _other_kind(parts: list[list[Values]]) -> Any:
    """Strings, Lorentz vectors and lists of lists."""
    ak = require("awkward", "loader()")
    whole = ak.concatenate([ak.Array(awkward_content(ak, part)) for part in parts])
    return ak.to_numpy(whole) if whole.ndim == 1 else whole


def _as_lists(ends: Any, values: Any) -> Any:
    ak = require("awkward", "loader()")
    contents = ak.contents
    return ak.Array(contents.ListOffsetArray(ak.index.Index64(ends), contents.NumpyArray(values)))


def _concatenated(arrays: list[Any]) -> Any:
    np = require("numpy", "loader()")
    if all(isinstance(each, np.ndarray) for each in arrays):
        return np.concatenate(arrays)
    return require("awkward", "loader()").concatenate(arrays)

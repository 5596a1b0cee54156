# SPDX-License-Identifier: BSD-3-Clause
"""Entries that are asked for by their numbers, in any order."""

from __future__ import annotations

from typing import Any

from skimline.argument_types import shown
from skimline.errors import ConfigError
from skimline.optional import require

__all__ = ["ChosenEntries", "reordered"]


class ChosenEntries:
    """Numbers of entries as they are asked for; those that are asked for twice are given twice.

    >>> chosen = ChosenEntries([7, 3, 7])
    >>> chosen.numbers.tolist()
    [3, 7]
    """

    def __init__(self, entries: Any) -> None:
        np = require("numpy", "arrays(entries=)")
        if np.ma.is_masked(entries):
            raise ConfigError(
                "some entries that are asked for are masked: entries.compressed() are the others"
            )
        try:
            asked = np.asarray(entries)
        except (TypeError, ValueError):  # of awkward: lists of other lengths, and what is missing
            raise ConfigError(f"entries are a sequence of whole numbers, not {shown(entries)}") from None
        if asked.size == 0:
            asked = np.empty(0, np.uint64)
        if asked.dtype == bool:
            raise ConfigError("entries are numbers, not a mask: numpy.flatnonzero(mask) gives them")
        if asked.ndim != 1 or asked.dtype.kind not in "iu":
            raise ConfigError(
                f"entries are a sequence of whole numbers, not {asked.dtype} of shape {asked.shape}"
            )
        if asked.size and asked.min() < 0:
            raise ConfigError(f"entries are counted from 0: {asked.min()}")
        self._asked = asked.astype(np.uint64)
        self.numbers = np.unique(self._asked)
        """Each of them once, in rising order."""

    def order(self, found: Any) -> Any:
        """The places of the entries, as they are asked for, among those that were found, which rise.

        >>> ChosenEntries([7, 3, 5, 7]).order([3, 7]).tolist()
        [1, 0, 1]
        """
        np = require("numpy", "arrays(entries=)")
        found = np.asarray(found, np.uint64)
        places = np.searchsorted(found, self._asked)
        is_found = np.zeros(len(places), bool)
        inside = places < len(found)
        is_found[inside] = found[places[inside]] == self._asked[inside]
        return places[is_found]


def reordered(made: Any, order: Any, library: str) -> Any:
    """The rows of what `arrays.read` has made, in an order."""
    if len(order) == _rows(made, library) and (order[1:] > order[:-1]).all():
        return made
    if library == "np":
        return {name: values[order] for name, values in made.items()}
    if library == "pa":
        return made.take(order)
    if library == "pd":
        return made.iloc[order].reset_index(drop=True)
    return made[order]


def _rows(made: Any, library: str) -> int:
    return len(next(iter(made.values()))) if library == "np" else len(made)

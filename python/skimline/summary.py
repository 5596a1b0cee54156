# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that describe columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["summary"]


class _Column:
    """Sums of the values of a column so far, around the mean of those before."""

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self.deltas = 0.0
        self.least: Any = None
        self.greatest: Any = None

    def add(self, values: Any) -> None:
        if not len(values):
            return
        import numpy as np

        count, mean = len(values), float(np.mean(values, dtype=np.float64))
        deltas = float(np.sum((values.astype(np.float64) - mean) ** 2))
        shift, total = mean - self.mean, self.count + count
        self.deltas += deltas + shift * shift * self.count * count / total
        self.mean += shift * count / total
        self.count = total
        least, greatest = values.min().item(), values.max().item()
        # What is not a number stays, whichever part it is in.
        if self.least is None or least != least or least < self.least:
            self.least = least
        if self.greatest is None or greatest != greatest or greatest > self.greatest:
            self.greatest = greatest

    def row(self, name: str) -> list[str]:
        if not self.count:
            return [name, "0", "", "", "", ""]
        spread = math.sqrt(self.deltas / self.count)
        ends = [
            f"{each:.6g}" if isinstance(each, float) else str(each) for each in (self.least, self.greatest)
        ]
        return [name, str(self.count), f"{self.mean:.3g}", f"{spread:.3g}", *ends]


def summary(names: Iterable[str], parts: Iterable[Mapping[str, Any]]) -> list[list[str]]:
    """Rows with name, number of values, mean, standard deviation, least and greatest value, of arrays in parts."""
    columns = {name: _Column() for name in names}
    for part in parts:
        for name, values in part.items():
            columns[name].add(values)
    return [column.row(name) for name, column in columns.items()]

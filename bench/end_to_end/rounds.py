# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs in turn and puts numbers into tables."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

from measure import Measurement


@dataclass
class Series:
    """The counted runs of one program on one task."""

    runs: list[Measurement] = field(default_factory=list)
    loops: list[float] = field(default_factory=list)

    def add(self, run: Measurement, loop: float) -> None:
        self.runs.append(run)
        self.loops.append(loop)

    @property
    def process(self) -> float:
        return statistics.median(run.seconds for run in self.runs)

    @property
    def cpu(self) -> float:
        return statistics.median(run.cpu_seconds for run in self.runs)

    @property
    def loop(self) -> float:
        return statistics.median(self.loops)

    @property
    def spread(self) -> float:
        """(max - min) / median of the whole-process times."""
        seconds = [run.seconds for run in self.runs]
        return (max(seconds) - min(seconds)) / self.process

    @property
    def peak_bytes(self) -> int:
        return max(run.peak_bytes for run in self.runs)


Runner = Callable[[], tuple[Measurement, float]]


def take_turns(runners: dict[str, Runner], repeat: int, warm_up: bool = True) -> dict[str, Series]:
    """Runs all programs once per round; a first round that warms the page cache is not counted."""
    series = {name: Series() for name in runners}
    for turn in range(-1 if warm_up else 0, repeat):
        for name, runner in runners.items():
            run, loop = runner()
            if turn >= 0:
                series[name].add(run, loop)
    return series


@dataclass(frozen=True)
class Column:
    """Heading, key of the row, format and divisor of one column of a table; a row without the key has a dash."""

    heading: str
    key: str
    form: str
    divisor: float | None = None

    def cell(self, row: dict) -> str:
        value = row.get(self.key)
        if value is None:
            return format("-", self.alignment)
        return format(value if self.divisor is None else value / self.divisor, self.form)

    @property
    def alignment(self) -> str:
        width = self.form.split(".")[0]
        return width if width.startswith("<") else f">{width}"


def table_heading(columns: tuple[Column, ...]) -> str:
    return "  ".join(format(column.heading, column.alignment) for column in columns)


def table_line(columns: tuple[Column, ...], row: dict) -> str:
    return "  ".join(column.cell(row) for column in columns)

# SPDX-License-Identifier: BSD-3-Clause
"""Single numbers and values that are asked for, and made by a run together with all else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from skimline.booking import BookedHistogram, Booking
from skimline.composition import compose
from skimline.errors import ConfigError, Error
from skimline.events import Events
from skimline.histogram import Histogram
from skimline.running import run

__all__ = ["BookedNumber", "BookedValues"]


class BookedNumber(BookedHistogram):
    """A sum, mean or standard deviation: a histogram with one bin, whose sums are exact.

    `value` and float() make a run of their own if none was made before. With several samples `of(sample)` is that of one,
    `variations` has that of each variation.
    """

    def __init__(self, frame: Events, kind: str, name: str, described: dict[str, Any]) -> None:
        super().__init__(frame, name, described)
        self._kind = kind
        self._may_be_renamed = True

    @property
    def value(self) -> float:
        """The number, of the only sample."""
        if not self.is_filled:
            run(self)
        return self._number(self.result)

    def of(self, sample: str) -> float:
        """The number of one sample."""
        if not self.is_filled:
            run(self)
        return self._number(self[sample])

    @property
    def numbers(self) -> Mapping[str, float]:
        """The number in each variation, by name."""
        if not self.is_filled:
            run(self)
        return {name: self._number(each) for name, each in self.result.variations.items()}

    def __float__(self) -> float:
        return self.value

    def __int__(self) -> int:
        return int(self.value)

    def __repr__(self) -> str:
        if not self.is_filled:
            return f"<{self._kind} of {self.name!r}, not made yet>"
        if len(self.samples) == 1:
            return repr(self.value)
        return f"<{self._kind} { ({sample: self.of(sample) for sample in self.samples}) }>"

    def _repr_html_(self) -> str:
        import html

        return f"<code>{html.escape(repr(self))}</code>"

    def _number(self, histogram: Histogram) -> float:
        core = histogram._core
        weight, value, square = (float(core.sums(number)[1]) for number in (0, 2, 3))
        if self._kind == "sum":
            return value
        if weight == 0:
            return math.nan
        mean = value / weight
        return mean if self._kind == "mean" else math.sqrt(max(square / weight - mean * mean, 0.0))


class BookedValues(Booking):
    """The values of an expression, or the least or greatest one, to be read when a run is made.

    They are read in a pass of their own, beside that of histograms and skims.
    """

    _section = "values"

    def __init__(self, frame: Events, kind: str, expression: str, library: str) -> None:
        super().__init__(frame, f"{kind} of {expression}", {})
        self._kind = kind
        self._expression = expression
        self._library = library
        self._values: dict[str, Any] | None = None

    @property
    def value(self) -> Any:
        """The number or array, of the only sample; makes a run of its own if none was made before."""
        values = self._made()
        if len(values) != 1:
            raise Error(f"{self.name} is one for each sample: of({', '.join(map(repr, values))})")
        return next(iter(values.values()))

    def of(self, sample: str) -> Any:
        """That of one sample."""
        if sample not in self._made():
            raise ConfigError(f'{self.name}: there is no sample "{sample}"')
        return self._made()[sample]

    def __float__(self) -> float:
        return float(self.value)

    def __repr__(self) -> str:
        if self._values is None:
            return f"<{self.name}, not made yet>"
        return repr(self.value) if len(self._values) == 1 else f"<{self.name}: {self._values}>"

    def read(self, *, threads: int = 0, **limits: Any) -> None:
        """Reads the values, as a run does that was asked for them."""
        from skimline import arrays

        composed = compose((), frames=(self.frame,), expressions=(self._expression,), has_variations=False)
        outputs = {"x": composed.expressions[0]}
        config = composed.core(**limits)
        self._values = {}
        for number, sample in enumerate(self.frame.samples.names):
            if self._kind == "take":
                library = "ak" if self._library == "ak" else "np"
                made = arrays.read(config, outputs, sample=number, library=library, threads=threads)
                self._values[sample] = made["x"]
            else:
                self._values[sample] = _extreme(
                    self._kind,
                    arrays.iterate(config, outputs, sample=number, library="flat", threads=threads),
                )

    def _made(self) -> dict[str, Any]:
        if self._values is None:
            self.read()
        return self._values or {}


def _extreme(kind: str, parts: Any) -> Any:
    """The least or greatest of all numbers in the parts; nan if there is none."""
    found = math.nan
    for part in parts:
        for values in part.values():
            if len(values):
                best = (values.min() if kind == "min" else values.max()).item()
                is_better = found != found or (best < found if kind == "min" else best > found)
                found = best if is_better else found
    return found

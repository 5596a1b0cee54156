# SPDX-License-Identifier: BSD-3-Clause
"""Single numbers and values that are asked for, and made by a run together with all else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from skimline.argument_types import checked
from skimline.booking import BookedHistogram, Booking
from skimline.composition import compose
from skimline.errors import ConfigError, Error
from skimline.events import Events
from skimline.hints import first_few
from skimline.histogram import Histogram
from skimline.running import run
from skimline.steps import Vary

__all__ = ["BookedNumber", "BookedValues"]


class _AsValue:
    """Arithmetic and order of what is a value once a run is made."""

    @property
    def value(self) -> Any:
        raise NotImplementedError

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """What functions of numpy take it as; without it they would take it as an object of which nothing is known."""
        import numpy as np

        return np.array(self.value, dtype=dtype) if copy else np.asarray(self.value, dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(_value_of, inputs), **options)

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.value, digits)

    def __format__(self, form: str) -> str:
        return format(self.value, form) if form else str(self)

    def __add__(self, other: Any) -> Any:
        return self.value + _value_of(other)

    def __radd__(self, other: Any) -> Any:
        return other + self.value

    def __sub__(self, other: Any) -> Any:
        return self.value - _value_of(other)

    def __rsub__(self, other: Any) -> Any:
        return other - self.value

    def __mul__(self, other: Any) -> Any:
        return self.value * _value_of(other)

    def __rmul__(self, other: Any) -> Any:
        return other * self.value

    def __truediv__(self, other: Any) -> Any:
        return self.value / _value_of(other)

    def __rtruediv__(self, other: Any) -> Any:
        return other / self.value

    def __pow__(self, other: Any) -> Any:
        return self.value ** _value_of(other)

    def __rpow__(self, other: Any) -> Any:
        return other**self.value

    def __floordiv__(self, other: Any) -> Any:
        return self.value // _value_of(other)

    def __rfloordiv__(self, other: Any) -> Any:
        return other // self.value

    def __mod__(self, other: Any) -> Any:
        return self.value % _value_of(other)

    def __rmod__(self, other: Any) -> Any:
        return other % self.value

    def __eq__(self, other: object) -> Any:
        if self is other:
            return True
        return self.value == _value_of(other) if _is_value(other) else NotImplemented

    def __ne__(self, other: object) -> Any:
        if self is other:
            return False
        return self.value != _value_of(other) if _is_value(other) else NotImplemented

    # In sets and dictionaries it stands for itself.
    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return bool(self.value)

    def __neg__(self) -> Any:
        return -self.value

    def __abs__(self) -> Any:
        return abs(self.value)

    def __lt__(self, other: Any) -> Any:
        return self.value < _value_of(other)

    def __le__(self, other: Any) -> Any:
        return self.value <= _value_of(other)

    def __gt__(self, other: Any) -> Any:
        return self.value > _value_of(other)

    def __ge__(self, other: Any) -> Any:
        return self.value >= _value_of(other)


def _is_value(other: object) -> bool:
    """Whether it can be compared with a number; nothing is run for what is none."""
    return isinstance(other, _AsValue) or hasattr(type(other), "__float__")


def _value_of(other: Any) -> Any:
    return other.value if isinstance(other, _AsValue) else other


class BookedNumber(_AsValue, BookedHistogram):
    """A sum, mean or standard deviation: a histogram with one bin, whose sums are exact.

    `value`, float() and arithmetic make a run of their own if none was made before. With several samples `of(sample)` is that of one,
    `numbers` has that of each variation.
    """

    def __init__(self, frame: Events, kind: str, name: str, described: dict[str, Any]) -> None:
        super().__init__(frame, name, described)
        self._kind = kind
        self._may_be_renamed = True
        self._around_mean: dict[tuple[str, str], tuple[Histogram, Histogram]] = {}

    @property
    def value(self) -> float:
        """The number, of the only sample."""
        if not self.is_filled:
            run(self)
        return self._number(_only(self.samples, f"{self._kind} {self.name!r}"))

    @checked
    def of(self, sample: str) -> float:
        """The number of one sample."""
        if not self.is_filled:
            run(self)
        return self._number(sample)

    @property
    def numbers(self) -> Mapping[str, float]:
        """The number in each variation, by name."""
        if not self.is_filled:
            run(self)
        sample = _only(self.samples, f"{self._kind} {self.name!r}")
        return {name: self._number(sample, name) for name in self.result.variations}

    def __repr__(self) -> str:
        if not self.is_filled:
            return f"<{self._kind} of {self.name!r}, not made yet>"
        if len(self.samples) == 1:
            return repr(self.value)
        return f"<{self._kind} { ({sample: self.of(sample) for sample in self.samples}) }>"

    def _repr_html_(self) -> str:
        import html

        return f"<code>{html.escape(repr(self))}</code>"

    def _number(self, sample: str, variation: str = "") -> float:
        histogram = self._get(sample, variation)
        sums = _Sums.of(histogram)
        if self._kind == "sum":
            return sums.value
        if sums.weight == 0:
            return math.nan
        if self._kind == "std" and sums.are_too_close:
            sums = _Sums.of(self._distances(sample, variation, sums.mean))
        return sums.mean if self._kind == "mean" else sums.spread

    def _distances(self, sample: str, variation: str, mean: float) -> Histogram:
        """Sums of distances from the mean. Other events can have the same sums of values: what is kept is of this fill alone."""
        filled = self._get(sample, variation)
        kept = self._around_mean.get((sample, variation))
        if kept is None or kept[0] is not filled:
            kept = filled, self._filled_around(mean)._get(sample, variation)
            self._around_mean[sample, variation] = kept
        return kept[1]

    def _filled_around(self, mean: float) -> BookedNumber:
        """The same of distances from the mean, in a run of its own: squares of large values that are close to each other say little of them."""
        value = f"({self._described['profile']['value']}) + ({-mean!r})"
        described = {**self._described, "profile": {"value": value}}
        # What the variations have changed may be something else of what was run.
        steps = (step.allowing_no_change() if isinstance(step, Vary) else step for step in self.frame.steps)
        frame = type(self.frame)(self.frame.samples, tuple(steps))
        made = BookedNumber(frame, "std", self.name, described)
        run(made, **self._limits)
        return made


class _Sums(NamedTuple):
    """Sums over the only bin of a profile: of weights, of weighted values, and of their squares."""

    weight: float
    value: float
    square: float

    @classmethod
    def of(cls, histogram: Histogram) -> _Sums:
        core = histogram._core
        return cls(*(float(core.sums(number)[1]) for number in (0, 2, 3)))

    @property
    def mean(self) -> float:
        return self.value / self.weight

    @property
    def spread(self) -> float:
        return math.sqrt(max(self._variance, 0.0))

    @property
    def are_too_close(self) -> bool:
        """Whether the squares, each of which is rounded, tell less than ten digits of the variance."""
        return self._variance < 1e-6 * self.mean * self.mean

    @property
    def _variance(self) -> float:
        return self.square / self.weight - self.mean * self.mean


class BookedValues(_AsValue, Booking):
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
        return values[_only(list(values), self.name)]

    @checked
    def of(self, sample: str) -> Any:
        """That of one sample."""
        if sample not in self._made():
            raise ConfigError(f'{self.name}: there is no sample "{sample}"')
        return self._made()[sample]

    def __repr__(self) -> str:
        if self._values is None:
            return f"<{self.name}, not made yet>"
        return repr(self.value) if len(self._values) == 1 else f"<{self.name}: {self._values}>"

    def read(self, *, threads: int = 0, **limits: Any) -> None:
        """Reads the values, as a run does that was asked for them."""
        from skimline import arrays

        composed = compose((), frames=(self.frame,), expressions=(self._expression,), has_variations=False)
        outputs = {self._expression: composed.expressions[0]}
        config = composed.core(**limits)
        self._values = {}
        for number, sample in enumerate(self.frame.samples.names):
            if self._kind == "take":
                library = "ak" if self._library == "ak" else "np"
                made = arrays.read(config, outputs, sample=number, library=library, threads=threads)
                self._values[sample] = made[self._expression]
            else:
                self._values[sample] = _extreme(
                    self._kind,
                    arrays.iterate(config, outputs, sample=number, library="flat", threads=threads),
                )

    def _made(self) -> dict[str, Any]:
        if self._values is None:
            self.read()
        return self._values or {}


def _only(samples: list[str], what: str) -> str:
    if len(samples) == 1:
        return samples[0]
    raise Error(
        f"there is one {what} for each sample: " + first_few([f"of({sample!r})" for sample in samples])
    )


def _extreme(kind: str, parts: Any) -> Any:
    """The least or greatest of all numbers in the parts; nan if there is none, or if one is nan, as numpy has it."""
    found: Any = None
    for part in parts:
        for values in part.values():
            if len(values):
                best = (values.min() if kind == "min" else values.max()).item()
                is_better = found is None or best != best or (best < found if kind == "min" else best > found)
                found = best if is_better else found
    return math.nan if found is None else found

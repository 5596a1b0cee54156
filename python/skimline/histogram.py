# SPDX-License-Identifier: BSD-3-Clause
"""Filled histograms, as the UHI protocol wants them (https://uhi.readthedocs.io)."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from skimline.argument_types import checked
from skimline.errors import ConfigError, Error
from skimline.optional import require
from skimline.variations import ByVariation

if TYPE_CHECKING:
    import boost_histogram
    import hist
    import numpy as np
    from numpy.typing import NDArray

    from skimline import _core

    Doubles = NDArray[np.float64]

__all__ = ["Axis", "Histogram", "Traits"]

Bin = Union[tuple[float, float], str, int]


class Traits(NamedTuple):
    """What UHI wants to know of an axis."""

    circular: bool
    discrete: bool


class Axis(Sequence[Bin]):
    """One axis: a sequence of bins, (lower, upper) pairs or, if they are discrete, texts or integers."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self._facts = facts

    @property
    def kind(self) -> str:
        """ "regular", "variable", "integer", "string_categories" or "integer_categories"."""
        return str(self._facts["kind"])

    @property
    def label(self) -> str:
        """Label and unit as ROOT shows them, "m [GeV]"."""
        label, unit = self._facts["label"], self._facts["unit"]
        return f"{label} [{unit}]".strip() if unit else str(label)

    @property
    def unit(self) -> str:
        """The unit alone, or an empty text."""
        return str(self._facts["unit"])

    @property
    def traits(self) -> Traits:
        """Whether the axis is circular, and whether its bins are single values."""
        return Traits(bool(self._facts["circular"]), self.kind not in ("regular", "variable"))

    @property
    def is_category(self) -> bool:
        """Whether the bins are categories, texts or integers in any order."""
        return self.kind.endswith("_categories")

    @property
    def is_growing(self) -> bool:
        """Whether values that were none of its categories have got one."""
        return bool(self._facts["growing"])

    @property
    def edges(self) -> Doubles:
        """The edges of the bins, one more than there are bins; of categories 0, 1, 2 and so on."""
        import numpy as np

        if self.kind == "variable":
            return np.array(self._facts["edges"], dtype=np.float64)
        # As ROOT has them: the last edge is exactly the upper end.
        low, high, bins = self._facts["low"], self._facts["high"], self._facts["bins"]
        edges = low + np.arange(bins + 1) * ((high - low) / max(bins, 1))  # what has not grown has no bins
        edges[-1] = high
        return np.asarray(edges, dtype=np.float64)

    @property
    def centers(self) -> Doubles:
        """The centres of the bins."""
        edges = self.edges
        return (edges[1:] + edges[:-1]) / 2

    @property
    def widths(self) -> Doubles:
        """The widths of the bins."""
        edges = self.edges
        return edges[1:] - edges[:-1]

    def __len__(self) -> int:
        return int(self._facts["bins"])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        index = operator.index(index)
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"bin {index} of an axis with {len(self)} bins")
        if self.kind == "string_categories":
            return self._facts["names"][position]
        if self.kind == "integer_categories":
            return self._facts["numbers"][position]
        if self.kind == "integer":
            return round(self._facts["low"]) + position
        edges = self.edges
        return float(edges[position]), float(edges[position + 1])

    def __iter__(self) -> Iterator[Bin]:
        for position in range(len(self)):
            yield self[position]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Axis) and self._facts == other._facts

    def __hash__(self) -> int:
        return hash((self.kind, len(self), self._facts["low"], self._facts["high"]))

    def __repr__(self) -> str:
        if self.is_category:
            bins = ", ".join(repr(each) for each in self[:4]) + (", ..." if len(self) > 4 else "")
        else:
            bins = f"{len(self)} bins from {self._facts['low']:g} to {self._facts['high']:g}"
        return f"Axis({self.label!r}: {bins})" if self.label else f"Axis({bins})"

    def _flow_cells(self) -> tuple[bool, bool]:
        """Whether boost-histogram has an underflow and an overflow cell for such an axis."""
        facts = self._facts
        if self.is_category:
            return False, not facts["growing"]
        if facts["circular"]:
            return False, self.kind != "integer"
        return bool(facts["underflow"]), bool(facts["overflow"])

    def _to_boost(self, module: Any) -> Any:
        """Makes an axis of boost_histogram.axis or hist.axis, which is `module`."""
        facts = self._facts
        if self.kind == "string_categories":
            axis = module.StrCategory(facts["names"], growth=facts["growing"])
        elif self.kind == "integer_categories":
            _check_bits(facts["numbers"])
            axis = module.IntCategory(facts["numbers"], growth=facts["growing"])
        else:
            underflow, overflow = self._flow_cells()
            flow = {"circular": True} if facts["circular"] else {"underflow": underflow, "overflow": overflow}
            if self.kind == "regular":
                axis = module.Regular(facts["bins"], facts["low"], facts["high"], **flow)
            elif self.kind == "variable":
                axis = module.Variable(facts["edges"], **flow)
            else:
                _check_bits([round(facts["high"])])
                axis = module.Integer(round(facts["low"]), round(facts["high"]), **flow)
        if not hasattr(axis, "label"):
            axis.metadata = self.label
        axis.label = self.label  # which hist.Hist(boost) takes over
        return axis


class Histogram:
    """A filled histogram. Follows UHI: `kind`, `axes`, `values()`, `variances()`, `counts()`; mplhep draws it.

    Sums are exact: `a + b` is, bit by bit, the histogram of the fills of both.
    """

    __array_ufunc__ = None  # numbers of numpy leave all to the operators here

    def __init__(self, core: _core.Histogram) -> None:
        if not hasattr(core, "num_sums"):
            raise TypeError("histograms are made by Frame.hist() and run(), or read by read_histogram()")
        self._core = core
        self._axes: tuple[Axis, ...] | None = None  # made when asked for: a run may fill thousands
        self._variations: ByVariation[Histogram] = ByVariation()

    def __getstate__(self) -> tuple[_core.Histogram, dict[str, Histogram]]:
        return self._core, dict(self._variations)

    def __setstate__(self, state: tuple[_core.Histogram, dict[str, Histogram]]) -> None:
        self.__init__(state[0])  # type: ignore[misc]
        self._variations.update(state[1])

    @property
    def name(self) -> str:
        """The name, as a file has it."""
        return self._core.name

    @property
    def title(self) -> str:
        """The title."""
        return self._core.title

    @property
    def label(self) -> str:
        """What the contents are: "Events", or the value of a profile."""
        return self._core.value_title

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes."""
        if self._axes is None:
            self._axes = tuple(Axis(facts) for facts in self._core.axes)
        return self._axes

    @property
    def kind(self) -> str:
        """ "COUNT" or, for profiles, "MEAN"."""
        return "MEAN" if self.storage == "profile" else "COUNT"

    @property
    def storage(self) -> str:
        """ "count", "weighted" or "profile"."""
        return self._core.storage

    @property
    def entries(self) -> int:
        """Number of fills, those outside of the axes included."""
        return self._core.entries

    @property
    def variations(self) -> Mapping[str, Histogram]:
        """The same histogram in each variation of the run, and of its weight, by name; this is the nominal one.

        There are none for one that was read from a file; sums have those that both have.
        """
        return self._variations

    @property
    def num_nan(self) -> int:
        """Fills at a position that is not a number; they are in overflow."""
        return self._core.num_nan

    @checked
    def values(self, flow: bool = False) -> Doubles:
        """Returns the contents, or the means of a profile (NaN where nothing was filled).

        The array has one dimension for each axis, and a cell for each bin; with `flow` also the underflow cell
        in front and the overflow cell behind them. Without means it is a view that cannot be written.
        """
        if self.storage != "profile":
            return self._sums(0, flow)
        import numpy as np

        weight = self._sums(0, flow)
        return np.asarray(
            np.divide(self._sums(2, flow), weight, out=np.full(weight.shape, np.nan), where=weight != 0)
        )

    @checked
    def variances(self, flow: bool = False) -> Doubles:
        """Returns the sums of squared weights; of a profile the squared error of each mean.

        That is the variance of the filled values, without bias, over the effective number of fills; NaN where
        that is 1 or less.
        """
        if self.storage != "profile":
            return self._sums(self._core.num_sums - 1, flow)
        import numpy as np

        weight, squares = self._sums(0, flow), self._sums(1, flow)
        counts, deltas = self.counts(flow), self._squared_deltas(flow)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = deltas / (weight - squares / weight)
            return np.asarray(np.where(counts > 1, spread / counts, np.nan))

    @checked
    def counts(self, flow: bool = False) -> Doubles:
        """Returns the effective number of fills: (sum of weights)^2 / sum of squared weights."""
        import numpy as np

        weight = self._sums(0, flow)
        if self.storage == "count":
            return weight
        squares = self._sums(1, flow)
        return np.divide(weight * weight, squares, out=np.zeros(weight.shape), where=squares != 0)

    @checked
    def to_numpy(self, flow: bool = False) -> tuple[Any, ...]:
        """Returns the values and the edges of each axis, as numpy.histogramdd; flow edges are infinite."""
        import numpy as np

        def edges(axis: Axis) -> Any:
            return np.concatenate([[-np.inf], axis.edges, [np.inf]]) if flow else axis.edges

        return (self.values(flow), *(edges(axis) for axis in self.axes))

    def to_hist(self) -> hist.Hist[Any]:
        """Returns a hist.Hist with the same contents (storage Int64, Weight, Mean or WeightedMean).

        Fills are kept in cells that axes of hist have too: those of a circular axis outside of it are
        together, categories have no underflow. Needs hist.
        """
        module = require("hist", "to_hist()")
        made: hist.Hist[Any] = self._to_boost(module, module.Hist, {"name": self.name, "label": self.label})
        return made

    def to_boost(self) -> boost_histogram.Histogram[Any]:
        """Returns the same as a boost_histogram.Histogram. Needs boost-histogram."""
        boost = require("boost_histogram", "to_boost()")
        made: boost_histogram.Histogram[Any] = self._to_boost(boost, boost.Histogram, {})
        return made

    def _to_boost_histogram_(self) -> boost_histogram.Histogram[Any]:
        """What `boost_histogram.Histogram(h)` and `hist.Hist(h)` take."""
        return self.to_boost()

    def __getitem__(self, index: Any) -> Any:
        """Returns what a hist.Hist has there, as UHI says: `h[3]`, `h[5j:10j]`, `h[::sum]`, `h[2:8:hist.rebin(2)]`."""
        return self.to_hist()[index]

    def __mul__(self, factor: float) -> Histogram:
        """Returns the histogram of fills with weights multiplied by the factor; of profiles the means stay.

        It has no exact sums: what is to be added up exactly is filled with the factor in its weight.
        """
        number = _number(factor)
        if number is None:
            return NotImplemented
        made = Histogram(_scaled(self._core, number))
        made._variations.update((name, each * number) for name, each in self._variations.items())
        return made

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Histogram:
        number = _number(divisor)
        return NotImplemented if number is None else self * (1 / number)

    def __add__(self, other: object) -> Histogram:
        other = getattr(other, "result", other)  # of what was booked
        if not isinstance(other, Histogram):
            return NotImplemented
        total = self._core.copy()
        total += other._core
        made = Histogram(total)
        made._variations.update(
            (name, each + other.variations[name])
            for name, each in self._variations.items()
            if name in other.variations
        )
        return made

    def __radd__(self, other: object) -> Histogram:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # as sum() begins with 0

    def __eq__(self, other: object) -> bool:
        """Whether axes, contents and number of fills are the same."""
        if not isinstance(other, Histogram):
            return NotImplemented
        import numpy as np

        return (
            self.axes == other.axes
            and self.storage == other.storage
            and self.entries == other.entries
            and all(
                np.array_equal(self._core.sums(i), other._core.sums(i)) for i in range(self._core.num_sums)
            )
        )

    def __hash__(self) -> int:
        return hash((self.axes, self.storage, self.entries))

    def __repr__(self) -> str:
        axes = ", ".join(repr(axis) for axis in self.axes)
        return f"<Histogram {self.name!r}: {axes}, {self.storage}, {self.entries} entries>"

    def _repr_html_(self) -> str:
        import html

        return self._drawn_by_hist() or f"<code>{html.escape(repr(self))}</code>"

    def _drawn_by_hist(self) -> str | None:
        """A picture, if hist has one. It takes texts for HTML, and those of files may be anything."""
        import html

        texts = [axis[number] for axis in self.axes if axis.is_category for number in range(len(axis))]
        if any(html.escape(str(text)) != str(text) for text in texts):
            return None
        try:
            made: Any = self.to_hist()
        except (ImportError, Error):
            return None
        for axis in made.axes:
            axis.label = html.escape(axis.label)
        drawn: str | None = made._repr_html_()
        return drawn

    def _sums(self, number: int, flow: bool) -> Doubles:
        sums = self._core.sums(number)
        return sums if flow else sums[(slice(1, -1),) * sums.ndim]

    def _squared_deltas(self, flow: bool) -> Doubles:
        weight, value = self._sums(0, flow), self._sums(2, flow)
        return _squared_deltas(weight, value, self._sums(3, flow), _quotient(value, weight))

    def _to_boost(self, module: Any, make: Any, names: dict[str, str]) -> Any:
        import numpy as np

        is_unweighted = self.storage == "profile" and np.array_equal(self._core.sums(0), self._core.sums(1))
        storage = {
            "count": module.storage.Int64,
            "weighted": module.storage.Weight,
            "profile": module.storage.Mean if is_unweighted else module.storage.WeightedMean,
        }[self.storage]
        made = make(*(axis._to_boost(module.axis) for axis in self.axes), storage=storage(), **names)
        view = made.view(flow=True)
        sums = [self._cells_of_boost(self._core.sums(i)) for i in range(self._core.num_sums)]
        if self.storage == "count":
            view[...] = sums[0]
        elif self.storage == "weighted":
            view["value"], view["variance"] = sums
        else:
            weight = sums[0]
            view["value"] = _quotient(sums[2], weight)
            if is_unweighted:
                view["count"] = weight
                view["_sum_of_deltas_squared"] = _squared_deltas(weight, sums[2], sums[3], view["value"])
            else:
                view["sum_of_weights"] = weight
                view["sum_of_weights_squared"] = sums[1]
                view["_sum_of_weighted_deltas_squared"] = _signed_deltas(
                    weight, sums[2], sums[3], view["value"]
                )
        return made

    def _cells_of_boost(self, sums: Doubles) -> Doubles:
        """Leaves out flow cells that axes of boost-histogram lack; those of a circular axis become one."""
        import numpy as np

        for number, axis in enumerate(self.axes):
            underflow, overflow = axis._flow_cells()
            cells = np.moveaxis(sums, number, 0)
            if axis.traits.circular:
                cells = np.concatenate([cells[:-1], cells[-1:] + cells[:1]])
            cells = cells[None if underflow else 1 : None if overflow else -1]
            sums = np.moveaxis(cells, 0, number)
        return sums


def _quotient(values: Doubles, divisors: Doubles) -> Doubles:
    import numpy as np

    return np.divide(values, divisors, out=np.zeros(values.shape), where=divisors != 0)


def _squared_deltas(weight: Doubles, value: Doubles, squared: Doubles, mean: Doubles) -> Doubles:
    """The sums of w (v - mean)^2, which have the sign of the weights but for rounding."""
    import numpy as np

    deltas = squared - mean * value
    return np.where(weight < 0, np.minimum(deltas, 0.0), np.maximum(deltas, 0.0))


def _signed_deltas(weight: Doubles, value: Doubles, squared: Doubles, mean: Doubles) -> Doubles:
    """The same where a bin may have weights of both signs: what is small with the other sign is rounding."""
    import numpy as np

    deltas = squared - mean * value
    is_rounding = (deltas * weight < 0) & (np.abs(deltas) <= 1e-9 * np.abs(squared))
    return np.where(is_rounding, 0.0, deltas)


def _check_bits(numbers: Sequence[int]) -> None:
    """Throws Error for integers that axes of boost-histogram cannot have."""
    for number in numbers:
        if not -(2**31) <= number < 2**31:
            raise Error(f"integers on axes of hist and boost-histogram have 32 bits, {number} has more")


def _number(value: Any) -> float | None:
    """What a factor is as a number, None if it is none. Types of numpy may hold fewer digits of what is made of them."""
    if isinstance(value, Histogram) or not hasattr(value, "__float__"):
        return None
    if getattr(getattr(value, "dtype", None), "kind", "") in {*"SUcmM"}:  # texts, complex numbers and times
        return None
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    except (TypeError, ValueError):  # an array
        return None


def _scaled(core: _core.Histogram, factor: float) -> _core.Histogram:
    """The same with weights multiplied by a finite factor."""
    import math

    import numpy as np

    if not math.isfinite(factor):
        raise ConfigError(f"a histogram cannot be multiplied by {factor}")
    if factor and (
        factor * factor == 0 or not math.isfinite(factor * factor)
    ):  # errors would be 0 or infinite
        raise ConfigError(
            f"a histogram cannot be multiplied by {factor}, of which no double holds the square"
        )
    state = list(core.__getstate__())
    sums = [np.frombuffer(each) for each in state[_SUMS]]
    if state[_STORAGE] == "count":
        state[_STORAGE], sums = "weighted", [sums[0], sums[0]]
    state[_SUMS] = tuple(
        (values * (factor * factor if number == 1 else factor)).tobytes()
        for number, values in enumerate(sums)
    )
    weight, squared, *others = state[_STATISTICS]
    scaled = [
        [value * factor for value in each] if isinstance(each, list) else each * factor for each in others
    ]
    state[_STATISTICS] = (weight * factor, squared * factor * factor, *scaled)
    state[_EXACT] = None
    made = type(core).__new__(type(core))
    made.__setstate__(tuple(state))
    return made


# Places in the state of a histogram of the engine: python/src/histogram_state.cc.
_STORAGE, _SUMS, _STATISTICS, _EXACT = 4, 6, 10, 11

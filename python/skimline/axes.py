# SPDX-License-Identifier: BSD-3-Clause
"""What users say of an axis, checked where it is said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from skimline.argument_types import checked
from skimline.arguments import checked_text
from skimline.columns import Column
from skimline.errors import ConfigError

__all__ = ["axis"]

_MOST_BINS = 10_000_000
_WAYS = "give bins=n with range=(low, high), or edges, integers=(first, last) or categories"


@checked
def axis(
    value: str | Column,
    *,
    bins: int | None = None,
    range: tuple[float, float] | None = None,
    edges: Sequence[float] | None = None,
    integers: tuple[int, int] | None = None,
    categories: Sequence[str] | Sequence[int] | None = None,
    growing: bool = False,
    growth: bool = False,
    circular: bool = False,
    underflow: bool = True,
    overflow: bool = True,
    label: str = "",
    unit: str = "",
) -> dict[str, Any]:
    """Describes an axis and what is filled along it, in the words of the config.

    One of these says which bins there are:

    - `bins` and `range`: bins of equal width, closed below and open above;
    - `edges`: bins between increasing numbers;
    - `integers`: a bin for each integer from the first to the last;
    - `categories`: a bin for each text or integer, in this order; others get bins of their own if `growing`, which
      hist calls `growth`.

    Throws ConfigError for bins that there cannot be.

    >>> axis("MET_pt", bins=50, range=(0, 200), unit="GeV")
    {'value': 'MET_pt', 'bins': 50, 'range': [0, 200], 'unit': 'GeV'}
    """
    text = checked_text(value, "what is filled along an axis")
    described: dict[str, Any] = {"value": text}
    if bins is not None:
        described["bins"] = _plain(bins)
    for key, numbers in (
        ("range", range),
        ("edges", edges),
        ("integers", integers),
        ("categories", categories),
    ):
        if numbers is not None:
            described[key] = _listed(numbers, key, text)
    for key, flag in (("growing", growing or growth), ("circular", circular)):
        if flag:
            described[key] = True
    for key, flag in (("underflow", underflow), ("overflow", overflow)):
        if not flag:
            described[key] = False
    for key, shown in (("label", label), ("unit", unit)):
        if checked_text(shown, key):
            described[key] = shown
    problem = _problem(described)
    if problem:
        raise ConfigError(f'the axis of "{text}": {problem}')
    return described


def _plain(number: Any) -> Any:
    return number.item() if hasattr(number, "item") else number


def _listed(numbers: Any, key: str, value: str) -> list[Any]:
    if isinstance(numbers, str) or not hasattr(numbers, "__iter__"):
        raise ConfigError(f'the axis of "{value}": {key} is a list, not {numbers!r}')
    if any(hasattr(number, "mask") for number in numbers):  # of numpy's masked arrays: its item() is 0
        raise ConfigError(f'the axis of "{value}": an entry of {key} is masked')
    return [_plain(number) for number in numbers]


def _problem(described: dict[str, Any]) -> str:
    """What is wrong with the bins; empty if nothing is."""
    ways = [key for key in ("bins", "edges", "integers", "categories") if key in described]
    if "range" in described and "bins" not in described:
        return f"range needs bins=n: {_WAYS}"
    if len(ways) != 1:
        return f"{' and '.join(ways)} cannot be together: {_WAYS}" if ways else f"it has no bins: {_WAYS}"
    problem = _CHECKS[ways[0]](described)
    if problem or ways == ["categories"]:
        return problem
    return "growing needs categories" if "growing" in described else ""


def _of_bins(described: dict[str, Any]) -> str:
    bins = described["bins"]
    if not _is_integer(bins):
        return f"bins={bins!r} is no number of bins; edges=[...] are bins of your own"
    if not 1 <= bins <= _MOST_BINS:
        return f"bins={bins} is not from 1 to {_MOST_BINS}"
    if "range" not in described:
        return f"bins={bins} needs range=(low, high)"
    return _of_range("range", described["range"])


def _of_range(key: str, limits: list[Any]) -> str:
    if len(limits) != 2 or not all(map(_is_number, limits)):
        return f"{key}={limits!r} is not two finite numbers, (low, high)"
    return "" if limits[0] < limits[1] else f"{key}=({limits[0]}, {limits[1]}) does not go upwards"


def _of_edges(described: dict[str, Any]) -> str:
    edges = described["edges"]
    if len(edges) < 2 or not all(map(_is_number, edges)):
        return "edges must be two or more finite numbers; what is beyond the last is in the overflow cell"
    bad = next(((a, b) for a, b in zip(edges, edges[1:]) if not a < b), None)
    return f"edges must increase: {bad[0]} is followed by {bad[1]}" if bad else ""


def _of_integers(described: dict[str, Any]) -> str:
    limits = described["integers"]
    if len(limits) != 2 or not all(map(_is_integer, limits)):
        return f"integers={limits!r} is not (first, last), two integers; the last one has a bin too"
    first, last = limits
    if not -(2**31) <= first <= last < 2**31:
        reason = "does not go upwards" if first > last else "has integers of more than 32 bits"
        return f"integers=({first}, {last}) {reason}"
    if last - first >= _MOST_BINS:
        return f"integers=({first}, {last}) would have more than {_MOST_BINS} bins"
    return ""


def _of_categories(described: dict[str, Any]) -> str:
    categories = described["categories"]
    are_texts = all(isinstance(each, str) for each in categories)
    if not are_texts and not all(map(_is_integer, categories)):
        return "categories are all texts or all integers"
    if not are_texts and any(abs(each) > 2**53 for each in categories):
        return "a category is an integer up to 2**53"
    if not categories and not described.get("growing"):
        return "it has no categories, and is not growing=True"
    twice = next((each for i, each in enumerate(categories) if each in categories[:i]), None)
    if twice is not None:
        return f"the category {twice!r} is there twice"
    flow = next((key for key in ("circular", "underflow", "overflow") if key in described), None)
    return f"{flow} is not for categories" if flow else ""


_CHECKS = {"bins": _of_bins, "edges": _of_edges, "integers": _of_integers, "categories": _of_categories}


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer that no float holds
        return False

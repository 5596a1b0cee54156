# SPDX-License-Identifier: BSD-3-Clause
"""What is meant by what Python says otherwise than expressions do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from skimline.errors import ExpressionError

__all__ = ["first_few", "hint_for_attribute", "hint_for_function", "hinting", "misused_as_key"]

_SHOWN = 5


def first_few(texts: Sequence[str]) -> str:
    """The first of them, and how many more there are: thousands of names hide what a message says."""
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return ", ".join(texts[:_SHOWN]) + more


_HINTS = (
    (r"\b(?:np|numpy|math|ak)\.", "functions have no module in front: sqrt(x), Sum(x)"),
    (r"\blen\s*\(", "the length of a list is x.size()"),
    (r"\[\s*:?\s*-\s*\d+", "there are no negative indices: Take(x, -1)[0] is the last element"),
    (r"\[\s*\d*\s*:", "the first two elements are Take(x, 2)"),
    (r"(?<![&])&(?![&])|(?<!\|)\|(?!\|)", "conditions are joined by && and ||"),
    (r"\bis\b|\bNone\b", "values are compared by == and !="),
    (r"\bTrue\b|\bFalse\b", "write true and false"),
    (
        r"\bany\s*\(|\ball\s*\(|\bsum\s*\(|\bmax\s*\(|\bmin\s*\(",
        "of lists these are Any, All, Sum, Max and Min",
    ),
)

_ATTRIBUTES = {
    "Filter": "filter",
    "Define": "define",
    "Redefine": "redefine",
    "Alias": "alias",
    "Vary": "vary",
    "Histo1D": "hist",
    "Histo2D": "hist",
    "Histo3D": "hist",
    "Profile1D": "hist(..., profile=)",
    "Snapshot": "skim",
    "Count": "count",
    "Sum": "sum",
    "Mean": "mean",
    "Min": "min",
    "Max": "max",
    "StdDev": "std",
    "Take": "take",
    "AsNumpy": "arrays(library='np')",
    "Display": "head",
    "Describe": "describe",
    "Range": "range",
    "Report": "cutflow",
    "GetColumnNames": "columns",
    "keys": "columns",
    "fields": "columns",
    "to_numpy": "arrays(library='np')",
    "to_pandas": "arrays(library='pd')",
    "collect": "arrays",
    "select": "arrays or filter",
    "query": "filter",
}

# What numpy, awkward and hist call otherwise; x is the expression.
_FUNCTIONS = {
    "amax": "x.max()",
    "amin": "x.min()",
    "argmax": 'events["ArgMax({x})"]',
    "argmin": 'events["ArgMin({x})"]',
    "argsort": 'events["Argsort({x})"]',
    "bitwise_and": 'events["{x} & y"] for bits, or x & y for conditions',
    "bitwise_or": 'events["{x} | y"] for bits, or x | y for conditions',
    "clip": 'events["clamp({x}, low, high)"]',
    "combinations": 'events["Combinations({x}, n)"], or objects',
    "cartesian": 'events["Combinations({x}, y)"], or objects',
    "concatenate": 'events["Concatenate({x}, y)"], or objects',
    "count": "x.size()",
    "firsts": "x[0]",
    "flatten": 'events["Flatten({x})"] of lists in lists; histograms take lists as they are',
    "histogram": "frame.hist(x, bins=, range=)",
    "invert": 'events["~{x}"] for bits, or ~x for conditions',
    "isin": 'events["IsIn({x}, y)"]',
    "len": "x.size()",
    "num": "x.size()",
    "prod": 'events["Product({x})"]',
    "remainder": "{x} % n of integers, or numpy.fmod, which have the sign of {x}, as in C++",
    "reverse": "x[::-1]",
    "round": 'events["rint({x})"]',
    "sort": 'events["Sort({x})"]',
    "std": 'events["StdDev({x})"], which divides by size - 1',
    "var": 'events["Var({x})"], which divides by size - 1',
    "where": 'events["condition ? a : b"], or Where(condition, a, b) of lists',
}
_METHODS = ("sum", "mean", "min", "max", "any", "all", "size")


@contextmanager
def hinting(expression: str) -> Iterator[None]:
    """Adds what may be meant to the message of a mistake in the expression."""
    try:
        yield
    except ExpressionError as error:
        hint = _hint_for(expression, error.offset)
        is_new = f"({hint})" not in str(error)
        if hint and is_new and error.problem.startswith(("expected", "unknown")):
            error.args = (f"{error} ({hint})", *error.args[1:])
        raise


def _hint_for(expression: str, offset: int) -> str:
    """What may be meant by a mistake in an expression; empty if nothing is known."""
    plain = re.sub(r'"(?:\\.|[^"\\])*"|`[^`]*`', lambda match: " " * len(match[0]), expression)
    for pattern, hint in _HINTS:
        found = re.search(pattern, plain)
        if found and abs(found.start() - offset) <= max(8, len(found[0]) + 4):
            return hint
    return ""


def hint_for_function(name: str, expression: str) -> str:
    """How a frame says what others call by a name; empty if nothing is known."""
    if name in _METHODS:
        return f"x.{name}() is that of each list"
    form = _FUNCTIONS.get(name)
    return f"write {form.format(x=expression)}" if form else ""


def misused_as_key(key: object) -> str:
    """What is wrong with `frame[key]`, where that is none of texts, conditions and slices."""
    if isinstance(key, (list, tuple)) and key and all(isinstance(each, str) for each in key):
        return f"several columns are read by arrays({list(key)!r})"
    if isinstance(key, (list, tuple)) or hasattr(key, "__index__") or hasattr(key, "dtype"):
        return "events are chosen by a condition, by numbers of entries in arrays(columns, entries=[...]), or as a part, frame[100:200]"
    return f"a frame takes the text of an expression, a condition or a part of the entries, not {key!r}"


def hint_for_attribute(name: str) -> str:
    """The method that others call by a name; empty if none is known."""
    return _ATTRIBUTES.get(name, "")

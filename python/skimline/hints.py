# SPDX-License-Identifier: BSD-3-Clause
"""What is meant by what Python says otherwise than expressions do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from skimline.errors import ExpressionError

__all__ = ["hint_for_attribute", "hinting"]

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


@contextmanager
def hinting(expression: str) -> Iterator[None]:
    """Adds what may be meant to the message of a mistake in the expression."""
    try:
        yield
    except ExpressionError as error:
        hint = _hint_for(expression, error.offset)
        if hint and error.problem.startswith(("expected", "unknown")):
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


def hint_for_attribute(name: str) -> str:
    """The method that others call by a name; empty if none is known."""
    return _ATTRIBUTES.get(name, "")

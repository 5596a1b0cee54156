# SPDX-License-Identifier: BSD-3-Clause
"""Parts of the entries of samples, as filters."""

from __future__ import annotations

import re

from skimline.arguments import checked_entry
from skimline.events import Events
from skimline.steps import Filter

__all__ = ["entries_between", "ranges_beyond"]

_RANGE = re.compile(r"entry_ >= ([0-9]+)(?: && entry_ < [0-9]+)?")


def entries_between(start: int, stop: int | None) -> Filter:
    """The filter that leaves entries from one number to another."""
    first, last = checked_entry(start), None if stop is None else checked_entry(stop)
    conditions = ([f"entry_ >= {first}"] if first else []) + (
        [f"entry_ < {last}"] if last is not None else []
    )
    text = " && ".join(conditions) or "true"
    return Filter(text, text)


def ranges_beyond(events: Events, limit: int | None) -> list[str]:
    """The ranges of entries that all come behind the first so many, as filters say them."""
    found = [(each.expression, _RANGE.fullmatch(each.expression)) for each in events.filters]
    return [text for text, match in found if match and limit is not None and int(match[1]) >= limit]

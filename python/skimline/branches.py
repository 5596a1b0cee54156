# SPDX-License-Identifier: BSD-3-Clause
"""Which events frames stand for, in the words of a config: `select`, `regions`, `after`.

The filters of a config are one chain, `select`. Frames may branch: what they have in common becomes the
chain, and the filters behind a fork become regions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from skimline.events import Events, Request
from skimline.scope import free_name
from skimline.steps import Filter

__all__ = ["ALL_EVENTS", "Branches", "ShownFilters"]

ALL_EVENTS = "all events"

_Chain = tuple[Filter, ...]


class ShownFilters(NamedTuple):
    """What cutflows call the filters of a config that was made of frames."""

    steps: Mapping[str, str]
    """By step of `select`."""
    regions: Mapping[str, tuple[str, str]]
    """By region: the name of its last filter, and the region of the filters before, "" for the fork itself."""


class Branches:
    """The filters of frames as one chain and regions."""

    def __init__(self, frames: Sequence[Events], text: Callable[[Filter], str]) -> None:
        self._text = text
        chains = list(dict.fromkeys(frame.filters for frame in frames))
        longest = max(chains, key=len)
        if not all(longest[: len(chain)] == chain for chain in chains):
            longest = _common_start(chains)
        self._trunk = longest
        self._steps: dict[Filter, str] = {}  # what they are called in the config
        for step in longest:
            self._steps[step] = _step_name(step.name, set(self._steps.values()))
        self.regions: dict[str, dict[str, str]] = {}
        self._filters_of: dict[str, tuple[str, str]] = {}
        self._region_of: dict[_Chain, str] = {}
        for chain in chains:
            for length in range(len(self._trunk) + 1, len(chain) + 1):
                self._add_region(chain[:length])

    @property
    def select(self) -> list[dict[str, str]]:
        """The filters that all have in common."""
        return [{"name": name, "where": self._text(step)} for step, name in self._steps.items()]

    @property
    def shown(self) -> ShownFilters:
        """What the filters are called."""
        return ShownFilters({name: step.name for step, name in self._steps.items()}, self._filters_of)

    def of(self, booking: Request) -> dict[str, Any]:
        """The keys of a histogram or skim that choose its events."""
        chain = booking.frame.filters
        if chain in self._region_of:
            region = self._region_of[chain]
            return {"region": region} if booking._section == "skims" else {"regions": [region]}
        if len(chain) == len(self._trunk):
            return {}
        return {"after": self._steps[chain[-1]] if chain else ALL_EVENTS}

    def _add_region(self, chain: _Chain) -> None:
        if chain in self._region_of:
            return
        plain = re.sub(r"[^A-Za-z0-9_.-]+", "_", chain[-1].name).strip("_") or "region"
        steps = set(self._steps.values())
        name = free_name(plain, lambda text: text in self.regions or text in steps)
        conditions = [self._text(step) for step in chain[len(self._trunk) :]]
        where = conditions[0] if len(conditions) == 1 else " && ".join(f"({each})" for each in conditions)
        self.regions[name] = {"where": where}
        self._filters_of[name] = (chain[-1].name, self._region_of.get(chain[:-1], ""))
        self._region_of[chain] = name


def _step_name(name: str, taken: set[str]) -> str:
    """The name, with a number if a filter before has it: a config has each once."""
    number, free = 1, name
    while free in taken or free == ALL_EVENTS:
        number += 1
        free = f"{name} ({number})"
    return free


def _common_start(chains: Sequence[_Chain]) -> _Chain:
    common = chains[0]
    for chain in chains[1:]:
        length = 0
        while length < min(len(common), len(chain)) and common[length] is chain[length]:
            length += 1
        common = common[:length]
    return common

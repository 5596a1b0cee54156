# SPDX-License-Identifier: BSD-3-Clause
"""What a config asks for, as frames and bookings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from skimline.argument_types import checked
from skimline.booking import BookedHistogram, BookedSkim, Booking
from skimline.branches import ALL_EVENTS
from skimline.config import resolved_config
from skimline.frame import Frame

__all__ = ["Booked", "book"]


class Booked(Sequence[Booking]):
    """The histograms and skims of a config, to be run as they are, or one by one."""

    def __init__(
        self,
        frame: Frame,
        regions: dict[str, Frame],
        histograms: dict[str, BookedHistogram],
        skims: dict[str, BookedSkim],
    ) -> None:
        self.frame = frame
        """The events that pass all of `select`."""
        self.regions = regions
        """Those of each region, by name."""
        self.histograms = histograms
        """By name; that of one of several regions is "<region>__<histogram>"."""
        self.skims = skims
        """By name."""

    def __getitem__(self, index: Any) -> Any:
        return [*self.histograms.values(), *self.skims.values()][index]

    def __len__(self) -> int:
        return len(self.histograms) + len(self.skims)


@checked
def book(config: str | PathLike[str] | Mapping[str, Any], *, sets: Sequence[str] = ()) -> Booked:
    """Books the histograms and skims of a config on frames; `run` then fills them as the program does.

    `config` and `sets` are as in `Frame.from_config`. Regions are filters behind the step that they branch from. Where
    histograms and reports go, and `histogram_memory`, is said to `run`. Throws ConfigError and what frames throw.

    >>> booked = sk.book({
    ...     "schema_version": 1,
    ...     "samples": {"dimuon": {"files": ["dimuon.root"]}},
    ...     "regions": {"two": {"where": "nMuon == 2"}},
    ...     "histograms": {"met": {"x": {"value": "MET_pt", "bins": 50, "range": [0, 200]}, "regions": ["two"]}},
    ... })
    >>> result = sk.run(booked)
    >>> booked.histograms["met"].result.entries
    5234
    """
    resolved = resolved_config(config, sets)
    frames = Frame._at_steps(resolved)
    behind = {ALL_EVENTS: frames[0]}
    behind.update((step["name"], frame) for step, frame in zip(resolved.get("select", []), frames[1:]))

    def events_of(described: Mapping[str, Any]) -> Frame:
        return behind[described["after"]] if "after" in described else frames[-1]

    regions = {
        name: events_of(each).filter(each["where"], name=name)
        for name, each in resolved.get("regions", {}).items()
    }
    histograms: dict[str, BookedHistogram] = {}
    for name, described in (resolved.get("histograms") or {}).items():
        own = _with_defaults(
            described, resolved.get("histogram_defaults", {}), has_weights="weights" in resolved
        )
        chosen = described.get("regions", [])
        for region in chosen or [""]:
            frame = regions[region] if region else events_of(described)
            of_region = f"{region}__{name}" if len(chosen) > 1 else name
            histograms[of_region] = BookedHistogram(frame, of_region, _without_place(own))
    skims = {
        name: BookedSkim(
            regions[described["region"]] if "region" in described else events_of(described),
            name,
            _without_place(described),
        )
        for name, described in (resolved.get("skims") or {}).items()
    }
    return Booked(frames[-1], regions, histograms, skims)


def _with_defaults(
    described: Mapping[str, Any], defaults: Mapping[str, Any], *, has_weights: bool
) -> dict[str, Any]:
    """What a histogram says, and else what all do that it can have."""
    fitting = dict(defaults)
    is_profile, counts = "profile" in described, described.get("type") == "int"
    if counts:
        fitting.pop("weight", None)
    is_weighted = not counts and (has_weights or "weight" in {**fitting, **described})
    has_type = not is_profile and len(described.get("axes", [])) <= 3
    if not has_type or (is_weighted and fitting.get("type") == "int"):
        fitting.pop("type", None)
    if not is_weighted and not is_profile:
        fitting.pop("bad_weight", None)
    return {**fitting, **described}


def _without_place(described: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in described.items() if key not in ("after", "regions", "region")}

# SPDX-License-Identifier: BSD-3-Clause
"""Which histograms are drawn together: by the records of files, or by their names."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skimline import _core
from skimline.argument_types import checked_path
from skimline.errors import ConfigError
from skimline.files import RunRecord
from skimline.histogram import Histogram
from skimline.spectra import DrawnAxis, Group, Member, Spectrum, Systematic, spectrum_of

__all__ = ["Panel", "PlotFile", "PlotOptions", "cutflow_panels", "panels_of_files", "panels_of_histograms"]


@dataclass(frozen=True)
class PlotOptions:
    """How histograms are drawn: the keys of "plots" in configs."""

    style: str = "plain"
    text: str = ""
    histograms: Sequence[str] = ()
    regions: Sequence[str] = ()
    groups: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ratio: bool = True
    log_x: bool | Sequence[str] = False
    log_y: bool | Sequence[str] = False
    luminosity_pb: float | None = None

    def is_logarithmic(self, which: str, histogram: str) -> bool:
        """Whether `which` axis, "x" or "y", of a histogram is."""
        chosen = self.log_x if which == "x" else self.log_y
        return chosen if isinstance(chosen, bool) else matches(histogram, chosen)


@dataclass
class Panel:
    """What is in one picture."""

    name: str
    """Of its file."""
    histogram: str
    groups: list[Group]
    title: str = ""
    is_comparison: bool = False
    """Whether the groups are drawn beside each other, and compared with the first one."""


class PlotFile:
    """A file of histograms, and what its record says of them."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        checked_path("plot", path)
        self.path = os.fspath(path)
        read, self.unread = _core.read_drawn_histograms(os.fsencode(path))
        self.histograms = {name: Histogram(core) for name, core in read}
        self.catalogue: dict[str, Any] = json.loads(_core.histogram_catalogue(os.fsencode(path)))

    @property
    def label(self) -> str:
        """What it is called beside other files."""
        return Path(self.path).stem

    @property
    def filled(self) -> list[dict[str, str]]:
        """Name, histogram, region, sample and variation of each histogram that the record knows."""
        return list(self.catalogue["filled"])

    @property
    def record(self) -> RunRecord | None:
        """The record, if there is one."""
        if not self.catalogue["samples"]:
            return None
        from skimline.files import show

        return show(self.path)


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name is one of the patterns, in which * and ? stand for others."""
    return any(re.fullmatch(_regular(pattern), name) for pattern in patterns)


def _regular(pattern: str) -> str:
    return "".join(".*" if each == "*" else "." if each == "?" else re.escape(each) for each in pattern)


def is_wanted(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name matches, or all are wanted."""
    return not patterns or matches(name, patterns)


def panels_of_files(
    files: Sequence[PlotFile], options: PlotOptions, include: Sequence[str] = ()
) -> list[Panel]:
    """The pictures of files: by samples as the records say, else by name."""
    if _are_parts(files):
        panels = _panels_of_samples(files, options, include)
        known = [{each["name"] for each in file.filled} for file in files]
    else:
        panels, known = [], [set() for _ in files]
    others = [
        (file, [name for name in file.histograms if name not in drawn]) for file, drawn in zip(files, known)
    ]
    return panels + _panels_of_names(others, include)


def _are_parts(files: Sequence[PlotFile]) -> bool:
    """Whether no two files have the same histogram of the same sample, so that together they are a whole."""
    keys = [
        (each["histogram"], each["region"], each["sample"], each["variation"])
        for file in files
        for each in file.filled
    ]
    return len(keys) == len(set(keys))


def _panels_of_samples(
    files: Sequence[PlotFile], options: PlotOptions, include: Sequence[str]
) -> list[Panel]:
    members: dict[tuple[str, str], dict[str, Member]] = {}
    varied: list[tuple[tuple[str, str], str, Systematic]] = []
    for file in files:
        for each in file.filled:
            if not _is_chosen(each, options, include) or each["name"] in file.unread:
                continue
            place = (each["region"], each["histogram"])
            spectrum = spectrum_of(file.histograms[each["name"]])
            if each["variation"]:
                variation = Systematic(each["variation"], each["systematic"], each["direction"], spectrum)
                varied.append((place, each["sample"], variation))
            else:
                members.setdefault(place, {})[each["sample"]] = Member(each["sample"], spectrum)
    for place, sample, variation in varied:
        if sample in members.get(place, {}):
            members[place][sample].variations[variation.variation] = variation
    samples = _samples_of(files)
    panels = []
    for (region, histogram), found in members.items():
        groups = grouped(found, samples, options)
        if groups:
            name = f"{region}__{histogram}" if region else histogram
            panels.append(Panel(name, histogram, groups, region))
    return panels


def _is_chosen(each: Mapping[str, str], options: PlotOptions, include: Sequence[str]) -> bool:
    if include:
        return matches(each["histogram"], include) or matches(each["name"], include)
    in_region = is_wanted(each["region"], options.regions) if each["region"] else True
    return in_region and is_wanted(each["histogram"], options.histograms)


def _samples_of(files: Sequence[PlotFile]) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for file in files for each in file.catalogue["samples"]}


def grouped(
    members: Mapping[str, Member], samples: Mapping[str, Mapping[str, Any]], options: PlotOptions
) -> list[Group]:
    """The samples of a picture in groups: those of the options, else each by itself and no sums of them."""
    if not options.groups:
        return [
            Group(name, [member], name, kind="data" if samples.get(name, {}).get("is_data") else "background")
            for name, member in members.items()
            if not samples.get(name, {}).get("is_sum")
        ]
    groups = []
    owners: dict[str, str] = {}
    for name, about in options.groups.items():
        chosen = _members_of(about["samples"], members, samples)
        for each in chosen:
            if owners.setdefault(each.name, name) != name:
                raise ConfigError(
                    f'"{each.name}" is in two groups of plots, "{owners[each.name]}" and "{name}"'
                )
        if chosen:
            groups.append(
                Group(
                    name,
                    chosen,
                    about.get("label", name),
                    about.get("colour"),
                    about.get("kind", "background"),
                    float(about.get("scale", 1)),
                )
            )
    return groups


def _members_of(
    patterns: str | Sequence[str], members: Mapping[str, Member], samples: Mapping[str, Mapping[str, Any]]
) -> list[Member]:
    """Sums of samples only by their own names, or where a pattern matches no sample: nothing counts twice."""
    chosen: dict[str, Member] = {}
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        found = [name for name in members if matches(name, [pattern])]
        alone = [name for name in found if not samples.get(name, {}).get("is_sum")]
        for name in alone if alone and pattern not in found else found:
            chosen[name] = members[name]
    return list(chosen.values())


def _panels_of_names(files: Sequence[tuple[PlotFile, list[str]]], include: Sequence[str]) -> list[Panel]:
    """The pictures of some histograms of each file."""
    names = dict.fromkeys(name for _, listed in files for name in listed)
    panels = []
    for name in names:
        if not is_wanted(name, include):
            continue
        having = [file for file, listed in files if name in listed]
        groups = [
            Group(label, [Member(label, spectrum_of(file.histograms[name]))], label)
            for label, file in zip(_labels_of(having), having)
        ]
        panels.append(Panel(name, name, groups, is_comparison=len(groups) > 1))
    return panels


def _labels_of(files: Sequence[PlotFile]) -> list[str]:
    labels = [file.label for file in files]
    return labels if len(set(labels)) == len(labels) else [file.path for file in files]


def panels_of_histograms(
    histograms: Mapping[str, Histogram],
    options: PlotOptions,
    samples: Mapping[str, Mapping[str, Any]],
    name: str = "",
    systematics: Mapping[str, tuple[str, str]] | None = None,
) -> list[Panel]:
    """One picture of histograms in memory by sample, with the variations that they have.

    `samples` has what is known of them, `name` is that of the picture. `systematics` has systematic and direction of variations,
    of which others are systematics themselves; without it their names say both.
    """
    members = {}
    for sample, histogram in histograms.items():
        if not isinstance(histogram, Histogram):
            raise ConfigError(f"{sample}: a Histogram was expected, not {histogram!r}")
        variations = {
            each: Systematic(
                each,
                *(_parts_of(each) if systematics is None else systematics.get(each, (each, ""))),
                spectrum_of(varied),
            )
            for each, varied in histogram.variations.items()
            if each != "nominal"
        }
        members[sample] = Member(sample, spectrum_of(histogram), variations)
    groups = grouped(members, samples, options)
    if not groups:
        raise ConfigError("no group has any of these histograms")
    name = name or next(iter(histograms.values())).name or next(iter(histograms))
    return [Panel(name, name, groups)]


def _parts_of(variation: str) -> tuple[str, str]:
    """Systematic and direction of "jes_up"."""
    for direction in ("up", "down"):
        if variation.endswith(f"_{direction}"):
            return variation[: -len(direction) - 1], direction
    return variation, ""


def cutflow_panels(files: Sequence[PlotFile], options: PlotOptions) -> list[Panel]:
    """One picture for all samples with the same steps: sums of weights, normalised if their weights are."""
    import numpy as np

    samples = _samples_of(files)
    places = {name: place for place, name in enumerate(samples)}  # those of the config, as of histograms
    by_steps: dict[tuple[str, ...], dict[str, Member]] = {}
    for file in files:
        record = file.record
        recorded = record.samples if record else {}
        for name in sorted(recorded, key=lambda each: places.get(each, len(places))):
            sample = recorded[name]
            steps = tuple(step["name"] for step in sample["cutflow"])
            spectrum = _cutflow_spectrum(sample, steps)
            known = by_steps.setdefault(steps, {}).setdefault(name, Member(name, spectrum))
            if not np.array_equal(known.nominal.values, spectrum.values):
                raise ConfigError(f'these files have other cutflows of "{name}": draw them one by one')
    return [
        Panel("cutflow" if number == 0 else f"cutflow_{number + 1}", "cutflow", groups)
        for number, members in enumerate(by_steps.values())
        for groups in [grouped(members, samples, options)]
        if groups
    ]


def _cutflow_spectrum(sample: Mapping[str, Any], steps: Sequence[str]) -> Spectrum:
    import numpy as np

    scale = sample["normalisation"] if sample["normalisation"] is not None else 1.0
    values = np.array([step["sum_weights"] for step in sample["cutflow"]], dtype=float)
    errors = np.array([step["sum_weights_error"] for step in sample["cutflow"]], dtype=float)
    axis = DrawnAxis(np.arange(len(steps) + 1.0), "", list(steps))
    return Spectrum(values * scale, (errors * scale) ** 2, (axis,), "Events")

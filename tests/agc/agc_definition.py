# SPDX-License-Identifier: BSD-3-Clause
"""What the references of the AGC share: cuts, cross sections, the list of inputs and the names of histograms."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

LUMINOSITY_PB = 3378.0

CROSS_SECTIONS_PB = {
    "ttbar": 396.87 + 332.97,
    "single_top_s_chan": 2.0268 + 1.2676,
    "single_top_t_chan": (36.993 + 22.175) / 0.252,
    "single_top_tW": 37.936 + 37.906,
    "wjets": 61457 * 0.252,
}

# Bins and range in GeV of both observables.
BINS, LOW, HIGH = 25, 50.0, 550.0

REGIONS = ("4j1b", "4j2b")


@dataclass(frozen=True)
class Selection:
    """Objects that count. Each threshold is to be exceeded."""

    lepton_pt: float
    jet_pt: float
    btag: float
    has_quality: bool


VERSIONS = {"v1": Selection(25, 25, 0.5, False), "v2": Selection(30, 30, 0.5, True)}


class Contents(NamedTuple):
    """The bins of a histogram, under- and overflow first and last."""

    sums: np.ndarray
    variances: np.ndarray

    def __add__(self, other: "Contents") -> "Contents":
        return Contents(self.sums + other.sums, self.variances + other.variances)

    def times(self, factor: float) -> "Contents":
        return Contents(factor * self.sums, factor * factor * self.variances)


Histograms = dict[str, Contents]


@dataclass(frozen=True)
class Sample:
    """The files of one process, made in one way."""

    process: str
    variation: str
    paths: tuple[str, ...]
    num_events: int

    @property
    def weight(self) -> float:
        """Of each event, before what varies."""
        return CROSS_SECTIONS_PB[self.process] * LUMINOSITY_PB / self.num_events

    @property
    def is_nominal(self) -> bool:
        return self.variation == "nominal"

    def histogram(self, region: str, variation: str) -> str:
        """The name of a histogram; `variation` is of the events, not of the sample."""
        named = [name for name in (self.variation, variation) if name != "nominal"]
        return "_".join([region, self.process, *named])


def read_samples(inputs: Path) -> list[Sample]:
    """The samples of a list as the AGC has it. Paths are relative to the list."""
    found = []
    for process, variations in json.loads(inputs.read_text()).items():
        for variation, described in variations.items():
            paths = tuple(str(inputs.parent / file["path"]) for file in described["files"])
            found.append(Sample(process, variation, paths, sum(file["nevts"] for file in described["files"])))
    return found


def with_pseudodata(histograms: Histograms) -> Histograms:
    """Adds what takes the place of data: the mean of two ways to make ttbar events, and W+jets."""
    added = {
        f"{region}_pseudodata": histograms[f"{region}_ttbar_ME_var"].times(0.5)
        + histograms[f"{region}_ttbar_PS_var"].times(0.5)
        + histograms[f"{region}_wjets"]
        for region in REGIONS
    }
    return histograms | added

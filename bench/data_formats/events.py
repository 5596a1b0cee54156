# SPDX-License-Identifier: BSD-3-Clause
"""The events, and what is asked of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

HADRONS = ("H1", "H2", "H3")
FIELDS = ("PX", "PY", "PZ", "ProbK", "ProbPi", "Charge", "IPChi2", "isMuon")
FLAGS = tuple(f"{hadron}_isMuon" for hadron in HADRONS)
# The impact parameters, the flight distance and the vertex are what the analysis leaves out.
ANALYSED = tuple(
    f"{hadron}_{what}"
    for hadron in HADRONS
    for what in ("PX", "PY", "PZ", "ProbK", "ProbPi", "Charge", "isMuon")
)
PLOTTED = ("B_FlightDistance", "B_VertexChi2")
# A power of two as the width, so that no way to compute the bin rounds.
BINS, BIN_WIDTH = 64, 0.5
TAKEN = 1000
# The skim keeps the events of which this is largest.
SKIMMED, SKIMMED_PART = "B_FlightDistance", 0.01

Columns = Mapping[str, np.ndarray]


def type_of(name: str) -> type:
    return np.int32 if name.endswith(("Charge", "isMuon")) else np.float64


def without_muons(columns: Columns) -> np.ndarray:
    flags = columns[FLAGS[0]] | columns[FLAGS[1]] | columns[FLAGS[2]]
    return flags == 0


def sums(columns: Columns) -> list[float]:
    """The number of events without muons, and the sum of each analysed column over them."""
    chosen = without_muons(columns)
    return [int(chosen.sum()), *(float(columns[name][chosen].sum()) for name in ANALYSED)]


def plot(columns: Columns) -> list[int]:
    """The bins of two histograms, one behind the other; the first and the last of each have what is outside."""
    counts: list[int] = []
    for name in PLOTTED:
        cells = np.clip(columns[name] * (1 / BIN_WIDTH), 0, BINS).astype(np.int64)
        counts += np.bincount(cells, minlength=BINS + 1).tolist()
    return counts


def skim_cut(columns: Columns) -> float:
    """What the events of the skim are above."""
    values = np.sort(columns[SKIMMED])
    return float(values[-1 - int(len(values) * SKIMMED_PART)])


def taken_entries(events: int) -> np.ndarray:
    """Entries of the random access, in rising order; the same for all formats."""
    generator = np.random.default_rng(7)
    return np.sort(generator.choice(events, min(TAKEN, events), replace=False))

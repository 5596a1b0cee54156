# SPDX-License-Identifier: BSD-3-Clause
"""Rounds the floats of a file to few bits: many values then lie exactly on cuts and on edges of bins, and tie."""

from pathlib import Path

import awkward as ak
import numpy as np
import uproot

# Multiples of these: pT in quarters of a GeV, directions in 32nds, b-tag scores in hundredths as floats.
STEPS = {"pt": 0.25, "eta": 1 / 32, "phi": 1 / 32, "btag": 0.01}


def rounded(name: str, column: ak.Array) -> ak.Array:
    step = STEPS.get(name.rsplit("_", 1)[-1])
    if step is None:
        return column
    return ak.values_astype(np.round(ak.values_astype(column, np.float64) / step) * step, np.float32)


def write_coarse(source: Path, target: Path) -> None:
    """Writes all columns by uproot, lists each with its own offsets."""
    events = uproot.open(source)["Events"].arrays()
    with uproot.recreate(target) as file:
        file.mkrntuple("Events", {name: rounded(name, events[name]) for name in events.fields})

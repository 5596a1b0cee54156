# SPDX-License-Identifier: BSD-3-Clause
"""Fills the histograms of one task with uproot and awkward, a chunk of events at a time.

awkward_chunks.py TASK INPUT OUTPUT [EVENTS]

The ADL queries are the reference of tests/adl. EVENTS is the size of a chunk; the defaults are the fastest of
several, and fit into 1 GB. Histograms are filled by numpy.histogram, whose bins are those of ROOT, and written as JSON,
{name: contents}, flow bins included.
"""

import json
import sys
from pathlib import Path

import awkward as ak
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "adl"))
import reference_awkward
from reference_awkward import AXES, Axis

reference_awkward.COLUMNS |= {"flat": ("MET_pt",), "jagged": ("Muon_pt",)}
VALUES = reference_awkward.QUERIES | {
    "flat": lambda events: {"histogram": events.MET_pt},
    "jagged": lambda events: {"histogram": ak.flatten(events.Muon_pt)},
}
CHUNK, CHUNK_OF_TRIPLETS = 1_000_000, 100_000


def counts_of(values: np.ndarray, axis: Axis) -> np.ndarray:
    """Contents of the bins; numpy's last bin has its upper edge, ROOT's has not."""
    inside, _ = np.histogram(values, axis.bins, (axis.low, axis.high))
    num_at_end, num_below = np.sum(values == axis.high), np.sum(values < axis.low)
    inside[-1] -= num_at_end
    return np.concatenate([[num_below], inside, [len(values) - num_below - inside.sum()]])


def main() -> None:
    task, data, output = sys.argv[1:4]
    default = CHUNK_OF_TRIPLETS if task == "q6" else CHUNK
    step = int(sys.argv[4]) if len(sys.argv) > 4 else default
    totals: dict[str, np.ndarray] = {}
    for events in reference_awkward.chunks(data, task, step):
        for name, values in VALUES[task](events).items():
            axis = AXES.get(name, Axis(100, 0, 200))
            totals[name] = totals.get(name, 0) + counts_of(ak.to_numpy(values), axis)
    Path(output).write_text(json.dumps({name: counts.tolist() for name, counts in totals.items()}))


if __name__ == "__main__":
    main()

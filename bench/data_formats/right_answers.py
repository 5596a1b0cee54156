# SPDX-License-Identifier: BSD-3-Clause
"""Prints the answers that the columns themselves give, sums exact but for their last rounding: right_answers.py NPZ"""

import json
import math
import sys

import events
import numpy as np
from worker import digest


def right_answers(columns: events.Columns) -> dict:
    """What each task must give; `cut` is that of the skim."""
    chosen, cut = events.without_muons(columns), events.skim_cut(columns)
    parts = [columns[name][chosen] for name in events.ANALYSED]
    analysis = {
        "sums": [int(chosen.sum()), *(math.fsum(part) for part in parts)],
        "scales": [0, *(math.fsum(np.abs(part)) for part in parts)],
    }
    taken, skimmed = events.taken_entries(len(chosen)), columns[events.SKIMMED] > cut
    return {
        "analysis": analysis,
        "plot": events.plot(columns),
        "take": digest({name: values[taken] for name, values in columns.items()}),
        "skim": digest({name: values[skimmed] for name, values in columns.items()}),
        "read": digest(columns),
        "cut": cut,
    }


if __name__ == "__main__":
    print(json.dumps(right_answers(dict(np.load(sys.argv[1])))))

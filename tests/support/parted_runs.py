# SPDX-License-Identifier: BSD-3-Clause
"""A config whose parts are files, what a run of it writes, and an executor that loses parts."""

import random
from concurrent.futures import Future

import uproot

COUNT = 6
OUTPUTS = ("h.root", "c.csv", "s.root")


def files_in(folder):
    """The outputs there: of skims the events in their order, as clusters may be others; of all else the bytes."""
    made = {}
    for path in folder.iterdir():
        if path.name in OUTPUTS:
            made[path.name] = path.read_bytes() if path.name != "s.root" else events_of(path)
    return made


def events_of(path):
    with uproot.open(path) as file:
        events = file["Events"].arrays()
    return repr((events.fields, events.type, events.to_list()))


def config_for(inputs):
    """A config of as many files as there are, with a histogram of each kind of axis, a skim and a cutflow."""
    return {
        "schema_version": 1,
        "luminosity_pb": 10,
        "samples": {
            "mc": {
                "files": [str(inputs / f"part{number}.root") for number in range(COUNT)],
                "cross_section_pb": 2,
                "sum_weights": "0.1 * (1 + event % 3)",
            }
        },
        "variations": {"scale": {"columns": {"MET_pt": {"up": "MET_pt * 1.1f"}}}},
        "select": [{"name": "a muon", "where": "nMuon > 0"}],
        "histograms": {
            "met": {
                "x": {"value": "MET_pt", "bins": 30, "range": [0, 150]},
                "weight": "normalisation_ * (1 + entry_ % 7)",
            },
            "number": {"x": {"value": "nMuon", "categories": [], "growing": True}},
        },
        "skims": {"s": {"file": "s.root", "keep": ["MET_*"]}},
        "output": {"histograms": "h.root", "cutflow": "c.csv"},
    }


class Losing:
    """Computes here, but for parts that it loses: so many times each, by chance."""

    def __init__(self, times, seed=0):
        self.times = times
        self.chance = random.Random(seed)
        self.lost = {}
        self.num_computed = 0

    def submit(self, function, common, part):
        future = Future()
        key = part[8]
        if self.lost.setdefault(key, self.chance.randrange(self.times + 1)) > 0:
            self.lost[key] -= 1
            future.set_exception(ConnectionError("the worker is gone"))
        else:
            self.num_computed += 1
            future.set_result(function(common, part))
            if self.chance.random() < 0.3:
                function(common, part)  # some schedulers run a part twice
        return future

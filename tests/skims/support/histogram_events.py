# SPDX-License-Identifier: BSD-3-Clause
"""Events with flat values, lists and lists of lists, and configs that fill histograms."""

import awkward as ak
import numpy as np
from written_inputs import write

NUM_EVENTS = 20000
CHANNELS = np.array(["mm", "ee", "em", "tau"])


def lists_like(counts, values):
    return ak.unflatten(values, counts)


def make_events(path) -> ak.Array:
    """Writes the events as an RNTuple and returns them. Weights have few bits, so that sums of them are exact."""
    random = np.random.default_rng(11)
    few_bits = lambda size: random.integers(-64, 512, size) / 64  # noqa: E731
    jets = random.integers(0, 5, NUM_EVENTS)
    num_jets = int(jets.sum())
    tracks = random.integers(0, 4, num_jets)
    num_tracks = int(tracks.sum())
    x = random.normal(0, 1, NUM_EVENTS)
    events = ak.Array(
        {
            "event": np.arange(NUM_EVENTS),
            "x": x,
            "y": random.exponential(2, NUM_EVENTS).astype(np.float32),
            "hole": np.where(x > 1, np.nan, x),
            "bad": np.where(x > 1.5, np.inf, few_bits(NUM_EVENTS)),
            "n": random.integers(-3, 9, NUM_EVENTS).astype(np.int32),
            "id": random.choice([11, -13, 22, 211], NUM_EVENTS).astype(np.int64),
            "flag": random.integers(0, 2, NUM_EVENTS).astype(bool),
            "channel": ak.Array(CHANNELS[random.integers(0, 4, NUM_EVENTS)]),
            "w": few_bits(NUM_EVENTS),
            "jet_pt": lists_like(jets, random.exponential(30, num_jets).astype(np.float32)),
            "jet_w": lists_like(jets, few_bits(num_jets)),
            "jet_id": lists_like(jets, random.integers(0, 4, num_jets).astype(np.int32)),
            "track_pt": lists_like(jets, lists_like(tracks, random.exponential(5, num_tracks))),
            "track_w": lists_like(jets, lists_like(tracks, few_bits(num_tracks))),
        }
    )
    write(path, {name: events[name] for name in events.fields}, "rntuple")
    return events


def histogram_config(files, histograms, name="histograms.root"):
    """A config that fills histograms with the events of files, into the file `name`."""
    return {
        "schema_version": 1,
        "samples": {"data": {"files": [str(file) for file in files]}},
        "histograms": histograms,
        "output": {"histograms": name},
    }


def config_for(path, histograms, **more):
    """A config that fills histograms with the Events of one file."""
    return histogram_config([f"{path}:Events"], histograms) | more

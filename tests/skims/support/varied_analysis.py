# SPDX-License-Identifier: BSD-3-Clause
"""An analysis with variations as a config, and the same in awkward-array and boost-histogram."""

import awkward as ak
import boost_histogram as bh
import numpy as np
import uproot

SELECT = [{"name": "first", "where": "n > -2"}, {"name": "second", "where": "busy || x > 0"}]
REGIONS = {"busy": {"where": "busy"}, "low": {"where": "x < 0.5 && ht < 100", "after": "first"}}
EDGES = [0.0, 20.0, 40.0, 80.0, 160.0]
X = {"value": "x", "bins": 20, "range": [-2, 2]}
N = {"value": "n", "integers": [-1, 5]}
HT = {"value": "ht", "edges": EDGES}
CONFIG = {
    "define": {"ht": "Sum(jet_pt[jet_pt > 20])", "busy": "ht > 60", "twice": "x * 2"},
    "weights": {"base": "w", "sf": "n > 2 ? 1.25 : 1.0"},
    "variations": {
        "pt_scale": {"columns": {"jet_pt": {"up": "jet_pt * 2", "down": "jet_pt * 0.5f"}}},
        "swap": {"columns": {"x": "y", "y": "x"}},
        "shift": {
            "columns": {
                "x": {"up": "x + 0.5", "down": "x - 0.5"},
                "n": {"down": "n - 1", "up": "n + 1"},
            }
        },
        "sum": {"columns": {"ht": {"up": "ht + 16", "down": "ht * 0.5f"}}},
        "sf": {"weights": {"sf": {"up": "sf * 2", "down": "sf * 0.5"}}},
        "both": {"columns": {"jet_pt": {"up": "jet_pt * 4"}}, "weights": {"base": {"up": "base * 0.25"}}},
    },
    "select": SELECT,
    "regions": REGIONS,
    "histograms": {
        "x": {"x": X, "weight": "weight_", "regions": ["busy", "low"]},
        "ht": {"x": HT, "after": "first", "where": "twice > 1", "weight": "1"},
        "plane": {"x": N, "y": HT, "weight": "weight_"},
        "profile": {"x": N, "profile": {"value": "x"}, "weight": "weight_"},
        "jets": {"x": {"value": "jet_pt", "bins": 25, "range": [0, 100]}, "weight": "weight_ * jet_w"},
        "channel": {
            "x": {"value": "channel", "categories": [], "growing": True},
            "where": "ht > 150",
            "weight": "1",
        },
        "untouched": {"x": {"value": "id", "categories": [11, 22]}, "weight": "w", "after": "all events"},
        "extra": {"x": N, "weight": "weight_", "weight_variations": {"lumi": "weight_ * 1.5"}},
    },
}
DIRECTIONS = {"pt_scale": ["up", "down"], "shift": ["up", "down"], "sum": ["up", "down"]}
VARIATIONS = [
    *("pt_scale_up", "pt_scale_down", "swap", "shift_up", "shift_down"),
    *("sum_up", "sum_down", "sf_up", "sf_down", "both_up"),
]


def replaced(events, variation):
    """The columns that a variation replaces, of nominal values."""
    pt, x, y, n = events.jet_pt, events.x, events.y, events.n
    return {
        "pt_scale_up": {"jet_pt": pt * np.float32(2)},
        "pt_scale_down": {"jet_pt": pt * np.float32(0.5)},
        "swap": {"x": y, "y": x},
        "shift_up": {"x": x + 0.5, "n": n + 1},
        "shift_down": {"x": x - 0.5, "n": n - 1},
        "both_up": {"jet_pt": pt * np.float32(4)},
    }.get(variation, {})


class Analysis:
    """What the config computes, with the columns of one variation."""

    def __init__(self, events, variation="nominal"):
        columns = {name: events[name] for name in events.fields} | replaced(events, variation)
        self.columns = ak.Array(columns)
        self.x, self.n = (
            ak.to_numpy(self.columns[name]).astype(kind) for name, kind in (("x", float), ("n", int))
        )
        self.jet_pt = self.columns.jet_pt
        self.ht = ak.to_numpy(ak.sum(self.jet_pt[self.jet_pt > 20], axis=1))
        self.ht = {"sum_up": self.ht + 16, "sum_down": self.ht / 2}.get(variation, self.ht)
        busy = self.ht > 60
        sf = np.where(self.n > 2, 1.25, 1.0) * {"sf_up": 2, "sf_down": 0.5}.get(variation, 1)
        self.weight = ak.to_numpy(events.w) * sf * {"both_up": 0.25}.get(variation, 1)
        first = self.n > -2
        self.steps = {"all events": first | True, "first": first, "second": first & (busy | (self.x > 0))}
        self.regions = {"busy": self.steps["second"] & busy, "low": first & (self.x < 0.5) & (self.ht < 100)}

    def histograms(self):
        """By name: histograms of boost-histogram."""
        last = self.steps["second"]
        x_axis, n_axis = bh.axis.Regular(20, -2, 2), bh.axis.Integer(-1, 6)
        ht_axis, jet_axis = bh.axis.Variable(EDGES), bh.axis.Regular(25, 0, 100)
        events = self.columns
        jet_w = ak.flatten((events.jet_w * self.weight)[last])
        return {
            "busy__x": filled(self.regions["busy"], [x_axis], [self.x], self.weight),
            "low__x": filled(self.regions["low"], [x_axis], [self.x], self.weight),
            "ht": filled(self.steps["first"] & (2 * self.x > 1), [ht_axis], [self.ht]),
            "plane": filled(last, [n_axis, ht_axis], [self.n, self.ht], self.weight),
            "jets": filled(slice(None), [jet_axis], [ak.flatten(self.jet_pt[last])], jet_w),
            "untouched": filled(
                slice(None), [bh.axis.IntCategory([11, 22])], [ak.to_numpy(events.id)], events.w
            ),
            "extra": filled(last, [n_axis], [self.n], self.weight),
        }

    def profile(self):
        """Sums of weights, of weighted values and of weighted squares in the bins of "profile"."""
        last = self.steps["second"]
        index = np.clip(self.n[last] + 2, 0, 8)
        weight, value = self.weight[last], self.x[last]
        return [np.bincount(index, sums, 9) for sums in (weight, weight * value, weight * value**2)]

    def channels(self):
        chosen = self.columns.channel[self.steps["second"] & (self.ht > 150)].to_list()
        return {name: chosen.count(name) for name in sorted(set(chosen))}


def filled(mask, axes, values, weight=None):
    storage = bh.storage.Double() if weight is None else bh.storage.Weight()
    chosen = [np.asarray(value)[mask] for value in values]
    return bh.Histogram(*axes, storage=storage).fill(
        *chosen, weight=None if weight is None else np.asarray(weight)[mask]
    )


def labelled(histogram):
    labels = histogram.axis("x").labels() or []
    return dict(zip(labels, histogram.values()[: len(labels)].tolist(), strict=True))


def same_as_boost(written, boost):
    """Asserts contents and errors, where boost-histogram has the cell."""
    values, variances = boost.values(flow=True), boost.variances(flow=True)
    if isinstance(boost.axes[0], bh.axis.IntCategory):
        values, variances = (np.concatenate([[0], each]) for each in (values, variances))
    np.testing.assert_array_equal(written.values(flow=True), values)
    np.testing.assert_array_equal(
        written.variances(flow=True), values if boost.storage_type is bh.storage.Double else variances
    )


def names_in(path):
    """Of histograms, without the record of the run."""
    names = uproot.open(path).keys(cycle=False, filter_classname="T[HP]*")
    return [name for name in names if not name.startswith("skimline")]

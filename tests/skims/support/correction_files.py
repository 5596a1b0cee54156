# SPDX-License-Identifier: BSD-3-Clause
"""Files of corrections with every kind of node, and events to evaluate them for."""

import math

import awkward as ak
import numpy as np
from written_inputs import write

PT_EDGES = [15.0, 20.0, 25.0, 40.0, 60.0, 120.0]
ETA_EDGES = [0.0, 0.9, 1.2, 2.1, 2.4]
SYSTEMATICS = ["nominal", "systup", "systdown"]
NUM_EVENTS = 3000

REAL, INTEGER, TEXT = "real", "int", "string"


def correction(name, inputs, data, **more):
    return {
        "name": name,
        "version": 1,
        "inputs": [{"name": key, "type": kind} for key, kind in inputs.items()],
        "output": {"name": "weight", "type": "real"},
        "data": data,
    } | more


def binning(edges, flow, variable="pt", first=0.5):
    count = edges["n"] if isinstance(edges, dict) else len(edges) - 1
    content = [first + 0.0625 * i for i in range(count)]
    return {"nodetype": "binning", "input": variable, "edges": edges, "content": content, "flow": flow}


def multibinning(first, flow="error", inputs=("abseta", "pt"), edges=(ETA_EDGES, PT_EDGES)):
    counts = [axis["n"] if isinstance(axis, dict) else len(axis) - 1 for axis in edges]
    return {
        "nodetype": "multibinning",
        "inputs": list(inputs),
        "edges": list(edges),
        "content": [first + 0.01 * i for i in range(math.prod(counts))],
        "flow": flow,
    }


def category(variable, content, **more):
    items = [{"key": key, "value": value} for key, value in content.items()]
    return {"nodetype": "category", "input": variable, "content": items} | more


def formula(expression, *variables, **more):
    return {"nodetype": "formula", "expression": expression, "parser": "TFormula"} | {
        "variables": list(variables)
    } | more  # fmt: skip


def hashprng(distribution):
    return {"nodetype": "hashprng", "inputs": ["pt", "run"], "distribution": distribution}


UNIFORM = {"n": 7, "low": 15.0, "high": 120.0}
MUON_ID = category(
    "scale_factors", {name: multibinning(0.9 + 0.1 * i, "clamp") for i, name in enumerate(SYSTEMATICS)}
)
ONE = {"pt": REAL}
CORRECTIONS = [
    correction("muon_id", {"abseta": REAL, "pt": REAL, "scale_factors": TEXT}, MUON_ID),
    correction("strict", {"abseta": REAL, "pt": REAL}, multibinning(1.0)),
    correction("by_default", {"abseta": REAL, "pt": REAL}, multibinning(1.0, 7.5)),
    correction(
        "mixed_axes",
        {"abseta": REAL, "pt": REAL},
        multibinning(1.0, "clamp", edges=(ETA_EDGES, UNIFORM)),
    ),
    correction("clamped", ONE, binning(PT_EDGES, "clamp")),
    correction("wrapped", ONE, binning(PT_EDGES, "wrap")),
    correction("outside_is_one", ONE, binning(PT_EDGES, 1.0)),
    correction("outside_is_formula", ONE, binning(PT_EDGES, formula("1 + x / 100", "pt"))),
    correction("failing", ONE, binning(PT_EDGES, "error")),
    correction("infinite", ONE, binning(["-inf", 20.0, "inf"], "error")),
    correction("uniform_clamped", ONE, binning(UNIFORM, "clamp")),
    correction("uniform_wrapped", ONE, binning(UNIFORM, "wrap")),
    correction("uniform_outside", ONE, binning(UNIFORM, -1.0)),
    correction("uniform_failing", ONE, binning(UNIFORM, "error")),
    correction("by_flavour", {"flavour": INTEGER, "pt": REAL}, category("flavour", {
        0: 1.0, 4: binning(PT_EDGES, "clamp"), 5: formula("0.9 + 0.001 * x", "pt")})),
    correction("by_charge", {"charge": INTEGER}, category("charge", {1: 1.1, -1: 0.9}, default=5.0)),
    correction("by_charge_bin", {"charge": INTEGER},
               binning([-1.5, -0.5, 0.5, 1.5], "clamp", variable="charge")),
    correction("by_channel", {"channel": TEXT, "pt": REAL},
               category("channel", {"mm": 1.0, "ee": formula("log(x) + 2^1.5", "pt")}, default=3.0)),
    correction("polynomial", {"pt": REAL, "abseta": REAL},
               formula("[0] + [1] * x + max([2] * y * y, exp(-x / 50)) * sqrt(abs(x - 30))", "pt", "abseta",
                       parameters=[0.5, 0.001, -0.3])),
    correction("referring", ONE,
               {"nodetype": "binning", "input": "pt", "edges": [0.0, 30.0, 1000.0], "flow": "clamp",
                "content": [{"nodetype": "formularef", "index": 0, "parameters": [1.0, 0.125]},
                            {"nodetype": "formularef", "index": 0, "parameters": [2.0, 0.25]}]},
               generic_formulas=[formula("[0] + [1] * x", "pt")]),
    correction("transformed", ONE,
               {"nodetype": "transform", "input": "pt", "rule": formula("x * x / 100", "pt"),
                "content": binning(PT_EDGES, "clamp")}),
    correction("flat", {"pt": REAL, "run": INTEGER}, hashprng("stdflat")),
    correction("normal", {"pt": REAL, "run": INTEGER}, hashprng("stdnormal")),
    correction("fast_normal", {"pt": REAL, "run": INTEGER}, hashprng("normal")),
    correction("level1", {"pt": REAL, "abseta": REAL}, formula("1 + 0.1 * y", "pt", "abseta")),
    correction("level2", ONE, binning(PT_EDGES, "clamp")),
    correction("constant", {}, 1.25),
]  # fmt: skip
COMPOUNDS = [
    {
        "name": "all_levels",
        "inputs": [{"name": "pt", "type": "real"}, {"name": "abseta", "type": "real"}],
        "output": {"name": "weight", "type": "real"},
        "inputs_update": ["pt"],
        "input_op": "*",
        "output_op": "*",
        "stack": ["level1", "level2"],
    }
]


def correction_set(corrections=CORRECTIONS, **more) -> dict:
    return {"schema_version": 2, "corrections": corrections} | more


def near(edges):
    """The edges, and the numbers right beside them."""
    edges = np.asarray(edges, float)
    return np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])


def make_events(path) -> ak.Array:
    """Writes muons within and beyond all bins as an RNTuple, and returns them."""
    random = np.random.default_rng(5)
    counts = random.integers(0, 5, NUM_EVENTS)
    total = int(counts.sum())
    special = np.concatenate([near(PT_EDGES), near(np.linspace(15, 120, 8)), [0.0, 1e-300, 1e6, 5e300]])
    pt = np.where(random.random(total) < 0.3, random.choice(special, total), random.exponential(40, total))
    some_eta = random.choice(np.concatenate([near(ETA_EDGES), -near(ETA_EDGES)]), total)
    eta = np.where(random.random(total) < 0.3, some_eta, random.normal(0, 1.3, total))
    flat = np.where(
        random.random(NUM_EVENTS) < 0.3,
        random.choice(special, NUM_EVENTS),
        random.exponential(40, NUM_EVENTS),
    )
    jagged = lambda values: ak.unflatten(values, counts)  # noqa: E731
    events = ak.Array(
        {
            "event": np.arange(NUM_EVENTS),
            "run": random.integers(1, 1 << 31, NUM_EVENTS).astype(np.uint32),
            "met": flat,
            "charge": random.integers(-2, 3, NUM_EVENTS).astype(np.int16),
            "channel": ak.Array(np.array(["mm", "ee", "em", ""])[random.integers(0, 4, NUM_EVENTS)]),
            "systematic": ak.Array(np.array(SYSTEMATICS)[random.integers(0, 3, NUM_EVENTS)]),
            "Muon_pt": jagged(pt),
            "Muon_eta": jagged(eta.astype(np.float32)),
            "Muon_flavour": jagged(random.choice([0, 4, 5], total).astype(np.uint8)),
            "inside": np.clip(flat, 15, 119),
        }
    )
    write(path, {name: events[name] for name in events.fields}, "rntuple")
    return events

# SPDX-License-Identifier: BSD-3-Clause
"""Files of corrections that contradict themselves are refused, and what is not a number has no bin in any of their nodes."""

import json

import numpy as np
import pytest
import uproot
from correction_files import (
    INTEGER,
    REAL,
    TEXT,
    binning,
    category,
    correction,
    correction_set,
    formula,
    multibinning,
)
from exit_codes import DONE, FAILED, WRONG_USAGE

VALUES = np.array([4.0, 2.5, 9.0, -1.0, 1.0])
NEGATIVE = 3  # the entry of the only one


@pytest.fixture
def run(job, tmp_path):
    """Evaluates one expression for all events with the corrections of a file."""
    with uproot.recreate(tmp_path / "events.root") as file:
        file.mktree("Events", {"x": "f8"})
        file["Events"].extend({"x": VALUES})

    def run(content, name, expression):
        (tmp_path / "c.json").write_text(json.dumps(content))
        return job({
            "schema_version": 1,
            "samples": {"data": {"files": ["events.root"]}},
            "corrections": {"sf": {"file": "c.json", "correction": name}},
            "define": {"a": expression},
            "skims": {"out": {"file": "out.root", "keep": ["a"]}},
        })  # fmt: skip

    return run


# ---- not a number

ROOT_OF_X = formula("sqrt(x)", "x")
EDGES = [0.0, 1.0, 2.0, 3.0]
UNIFORM = {"n": 3, "low": 0.0, "high": 3.0}
CASES = {
    f"{name}, {flow}": {"nodetype": "transform", "input": "x", "rule": ROOT_OF_X, "content": node(flow)}
    for flow in ("clamp", "wrap", 7.5)
    for name, node in {
        "edges": lambda flow: binning(EDGES, flow, "x"),
        "uniform": lambda flow: binning(UNIFORM, flow, "x"),
        "several": lambda flow: multibinning(1.0, flow, ("x", "x"), (EDGES, UNIFORM)),
    }.items()
} | {
    "entropy": {
        "nodetype": "transform",
        "input": "x",
        "rule": ROOT_OF_X,
        "content": {"nodetype": "hashprng", "inputs": ["x"], "distribution": "stdflat"},
    }
}


@pytest.mark.parametrize("case", CASES)
def test_transforms_give_no_bin_for_what_is_not_a_number(run, case):
    done = run(correction_set([correction("c", {"x": REAL}, CASES[case])]), "c", "sf(x)")
    assert done.returncode == FAILED, done.stdout
    assert 'the correction "c": a Transform of input argument 0 gives NaN' in done.stderr
    assert f"entry {NEGATIVE}" in done.stderr


@pytest.mark.parametrize("rule", ["sqrt(x)", "x * 2e18 - 1e19", "0 - x * 1e19"])
def test_transforms_give_no_integer_where_there_is_none(run, rule):
    node = category("i", {2: 10.0}, default=-7.0)
    node = {"nodetype": "transform", "input": "i", "rule": formula(rule, "x"), "content": node}
    done = run(correction_set([correction("c", {"x": REAL, "i": INTEGER}, node)]), "c", "sf(x, 0)")
    assert done.returncode == FAILED, done.stdout
    assert "a Transform of input argument 1 gives" in done.stderr


def test_whole_numbers_of_transforms_are_rounded(run, tmp_path):
    node = category("i", {1: 10.0, 2: 20.0, 3: 30.0})
    node = {"nodetype": "transform", "input": "i", "rule": formula("sqrt(max(x, 1))", "x"), "content": node}
    done = run(correction_set([correction("c", {"x": REAL, "i": INTEGER}, node)]), "c", "sf(x, 0)")
    assert done.returncode == DONE, done.stderr
    assert uproot.open(tmp_path / "out.root")["Events"]["a"].array().to_list() == [
        20.0,
        20.0,
        30.0,
        10.0,
        10.0,
    ]


def compound(stack):
    return {
        "name": "both",
        "inputs": [{"name": "x", "type": REAL}],
        "output": {"name": "weight", "type": REAL},
        "inputs_update": ["x"],
        "input_op": "*",
        "output_op": "last",
        "stack": stack,
    }


@pytest.mark.parametrize("edges", [EDGES, UNIFORM])
def test_compound_corrections_hand_on_no_value_that_is_not_a_number(run, edges):
    parts = [
        correction("root", {"x": REAL}, ROOT_OF_X),
        correction("bins", {"x": REAL}, binning(edges, "clamp", "x")),
    ]
    content = correction_set(parts, compound_corrections=[compound(["root", "bins"])])
    done = run(content, "both", "sf(x)")
    assert done.returncode == FAILED, done.stdout
    assert 'the correction "both": the input "x" of "bins" is NaN' in done.stderr
    assert f"entry {NEGATIVE}" in done.stderr


def test_what_compound_corrections_hand_on_to_none_may_be_anything(run, tmp_path):
    parts = [correction("one", {"x": REAL}, 1.0), correction("root", {"x": REAL}, formula("sqrt(x)", "x"))]
    done = run(correction_set(parts, compound_corrections=[compound(["one", "root"])]), "both", "sf(x)")
    assert done.returncode == DONE, done.stderr
    with np.errstate(invalid="ignore"):
        expected = np.sqrt(VALUES)
    assert np.array_equal(uproot.open(tmp_path / "out.root")["Events"]["a"].array(), expected, equal_nan=True)


# ---- files


def twice(node, key, value):
    return node | {"content": [*node["content"], {"key": key, "value": value}]}


ONE = {"x": REAL}
NAN = float("nan")
UNSOUND = {
    "texts": (correction("c", {"s": TEXT}, twice(category("s", {"up": 1.1, "down": 0.9}), "up", 1.2)), "sf('up')",
              'the key "up" appears twice in a Category'),
    "integers": (correction("c", {"i": INTEGER}, twice(category("i", {5: 1.1, -5: 0.9}), -5, 1.2)), "sf(5)",
                 "the key -5 appears twice in a Category"),
    "no order": (correction("c", ONE, binning([0.0, NAN, 2.0], "clamp", "x")), "sf(x)", "not monotone increasing"),
    "begins with NaN": (correction("c", ONE, binning([NAN, 1.0, 2.0], "clamp", "x")), "sf(x)",
                        "not monotone increasing"),
    "backwards": (correction("c", ONE, binning({"n": 3, "low": 3.0, "high": 0.0}, "clamp", "x")), "sf(x)",
                  "uniform bins from 3.000000 to 0.000000"),
    "backwards of several": (
        correction("c", ONE, multibinning(1.0, 7.5, ("x",), ({"n": 3, "low": 3.0, "high": 0.0},))), "sf(x)",
        "uniform bins from 3.000000 to 0.000000"),
    "to infinity": (correction("c", ONE, binning({"n": 3, "low": 0.0, "high": float("inf")}, "clamp", "x")), "sf(x)",
                    "uniform bins from 0.000000 to inf"),
    "more inputs than axes": (
        correction("c", {"x": REAL, "y": REAL},
                   multibinning(1.0, "clamp", ("x",), ([0.0, 1.0, 2.0],)) | {"inputs": ["x", "y"]}), "sf(x, x)",
        "a MultiBinning has 2 inputs and 1 axes"),
    "names": (correction("c", ONE, formula("x", "x")) | {"inputs": 2 * [{"name": "x", "type": REAL}]}, "sf(x, 1)",
              'two inputs are called "x"'),
}  # fmt: skip


@pytest.mark.parametrize("case", UNSOUND)
def test_files_that_contradict_themselves_are_refused(run, case):
    made, expression, message = UNSOUND[case]
    done = run(correction_set([made]), "c", expression)
    assert done.returncode == WRONG_USAGE, done.stderr
    assert message in done.stderr
    assert "a.json:" in done.stderr


def test_a_name_of_two_corrections_is_refused(run):
    parts = [correction("one", ONE, 1.0), correction("both", ONE, 2.0)]
    content = correction_set(parts, compound_corrections=[compound(["one", "both"])])
    done = run(content, "both", "sf(x)")
    assert done.returncode == WRONG_USAGE, done.stderr
    assert 'has a correction and a compound correction "both"' in done.stderr
    assert run(content, "one", "sf(x)").returncode == DONE

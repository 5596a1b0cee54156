# SPDX-License-Identifier: BSD-3-Clause
"""Strings, lists of lists and Lorentz vectors in selections, histograms and skims: what works, and what is said if not."""

import json
import re

import awkward
import numpy
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE

EVENTS = {
    "n": numpy.array([1, 2, 3], numpy.int32),
    "name": awkward.Array(["a", "", "a long one"]),
    "list": awkward.Array([[1.5], [], [2.5, 3.5]]),
    "names": awkward.Array([["x"], [], ["y", "zz"]]),
    "nested": awkward.Array([[[1.0, 2.0], []], [], [[3.0], [4.0, 5.0]]]),
    "HLT_A": numpy.array([True, False, True]),
}
AXIS = {"bins": 10, "range": [0, 10]}


@pytest.fixture(autouse=True)
def events(tmp_path):
    with uproot.recreate(tmp_path / "in.root") as file:
        file.mkrntuple("Events", EVENTS)


def config_with(**more):
    return {"schema_version": 1, "samples": {"data": {"files": ["in.root"]}}} | more


def histogram_of(value, **more):
    return {
        "histograms": {"h": {"x": {"value": value, **AXIS}} | more},
        "output": {"histograms": "h.root"},
    }


def errors_of(done):
    """Line, column and message of each error."""
    found = re.findall(r"^a\.json:(\d+):(\d+): error: (.*)$", done.stderr, re.MULTILINE)
    return [(int(line), int(column), message) for line, column, message in found]


def place_of(config, text):
    """Line and column of the last text with these letters, as the configs are written into files."""
    lines = json.dumps(config, indent=1).splitlines()
    number = max(i for i, line in enumerate(lines) if json.dumps(text) in line)
    return number + 1, lines[number].rindex(json.dumps(text)) + 2


def check_refused(done, place, message):
    assert done.returncode == WRONG_USAGE
    assert errors_of(done) == [(*place, message)]


@pytest.mark.parametrize(
    ("where", "kind"),
    [
        ("name", "string"),
        ("P4(1, 2, 3, 4)", "Lorentz vector"),
        ("list > 2", "list of std::int32_t (use Any or All)"),
        ("nested > 2", "list of lists of std::int32_t (use Any or All)"),
        ("names == 'x'", "list of std::int32_t (use Any or All)"),
    ],
)
def test_selections_are_one_truth_value_per_event(job, where, kind):
    message = f"a selection must be one bool per entry: this is {kind}"
    for config in (
        config_with(select=[{"name": "s", "where": where}]),
        config_with(regions={"r": {"where": where}}),
        config_with(**histogram_of("n", where=where)),
        config_with(skims={"s": {"file": "s.root", "where": where}}),
    ):
        check_refused(job(config), place_of(config, where), message)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("name", "string"),
        ("names", "list of string"),
        ("P4(n, 0, 0, 0)", "Lorentz vector"),
        ("P4(list, 0, 0, 0)", "list of Lorentz vector"),
    ],
)
def test_histograms_are_filled_with_numbers(job, value, kind):
    message = f"a histogram is filled with numbers: this is {kind}"
    for config in (config_with(**histogram_of(value)), config_with(**histogram_of("n + 1", weight=value))):
        check_refused(job(config), place_of(config, value), message)


@pytest.mark.parametrize(
    ("value", "weight", "expected"),
    [
        ("nested", None, {1: 1, 2: 1, 3: 1, 4: 1, 5: 1}),
        ("nested", "n", {1: 1, 2: 1, 3: 3, 4: 3, 5: 3}),
        ("nested", "Sum(nested)", {1: 3, 2: 3, 3: 3, 4: 9, 5: 9}),
        ("nested", "nested * 2", {1: 2, 2: 4, 3: 6, 4: 8, 5: 10}),
        ("n", "nested", {1: 3, 3: 12}),
        ("Sum(nested)", None, {0: 1, 3: 2, 9: 1}),
        ("length(names)", None, {1: 2, 2: 1}),
        ("P4(list, 0, 0, 0).pt()", None, {1: 1, 2: 1, 3: 1}),
    ],
)
def test_every_innermost_element_is_filled(job, tmp_path, value, weight, expected):
    done = job(config_with(**histogram_of(value, **({"weight": weight} if weight else {}))))
    assert done.returncode == DONE, done.stderr
    with uproot.open(tmp_path / "h.root") as file:
        contents = file["h"].values(flow=True)
    assert {i - 1: count for i, count in enumerate(contents) if count} == expected


def test_skims_keep_definitions_of_strings_and_lists_of_lists(job, tmp_path):
    define = {
        "is_a": "name == 'a' ? 'yes' : 'no'",
        "reversed": "Reverse(names)",
        "doubled": "nested * 2",
        "mask": "nested > 2",
    }
    done = job(config_with(define=define, skims={"s": {"file": "s.root", "keep": [*define, "name"]}}))
    assert done.returncode == DONE, done.stderr
    skim = uproot.open(tmp_path / "s.root")["Events"]
    assert skim.typenames() == {
        "name": "std::string",
        "is_a": "std::string",
        "reversed": "std::vector<std::string>",
        "doubled": "std::vector<std::vector<double>>",
        "mask": "std::vector<std::vector<std::int32_t>>",
    }
    kept = skim.arrays()
    assert kept["is_a"].tolist() == ["yes", "no", "no"]
    assert kept["reversed"].tolist() == [["x"], [], ["zz", "y"]]
    assert kept["doubled"].tolist() == (EVENTS["nested"] * 2).tolist()
    assert kept["mask"].tolist() == [[[0, 0], []], [], [[1], [1, 1]]]


@pytest.mark.parametrize(
    ("keep", "marked"), [(["n", "jets"], "jets"), (["j*", "n"], "j*"), (["n", "*"], "*")]
)
def test_skims_cannot_keep_lorentz_vectors(job, tmp_path, keep, marked):
    config = config_with(define={"jets": "P4(list, 0, 0, 0)"}, skims={"s": {"file": "s.root", "keep": keep}})
    message = '"jets" is a list of Lorentz vector, which a skim cannot hold: keep its pt(), eta(), phi() and mass() instead'
    line, column = place_of(config, marked)
    check_refused(job(config), (line, column - 1), message)  # patterns are marked with their quotes
    assert not (tmp_path / "s.root").exists()


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("HTL_*", 'no column matches "HTL_*"'),
        ("HLT_B", 'no column matches "HLT_B" (did you mean "HLT_A"?)'),
        ("nam?", 'the pattern matches "name", which is string and not one bool or integer per entry'),
        ("l*", 'the pattern matches "list", which is list of double and not one bool or integer per entry'),
    ],
)
def test_patterns_of_flags_must_match_flags(job, pattern, message):
    done = job(
        config_with(define={"any": f"n > 1 && AnyOf('{pattern}')"}, select=[{"name": "s", "where": "any"}])
    )
    assert done.returncode == WRONG_USAGE
    assert errors_of(done) == [(*numpy.add(place_of_define(), (0, len("n > 1 && AnyOf("))), message)]


def place_of_define():
    return 11, len('  "any": "') + 1


def test_all_mistakes_are_listed_at_once(job):
    config = config_with(
        functions={"f(x": "x", "g(x)": "x +", "Sum(x)": "x"},
        define={
            "flags": "AnyOf('X*')",
            "of_wrong_function": "g(1)",
            "text": "regex_match(name, '(')",
            "jets": "P4(list, 0, 0, 0)",
            "many": "Combinations(list, 99)",
        },
        select=[
            {"name": "s", "where": "name"},
            {"name": "flags", "where": "flags"},
            {"name": "l", "where": "list > 1"},
        ],
        skims={"k": {"file": "k.root", "keep": ["jets"]}, "none": {"file": "n.root", "keep": ["jtes"]}},
        **histogram_of("names", weight="jets"),
    )
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert [message for _, _, message in errors_of(done)] == [
        "expected ')' or ',' behind the parameters of \"f\", found the end",
        "expected a value, found the end",
        '"Sum" is a function of the language',
        'no column matches "X*"',
        "not a regular expression: missing ): (",
        "combinations have 1 to 16 elements",
        "a selection must be one bool per entry: this is string",
        "a selection must be one bool per entry: this is list of std::int32_t (use Any or All)",
        '"jets" is a list of Lorentz vector, which a skim cannot hold: keep its pt(), eta(), phi() and mass() instead',
        'no column matches "jtes" (did you mean "jets"?)',
        "a histogram is filled with numbers: this is list of string",
        "a histogram is filled with numbers: this is list of Lorentz vector",
    ]

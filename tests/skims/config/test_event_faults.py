# SPDX-License-Identifier: BSD-3-Clause
"""Faults met in events point at their cause in the config, name the event, and take no warning with them."""

import json
import re

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Events with run numbers, the lists a and b of different sizes, and how many of them are in a."""
    path = tmp_path_factory.mktemp("faults") / "events.root"
    sizes = np.array([2, 1, 0, 3] * 50)
    with uproot.recreate(path) as out:
        out.mkrntuple(
            "Events",
            {
                "run": np.full(200, 7, np.uint32),
                "luminosityBlock": np.arange(200, dtype=np.uint32) // 100,
                "event": np.arange(1000, 1200, dtype=np.uint64),
                "n": sizes,
                "a": ak.unflatten(np.arange(sizes.sum(), dtype=np.float64), sizes),
                "b": ak.unflatten(np.arange(200.0), np.ones(200, int)),
            },
        )
    return path, sizes


def config_for(file, **more):
    return {
        "schema_version": 1,
        "samples": {"s": {"files": [f"{file[0]}:Events"]}},
        "histograms": {"h": {"x": {"value": "n", "bins": 4, "range": [0, 4]}}},
        "output": {"histograms": "h.root"},
    } | more


def marked(text):
    """What the first mark in a message stands under, and the line number that the message gives."""
    first, line, mark = text.split("\n")[:3]
    begin = len(mark) - len(mark.lstrip())
    return line[begin : begin + len(mark.strip())], first


def lines_with(folder, part):
    lines = (folder / "a.json").read_text().split("\n")
    return [number for number, line in enumerate(lines, 1) if part in line]


AXIS = {"bins": 4, "range": [0, 4]}
CASES = {
    # an innocent definition has the same text as the value of the histogram
    "a weight of other lists": (
        {
            "define": {"innocent": "Sum(a)"},
            "histograms": {
                "i": {"x": {"value": "innocent"} | AXIS},
                "h": {"x": {"value": "a"} | AXIS, "weight": "b"},
            },
        },
        ("b", '"weight": "b"', 'lists of different sizes, 2 in "a" and 1 in "b", for the histogram "h"', 0),
    ),
    "a value beside a flat one": (
        {"histograms": {"h": {"x": {"value": "n"} | AXIS, "y": {"value": "a"} | AXIS, "weight": "b"}}},
        ("b", '"weight": "b"', 'lists of different sizes, 2 in "a" and 1 in "b", for the histogram "h"', 0),
    ),
    # the guarded cut has the same text in front of it
    "the second use of a text": (
        {
            "select": [{"name": "guarded", "where": "n < 2 || a[1] > -1"}],
            "histograms": {"h": {"x": {"value": "1 + a[ 1 ]"} | AXIS}},
        },
        ("a[ 1 ]", '"value": "1 + a[ 1 ]"', 'in "a[1]", for the histogram "h"', 1),
    ),
    "a cut": (
        {"select": [{"name": "two", "where": "n >= 0"}, {"name": "high", "where": "a[0] >= 0"}]},
        ("a[0]", '"where": "a[0] >= 0"', 'list of size 0 in "a[0]", for the cut "high"', 2),
    ),
    "a definition": (
        {
            "define": {"unused_one": "n + 1", "lead": "2 * a[0]"},
            "regions": {"r": {"where": "lead >= 0"}},
            "histograms": {"h": {"x": {"value": "n"} | AXIS, "weight": "1. * unused_one"}},
        },
        ("a[0]", '"lead"', 'in "a[0]", for the region "r"', 2),
    ),
    "a factor of the weights": (
        {"weights": {"sf": "Max(a) * 0.1"}},
        ("Max(a)", '"sf"', 'Max of an empty list in "Max(a)", for the histogram "h"', 2),
    ),
    "a function": (
        {"functions": {"first(l)": "l[0]"}, "histograms": {"h": {"x": {"value": "first(a)"} | AXIS}}},
        (None, '"', 'for the histogram "h"', 2),
    ),
    "a selection of a histogram": (
        {"histograms": {"h": {"x": {"value": "n"} | AXIS, "where": "a[2] > 0"}}},
        ("a[2]", '"where": "a[2] > 0"', 'for the histogram "h"', 0),
    ),
    "a variation": (
        {
            "define": {"lead": "n > 0 ? a[0] : 0."},
            "variations": {"up": {"columns": {"lead": "a[0] * 2"}}},
            "histograms": {"h": {"x": {"value": "lead"} | AXIS}},
        },
        ("a[0]", '"lead": "a[0] * 2"', 'for the histogram "h" in the variation "up"', 2),
    ),
    "a column of a skim": (
        {"skims": {"s": {"file": "s.root", "columns": {"lead": "a[0]"}}}},
        ("a[0]", '"lead": "a[0]"', 'for the skim "s"', 2),
    ),
    "a weight that is no number": (
        {"histograms": {"h": {"x": {"value": "n"} | AXIS, "weight": "log(n - 1.)"}}},
        (
            "log(n - 1.)",
            '"weight"',
            'a weight that is not finite, or too large, in "log(n - 1.)", for the histogram "h"',
            1,
        ),
    ),
    "the sum of weights": (
        {"samples": None},
        ("a[0]", '"sum_weights": "a[0]"', 'in "a[0]"', 2),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_cause_is_marked(job, file, tmp_path, case):
    more, (cause, line, message, entry) = CASES[case]
    if more == {"samples": None}:
        more = {"samples": {"s": {"files": [f"{file[0]}:Events"], "sum_weights": "a[0]"}}}
    done = job(config_for(file, **more))
    assert done.returncode == FAILED, done.stderr
    found, first = marked(done.stderr)
    assert message in first
    place = re.match(r"a\.json:(\d+):\d+: error: ", first)
    assert place, first
    assert int(place[1]) in lines_with(tmp_path, line)
    if cause is not None:
        assert found == cause
    event = f"(entry {entry} of {file[0]}: run 7, luminosity block 0, event {1000 + entry})"
    assert first.endswith(event)


def test_a_fault_in_the_weights_that_are_read_beforehand(job, file):
    sample = {"files": [f"{file[0]}:Events"], "cross_section_pb": 2, "sum_weights": "a[0]"}
    done = job(config_for(file, samples={"s": sample}, luminosity_pb=1, weights={"lumi": "normalisation_"}))
    assert done.returncode == FAILED
    found, first = marked(done.stderr)
    assert found == "a[0]" and "(entry 2 of" in first


def test_hints(job, file):
    done = job(config_for(file, select=[{"name": "high", "where": "a[1] > 0"}]))
    assert done.stderr.rstrip().split("\n")[-1].startswith("note: ")
    assert '"size(a) > 1 && ..."' in done.stderr


@pytest.mark.parametrize(
    ("expression", "size"),
    [
        ("a.at(0)", "size(a) > 0"),
        ("a[a > 1.5][2]", "size(a[a > 1.5]) > 2"),
        ("Max(a[a > 1])", "size(a[a > 1]) > 0"),
        ("(a + 1).front()", "size((a + 1)) > 0"),
        ("Sort(a)[2]", "size(Sort(a)) > 2"),
    ],
)
def test_hints_name_the_list_that_is_too_short(job, file, expression, size):
    done = job(config_for(file, select=[{"name": "high", "where": f"{expression} > 0"}]))
    assert done.returncode == FAILED
    assert f'"{size} && ..."' in done.stderr


@pytest.mark.parametrize("expression", ["Take(a, RVecI{0, 1})", "a[a > 1].Take(RVecI{0, -1})"])
def test_hints_at_a_value_for_indexes_that_lead_nowhere(job, file, expression):
    done = job(config_for(file, select=[{"name": "high", "where": f"Sum({expression}) > 0"}]))
    assert done.returncode == FAILED
    assert "note: with a third argument, Take(list, indexes, value)" in done.stderr


def test_only_fills_of_histograms_can_be_left_out(job, file):
    fill = job(config_for(file, histograms={"h": {"x": {"value": "n"} | AXIS, "weight": "log(n - 1.)"}}))
    assert '"bad_weight": "skip"' in fill.stderr
    sample = {"files": [f"{file[0]}:Events"], "sum_weights": "log(n - 1.)"}
    total = job(config_for(file, samples={"s": sample}))
    assert total.returncode == FAILED
    assert "not finite" in total.stderr and "bad_weight" not in total.stderr


def test_an_entry_without_numbers(job, sample):
    config = config_for((sample,), histograms={"h": {"x": {"value": "Muon_pt[5]"} | AXIS}})
    done = job(config)
    assert done.returncode == FAILED
    assert re.search(r"\(entry 0 of .*dimuon.root(: run .*)?\)", done.stderr)


def test_warnings_come_before_the_error_that_they_explain(job, call, file, tmp_path):
    config = config_for(
        file,
        define={"lost": "n"},
        select=[{"name": "some", "where": "0 < n < 3"}],
        histograms={"h": {"x": {"value": "a[0]"} | AXIS}},
    )
    done = job(config)
    assert done.returncode == FAILED
    warning, error = done.stderr.index("0 < n < 3"), done.stderr.index("error: index 0")
    assert "warning" in done.stderr[:warning] and warning < error
    assert done.stderr.count('"lost" is not used') == 1
    lines = [json.loads(line) for line in job(config, "--log-format", "json").stderr.splitlines()]
    assert [line["level"] for line in lines] == ["warning"] * (len(lines) - 1) + ["error"]


def test_a_cut_that_others_rely_on_is_not_counted_alone(job, file, tmp_path):
    sizes = file[1]
    config = config_for(
        file,
        select=[
            {"name": "small", "where": "n < 3"},
            {"name": "two", "where": "n >= 2"},
            {"name": "different", "where": "a[0] != a[1]"},
        ],
        output={"histograms": "h.root", "n_minus_1": True},
        skims={"s": {"file": "s.root"}},
    )
    done = job(config)
    assert done.returncode == DONE, done.stderr
    message = 'the events of the sample "s" that pass all cuts but "two" are not counted: without it there is'
    assert done.stderr.count(message) == 1
    assert 'index 1 is out of range of a list of size 1 in "a[1]" (entry 1 of' in done.stderr
    report = json.loads((tmp_path / "a.report.json").read_text())
    (sample,) = report["samples"]
    counts = {each["name"]: each["events"] for each in sample["n_minus_1"]}
    assert counts == {"small": int((sizes >= 2).sum()), "different": int((sizes == 2).sum())}
    assert [each["events"] for each in sample["cutflow"]] == [200, 150, 50, 50]
    assert uproot.open(tmp_path / "s.root")["Events"].num_entries == 50
    assert any(message in each for each in report["warnings"])
    config["select"][2]["where"] = "n >= 2 && a[0] != a[1]"
    done = job(config)
    assert (done.returncode, done.stderr) == (DONE, "")
    (sample,) = json.loads((tmp_path / "a.report.json").read_text())["samples"]
    assert [each["events"] for each in sample["n_minus_1"]] == [100, 50, 50]


def test_a_fault_of_the_cuts_themselves_is_one(job, file):
    config = config_for(
        file,
        select=[{"name": "different", "where": "a[0] != a[1]"}, {"name": "two", "where": "n == 2"}],
        output={"histograms": "h.root", "n_minus_1": True},
    )
    done = job(config)
    assert done.returncode == FAILED
    assert 'for the cut "different" (entry 1 of' in done.stderr

# SPDX-License-Identifier: BSD-3-Clause
"""bench/end_to_end/answers.py sees every difference between two skims but the order of entries."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import awkward
import numpy
import pytest
import uproot

SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "end_to_end" / "answers.py"
COUNT = 1000


@pytest.fixture(scope="module")
def events():
    generator = numpy.random.default_rng(1)
    counts = generator.poisson(2, COUNT)
    values = generator.exponential(20, counts.sum()).astype(numpy.float32)
    return {
        "met": generator.exponential(20, COUNT).astype(numpy.float32),
        "number": numpy.arange(COUNT, dtype=numpy.int32),
        "pt": awkward.unflatten(values, counts),
    }


def write(path, columns, order=None):
    order = numpy.arange(COUNT) if order is None else order
    with uproot.recreate(path) as file:
        file.mkrntuple("Events", {name: column[order] for name, column in columns.items()})
    return path


def compare(ours, theirs) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, SCRIPT, "skim", ours, theirs], capture_output=True, text=True, check=False
    )


def test_order_of_entries_does_not_count(events, tmp_path):
    ours = write(tmp_path / "ours.root", events)
    theirs = write(tmp_path / "theirs.root", events, numpy.random.default_rng(2).permutation(COUNT))
    done = compare(ours, theirs)
    assert (done.returncode, done.stdout) == (0, "")


def change_one_bit(columns):
    met = columns["met"].copy()
    met[17] = numpy.nextafter(met[17], numpy.float32(numpy.inf))
    return columns | {"met": met}


def swap_within_a_list(columns):
    lists = columns["pt"].to_list()
    longest = max(range(COUNT), key=lambda entry: len(lists[entry]))
    lists[longest][0], lists[longest][1] = lists[longest][1], lists[longest][0]
    return columns | {"pt": awkward.values_astype(awkward.Array(lists), numpy.float32)}


def move_an_element_to_the_next_list(columns):
    counts = awkward.num(columns["pt"]).to_numpy().copy()
    entry = int(numpy.argmax(counts[:-1]))
    counts[entry] -= 1
    counts[entry + 1] += 1
    return columns | {"pt": awkward.unflatten(awkward.flatten(columns["pt"]), counts)}


def tie_columns_differently(columns):
    return columns | {"met": numpy.roll(columns["met"], 1)}


def lose_an_entry(columns):
    return {name: column[:-1] for name, column in columns.items()}


def lose_a_column(columns):
    return {name: column for name, column in columns.items() if name != "pt"}


@pytest.mark.parametrize(
    "fault",
    [
        change_one_bit,
        swap_within_a_list,
        move_an_element_to_the_next_list,
        tie_columns_differently,
        lose_an_entry,
        lose_a_column,
    ],
)
def test_differences_are_seen(events, tmp_path, fault):
    ours = write(tmp_path / "ours.root", events)
    changed = fault(events)
    theirs = write(tmp_path / "theirs.root", changed, numpy.arange(len(changed["met"])))
    done = compare(ours, theirs)
    assert done.returncode == 4, done.stderr
    assert "ours" in done.stdout


@pytest.fixture(scope="module")
def histogram_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("histograms") / "ours.root"
    with uproot.recreate(path) as file:
        file["histogram"] = numpy.histogram([0.5, 1.5, 1.5], bins=2, range=(0, 2))
    return path


@pytest.mark.parametrize(("bins", "code"), [("[0, 1, 2, 0]", 0), ("[0, 1, 2, 1]", 4), ("[0, 1, 2]", 4)])
def test_every_bin_counts_flow_bins_too(histogram_file, tmp_path, bins, code):
    theirs = tmp_path / "theirs.json"
    theirs.write_text(bins)
    command = [sys.executable, SCRIPT, "histogram", histogram_file, theirs]
    assert subprocess.run(command, capture_output=True, check=False).returncode == code


@pytest.mark.parametrize(
    ("theirs", "code"),
    [
        ('{"histogram": [0, 1, 2, 0]}', 0),
        ('{"histogram": [0, 1, 1, 1]}', 4),
        ('{"other": [0, 1, 2, 0]}', 4),
        ('{"histogram": [0, 1, 2, 0], "other": [0, 0]}', 4),
    ],
)
def test_histograms_are_compared_by_name(histogram_file, tmp_path, theirs, code):
    (tmp_path / "theirs.json").write_text(theirs)
    command = [sys.executable, SCRIPT, "histograms", histogram_file, tmp_path / "theirs.json"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == code


def test_minus_zero_is_not_zero():
    spec = importlib.util.spec_from_file_location("answers", SCRIPT)
    answers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(answers)
    with numpy.errstate(over="ignore"):
        plus, minus = (answers.entry_hashes(awkward.Array(numpy.array([zero]))) for zero in (0.0, -0.0))
    assert plus[0] != minus[0]

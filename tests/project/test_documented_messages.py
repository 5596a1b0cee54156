# SPDX-License-Identifier: BSD-3-Clause
"""The messages that docs/ show are the program's. The tables hold exactly those that are provoked here."""

import json
import os
import re

import numpy
import pytest
import uproot
from pages import COMMAND_LINE, README_CONFIG, ROOT, blocks

# Ten times as long from one to the next.
BOMB = {"v0": "x" * 100} | {f"v{i}": f"${{v{i - 1}}}" * 10 for i in range(1, 8)}

MISTAKES = {
    "a comma is missing": ('"schema_version": 1,', '"schema_version": 1'),
    "a key is wrong": ('"histograms": {\n', '"histogram": {\n'),
    "a key is given twice": ('"muon_pt":', '"mass":'),
    "a key is missing": ('"file": "skim.root", ', ""),
    "a value has the wrong type": ('["dimuon.root:Events"]', '"dimuon.root:Events"'),
    "no such file": ("dimuon.root:Events", "dimoun.root:Events"),
    "no file for a pattern": ("dimuon.root:Events", "run*.root:Events"),
    "a file is given twice": ('["dimuon.root:Events"]', '["dimuon.root:Events", "*.root"]'),
    "a folder as a file": ("dimuon.root:Events", "."),
    "an unknown scheme": ("dimuon.root:Events", "rot://host//dimuon.root:Events"),
    "the range is reversed": ("[60, 120]", "[120, 60]"),
    "the range is too wide": ("[60, 120]", "[-1e308, 1e308]"),
    "no bins": ('"bins": 120, ', ""),
    "two histograms of one name": ('"histograms.root"', '{"file": "histograms.root", "name": "all"}'),
    "an unknown placeholder": ('"histograms.root"', '{"file": "histograms.root", "name": "{regoin}/all"}'),
    "an unknown step": ('"mass": {', '"mass": {"after": "two muon", '),
    "an unknown region": ('"mass": {', '"mass": {"regions": ["2j"], '),
    "an unknown compression": ('"auto"', '"zstd:50"'),
    "the output is the input": ("skim.root", "dimuon.root"),
    "two outputs in one file": ('"histograms.root"', '"skim.root"'),
    "a file as the folder of an output": ('"skim.root"', '"dimuon.root/skim.root"'),
    "an output as the folder of another": ('"skim.root"', '"histograms.root/skim.root"'),
    "an unknown column": ("(Muon_pt", "(Moun_pt"),
    "an unknown function": ("InvariantMass(", "InvMass("),
    "wrong arguments": ("InvariantMass(Muon_pt, ", "InvariantMass("),
    "a list as a factor of `weights`": ('"define": {', '"weights": {"sf": "Muon_pt"}, "define": {'),
    "a list as a selection": ('"nMuon == 2"', '"Muon_pt > 20"'),
    "`=` instead of `==`": ('"nMuon == 2"', '"nMuon = 2"'),
    "a text as a value": ('"value": "mll"', '"value": "sample_"'),
    "a number as a text": ('"bins": 120, "range": [60, 120]', '"categories": ["ee"]'),
    "too many cells": (
        '"mass": {"x": {"value": "mll", "bins": 120,',
        '"mass": {"y": {"value": "mll", "bins": 10000, "range": [0, 9]}, "x": {"value": "mll", "bins": 7000,',
    ),
    "a regular expression is wrong": ('"nMuon == 2"', "\"regex_match(file_, '[a-')\""),
    "a pattern of flags that matches nothing": ('"nMuon == 2"', "\"AnyOf('HTL_*')\""),
    "a default that does not fit": ('"define"', '"defaults": {"nMuon": 1.5}, "define"'),
    "an included file is not there": (
        '"schema_version": 1,',
        '"schema_version": 1, "include": "common.json",',
    ),
    "an override leads nowhere": ('"define"', '"override": {"select.2.where": "1"}, "define"'),
    "variables that expand without end": (
        '"define": {',
        f'"variables": {json.dumps(BOMB)}, "define": {{"big": "${{v7}}", ',
    ),
    "lists in lists in lists ...": ('"nMuon == 2"', "[" * 70 + "]" * 70),
    "an unknown variable": (
        '"define"',
        '"variables": {"n_muons": 2}, "defaults": {"x": "${n_muon}"}, "define"',
    ),
    "a parenthesis is missing": ("Muon_mass)", "Muon_mass"),
    "a definition with the name of a column": ('"mll": "', '"MET_pt": "1", "mll": "'),
    "a pattern that matches nothing": ('"Muon_*"', '"Moun_*"'),
}


# Messages with these words are those of a library, and change with its versions.
WORDS_OF_CLI11 = ("is required", "not expected", "not in range")


def table_after(heading: str) -> dict[str, str]:
    """The rows of the table in a section of the command line's page: first cell, second cell."""
    section = COMMAND_LINE.read_text().split(f"### {heading}")[1].split("\n### ")[0]
    rows = re.findall(r"^\| (.*?) \| `(.*)` \|$", section, re.MULTILINE)
    return dict(rows)


def message_of(error: str) -> str:
    """The first error, without its place in the config."""
    lines = error.splitlines()
    line = next((each for each in lines if "error: " in each), lines[0] if lines else "")
    return re.sub(r"^analysis\.json:\d+:\d+: error: ", "", line)


def without_long_numbers(message: str) -> str:
    """The message without sizes and offsets, which change with versions of zstd."""
    return re.sub(r"\d{4,}", "#", message)


def wrong_config(mistake: str) -> str:
    right, wrong = MISTAKES[mistake]
    assert README_CONFIG.count(right) >= 1, mistake
    return README_CONFIG.replace(right, wrong, 1)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_a_config_are_shown_as_written(call, sample, mistake):
    (call.folder / "dimuon.root").write_bytes(sample.read_bytes())
    (call.folder / "analysis.json").write_text(wrong_config(mistake))
    done = call("skimline run analysis.json")
    assert done.returncode == 2, done.stderr
    assert re.match(r"analysis\.json:\d+:\d+: error: ", done.stderr)
    assert table_after("Mistakes in the config").get(mistake) == message_of(done.stderr)
    assert sorted(os.listdir(call.folder)) == ["analysis.json", "dimuon.root"]


def test_each_mistake_of_the_table_is_provoked():
    assert list(table_after("Mistakes in the config")) == list(MISTAKES)


@pytest.mark.parametrize(
    ("page", "right", "wrong"),
    [("README.md", '"nMuon == 2"', '"nMuons == 2"'), ("docs/command-line.md", "(Muon_pt", "(Moun_pt")],
)
def test_marked_messages_are_shown_as_written(call, sample, page, right, wrong):
    (call.folder / "dimuon.root").write_bytes(sample.read_bytes())
    shown = next(block for block in blocks(ROOT / page, "text") if re.match(r"\w+\.json:.*: error: ", block))
    name = shown.split(":")[0]
    (call.folder / name).write_text(README_CONFIG.replace(right, wrong, 1))
    done = call(f"skimline run {name}")
    assert done.returncode == 2
    assert done.stderr == shown


def test_wrong_usage_is_shown_as_written(call):
    rows = table_after("Wrong usage")
    assert len(rows) >= 5
    for command, message in rows.items():
        done = call(command.strip("`"))
        assert done.returncode == 2, command
        if any(words in message for words in WORDS_OF_CLI11):
            assert done.stderr, command
        else:
            assert message_of(done.stderr) == message, command


def edit(call, right, wrong):
    (call.folder / "analysis.json").write_text(README_CONFIG.replace(right, wrong, 1))


def change_input(call, change):
    path = call.folder / "dimuon.root"
    path.write_bytes(change(bytearray(path.read_bytes())))


def flip_a_bit(call):
    path = call.folder / "dimuon.root"
    ntuple = uproot.open(path)["Events"]
    names = [ntuple.field_records[record.field_id].field_name for record in ntuple.column_records]
    offset = ntuple.page_link_list[0][names.index("nMuon")].pages[0].locator.offset

    def flip(contents):
        contents[offset + 10] ^= 1
        return contents

    change_input(call, flip)


def write_others(call, names, columns):
    (call.folder / "dimuon.root").unlink()
    with uproot.recreate(call.folder / "dimuon.root") as file:
        for name in names:
            file.mkrntuple(name, columns)


def write_a_tree(call):
    (call.folder / "dimuon.root").unlink()
    with uproot.recreate(call.folder / "dimuon.root") as file:
        file.mktree("Event", {"nMuon": numpy.uint32})


FAILURES = {
    "the file is empty": lambda call: change_input(call, lambda contents: b""),
    "it is no ROOT file": lambda call: change_input(call, lambda contents: b"text" * 100),
    "it is cut off": lambda call: change_input(call, lambda contents: contents[:50000]),
    "one bit is wrong": flip_a_bit,
    "there is no such RNTuple": lambda call: edit(call, "dimuon.root:Events", "dimuon.root:Event"),
    "it holds a TTree of another name": write_a_tree,
    "it holds two RNTuples, and none is named": lambda call: (
        edit(call, "dimuon.root:Events", "dimuon.root"),
        write_others(call, ["A", "B"], {"x": numpy.arange(3)}),
    ),
    "an index is out of range": lambda call: edit(call, "nMuon == 2", "nMuon > 0"),
    "the largest of nothing": lambda call: edit(call, "Muon_charge[0] != Muon_charge[1]", "Max(Jet_pt) > 20"),
    "an integer is divided by zero": lambda call: edit(call, "nMuon == 2", "6 / nMuon == 3"),
    "lists of different sizes": lambda call: edit(call, "nMuon == 2", "Any(Muon_pt > Jet_pt)"),
    "a weight is no number": lambda call: edit(call, '"genWeight"', '"log(genWeight - 100)"'),
    'a position is no number, with `"nan": "fail"`': lambda call: edit(
        call, '"mass": {"x": {"value": "mll"', '"mass": {"nan": "fail", "x": {"value": "log(mll - 90)"'
    ),
    "an output cannot be created": lambda call: edit(call, '"skim.root"', '"/proc/skim.root"'),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_failures_are_shown_as_written(call, sample, failure):
    (call.folder / "dimuon.root").write_bytes(sample.read_bytes())
    (call.folder / "analysis.json").write_text(README_CONFIG)
    FAILURES[failure](call)
    done = call("skimline run analysis.json")
    assert done.returncode == 1, done.stderr
    shown = table_after("Files and events").get(failure, "")
    assert without_long_numbers(shown) == without_long_numbers(message_of(done.stderr))
    assert not set(os.listdir(call.folder)) - {"analysis.json", "dimuon.root", "more.root"}


def test_each_failure_of_the_table_is_provoked():
    assert list(table_after("Files and events")) == list(FAILURES)

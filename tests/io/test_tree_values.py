# SPDX-License-Identifier: BSD-3-Clause
"""Values of trees: each column is what uproot reads, or ROOT where uproot is wrong or does not read it."""

import json
import subprocess
from pathlib import Path
from typing import Any

import awkward as ak
import numpy
import pytest
import ROOT
import uproot
from tree_files import REPOSITORY, tree_files_for_uproot

# What uproot 5.7 reads wrongly: empty strings of leaves, numbers of 32 bits in a range, the ranges of arrays, strings of
# members, entries whose sizes are stored, pieces of members that are not split. ROOT reads them.
WRONG_IN_UPROOT = {
    "types_": ["C", "f16r", "da"],
    "embedded_genoff": ["C"],
    "stl_genoff": ["s", "ts"],
    "ev_s1": ["ev.f16r", "parts.tlab", "lead.one.a"],
    "ev_s99": ["ev.f16r", "ev.parts.tlab", "parts.tlab"],
}


@pytest.fixture(scope="session")
def tree_values(build_folder):
    program = build_folder / "tests" / "io" / "io_tree_values"
    read: dict[Path, list[dict[str, Any]]] = {}

    def lines(path: Path) -> list[dict[str, Any]]:
        if path not in read:
            done = subprocess.run([program, path], check=True, capture_output=True)
            read[path] = [json.loads(line) for line in done.stdout.decode().splitlines()]
        return read[path]

    return lines


def columns_of(lines: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(line["tree"], line["column"]): line for line in lines if "column" in line}


def branches_of(parent: Any) -> list[Any]:
    """Depth first, parents before their children."""
    return [found for branch in parent.branches for found in (branch, *branches_of(branch))]


def as_text(value: Any) -> Any:
    """Bytes of strings as Latin-1, tuples as lists."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("latin-1")
    return [as_text(item) for item in value] if isinstance(value, (list, tuple)) else value


def member(value: Any, names: list[str]) -> Any:
    """What records have under these names; pairs have "first" and "second"."""
    if not names:
        return value
    if isinstance(value, list):
        return [member(item, names) for item in value]
    if isinstance(value, tuple):
        return member(value[["first", "second"].index(names[0])], names[1:])
    return member(value[names[0]], names[1:])


class Uproot:
    """The branches of a file in the order in which we count them."""

    def __init__(self, path: Path):
        self.file = uproot.open(path)
        self.branches: dict[str, list[Any]] = {}
        self.arrays: dict[tuple[str, int], Any] = {}

    def values(self, column: dict[str, Any]) -> list[Any] | None:
        """None if uproot cannot read it."""
        tree, number = column["tree"], column["branch"]
        if tree not in self.branches:
            self.branches[tree] = branches_of(self.file[tree])
        try:
            if (tree, number) not in self.arrays:
                self.arrays[tree, number] = ak.to_list(self.branches[tree][number].array(library="ak"))
        except Exception:  # it has many ways to refuse
            return None
        members = column["column"].removeprefix(column["path"])
        array = self.arrays[tree, number]
        if members == "_":  # the number of items: records of what is in them
            return (
                [len(next(iter(entry.values()))) for entry in array]
                if array and isinstance(array[0], dict)
                else array
            )
        return as_text(member(array, members.split(".")[1:]))


def is_wrong_in_uproot(path: Path, column: str) -> bool:
    return any(path.name.startswith(name) and column in names for name, names in WRONG_IN_UPROOT.items())


def flat(values: Any) -> list[Any]:
    return [item for value in values for item in flat(value)] if isinstance(values, list) else [values]


def root_values(path: Path, column: dict[str, Any]) -> list[Any]:
    """All values behind each other, numbers as ROOT's formulas give them."""
    file = ROOT.TFile.Open(str(path))
    tree = file.Get(column["tree"])
    if "string" in column["type"] and "list" not in column["type"]:
        values = []
        tree.SetBranchStatus("*", False)
        tree.SetBranchStatus(column["column"], True)
        for entry in range(tree.GetEntries()):
            tree.GetEntry(entry)
            leaf = tree.GetLeaf(column["column"])
            is_leaf = leaf.ClassName() == "TLeafC"
            values.append(str(ROOT.text_of_leaf(leaf)) if is_leaf else str(getattr(tree, column["column"])))
        return values
    tree.SetEstimate(tree.GetEntries() * 1000)
    count = tree.Draw(column["column"], "", "goff")
    assert count >= 0
    return numpy.frombuffer(tree.GetVal(0), count=count).tolist() if count else []


ROOT.gInterpreter.Declare(
    "std::string text_of_leaf(TLeaf* leaf) { return (const char*)leaf->GetValuePointer(); }"
)

FILES = tree_files_for_uproot()
# Branches that ROOT had no code to write; sources look at their bytes and leave them out.
NOT_WRITTEN = {("uproot-mc10events.root", "Info.triggerBits")}


@pytest.mark.thorough(quick=6)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_columns_have_the_values_that_uproot_reads(path, tree_values):
    theirs = Uproot(path)
    different = []
    for (_, name), column in columns_of(tree_values(path)).items():
        if (path.name, name) in NOT_WRITTEN:
            assert "has not the bytes of its values" in column["error"]
            continue
        assert column["error"] == "", name
        if not is_wrong_in_uproot(path, name):
            expected = theirs.values(column)
            if expected is not None and repr(expected) != repr(column["values"]):
                different.append(name)
    assert different == []


def sample(name: str) -> Path:
    found = [path for path in FILES if path.name == name]
    if not found:
        pytest.skip("needs files made by others: set SKIMLINE_TEST_DATA to their folder")
    return found[0]


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("types_zlib.root", ["C", "f16r", "da", "vf16", "sa.x", "sa.y", "sv.k", "sv.x"]),
        ("types_genoff.root", ["C", "f16r", "da", "sa.x", "sv.x"]),
        ("stl_genoff.root", ["s", "ts", "vd", "vd32"]),
        ("ev_s99.root", ["ev.f16r", "ev.d32r"]),
    ],
)
def test_columns_have_the_values_that_root_reads_where_uproot_does_not(name, columns, tree_values):
    ours = columns_of(tree_values(sample(name)))
    for column in columns:
        values = flat(ours["t", column]["values"])
        if ours["t", column]["type"] != "string":
            values = [float(value) for value in values]
        assert root_values(sample(name), ours["t", column]) == values, column


@pytest.mark.parametrize("name", ["ev_s0.root", "ev_s1.root"])
def test_members_have_the_same_values_however_far_a_class_is_split(name, tree_values):
    # The numbers of reduced precision are random in each file.
    def by_name(path):
        return {
            column["column"].replace(".Base0.", "."): column["values"]
            for column in columns_of(tree_values(path)).values()
            if not column["type_name"].startswith(("Float16_t", "Double32_t"))
        }

    split, ours = by_name(sample("ev_s99.root")), by_name(sample(name))
    assert len(ours) > 70
    assert [column for column, values in ours.items() if values != split[column]] == []


def test_the_data_are_there():
    """Where a folder is named or beside the repository, it has trees."""
    if (REPOSITORY.parent / "shared" / "data").is_dir():
        assert FILES

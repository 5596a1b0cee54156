# SPDX-License-Identifier: BSD-3-Clause
"""Metadata of trees: what we find in files of ROOT, uproot and others is what uproot finds."""

import json
import subprocess
from array import array

import numpy
import pytest
import ROOT
import uproot
from tree_files import tree_files

# uproot 5.7 fails on baskets without offsets in the object of the tree.
NOT_FOR_UPROOT = ["embedded_genoff.root"]


@pytest.fixture
def summary(build_folder):
    program = build_folder / "tests" / "io" / "io_tree_summary"

    def read(path):
        found = subprocess.run([program, path], check=True, capture_output=True)
        return {tree["path"]: tree for tree in json.loads(found.stdout.decode(errors="replace"))}

    return read


def member(model, name, missing=None):
    found = model.member(name, none_if_missing=True)
    return missing if found is None else found


def branches_of(parent):
    """Depth first, parents before their children, with the number of the parent."""
    found = []

    def add(branches, number):
        for branch in branches:
            found.append((branch, number))
            add(branch.branches, len(found) - 1)

    add(parent.branches, -1)
    return found


def compare_branch(ours, theirs):
    assert ours["name"] == member(theirs, "fName")
    assert ours["title"] == member(theirs, "fTitle")
    assert ours["class"] == theirs.classname
    assert ours["compression"] == member(theirs, "fCompress")
    assert ours["bytes_unpacked"] == member(theirs, "fTotBytes")
    assert ours["bytes_stored"] == member(theirs, "fZipBytes")
    assert ours["entries"] == member(theirs, "fEntries")
    assert ours["object_class"] == member(theirs, "fClassName", "")
    if ours["class"] == "TBranchElement":
        assert ours["parent_class"] == member(theirs, "fParentName", "")
        assert ours["clones_class"] == member(theirs, "fClonesName", "")
        assert ours["checksum"] == member(theirs, "fCheckSum", 0)
        assert ours["class_version"] == member(theirs, "fClassVersion")
        assert ours["id"] == member(theirs, "fID")
        assert ours["type"] == member(theirs, "fType")
        assert ours["streamer_type"] == member(theirs, "fStreamerType")


def compare_baskets(ours, theirs):
    if ours["problem"]:
        assert ours["class"] not in ("TBranch", "TBranchElement")
        assert ours["baskets"] == []
        return
    starts = member(theirs, "fBasketEntry")
    offsets = [offset for offset in theirs.entry_offsets]
    if not ours["baskets"]:
        assert offsets[-1] == offsets[0] == 0 or theirs.num_baskets == 0
        return
    bounds = [basket[0] for basket in ours["baskets"]] + [ours["entries"]]
    assert bounds == sorted(set(offsets))
    stored = [basket for basket in ours["baskets"] if not basket[4]]
    seeks = member(theirs, "fBasketSeek")
    sizes = member(theirs, "fBasketBytes")
    expected = {(starts[i], seeks[i], sizes[i]) for i in range(member(theirs, "fWriteBasket")) if seeks[i]}
    found = {(first, offset, size) for first, _, offset, size, _ in stored}
    assert found <= expected
    assert all(starts[i] == starts[i + 1] for i in range(len(starts) - 1) if (starts[i], seeks[i], sizes[i]) in expected - found)


def compare_leaves(tree, ours, branches):
    """Counters by the object that uproot found, which must be a leaf of the same tree."""
    theirs = [leaf for branch, _ in branches for leaf in member(branch, "fLeaves")]
    numbers = {}
    for number, leaf in enumerate(theirs):
        numbers.setdefault((member(leaf, "fName"), leaf.cursor.index if leaf.cursor else None), number)
    assert len(ours) == len(theirs)
    for our, their in zip(ours, theirs, strict=True):
        assert our["name"] == member(their, "fName")
        assert our["title"] == member(their, "fTitle")
        assert our["class"] == their.classname
        assert our["unsigned"] == bool(member(their, "fIsUnsigned"))
        length = member(their, "fLen")
        assert our["length"] == (1 if length < 1 or our["class"] == "TLeafC" else length)
        assert numpy.prod(our["dimensions"], initial=1) == our["length"]
        counter = member(their, "fLeafCount")
        assert (our["counter"] == -1) == (counter is None)
        if counter is not None:
            assert ours[our["counter"]]["name"] == member(counter, "fName")


def compare_tree(ours, theirs):
    assert ours["name"] == member(theirs, "fName")
    assert ours["title"] == member(theirs, "fTitle")
    assert ours["entries"] == member(theirs, "fEntries")
    branches = branches_of(theirs)
    assert [branch["parent"] for branch in ours["branches"]] == [parent for _, parent in branches]
    for our, (their, _) in zip(ours["branches"], branches, strict=True):
        compare_branch(our, their)
        compare_baskets(our, their)
    compare_leaves(theirs, ours["leaves"], branches)


def compare_with_uproot(ours, path):
    with uproot.open(path) as file:
        classes = file.classnames(cycle=False)
        trees = [name for name, kind in classes.items() if kind in ("TTree", "TNtuple", "TNtupleD")]
        assert sorted(ours) == sorted(set(trees))
        for name, our in ours.items():
            compare_tree(our, file[name])


def compare_with_root(ours, path):
    file = ROOT.TFile(str(path))
    for name, our in ours.items():
        tree = file.Get(name)
        assert our["entries"] == tree.GetEntries()
        branches = list(tree.GetListOfBranches())
        assert [branch["name"] for branch in our["branches"]] == [branch.GetName() for branch in branches]
        for found, branch in zip(our["branches"], branches, strict=True):
            assert found["entries"] == branch.GetEntries()
            assert found["problem"] == ""
            stored = sum(not basket[4] for basket in found["baskets"])
            assert stored == branch.GetWriteBasket()
        leaves = list(tree.GetListOfLeaves())
        assert [leaf["title"] for leaf in our["leaves"]] == [leaf.GetTitle() for leaf in leaves]
        for found, leaf in zip(our["leaves"], leaves, strict=True):
            counter = leaf.GetLeafCount()
            name = counter.GetName() if counter else None
            assert name == (our["leaves"][found["counter"]]["name"] if found["counter"] >= 0 else None)
    file.Close()


def compare_file(summary, path):
    ours = summary(path)
    if path.name in NOT_FOR_UPROOT:
        compare_with_root(ours, path)
    else:
        compare_with_uproot(ours, path)
    return ours


@pytest.mark.parametrize("path", tree_files(), ids=lambda path: path.name)
def test_trees_of_others(summary, path):
    compare_file(summary, path)

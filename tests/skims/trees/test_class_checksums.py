# SPDX-License-Identifier: BSD-3-Clause
"""Classes that changed and kept their version, as those without a version of their own do: the checksum in each branch says which
layout it has. What programs wrote is the oracle: uproot takes the types of branches, and ROOT those of the description that is left."""

import json

import numpy
import pytest
import uproot
from exit_codes import DONE, FAILED, WRONG_USAGE
from prepared_root import prepared_root

# The members change places, so that each entry keeps its size.
HITS = {
    "first": "struct Hit { int a = 0; float b = 0; std::vector<int> c; void set(int i) { a = i; b = i + 0.5f; c.assign(2, i); } };",
    "second": "struct Hit { float a = 0; int b = 0; std::vector<float> c; void set(int i) { a = i + 0.25f; b = 10 * i; c.assign(2, i); } };",
}
WRITE = """
ROOT.gErrorIgnoreLevel = ROOT.kError
ROOT.gInterpreter.Declare("#include <vector>\\n" + sys.argv[1])
file = ROOT.TFile(sys.argv[2], sys.argv[3])
tree = ROOT.TTree(sys.argv[4], "")
hit = ROOT.Hit()
tree.Branch("split.", hit)
tree.Branch("whole.", hit, 32000, 0)
for number in range(5):
    hit.set(number)
    tree.Fill()
tree.Write()
file.Close()
"""
NUMBERS = {
    "first": (numpy.arange(5, dtype="i4"), numpy.arange(5, dtype="f4") + 0.5, "int"),
    "second": (numpy.arange(5, dtype="f4") + 0.25, 10 * numpy.arange(5, dtype="i4"), "float"),
}


@pytest.fixture(scope="module")
def root():
    with prepared_root("") as prepared:
        yield prepared


def inspected(call, path):
    done = call("inspect", "--json", path)
    assert done.returncode == DONE, done.stderr
    return {tree["name"]: tree for tree in json.loads(done.stdout)["trees"]}


def check_values(call, file, tree, folder):
    output = folder / f"{tree}.root"
    done = call("convert", f"{file}:{tree}", "-o", output, "--name", "Events")
    assert done.returncode == DONE, done.stderr
    found = uproot.open(output)["Events"].arrays()
    a, b, _ = NUMBERS[tree]
    for branch in ("split", "whole"):
        names = {name.replace(".", "_"): name for name in found.fields}
        for member, expected in (("a", a), ("b", b)):
            values = found[names[f"{branch}_{member}"]].to_numpy()
            assert values.dtype == expected.dtype
            numpy.testing.assert_array_equal(values, expected)
        assert found[names[f"{branch}_c"]].to_list() == [[i, i] for i in range(5)]


def test_of_two_layouts_each_branch_has_the_one_of_its_checksum(call, root, tmp_path):
    parts = [tmp_path / f"{tree}.part.root" for tree in HITS]
    for (tree, code), part in zip(HITS.items(), parts, strict=True):
        root.run(WRITE, code, part, "RECREATE", tree)
    merged = tmp_path / "merged.root"
    done = call("merge", merged, *parts)
    assert done.returncode == DONE, done.stderr
    for tree in HITS:
        check_values(call, merged, tree, tmp_path)


def test_members_are_not_read_by_the_description_of_others(call, root, tmp_path):
    """A program that adds to the file of an earlier one leaves the description of its own class alone."""
    file = tmp_path / "updated.root"
    for mode, (tree, code) in zip(("RECREATE", "UPDATE"), HITS.items(), strict=True):
        root.run(WRITE, code, file, mode, tree)
    check_values(call, file, "second", tmp_path)
    unread = {field["name"]: field["reason"] for field in inspected(call, file)["first"]["unsupported"]}
    reason = "the file describes class Hit with other members than it had when this was written"
    assert unread == dict.fromkeys(["split.a", "split.b", "split.c", "whole"], reason)
    done = call("convert", f"{file}:first", "-o", tmp_path / "c.root", "--keep", "split.a")
    assert done.returncode == WRONG_USAGE
    assert reason in done.stderr


# One number after the other, in an object that says the version of its class alone.
INNER = "struct Inner { %s void set(int i) { a = i; b = i + 0.5f; } ClassDefInline(Inner, 1) };"
OUTER = "struct Outer { Inner inner; ClassDefInline(Outer, 1) };"
WRITE_WHOLE = """
ROOT.gErrorIgnoreLevel = ROOT.kError
ROOT.gInterpreter.Declare(sys.argv[1])
file = ROOT.TFile(sys.argv[2], "RECREATE")
tree = ROOT.TTree(sys.argv[3], "")
outer = ROOT.Outer()
tree.Branch("outer.", outer, 32000, 0)
for number in range(3):
    outer.inner.set(number)
    tree.Fill()
tree.Write()
file.Close()
"""


@pytest.fixture(scope="module")
def changed(root, tmp_path_factory):
    """Files of a class whose members changed places, and kept their version."""
    folder = tmp_path_factory.mktemp("changed")
    files = [folder / "old.root", folder / "new.root"]
    for file, members in zip(files, ("int a = 0; float b = 0;", "float b = 0; int a = 0;"), strict=True):
        root.run(WRITE_WHOLE, INNER % members + OUTER, file, "t")
    return files


def test_objects_that_only_say_their_version_are_not_merged_with_those_of_other_members(
    call, changed, tmp_path
):
    done = call("merge", tmp_path / "m.root", *changed)
    assert done.returncode == FAILED
    assert "class Inner in version 1 has other members than in files before, in" in done.stderr
    assert not (tmp_path / "m.root").exists()


def test_files_of_both_are_read_each_by_its_own_description(call, changed, tmp_path):
    done = call("convert", *(f"{file}:t" for file in changed), "-o", tmp_path / "c.root", "--name", "Events")
    assert done.returncode == DONE, done.stderr
    found = uproot.open(tmp_path / "c.root")["Events"].arrays()
    names = {name.replace(".", "_"): name for name in found.fields}
    assert found[names["outer_inner_a"]].to_list() == [0, 1, 2] * 2
    assert found[names["outer_inner_b"]].to_list() == [0.5, 1.5, 2.5] * 2


def test_objects_of_either_are_not_read_as_the_other(call, root, changed, tmp_path):
    """A file with both descriptions, of trees of two names."""
    members = "float b = 0; int a = 0;"
    root.run(WRITE_WHOLE, INNER % members + OUTER, tmp_path / "u.root", "u")
    assert call("merge", tmp_path / "m.root", changed[0], tmp_path / "u.root").returncode == DONE
    for tree in inspected(call, tmp_path / "m.root").values():
        (unread,) = tree["unsupported"]
        assert "class Inner is described in several ways in version 1" in unread["reason"]

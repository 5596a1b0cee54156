# SPDX-License-Identifier: BSD-3-Clause
"""Metadata of trees: what we find in files of ROOT, uproot and others is what uproot finds."""

import json
import subprocess
from array import array

import awkward
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
    offsets = list(theirs.entry_offsets)
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
    assert all(
        starts[i] == starts[i + 1]
        for i in range(len(starts) - 1)
        if (starts[i], seeks[i], sizes[i]) in expected - found
    )


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


@pytest.mark.thorough(quick=6)
@pytest.mark.parametrize("path", tree_files(), ids=lambda path: path.name)
def test_trees_of_others(summary, path):
    compare_file(summary, path)


ROOT_CODE = """
#include <TError.h>
#include <TFile.h>
#include <TNtuple.h>
#include <TNtupleD.h>
#include <TTree.h>

struct MetaBase { int b = 1; virtual ~MetaBase() {} };
struct MetaHit { float x = 0, y = 0; };
struct MetaEvent : MetaBase { int n = 0; MetaHit one; std::vector<MetaHit> hits; double a[3][2] = {}; };

// Friends, an index, aliases, several cycles, directories, clusters of changing sizes, counters of all kinds.
void write_trees(const char* path, int compression) {
  gErrorIgnoreLevel = kFatal;
  {
    TFile other("friend.root", "RECREATE");
    TTree("values", "").Write();
  }
  TFile file(path, "RECREATE", "", compression);
  file.mkdir("some/folder", "", true)->cd();
  TNtuple ntuple("values", "three numbers", "x:y:z");
  for (float i = 0; i < 30; ++i) ntuple.Fill(i, i + 1, i + 2);
  ntuple.Write();
  TNtupleD doubles("doubles", "two numbers", "a:b");
  doubles.Fill(1, 2);
  doubles.Write();
  file.cd();
  TTree tree("t", "of all kinds");
  int run = 0;
  ULong64_t event = 0;
  unsigned short count = 0;
  float jagged[20] = {};
  double matrix[6] = {};
  char text[8] = "abc";
  struct { float first; float second[2]; int third; } three = {};
  std::vector<std::string> words;
  tree.Branch("run", &run, "run/I");
  tree.Branch("event", &event, "event/l");
  tree.Branch("count", &count, "count/s");
  tree.Branch("jagged", jagged, "jagged[count]/F");
  tree.Branch("pairs", jagged, "pairs[count][2]/F");
  tree.Branch("matrix", matrix, "matrix[2][3]/D");
  tree.Branch("three", &three, "first/F:second[2]/F:third/I");
  tree.Branch("text", text, "text/C");
  tree.Branch("words", &words);
  tree.SetAlias("mass", "sqrt(matrix)");
  tree.SetAlias("other", "run * 2");
  tree.SetAutoFlush(40);
  for (int i = 0; i < 200; ++i) {
    run = i / 10, event = 1000 - i, count = i % 4;
    if (i == 100) tree.SetAutoFlush(25);
    tree.Fill();
    if (i == 150) tree.AutoSave();  // another cycle, with some baskets in the object
  }
  tree.BuildIndex("run", "event");
  tree.AddFriend("values", "friend.root");
  tree.AddFriend("near = some/folder/doubles");
  tree.Write();
}

void write_split(const char* path) {
  gErrorIgnoreLevel = kFatal;
  TFile file(path, "RECREATE");
  TTree tree("t", "");
  MetaEvent event;
  tree.Branch("bare", &event);
  tree.Branch("dot.", &event);
  for (int i = 0; i < 7; ++i) {
    event.hits.emplace_back();
    tree.Fill();
  }
  tree.Write();
}
"""


@pytest.fixture(scope="module")
def declared():
    assert ROOT.gInterpreter.Declare(ROOT_CODE)


@pytest.fixture
def root_code(declared, tmp_path, monkeypatch):
    """In the folder of the test; what ROOT has to say about missing dictionaries and friends is no failure."""
    monkeypatch.chdir(tmp_path)
    level = ROOT.gErrorIgnoreLevel
    yield
    ROOT.gErrorIgnoreLevel = level


def test_tree_of_root(summary, tmp_path, root_code):
    path = tmp_path / "t.root"
    ROOT.write_trees(str(path), 101)
    trees = compare_file(summary, path)
    compare_with_root({"t": trees["t"]}, path)
    assert list(trees) == ["some/folder/values", "some/folder/doubles", "t"]
    tree = trees["t"]
    assert tree["entries"] == 200
    assert tree["aliases"] == [["mass", "sqrt(matrix)"], ["other", "run * 2"]]
    assert tree["friends"] == [["values", "friend.root", "values"], ["near", "", "some/folder/doubles"]]
    assert not any(branch["problem"] for branch in tree["branches"])

    file = ROOT.TFile(str(path))
    root_tree = file.Get("t")
    index = root_tree.GetTreeIndex()
    ours = tree["index"]
    assert (ours["major"], ours["minor"]) == ("run", "event")
    assert len(ours["entries"]) == 200
    for name, values in (
        ("entries", index.GetIndex()),
        ("major_values", index.GetIndexValues()),
        ("minor_values", index.GetIndexValuesMinor()),
    ):
        assert ours[name] == [values[i] for i in range(200)]

    clusters = root_tree.GetClusterIterator(0)
    begins = []
    while (start := clusters.Next()) < 200:
        begins.append(start)
    assert tree["clusters"] == begins
    file.Close()


def test_older_cycles_and_objects_of_other_classes_are_no_trees(summary, tmp_path):
    path = tmp_path / "t.root"
    file = ROOT.TFile(str(path), "RECREATE")
    for entries in (3, 5):
        tree = ROOT.TTree("t", "")
        number = array("i", [0])
        tree.Branch("number", number, "number/I")
        for _ in range(entries):
            tree.Fill()
        tree.Write()
    ROOT.TNamed("n", "not a tree").Write()
    file.Close()
    assert [(name, tree["entries"]) for name, tree in summary(path).items()] == [("t", 5)]


def test_without_streamer_info(summary, tmp_path, root_code):
    """The record is not found any more; what ROOT 6.40 writes for plain trees is known without it."""
    path = tmp_path / "t.root"
    ROOT.write_trees(str(path), 0)
    expected = summary(path)["t"]
    content = bytearray(path.read_bytes())
    content[37:45] = bytes(8)
    path.write_bytes(content)
    found = summary(path)["t"]
    assert found["classes"] == 0 and expected["classes"] > 20
    for tree in (found, expected):
        del tree["classes"]
    assert found == expected


def test_split_objects(summary, tmp_path, root_code):
    """Names with and without a dot, members of bases, objects in objects and collections of them."""
    path = tmp_path / "t.root"
    ROOT.write_split(str(path))
    tree = compare_file(summary, path)["t"]
    assert not any(branch["problem"] for branch in tree["branches"])
    paths = [branch["path"] for branch in tree["branches"]]
    assert len(set(paths)) == len(paths)
    for name in ("n", "one.x", "one.y", "hits", "hits.x", "hits.y", "a"):
        assert f"bare.{name}" in paths and f"dot.{name}" in paths
    by_path = {branch["path"]: branch for branch in tree["branches"]}
    assert by_path["dot.hits.x"]["count_branch"] == paths.index("dot.hits")


def test_tree_of_uproot(summary, tmp_path):
    path = tmp_path / "t.root"
    with uproot.recreate(path) as file:
        tree = file.mktree("folder/t", {"x": "float64", "n": "var * int32", "m": "(3, 2)i2"})
        for size in (4, 6):
            jagged = awkward.Array([[1, 2]] * size)
            tree.extend({"x": numpy.arange(size), "n": jagged, "m": numpy.zeros((size, 3, 2), "i2")})
    tree = compare_file(summary, path)["folder/t"]
    assert tree["entries"] == 10
    assert [len(branch["baskets"]) for branch in tree["branches"]] == [2] * len(tree["branches"])

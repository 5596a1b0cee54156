# SPDX-License-Identifier: BSD-3-Clause
"""`skimline merge` of circular trees, of which ROOT keeps the last entries, and what ROOT makes of the result."""

import array

import ROOT
from exit_codes import DONE

NUM_KEPT = 20


def write_circular(path, begin):
    """The tree has the last entries of 50."""
    with ROOT.TFile(str(path), "RECREATE") as file:
        tree = ROOT.TTree("events", "")
        tree.SetCircular(NUM_KEPT)
        number = array.array("i", [0])
        tree.Branch("number", number, "number/I")
        for number[0] in range(begin, begin + 50):
            tree.Fill()
        kept = tree.GetEntries()
        file.WriteObject(tree, "events")
    return list(range(begin + 50 - kept, begin + 50))


def numbers_in(path):
    with ROOT.TFile.Open(str(path)) as file:
        return [entry.number for entry in file.Get("events")]


def test_root_adds_to_what_was_merged(call, tmp_path):
    first = write_circular(tmp_path / "a.root", 0)
    second = write_circular(tmp_path / "b.root", 100)
    done = call("merge", "m.root", "a.root", "b.root", cwd=tmp_path)
    assert done.returncode == DONE, done.stderr
    assert numbers_in(tmp_path / "m.root") == first + second
    merger = ROOT.TFileMerger(False, False)
    merger.OutputFile(str(tmp_path / "all.root"), "RECREATE")
    for name in ("m.root", "a.root"):
        merger.AddFile(str(tmp_path / name), False)
    assert merger.Merge()
    assert numbers_in(tmp_path / "all.root") == first + second + first

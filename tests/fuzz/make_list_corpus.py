# SPDX-License-Identifier: BSD-3-Clause
"""Writes the corpus of chains and lists of entries, as ROOT stores them: make_list_corpus.py"""

import os
import sys
import tempfile
from array import array
from pathlib import Path

import ROOT

CORPUS = Path(__file__).resolve().parent / "corpus" / "root_file"


def written(*objects) -> bytes:
    """A file with objects, uncompressed, so that every byte is one of theirs."""
    file = ROOT.TFile("written.root", "RECREATE", "", 0)
    for each in objects:
        each.Write()
    file.Close()
    return Path("written.root").read_bytes()


def chains() -> bytes:
    """Files that are counted, that are not, with other trees and at URLs; a friend and an alias."""
    chain = ROOT.TChain("Events", "a chain")
    chain.Add("a.root")
    chain.Add("b.root", 7)
    chain.Add("b.root?#other", 3)
    chain.Add("root://nowhere.example//store/x.root", 5)
    chain.AddFriend("Events", "a.root")
    chain.SetAlias("twice", "2 * x")
    return written(chain, ROOT.TChain("empty"))


def entry_lists() -> bytes:
    """Lists of several trees, of numbers, of all but some entries, and numbers of a chain."""
    chain = ROOT.TChain("Events")
    chain.Add("a.root")
    chain.Add("b.root")
    chain.Draw(">>some", "x > 2", "entrylist")
    chain.Draw(">>through", "x > 2")
    lists = [ROOT.gDirectory.Get("some"), ROOT.gDirectory.Get("through")]
    for name, entries in (("far", (1, 3, 64000, 128001)), ("but_two", set(range(64000)) - {5, 6})):
        lists.append(ROOT.TEntryList(name, name))
        for entry in entries:
            lists[-1].Enter(entry)
        lists[-1].OptimizeStorage()
    lists.append(ROOT.TEntryList("bits", "bits"))
    lists[-1].Enter(9)
    return written(*lists)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        value = array("d", [0])
        for name in ("a", "b"):
            file = ROOT.TFile(f"{name}.root", "RECREATE")
            tree = ROOT.TTree("Events", "events")
            tree.Branch("x", value, "x/D")
            for each in range(7):
                value[0] = each
                tree.Fill()
            tree.Write()
            file.Close()
        (CORPUS / "chains").write_bytes(chains())
        (CORPUS / "entry_lists").write_bytes(entry_lists())


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""A job of ROOT that writes trees and is killed: python crashed_jobs.py FOLDER."""

import os
import signal
import sys
from array import array
from pathlib import Path

ENTRIES = 2200  # the last cluster is not full

# By file: entries between two AutoSaves, entries of a cluster, option of AutoSave, directory of the tree.
JOBS = {
    "saved.root": (600, 300, "", ""),
    "whole_header.root": (600, 300, "SaveSelf", ""),
    "between_flushes.root": (600, 0, "", ""),
    "flushed_baskets.root": (999, 500, "FlushBaskets", ""),
    "early.root": (5, 440, "", "dir"),
    "never_saved.root": (0, 300, "", ""),
}


def lists(i):
    """The values of an entry, by branch."""
    return {
        "run": i,
        "Jet_pt": [i + k / 2 for k in range(i % (3 + i // 700))],
        "v": [i / 4 + k for k in range(i % 3)],
        "text": "x" * (1 + i % 7 + i // 500),
        "hits": [float(k) for k in range(i % (2 + i // 600))],
        "name": "n" * (i % 4) + str(i),
    }


class Job:
    """One file of the job, that is open all the time."""

    def __init__(self, path, root, saves, cluster, option, folder):
        self.root, self.saves, self.option = root, saves, option
        self.file = root.TFile(str(path), "RECREATE")
        if folder:
            self.file.mkdir(folder).cd()
        self.tree = root.TTree("Events", "events")
        self.tree.SetAutoFlush(cluster)
        self.tree.SetAutoSave(0)
        self.run, self.n, self.pt = array("i", [0]), array("i", [0]), array("f", [0] * 20)
        self.text = array("b", [0] * 100)
        self.v, self.name = root.std.vector("float")(), root.std.string()
        self.hits = root.std.vector("ROOT::Math::XYZTVector")()
        for name, at, title in (("run", self.run, "run/I"), ("nJet", self.n, "nJet/I")):
            self.tree.Branch(name, at, title)
        self.tree.Branch("Jet_pt", self.pt, "Jet_pt[nJet]/F", 2000)
        self.tree.Branch("v", self.v, 3000)
        self.tree.Branch("text", self.text, "text/C")
        self.tree.Branch("hits", self.hits, 4000, 99)
        self.tree.Branch("name", self.name)

    def fill(self, i):
        values = lists(i)
        self.run[0], self.n[0] = i, len(values["Jet_pt"])
        self.pt[: self.n[0]] = array("f", values["Jet_pt"])
        self.text[: len(values["text"]) + 1] = array("b", values["text"].encode() + b"\0")
        self.v.clear()
        for value in values["v"]:
            self.v.push_back(value)
        self.hits.clear()
        for value in values["hits"]:
            self.hits.push_back(self.root.Math.XYZTVector(value, i, -value, 0))
        self.name.assign(values["name"])
        self.tree.Fill()
        if self.saves and i and i % self.saves == 0 and (i < 100 or self.saves > 100):
            self.tree.AutoSave(self.option)
        if i == ENTRIES // 2:
            self.file.cd()
            histogram = self.root.TH1D("h", "a title", 4, 0, 4)
            histogram.Fill(1.5, 3)
            histogram.Write()


def main(folder):
    import ROOT

    jobs = [Job(folder / name, ROOT, *how) for name, how in JOBS.items()]
    for i in range(ENTRIES):
        for job in jobs:
            job.fill(i)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that died while they wrote a tree into a file that has, or had, another one with its name and its branches."""

import re
import subprocess
import sys

import numpy as np
import pytest
import uproot
from exit_codes import INCOMPLETE

WRITE = """
import os, sys
import numpy as np
import ROOT
ROOT.gErrorIgnoreLevel = ROOT.kError


def fill(first, count):
    tree = ROOT.TTree("t", "")
    tree.SetAutoFlush(0)
    x, y = np.zeros(1, "i4"), np.zeros(1, "f8")
    tree.Branch("x", x, "x/I")
    tree.Branch("y", y, "y/D")
    for i in range(first, first + count):
        x[0], y[0] = i, i + 0.5
        tree.Fill()
    return tree


path, count = sys.argv[1], int(sys.argv[2])
file = ROOT.TFile(path, "RECREATE")
fill(0, 1000).Write()
file.Close()
file = ROOT.TFile(path, "UPDATE")
tree = fill(100000, count)
tree.AutoSave() if count else tree.Write()  # which takes the older tree off the list, or leaves it there
file.SaveSelf()
file.Flush()
os._exit(0)
"""


@pytest.mark.parametrize("count", [0, 10])
def test_a_tree_has_no_entries_of_the_one_before(call, tmp_path, count):
    """Keys of baskets have the names of the tree and the branch, and their number: those of the older tree have the same."""
    path = tmp_path / "died.root"
    subprocess.run([sys.executable, "-c", WRITE, path, str(count)], check=True, timeout=100)
    done = call("recover", path, tmp_path / "out.root")
    assert done.returncode == INCOMPLETE, done.stdout
    problem = (
        "as one of another tree"
        if count
        else "other records are baskets of a branch and a tree with these names"
    )
    assert re.search(f'branch "x" from entry {count} on: .*{problem}', done.stdout), done.stdout
    with uproot.open(tmp_path / "out.root") as recovered:
        tree = recovered["t"]
        np.testing.assert_array_equal(tree["x"].array(), np.arange(100000, 100000 + count))
        np.testing.assert_array_equal(tree["y"].array(), np.arange(100000, 100000 + count) + 0.5)

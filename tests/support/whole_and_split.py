# SPDX-License-Identifier: BSD-3-Clause
"""Trees of objects that ROOT writes as a whole and split."""

from collections.abc import Iterable
from pathlib import Path

from prepared_root import prepared_root

WRITE = """
for name in sys.argv[3:]:
    file = ROOT.TFile(f"{sys.argv[1]}/{name}.root", "RECREATE")
    tree, value = ROOT.TTree("t", ""), getattr(ROOT, name)()
    tree.Branch("whole.", name, value, 32000, 0)
    tree.Branch("split.", name, value, 32000, 99)
    for x in range(int(sys.argv[2])):
        value.set(x)
        tree.Fill()
    tree.Write()
    file.Close()
"""


def write_whole_and_split(folder: Path, classes: str, names: Iterable[str], num_events: int) -> None:
    """Of each class, a file of its name: the tree "t" has what `set(<event>)` makes of an object, in the branches
    "whole." and "split."."""
    preamble = f"ROOT.gErrorIgnoreLevel = ROOT.kFatal\nROOT.gInterpreter.Declare({classes!r})"
    with prepared_root(preamble) as root:
        root.run(WRITE, folder, num_events, *names)

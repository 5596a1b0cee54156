# SPDX-License-Identifier: BSD-3-Clause
"""Histograms of other programs are drawn beside what skimline wrote, also where they have a name in common."""

import numpy as np
import pytest
import skimline as sk
import uproot

pytest.importorskip("matplotlib")


def test_histograms_of_others_with_the_same_name(events, tmp_path):
    met = events.hist("MET_pt", bins=10, range=(0, 100), name="met")
    sk.run(met, histograms=str(tmp_path / "own.root"))
    with uproot.recreate(tmp_path / "other.root") as file:
        for name in ("met", "pt"):
            file[name] = np.histogram([5.0, 15.0], bins=10, range=(0, 100))
    plots = sk.plot(tmp_path / "own.root", tmp_path / "other.root")
    drawn = [[group.name for group in panel.groups] for panel in plots._panels.values()]
    assert sorted(drawn) == [["events"], ["other"], ["other"]]
    assert sorted(panel.histogram for panel in plots._panels.values()) == ["met", "met", "pt"]

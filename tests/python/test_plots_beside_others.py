# SPDX-License-Identifier: BSD-3-Clause
"""Histograms of other programs are drawn beside what skimline wrote, also where they have a name in common."""

import re

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


def test_groups_name_samples_that_there_are(dimuon, tmp_path):
    """As in a config: what is missing in a stack cannot be seen in it."""
    sk.write(tmp_path / "other.root", {"MET_pt": np.array([5.0, 15])})
    frame = sk.open(
        {"top": str(dimuon), "wjets": tmp_path / "other.root"}, sums={"all": {"top": 1, "wjets": 1}}
    )
    met = frame.hist("MET_pt", bins=20, range=(0, 100), name="met")
    sk.run(met, histograms=tmp_path / "h.root")
    by_sample = {name: met[name] for name in ("top", "wjets")}
    for source in (tmp_path / "h.root", met, by_sample):
        for samples in (["top", "wjet"], ["top", "z*"]):
            message = f'no sample matches "{re.escape(samples[1])}" of the group "mc"'
            # Files may be some of those of a config.
            are_all = source != tmp_path / "h.root"
            told = (
                pytest.raises(sk.ConfigError, match=message)
                if are_all
                else pytest.warns(sk.RunWarning, match=message)
            )
            with told:
                sk.plot(source, plots={"groups": {"mc": {"samples": samples}}})
        assert len(sk.plot(source, plots={"groups": {"mc": {"samples": ["t?p", "*jets"]}}})) == 1
    assert len(sk.plot(met, plots={"groups": {"mc": {"samples": ["all"]}}})) == 1

# SPDX-License-Identifier: BSD-3-Clause
"""Histograms that cannot be read, though nothing is damaged, do not keep others from being drawn."""

import json

import pytest
import skimline as sk
from skimline.plotting import draw_requested

ROOT = pytest.importorskip("ROOT")


def test_histograms_that_cannot_be_read_are_named(tmp_path):
    histograms = ROOT.TH1D("automatic", "", 10, 0, 0), ROOT.TH1D("plain", "", 10, 0, 10)
    path = tmp_path / "h.root"
    with ROOT.TFile.Open(str(path), "recreate") as file:
        for histogram in histograms:
            histogram.SetDirectory(ROOT.nullptr)
            histogram.Fill(1)
            file.WriteObject(histogram, histogram.GetName())
    with pytest.warns(sk.IncompleteWarning, match='not drawn: .*"automatic".* in a buffer'):
        assert list(sk.plot(path)) == ["plain"]
    assert list(sk.plot(path, include="plain")) == ["plain"]
    asked = {"files": [str(path)], "include": [], "output": str(tmp_path / "plots"), "formats": ["svg"]}
    asked |= dict.fromkeys(("plots", "style", "log_x", "log_y", "cutflow"), False) | {"ratio": True}
    is_done, text, has_all = draw_requested(json.dumps(asked))
    assert (is_done, has_all) == (True, False)
    assert [line.split(":")[0] for line in text.splitlines()] == [
        str(tmp_path / "plots/plain.svg"),
        "not drawn",
    ]

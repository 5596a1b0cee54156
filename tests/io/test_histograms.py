# SPDX-License-Identifier: BSD-3-Clause
"""Histograms in ROOT files, as ROOT reads them."""

import subprocess
import sys
from pathlib import Path

import pytest

READ = """
import array, math, ROOT
file = ROOT.TFile({path!r})
values = [-0.5 + 0.0625 * (i % 40) for i in range(1000)]
weights = [0.25 * (i % 7) - 0.5 for i in range(1000)]
edges = array.array("d", [0, 0.1, 0.5, 1])
for name in ("regular", "variable", "weighted"):
    found = file.Get(name)
    expected = ROOT.TH1D("e" + name, "", 3, edges) if name == "variable" else ROOT.TH1D("e" + name, "", 10, 0, 1)
    expected.Sumw2()
    for value, weight in zip(values, weights):
        expected.Fill(value, weight if name == "weighted" else 1)
    assert found.GetEntries() == 1000 and found.GetSumw2N() == expected.GetNcells() == found.GetNcells()
    for cell in range(expected.GetNcells()):
        assert found.GetBinContent(cell) == expected.GetBinContent(cell), (name, cell)
        assert found.GetBinError(cell) == expected.GetBinError(cell), (name, cell)
    assert math.isclose(found.GetMean(), expected.GetMean(), rel_tol=1e-12)
    assert math.isclose(found.GetStdDev(), expected.GetStdDev(), rel_tol=1e-12)
    assert found.GetYaxis().GetTitle() == "Events"
assert file.Get("regular").GetTitle() == "a title"
assert file.Get("regular").GetXaxis().GetTitle() == "x [GeV]"
file.Close()
file = ROOT.TFile({path!r}, "UPDATE")
file.WriteObject(ROOT.TNamed("added", ""), "added")
file.Close()
file = ROOT.TFile({path!r})
assert file.Get("weighted").GetEntries() == 1000
assert file.Get("added").GetName() == "added"
"""


@pytest.fixture(
    params=[0, 1_999_990_000, 3_000_000_000, 6_000_000_000], ids=lambda size: f"after {size} bytes"
)
def samples(request: pytest.FixtureRequest, build_folder: Path, tmp_path: Path) -> Path:
    """A file with the histograms of histogram_samples.cc; where it is large, offsets need 64 bits, and most of it is a hole."""
    path = tmp_path / "samples.root"
    program = build_folder / "tests" / "io" / "io_histogram_samples"
    subprocess.run([program, path, str(request.param)], check=True)
    return path


def test_root_reads_and_updates_without_warning(samples: Path) -> None:
    pytest.importorskip("ROOT")
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", READ.format(path=str(samples))], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""


def test_uproot_reads(samples: Path) -> None:
    uproot = pytest.importorskip("uproot")
    with uproot.open(samples) as file:
        assert file["regular"].values(flow=True).sum() == 1000
        assert file["variable"].axis().edges().tolist() == [0, 0.1, 0.5, 1]

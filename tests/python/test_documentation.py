# SPDX-License-Identifier: BSD-3-Clause
"""The examples of the pages about Python run, in order, and say the same as what they are compared with."""

import contextlib
import io
import re
import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page, language):
    text = (ROOT / page).read_text(encoding="utf-8")
    return [match["code"] for match in BLOCK.finditer(text) if match["language"] == language]


@pytest.fixture
def folder(dimuon, tmp_path, monkeypatch):
    """A folder with dimuon.root, in which the program is at hand."""
    shutil.copy(dimuon, tmp_path / "dimuon.root")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_block(code, namespace):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
        exec(compile(code, "the page", "exec"), namespace)
    return printed.getvalue()


def test_examples_of_the_guide_run(folder, program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what coffea warns of as it is imported
        pytest.importorskip("coffea.processor")
    namespace = {}
    printed = "".join(run_block(code, namespace) for code in blocks("docs/python.md", "python"))
    (shown,) = blocks("docs/python.md", "text")
    assert shown in printed
    expected = re.findall(r"print\(.*\)  # (.*)", "\n".join(blocks("docs/python.md", "python")))
    assert len(expected) >= 13
    for line in expected:
        assert line in printed


def test_the_example_of_the_readme_runs(folder):
    (code,) = blocks("README.md", "python")
    namespace = {}
    assert "opposite charge" in run_block(code, namespace)
    assert namespace["result"].files == ["pairs.root"]


def test_the_program_runs_the_config_of_the_guide(folder, program):
    namespace = {}
    for code in blocks("docs/python.md", "python"):
        run_block(code, namespace)
        if "analysis.json" in code:
            break
    written = (folder / "pairs.root").read_bytes()
    subprocess.run([program, "run", "--force", "analysis.json"], check=True, capture_output=True)
    assert (folder / "pairs.root").read_bytes() == written


def compared(name, end="\n"):
    """Runs the block whose first line names a tool, and returns its variables."""
    (code,) = (code for code in blocks("docs/coming-from.md", "python") if code.startswith(f"# {name}{end}"))
    namespace = {}
    run_block(code, namespace)
    return namespace


def test_rdataframe_and_coffea_give_the_same(folder):
    pytest.importorskip("ROOT")
    ours = compared("Skimline")
    root = compared("RDataFrame")
    for name in ("mass", "central", "hard", "hard_up"):
        theirs = root[name] if name == "hard_up" else root[name].GetValue()
        bins = [theirs.GetBinContent(i) for i in range(theirs.GetNbinsX() + 2)]
        np.testing.assert_allclose(ours[name].values(flow=True), bins, rtol=1e-12)
    steps = [step.events for step in ours["report"]]
    assert steps[1:] == [cut.GetPass() for cut in root["report"].GetValue()]
    np.testing.assert_array_equal(ours["met"], root["met"])
    assert (folder / "pairs.root").exists()
    coffea = compared("coffea", ",")
    assert steps == list(coffea["cutflow"].values())
    np.testing.assert_allclose(ours["central"].values(flow=True), coffea["central"].values(flow=True))
    # without the masses of the muons, a few are in another bin
    assert np.abs(ours["mass"].values() - coffea["mass"].values()).sum() < 0.02 * steps[-1]


def test_uproot_gives_the_same(folder):
    theirs, ours = compared("uproot"), compared("Skimline instead of uproot")
    assert ours["num_entries"] == theirs["num_entries"] == 10000
    assert ours["steps"] == theirs["steps"]
    for name in ("MET_pt", "nMuon"):
        np.testing.assert_array_equal(ours["columns"][name], theirs["columns"][name])
    for name in ("pt", "muons", "part", "met_of_pairs", "leading"):
        assert ours[name].to_list() == theirs[name].to_list()


def without_sizes(texts):
    """Compressed sizes depend on versions of libraries."""
    return [re.sub(r" +", " ", re.sub(r"[\d.]+ [kM]?B\b|\d+\.\d\d\b", "#", text)) for text in texts]


def test_the_tutorial_shows_what_a_run_of_it_shows(tmp_path, build_folder):
    pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    import notebooks

    path = ROOT / "docs" / "tutorial.ipynb"
    stored = nbformat.read(path, as_version=4)
    fresh = notebooks.executed(path, tmp_path, build_folder.resolve() / "python")
    assert (tmp_path / "mass.png").stat().st_size > 5000
    said = notebooks.shown(fresh)
    assert said.count("picture") == 2
    assert "did you mean" in "".join(said)
    assert without_sizes(notebooks.shown(stored)) == without_sizes(said), "scripts/run-tutorial"
    assert path.stat().st_size < 200_000

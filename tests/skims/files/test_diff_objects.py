# SPDX-License-Identifier: BSD-3-Clause
"""`skimline diff` of what is no histogram and holds no events: whether it is the same is said, not in what it differs."""

import json
import shutil

import pytest
import ROOT
from exit_codes import DIFFERENT, DONE, INCOMPLETE, WRONG_USAGE


def write(path, *objects, directory=""):
    """Objects with their names, beside a histogram."""
    file = ROOT.TFile(str(path), "recreate")
    histogram = ROOT.TH1D("h", "", 2, 0, 1)
    file.WriteObject(histogram, "h")
    folder = file.mkdir(directory) if directory else file
    for name, thing in objects:
        folder.WriteObject(thing, name)
    file.Close()
    return path


def graph(y):
    made = ROOT.TGraph(1)
    made.SetPoint(0, 1, y)
    return made


def efficiency(has_passed):
    made = ROOT.TEfficiency("e", "", 2, 0, 2)
    made.Fill(has_passed, 0.5)
    return made


KINDS = {
    "TGraph": (graph(1), graph(2)),
    "TEfficiency": (efficiency(True), efficiency(False)),
    "TParameter<double>": (ROOT.TParameter["double"]("p", 1), ROOT.TParameter["double"]("p", 2)),
    "TNamed": (ROOT.TNamed("n", "one"), ROOT.TNamed("n", "two")),
    "TF1": (ROOT.TF1("f", "x"), ROOT.TF1("f", "x * 2")),
}


@pytest.mark.parametrize("directory", ["", "folder"])
@pytest.mark.parametrize("kind", KINDS)
def test_other_objects_that_differ_are_named(call, tmp_path, kind, directory):
    one, other = KINDS[kind]
    path = "folder/thing" if directory else "thing"
    left = write(tmp_path / "left.root", ("thing", one), directory=directory)
    shutil.copy(left, tmp_path / "copy.root")
    assert call("diff", left, tmp_path / "copy.root").returncode == DONE
    right = write(tmp_path / "right.root", ("thing", other), directory=directory)
    done = call("diff", left, right)
    assert done.returncode == INCOMPLETE
    assert f'not compared: "{path}" ({kind}) is stored in other bytes\n' in done.stdout
    assert "1 histogram compared, none differs" in done.stdout
    said = json.loads(call("diff", left, right, "--json").stdout)
    assert said["not_compared"] == [f'"{path}" ({kind}) is stored in other bytes']


def test_objects_that_one_file_lacks(call, tmp_path):
    left = write(tmp_path / "left.root", ("one", graph(1)), ("same", graph(3)))
    right = write(tmp_path / "right.root", ("same", graph(3)), ("other", graph(1)))
    done = call("diff", left, right)
    assert done.returncode == INCOMPLETE
    assert 'not compared: "one" (TGraph) is in the first only\n' in done.stdout
    assert 'not compared: "other" (TGraph) is in the second only\n' in done.stdout
    assert "same" not in done.stdout
    assert call("diff", left, right, "--include", "h").returncode == DONE
    assert call("diff", left, right, "--include", "o*").returncode == INCOMPLETE
    assert call("diff", left, right, "--include", "same").returncode == WRONG_USAGE


def test_another_class(call, tmp_path):
    left = write(tmp_path / "left.root", ("thing", graph(1)))
    right = write(tmp_path / "right.root", ("thing", ROOT.TNamed("n", "one")))
    assert '"thing" (TGraph) is a TNamed in the second' in call("diff", left, right).stdout
    right = write(tmp_path / "right.root", ("thing", ROOT.TH1D("thing", "", 1, 0, 1)))
    done = call("diff", left, right)
    assert done.returncode == DIFFERENT
    assert f"only in {right}: thing\n" in done.stdout
    assert '"thing" (TGraph) is in the first only' in done.stdout

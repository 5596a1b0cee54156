# SPDX-License-Identifier: BSD-3-Clause
"""`skimline merge` of what lies beside histograms and entries, against ROOT's merger."""

import shutil

import pytest
import ROOT

DONE, FAILED = 0, 1
VALUES = {
    "double": (2.5, -1.0, 7.0),
    "float": (2.5, -1.0, 7.0),
    "int": (2, -1, 2**31 - 1),
    "Long64_t": (2, -1, 2**40),
    "bool": (True, False, True),
}
HOW = ["", "+", "*", "M", "m", "f", "l"]


def write(path, *objects):
    """Objects with their names."""
    file = ROOT.TFile(str(path), "recreate")
    for name, thing in objects:
        file.WriteObject(thing, name)
    file.Close()
    return path


def parameter(kind, value, how):
    made = ROOT.TParameter[kind]
    return made("p", value, how) if how else made("p", value)


def parameter_in(path):
    file = ROOT.TFile(str(path))
    found = file.Get("p")
    return found.GetVal(), found.TestBits(0x3F0000), found.ClassName()


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("are_equal", [False, True])
def test_parameters(call, tmp_path, kind, how, are_equal):
    values = VALUES[kind][:1] * 3 if are_equal else VALUES[kind]
    parts = [
        write(tmp_path / f"{number}.root", ("p", parameter(kind, value, how)))
        for number, value in enumerate(values)
    ]
    merger = ROOT.TFileMerger(False)
    merger.OutputFile(str(tmp_path / "theirs.root"), True)
    for part in parts:
        merger.AddFile(str(part), False)
    assert merger.Merge()
    histogram = ROOT.TH1D("h", "", 1, 0, 1)
    for part in parts:
        file = ROOT.TFile(str(part), "update")
        file.WriteTObject(histogram)
        file.Close()
    done = call("merge", tmp_path / "ours.root", *parts)
    assert done.returncode == DONE, done.stderr
    assert parameter_in(tmp_path / "ours.root") == parameter_in(tmp_path / "theirs.root")


ROOT.gInterpreter.Declare(
    """
    void WriteSettings(const char *path, double shift, const char *text, bool function) {
      TFile file(path, "recreate");
      TGraph graph(3);
      for (int i = 0; i < 3; ++i) graph.SetPoint(i, i, i * i + shift);
      TNamed named("named", text), inside("inside", text);
      TGraph inner(graph);
      inner.SetName("inner");
      TList list;
      list.Add(&inside);
      list.Add(&inner);
      TH1D histogram("h", "", 1, 0, 1);
      file.WriteObject(&named, "named");
      file.WriteObject(&graph, "graph");
      file.WriteObject(&list, "list");
      if (function) {
        TF1 line("function", "[0] * x");
        file.WriteObject(&line, "function");
      }
      file.WriteObject(&histogram, "h");
    }

    void WriteListOfHistograms(const char *path) {
      TFile file(path, "recreate");
      TH1D histogram("inside", "", 1, 0, 1);
      TList list;
      list.Add(&histogram);
      file.WriteObject(&list, "list");
    }
    """
)


def settings(path, shift=0.0, text="text", function=False):
    ROOT.WriteSettings(str(path), shift, text, function)
    return path


def test_equal_objects_are_kept(call, tmp_path):
    parts = [settings(tmp_path / f"{number}.root") for number in range(3)]
    done = call("merge", tmp_path / "m.root", *parts)
    assert done.returncode == DONE, done.stderr
    file = ROOT.TFile(str(tmp_path / "m.root"))
    assert not file.TestBit(ROOT.TFile.kRecovered)
    assert file.Get("named").GetTitle() == "text"
    assert [file.Get("graph").GetPointY(point) for point in range(3)] == [0, 1, 4]
    inside = file.Get("list")
    assert [each.GetName() for each in inside] == ["inside", "inner"]
    assert inside.At(1).GetN() == 3


def test_equal_functions_are_kept(call, tmp_path):
    settings(tmp_path / "1.root", function=True)
    shutil.copy(tmp_path / "1.root", tmp_path / "2.root")
    done = call("merge", tmp_path / "m.root", tmp_path / "1.root", tmp_path / "2.root")
    assert done.returncode == DONE, done.stderr
    file = ROOT.TFile(str(tmp_path / "m.root"))
    function = file.Get("function")
    function.SetParameter(0, 3)
    assert function.Eval(2) == 6


def test_objects_that_differ_are_listed(call, tmp_path):
    settings(tmp_path / "1.root")
    settings(tmp_path / "2.root", shift=1.0, text="other")
    done = call("merge", "m.root", "1.root", "2.root", cwd=tmp_path)
    assert done.returncode == FAILED
    assert "3 objects cannot be merged:" in done.stderr
    for name in ("named", "graph", "list"):
        assert (
            f'object "{name}" of 1.root and 2.root cannot be added: it is not the same in all files'
            in done.stderr
        )


def test_lists_of_what_would_have_to_be_added(call, tmp_path):
    ROOT.WriteListOfHistograms(str(tmp_path / "1.root"))
    done = call("merge", "m.root", "1.root", cwd=tmp_path)
    assert done.returncode == FAILED
    assert 'object "list" of 1.root cannot be added: it is a list that holds a TH1D' in done.stderr

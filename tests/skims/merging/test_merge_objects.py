# SPDX-License-Identifier: BSD-3-Clause
"""`skimline merge` of what lies beside histograms and entries, against ROOT's merger."""

import shutil

import numpy as np
import pytest
import ROOT
import uproot
from exit_codes import DONE, FAILED
from histogram_comparison import numbers_of
from histogram_files import hadd

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


@pytest.mark.thorough(quick=8)
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
    """
)


def settings(path, shift=0.0, text="text", function=False):
    ROOT.WriteSettings(str(path), shift, text, function)
    return path


def test_settings_are_kept_and_points_appended(call, tmp_path):
    parts = [settings(tmp_path / f"{number}.root", shift=number) for number in range(3)]
    done = call("merge", tmp_path / "m.root", *parts)
    assert done.returncode == DONE, done.stderr
    file = ROOT.TFile(str(tmp_path / "m.root"))
    assert not file.TestBit(ROOT.TFile.kRecovered)
    assert file.Get("named").GetTitle() == "text"
    assert list(file.Get("graph").GetY()) == [0, 1, 4, 1, 2, 5, 2, 3, 6]
    inside = file.Get("list")
    assert [each.GetName() for each in inside] == ["inside", "inner"]
    assert list(inside.At(1).GetY()) == [0, 1, 4, 1, 2, 5, 2, 3, 6]


def test_equal_functions_are_kept(call, tmp_path):
    settings(tmp_path / "1.root", function=True)
    shutil.copy(tmp_path / "1.root", tmp_path / "2.root")
    done = call("merge", tmp_path / "m.root", tmp_path / "1.root", tmp_path / "2.root", "--allow-overlap")
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
    assert "2 objects cannot be merged:" in done.stderr
    message = 'object "named" of 1.root and 2.root cannot be added: it is not the same in all files'
    assert message in done.stderr
    message = 'object "list" of 1.root and 2.root cannot be added: "inside": it is not the same in all files'
    assert message in done.stderr


ROOT.gInterpreter.Declare(
    """
    template <typename List>
    void WriteListOfHistograms(const char *path, double weight, int bins, bool random) {
      TFile file(path, "recreate");
      TH1D one("one", "", 4, 0, 4);
      TH2F two("two", "", bins, 0, 2, 2, 0, 2);
      TProfile profile("profile", "", 2, 0, 2);
      TNamed text("text", "same");
      TGraphErrors points(2);
      points.SetName("points");
      points.SetPoint(1, weight, 2 * weight);
      points.SetPointError(1, 0.5, weight);
      if (weight > 2) one.Sumw2();
      for (int i = 0; i < 20; ++i) {
        one.Fill(i % 5);
        two.Fill(i % 2, i % 3, weight);
        profile.Fill(i % 2, i, weight);
      }
      List inner, list;
      inner.SetName("inner");
      TRandom3 generator;
      for (TObject *each : {(TObject *)&one, (TObject *)&points, (TObject *)&text}) inner.Add(each);
      for (TObject *each : {(TObject *)&two, (TObject *)&inner, (TObject *)&profile}) list.Add(each);
      if (random) list.Add(&generator);
      file.WriteObject(&list, "list");
    }

    // The objects of lists of lists, in their order.
    void Leaves(TCollection &list, std::vector<TObject *> &leaves) {
      for (TObject *each : list)
        if (auto *inner = dynamic_cast<TCollection *>(each)) Leaves(*inner, leaves);
        else if (each) leaves.push_back(each);
    }
    std::vector<TObject *> Leaves(const char *path) {
      auto *file = new TFile(path);
      std::vector<TObject *> leaves;
      Leaves(*file->Get<TCollection>("list"), leaves);
      return leaves;
    }
    """
)
ROOT.gInterpreter.Declare(
    """
    void FillEfficiency(TEfficiency &efficiency, bool passed, double weight, double x, double y = 0) {
      weight == 1 ? efficiency.Fill(passed, x, y) : efficiency.FillWeighted(passed, weight, x, y);
    }
    """
)
LISTS = ["TList", "THashList", "TObjArray"]


def listed(path, kind="TList", weight=1.0, bins=3, random=False):
    ROOT.WriteListOfHistograms[kind](str(path), weight, bins, random)
    return path


@pytest.mark.parametrize("kind", LISTS)
def test_lists_of_histograms_are_added_one_by_one(call, tmp_path, kind):
    parts = [listed(tmp_path / f"{weight}.root", kind, weight) for weight in (2.0, 3.0, 4.0)]
    done = call("merge", tmp_path / "m.root", *parts)
    assert done.returncode == DONE, done.stderr
    expected = list(ROOT.Leaves(str(parts[0])))
    for part in parts[1:]:
        for own, other in zip(expected, ROOT.Leaves(str(part)), strict=True):
            together = ROOT.TList()
            together.Add(other)
            if own.ClassName() != "TNamed":
                own.Merge(together)
            together.Clear("nodelete")
    merged = list(ROOT.Leaves(str(tmp_path / "m.root")))
    assert [each.GetName() for each in merged] == ["two", "one", "points", "text", "profile"]
    for own, theirs in zip(merged, expected, strict=True):
        assert own.ClassName() == theirs.ClassName()
        if own.InheritsFrom("TH1"):
            assert numbers_of(own) == numbers_of(theirs)
        elif own.InheritsFrom("TGraph"):
            assert points_of(own) == points_of(theirs)
    assert "inner" in [each.GetName() for each in ROOT.TFile(str(tmp_path / "m.root")).Get("list")]


def test_lists_with_other_objects(call, tmp_path):
    listed(tmp_path / "1.root")
    listed(tmp_path / "2.root", bins=4)
    listed(tmp_path / "3.root", random=True)
    done = call("merge", "m.root", "1.root", "2.root", cwd=tmp_path)
    assert done.returncode == FAILED
    assert 'object "list" of 1.root and 2.root cannot be added: "two": x axis: 3 bins and 4' in done.stderr
    done = call("merge", "m.root", "3.root", cwd=tmp_path)
    assert done.returncode == FAILED
    assert 'object "list" of 3.root cannot be added: it is a list that holds a TRandom3' in done.stderr


def points_of(graph):
    count = graph.GetN()
    errors = ("GetErrorX", "GetErrorY", "GetErrorXlow", "GetErrorXhigh", "GetErrorYlow", "GetErrorYhigh")
    columns = ("GetPointX", "GetPointY", *errors)
    return [[getattr(graph, column)(point) for point in range(count)] for column in columns]


def filled_graph(kind, count, generator, drawn=False):
    graph = getattr(ROOT, kind)()  # Python may take a number of points, 0, for a null pointer
    for point in range(count):
        graph.SetPoint(point, *map(float, generator.random(2)))
        if kind == "TGraphErrors":
            graph.SetPointError(point, *map(float, generator.random(2)))
        if kind == "TGraphAsymmErrors":
            graph.SetPointError(point, *map(float, generator.random(4)))
        if kind == "TGraphBentErrors":
            graph.SetPointError(point, *map(float, generator.random(8)))
    if drawn:
        graph.GetXaxis().SetTitle("mass")
    return graph


@pytest.mark.thorough(quick=2)
@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("kind", ["TGraph", "TGraphErrors", "TGraphAsymmErrors", "TGraphBentErrors"])
def test_points_of_graphs_are_appended_as_hadd_does(call, tmp_path, kind, drawn):
    generator = np.random.default_rng(3)
    parts = [
        write(tmp_path / f"{count}.root", ("g", filled_graph(kind, count, generator, drawn)))
        for count in (3, 1, 7)
    ]
    done = call("merge", tmp_path / "ours.root", *parts)
    assert done.returncode == DONE, done.stderr
    hadd(tmp_path / "theirs.root", *parts)
    files = [ROOT.TFile(str(tmp_path / name)) for name in ("ours.root", "theirs.root")]
    ours, theirs = (file.Get("g") for file in files)
    assert points_of(ours) == points_of(theirs)
    assert ours.GetN() == 11
    assert ours.GetXaxis().GetTitle() == ("mass" if drawn else "")


@pytest.mark.parametrize("kind", ["TGraph", "TGraphErrors"])
@pytest.mark.parametrize("follow", [False, True])
def test_points_that_are_sorted_no_more_are_interpolated_rightly(call, tmp_path, kind, follow):
    """Graphs that ROOT has sorted say so, and are searched by bisection."""
    parts = [[0, 2, 4, 6], [7, 8, 11] if follow else [1, 3, 5, 7]]
    for number, places in enumerate(parts):
        graph = getattr(ROOT, kind)()
        for point, x in enumerate(places):
            graph.SetPoint(point, x, x * x)
        graph.Sort()
        write(tmp_path / f"{number}.root", ("g", graph))
    done = call("merge", tmp_path / "m.root", tmp_path / "0.root", tmp_path / "1.root")
    assert done.returncode == DONE, done.stderr
    file = ROOT.TFile(str(tmp_path / "m.root"))
    merged = file.Get("g")
    assert merged.TestBit(ROOT.TGraph.kIsSortedX) == follow
    known = np.array(sorted(parts[0] + parts[1]), float)
    between = np.linspace(0.25, 6.75, 27)
    assert [merged.Eval(x) for x in between] == pytest.approx(np.interp(between, known, known**2))


def test_an_empty_graph(call, tmp_path):
    generator = np.random.default_rng(4)
    parts = [
        write(tmp_path / f"{count}.root", ("g", filled_graph("TGraphErrors", count, generator)))
        for count in (0, 2)
    ]
    done = call("merge", tmp_path / "m.root", *parts)
    assert done.returncode == DONE, done.stderr
    files = [ROOT.TFile(str(tmp_path / name)) for name in ("m.root", "2.root")]
    assert points_of(files[0].Get("g")) == points_of(files[1].Get("g"))


@pytest.mark.thorough(quick=1)
@pytest.mark.filterwarnings("ignore:.*weight")
@pytest.mark.parametrize("axes", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_efficiencies_as_hadd_adds_them(call, tmp_path, axes, weighted):
    generator = np.random.default_rng(5)
    parts = []
    for number in range(3):
        efficiency = ROOT.TEfficiency("e", "title;x;y", *(4, 0.0, 1.0) * axes)
        if weighted:
            efficiency.SetUseWeightedEvents()
            efficiency.SetWeight(0.5 + number)
        for _ in range(50):
            place = [float(value) for value in generator.random(axes)]
            passed = bool(generator.random() < 0.4)
            weight = float(generator.integers(1, 9)) / 4 if weighted else 1.0
            ROOT.FillEfficiency(efficiency, passed, weight, *place)
        parts.append(write(tmp_path / f"{number}.root", ("e", efficiency)))
    done = call("merge", tmp_path / "ours.root", *parts)
    assert done.returncode == DONE, done.stderr
    hadd(tmp_path / "theirs.root", *parts)
    files = [ROOT.TFile(str(tmp_path / name)) for name in ("ours.root", "theirs.root")]
    ours, theirs = (file.Get("e") for file in files)
    for histogram in ("GetPassedHistogram", "GetTotalHistogram"):
        assert numbers_of(getattr(ours, histogram)()) == numbers_of(getattr(theirs, histogram)())
    assert ours.GetWeight() == pytest.approx(theirs.GetWeight(), rel=1e-15)
    for cell in range(1, 5):
        assert ours.GetEfficiency(cell) == theirs.GetEfficiency(cell)
        theirs_up = pytest.approx(theirs.GetEfficiencyErrorUp(cell), rel=1e-12, nan_ok=True)
        assert ours.GetEfficiencyErrorUp(cell) == theirs_up


def efficiency(settings):
    """Settings are functions of TEfficiency and what they are called with."""
    made = ROOT.TEfficiency("e", "", 2, 0.0, 2.0)
    for name, values in settings:
        getattr(made, name)(*values)
    weight = [2.0] if made.UsesWeights() else []
    for passed in (True, False, True):
        ROOT.FillEfficiency(made, passed, *(weight or [1.0]), 0.5)
    return made


@pytest.mark.filterwarnings("ignore:.*weight")
@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ([("SetConfidenceLevel", [0.95])], "confidence level"),
        ([("SetStatisticOption", [ROOT.TEfficiency.kFWilson])], "statistics"),
        ([("SetStatisticOption", [ROOT.TEfficiency.kBJeffrey])], "prior"),
        ([("SetBetaAlpha", [2.0]), ("SetBetaBeta", [3.0])], "prior"),
        ([("SetShortestInterval", [])], "statistics"),
        ([("SetUseWeightedEvents", [])], "statistics"),
    ],
)
def test_efficiencies_with_other_intervals_are_refused(call, tmp_path, settings, what):
    with_it = [write(tmp_path / f"{number}.root", ("e", efficiency(settings))) for number in range(2)]
    without = write(tmp_path / "without.root", ("e", efficiency([])))
    for parts in ([with_it[0], without], [without, with_it[0]]):
        done = call("merge", tmp_path / "m.root", *parts)
        assert done.returncode == FAILED
        assert f'"e/{what}": it is not the same in all files' in done.stderr
    assert call("merge", tmp_path / "m.root", *with_it).returncode == DONE


def described_classes(path):
    """Names and versions of the classes that a file describes."""
    with uproot.open(path) as file:
        streamers = file.file.streamers
        return {(name, version) for name, versions in streamers.items() for version in versions}


def test_merged_files_describe_the_classes_of_all_inputs(call, tmp_path):
    histogram = ROOT.TH1D("h", "", 1, 0, 1)
    many = [("h", histogram), ("e", ROOT.TEfficiency("e", "", 2, 0, 1)), ("g", ROOT.TGraphErrors(1))]
    few = [("macro", ROOT.TMacro("macro")), ("vector", ROOT.TVector3(1, 2, 3))]
    one, other = write(tmp_path / "1.root", *many), write(tmp_path / "2.root", *few)
    for parts in ([one, other], [other, one]):
        done = call("merge", "-f", tmp_path / "m.root", *parts)
        assert done.returncode == DONE, done.stderr
        expected = described_classes(one) | described_classes(other)
        assert described_classes(tmp_path / "m.root") == expected
        file = ROOT.TFile(str(tmp_path / "m.root"))
        assert file.Get("vector").Z() == 3
        assert file.GetStreamerInfoList().GetSize() >= len(expected)

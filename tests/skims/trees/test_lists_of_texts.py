# SPDX-License-Identifier: BSD-3-Clause
"""Lists of strings of RNTuples and TTrees in expressions and through skims, against loops in Python."""

import json

import awkward
import pytest
import ROOT
import uproot

NAMES = [["b", "x", ""], [], ["x"], ["HLT_Mu24", "HLT_Ele", "x", "x"], ["é ü", "y"], [], ["zz"]]
ONE = ["x", "", "x", "HLT_Ele", "y", "a", "zz"]

EXPRESSIONS = {
    'names == "x"': lambda names, one: [int(each == "x") for each in names],
    'Any(names == "x")': lambda names, one: "x" in names,
    'Sum(names == "x")': lambda names, one: names.count("x"),
    'names.size() > 0 && names[0] == "x"': lambda names, one: names[:1] == ["x"],
    "names.size()": lambda names, one: len(names),
    "Sum(length(names))": lambda names, one: sum(len(each.encode()) for each in names),
    "one == names": lambda names, one: [int(each == one) for each in names],
    "IsIn(one, names)": lambda names, one: one in names,
    'IsIn("x", names)': lambda names, one: "x" in names,
    "names[names != one]": lambda names, one: [each for each in names if each != one],
    "Sort(names)": lambda names, one: sorted(names, key=str.encode),
    'Filter(names, [](const std::string &s) { return starts_with(s, "HLT_"); })': lambda names, one: [
        each for each in names if each.startswith("HLT_")
    ],
    'Take(names, 2, "none")': lambda names, one: [*names, "none", "none"][:2],
    "names.empty() ? one : names.back()": lambda names, one: names[-1] if names else one,
    'Sum(contains(names, "u") || ends_with(names, "x"))': lambda names, one: sum(
        "u" in each or each.endswith("x") for each in names
    ),
}


def write_tree(path):
    file = ROOT.TFile(str(path), "RECREATE")
    tree = ROOT.TTree("Events", "Events")
    names, one = ROOT.std.vector("string")(), ROOT.std.string()
    tree.Branch("names", names)
    tree.Branch("one", one)
    for texts, text in zip(NAMES, ONE, strict=True):
        names.clear()
        for each in texts:
            names.push_back(each)
        one.assign(text)
        tree.Fill()
    tree.Write()
    file.Close()


def write_ntuple(path):
    with uproot.recreate(path) as file:
        file.mkrntuple("Events", {"names": awkward.Array(NAMES), "one": awkward.Array(ONE)})


@pytest.mark.parametrize("write", [write_tree, write_ntuple])
@pytest.mark.parametrize("form", ["rntuple", "ttree"])
def test_values_are_those_of_loops(call, tmp_path, write, form):
    write(tmp_path / "in.root")
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": ["in.root"]}},
        "skims": {
            "out": {
                "file": "out.root",
                "format": form,
                "keep": ["names", "one"],
                "columns": {f"e{number}": text for number, text in enumerate(EXPRESSIONS)},
            }
        },
    }
    (tmp_path / "a.json").write_text(json.dumps(config))
    done = call("run", "a.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with uproot.open(tmp_path / "out.root") as file:
        found = file["Events"].arrays()
    assert found["names"].tolist() == NAMES
    assert found["one"].tolist() == ONE
    for number, (text, expected) in enumerate(EXPRESSIONS.items()):
        values = [expected(names, one) for names, one in zip(NAMES, ONE, strict=True)]
        assert found[f"e{number}"].tolist() == values, text

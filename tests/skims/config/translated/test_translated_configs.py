# SPDX-License-Identifier: BSD-3-Clause
"""skimline init --from: configs made of command lines of nanoAOD-tools, and of specifications of RDataFrame, do what
these do in ROOT."""

import json
import re
import shlex

import numpy as np
import pytest
import ROOT
import uproot
from exit_codes import DONE, INCOMPLETE, WRONG_USAGE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two inputs with lists that may be empty."""
    folder = tmp_path_factory.mktemp("nano")
    generator = np.random.default_rng(9)
    for name in ("a", "b"):
        counts = generator.integers(0, 4, 500)
        lists = np.split(generator.uniform(0, 60, counts.sum()).astype("f4"), np.cumsum(counts)[:-1])
        charges = np.split(generator.choice([-1, 1], counts.sum()).astype("i4"), np.cumsum(counts)[:-1])
        write(folder / f"{name}.root", generator, lists, charges)
    (folder / "golden.json").write_text(json.dumps({"1": [[1, 30], [50, 60]], "2": [[5, 5]]}))
    return folder


def write(path, generator, lists, charges):
    """As NanoAOD has it, by ROOT: arrays with a leaf count."""
    file = ROOT.TFile(str(path), "RECREATE")
    tree = ROOT.TTree("Events", "Events")
    numbers = {
        name: np.zeros(1, kind)
        for name, kind in (("run", "u4"), ("luminosityBlock", "u4"), ("MET_pt", "f4"), ("nMuon", "i4"))
    }
    flags = {name: np.zeros(1, "?") for name in ("HLT_Mu", "HLT_Ele")}
    pt, charge = np.zeros(10, "f4"), np.zeros(10, "i4")
    for name, letter in (("run", "i"), ("luminosityBlock", "i"), ("MET_pt", "F"), ("nMuon", "I")):
        tree.Branch(name, numbers[name], f"{name}/{letter}")
    for name, value in flags.items():
        tree.Branch(name, value, f"{name}/O")
    tree.Branch("Muon_pt", pt, "Muon_pt[nMuon]/F")
    tree.Branch("Muon_charge", charge, "Muon_charge[nMuon]/I")
    for values, signs in zip(lists, charges, strict=True):
        numbers["run"][0], numbers["luminosityBlock"][0] = generator.integers(1, 4), generator.integers(1, 80)
        numbers["MET_pt"][0], numbers["nMuon"][0] = generator.uniform(0, 100), len(values)
        for flag in flags.values():
            flag[0] = generator.integers(0, 2)
        pt[: len(values)], charge[: len(values)] = values, signs
        tree.Fill()
    tree.Write()
    file.Close()


def selected_by_root(path, cut):
    """The entries that TTree::Draw selects."""
    file = ROOT.TFile(str(path))
    tree = file.Get("Events")
    tree.Draw(">>chosen", cut, "entrylist")
    chosen = ROOT.gDirectory.Get("chosen")
    return [chosen.GetEntry(i) for i in range(chosen.GetN())]


def kept_by_root(path, *selections):
    """The branches that a clone has after SetBranchStatus as the lines of the files say."""
    file = ROOT.TFile(str(path))
    tree = file.Get("Events")
    names = {branch.GetName() for branch in tree.GetListOfBranches()}
    for selection in selections:
        tree.SetBranchStatus("*", 1)
        for line in selection:
            word, pattern = line.split()
            tree.SetBranchStatus(pattern, 1 if word == "keep" else 0)
        clone = tree.CloneTree(0)
        names &= {branch.GetName() for branch in clone.GetListOfBranches()}
    return names


def made(call, folder, line, code=DONE):
    done = call("init", "-f", "--from", line, cwd=folder)
    assert done.returncode == code, done.stderr
    valid = call("validate", "analysis.json", cwd=folder)
    assert valid.returncode == DONE, valid.stderr
    assert call("run", "-f", "analysis.json", cwd=folder).returncode == DONE
    return done


@pytest.mark.parametrize(
    "cut",
    [
        "nMuon >= 2 && MET_pt > 20",
        "Muon_pt > 50",
        "Muon_pt[0] > 30 || MET_pt > 95",
        "Muon_pt[1] > 30 && Muon_charge[0] != Muon_charge[1]",
        "Sum$(Muon_pt > 20 && Muon_charge > 0) >= 1 && HLT_Mu",
        "HLT_Mu || Muon_pt > 40",
        "Sum$(Muon_pt) > 60",
        "HLT_Mu && Muon_pt > 40 && Muon_charge < 0",
        "Entry$ < 100",
        # All numbers are doubles, and what is divided by 0 is 0.
        "nMuon/2 > 1",
        "luminosityBlock - 40 < 0",
        "Entry$ - 5 > -2",
        "run - luminosityBlock > -20",
        "-luminosityBlock < -40",
        "Muon_charge*luminosityBlock < -40",
        "Muon_charge < run - 2",
        "luminosityBlock*Muon_charge[0] < nMuon",
        "Muon_charge[0] >= run - 1",
        "MET_pt > 1/3*100",
        "Sum$(Muon_charge)/2 == 0.5",
        "Sum$(Muon_charge)",
        "MET_pt/nMuon > 30",
        "Muon_pt/(Muon_charge+1) > 10",
        "100/nMuon < 40",
        "(luminosityBlock-run)%3 == 1 && nMuon",
        "max(nMuon-2, 0)",
        "abs(run-3) > 1 && nMuon > 0",
    ],
)
def test_cuts_select_what_trees_select(call, folder, cut):
    made(call, folder, f"nano_postproc.py out a.root b.root -c {shlex.quote(cut)}")
    for name in ("a", "b"):
        chosen = selected_by_root(folder / f"{name}.root", cut)
        assert 0 < len(chosen) < 500
        with (
            uproot.open(folder / f"{name}.root") as file,
            uproot.open(folder / f"out/{name}_Skim.root") as skim,
        ):
            events = file["Events"].arrays(library="ak")[chosen]
            found = skim["Events"].arrays(library="ak")
        assert set(found.fields) == set(events.fields)
        assert all(found[each].tolist() == events[each].tolist() for each in events.fields)


@pytest.mark.parametrize(
    "lines",
    [
        ["drop *", "keep run", "keep Muon_*"],
        ["keep *", "drop HLT_*"],
        ["drop HLT_*", "keep HLT_Mu"],
        ["drop *", "keep Muon_*", "drop Muon_charge", "keep MET_??"],
        ["drop nMuon"],
    ],
)
def test_kept_branches_are_those_of_trees(call, folder, lines):
    (folder / "keep.txt").write_text("# comment\n" + "\n".join(lines) + "  # more\n")
    made(call, folder, "python3 scripts/nano_postproc.py out a.root -b keep.txt -s _small")
    with uproot.open(folder / "out/a_small.root") as skim:
        assert set(skim["Events"].keys()) == kept_by_root(folder / "a.root", lines)


def test_two_selections_leave_what_both_keep(call, folder):
    (folder / "in.txt").write_text("drop HLT_*\nkeep HLT_Mu\n")
    (folder / "out.txt").write_text("drop *\nkeep HLT_*\nkeep run\n")
    made(call, folder, "nano_postproc.py --bi in.txt --bo=out.txt out a.root")
    with uproot.open(folder / "out/a_Skim.root") as skim:
        assert set(skim["Events"].keys()) == {"HLT_Mu", "run"}


def test_certified_luminosity_is_taken(call, folder):
    made(call, folder, "nano_postproc.py out a.root -J golden.json -zZLIB:1")
    with uproot.open(folder / "a.root") as file, uproot.open(folder / "out/a_Skim.root") as skim:
        run, block = (
            file["Events"]["run"].array(library="np"),
            file["Events"]["luminosityBlock"].array(library="np"),
        )
        good = ((run == 1) & ((block <= 30) | ((block >= 50) & (block <= 60)))) | ((run == 2) & (block == 5))
        assert skim["Events"]["MET_pt"].array().tolist() == file["Events"]["MET_pt"].array()[good].tolist()


def test_what_cannot_be_carried_over_is_listed_in_the_config_too(call, folder):
    (folder / "keep.txt").write_text("keep Muon_*\nkeepmatch HLT_(A|B)\nfrobnicate x\ndrop Tau_*\n")
    line = "nano_postproc.py out a.root,friend.root -I my.module construct -N 10 --first-entry 3 -b keep.txt"
    done = made(call, folder, line, INCOMPLETE)
    text = (folder / "analysis.json").read_text()
    for each in (
        "--import my.module",
        "--max-entries 10",
        "--first-entry 3",
        "keep.txt:2",
        "keep.txt:3",
        "friend.root",
    ):
        assert f"not carried over: {each}" in done.stderr.replace("a.root,friend", "friend")
        assert each in text
    assert "keep.txt:4: no column is called" in done.stderr


def test_inputs_that_are_not_there_give_a_config_all_the_same(call, tmp_path):
    (tmp_path / "keep.txt").write_text("drop *\nkeep Muon_*\n")
    done = call("init", "--from", "nano_postproc.py out x.root -b keep.txt -c nMuon>1", cwd=tmp_path)
    assert done.returncode == INCOMPLETE and "the first input cannot be read" in done.stderr
    text = re.sub("^//.*\n", "", (tmp_path / "analysis.json").read_text(), flags=re.MULTILINE)
    config = json.loads(text)
    assert config["samples"] == {"x": {"files": ["x.root:Events"]}}
    assert config["skims"]["skim"]["keep"] == ["Muon_*"]
    assert config["select"] == [{"name": "cut", "where": "nMuon>1"}]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--from", "nano_postproc.py out a.root --friend"], "trees of friends"),
        (["--from", "nano_postproc.py out a.root --noout"], "modules of Python"),
        (["--from", "nano_postproc.py out a.root --posfix x"], 'did you mean "--postfix"'),
        (["--from", "nano_postproc.py out a.root -c"], "--cut lacks its value"),
        (["--from", "nano_postproc.py out"], "at least one input"),
        (["--from", "nano_postproc.py out a.root -c 'x"], "quote without its end"),
        (["--from", "nano_postproc.py out a.root -c 'Length$(Muon_pt) > 1'"], "only TTree::Draw knows"),
        (["--from", "hadd out.root a.root"], "neither a file nor such a line"),
        (["--from", "none.json"], "is neither a file nor such a line"),
        ([], "one of both"),
        (["a.root", "--from", "nano_postproc.py out a.root"], "one of both"),
    ],
)
def test_what_makes_no_skim_is_refused(call, folder, arguments, message):
    done = call("init", "-o", "refused.json", *arguments, cwd=folder)
    assert done.returncode == WRONG_USAGE and message in done.stderr, done.stderr
    assert not (folder / "refused.json").exists()


def write_spec(folder, **parts):
    (folder / "spec.json").write_text(json.dumps(parts))


def write_scores(folder):
    """A friend of a.root, in two files."""
    for name, begin, end in (("s1", 0, 300), ("s2", 300, 500)):
        with uproot.recreate(folder / f"{name}.root") as file:
            tree = file.mktree("Scores", {"dnn": "f8"})
            tree.extend({"dnn": np.arange(begin, end) / 8})


def test_a_specification_gives_what_rdataframe_reads(call, folder, monkeypatch):
    write_scores(folder)
    write_spec(
        folder,
        samples={"data": {"trees": ["Events"], "files": ["a.root"], "metadata": {"lumi": 2.5, "year": 2018}}},
        friends={"scores": {"trees": ["Scores"], "files": ["s1.root", "s2.root"]}},
        range=[20, 420],
    )
    done = call("init", "-f", "--from", "spec.json", cwd=folder)
    assert done.returncode == DONE, done.stderr
    text = (folder / "analysis.json").read_text()
    config = json.loads(re.sub("^//.*\n", "", text, flags=re.MULTILINE))
    assert config["samples"]["data"]["metadata"] == {"lumi": 2.5, "year": 2018}
    config["skims"]["skim"] |= {"keep": ["MET_pt"], "columns": {"dnn": "scores.dnn"}}
    (folder / "more.json").write_text(json.dumps(config))
    assert call("run", "-f", "more.json", cwd=folder).returncode == DONE
    monkeypatch.chdir(folder)
    expected = ROOT.RDF.Experimental.FromSpec("spec.json").AsNumpy(["MET_pt", "scores.dnn"])
    with uproot.open(folder / "analysis_skim.root") as file:
        skim = file["Events"].arrays(library="np")
    assert len(skim["dnn"]) == 400
    assert skim["MET_pt"].tolist() == expected["MET_pt"].tolist()
    assert skim["dnn"].tolist() == expected["scores.dnn"].tolist()


def test_several_samples_keep_what_is_of_each(call, folder):
    write_scores(folder)
    write_spec(
        folder,
        samples={"x": {"trees": "Events", "files": "a.root"}, "y": {"trees": "Events", "files": "?.root"}},
        friends={"scores": {"trees": "Scores", "files": "s1.root"}},
        range=[10],
        other=1,
    )
    done = call("init", "-f", "--from", "spec.json", cwd=folder)
    assert done.returncode == INCOMPLETE
    for each in ("friends.scores", "range", '"other"'):
        assert f"not carried over: {each}" in done.stderr
    assert call("run", "-f", "analysis.json", cwd=folder).returncode == DONE
    with uproot.open(folder / "analysis_y.root") as skim:
        assert skim["Events"].num_entries == 1000


def test_metadata_that_a_config_takes_otherwise_are_told_or_written_so(call, folder):
    metadata = {
        "text": "${HOME} $$",
        "most": 2**53 - 1,
        "id": 2**53 + 1,
        "low": -(2**60),
        "cross_section_pb": 2.5,
    }
    write_spec(folder, samples={"x": {"trees": "Events", "files": "a.root", "metadata": metadata}})
    done = call("init", "-f", "--from", "spec.json", cwd=folder)
    assert done.returncode == INCOMPLETE
    for name in ("id", "low", "cross_section_pb"):
        assert f"not carried over: samples.x.metadata.{name}: " in done.stderr, done.stderr
    resolved = call("validate", "--expand", "analysis.json", cwd=folder)
    assert resolved.returncode == DONE, resolved.stderr
    sample = json.loads(resolved.stdout)["samples"]["x"]
    assert sample["metadata"] == {"text": "$${HOME} $$", "most": 2**53 - 1}


def test_names_of_a_specification_become_those_of_a_config(call, folder):
    """RDataFrame takes any text."""
    write_scores(folder)
    write_spec(
        folder,
        samples={"/Muon/2016 B": {"trees": "Events", "files": "a.root"}},
        friends={"my scores": {"trees": "Scores", "files": ["s1.root", "s2.root"]}},
    )
    done = call("init", "-f", "--from", "spec.json", cwd=folder)
    assert done.returncode == INCOMPLETE
    assert "not carried over: friends.my scores: no expression can have its name" in done.stderr
    assert call("run", "-f", "analysis.json", cwd=folder).returncode == DONE
    report = json.loads((folder / "analysis.report.json").read_text())
    assert [sample["name"] for sample in report["samples"]] == ["Muon_2016_B"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("{", "is no JSON: line 1, column 2"),
        ('{"samples": []}', "is no dataset specification"),
        ('{"samples": {}}', "has no samples"),
        ('{"samples": {"//": {"trees": "x", "files": "a"}}}', '"//" cannot name a sample'),
        (
            '{"samples": {"a b": {"trees": "x", "files": "a"}, "a/b": {"trees": "x", "files": "a"}}}',
            'the samples "a b" and "a/b" would both be called "a_b"',
        ),
        (
            '{"samples": {"a": {"trees": "x", "files": "a"}, "a": {"trees": "x", "files": "b"}}}',
            'spec.json: an object has the key "a" twice',
        ),
        ('{"samples": {"a": {"files": ["a.root"]}}}', '"samples.a.trees" must be a text'),
        ('{"samples": {"a": {"trees": ["x", "y"], "files": ["a", "b", "c"]}}}', "2 trees for 3 files"),
        ('{"samples": {"a": {"trees": "x", "files": "a"}}, "range": [-1]}', '"range" must be'),
        ('{"samples": {"a": {"trees": "x", "files": "a"}}, "friends": 3}', '"friends" must be an object'),
    ],
)
def test_specifications_that_are_none_are_refused(call, tmp_path, text, message):
    (tmp_path / "spec.json").write_text(text)
    done = call("init", "--from", "spec.json", cwd=tmp_path)
    assert done.returncode == WRONG_USAGE and message in done.stderr
    assert not (tmp_path / "analysis.json").exists()

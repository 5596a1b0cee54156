# SPDX-License-Identifier: BSD-3-Clause
"""`skimline convert`: trees as RNTuples that ROOT and uproot read, with the values of the trees."""

import re
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
import ROOT
import uproot
from exit_codes import DONE, FAILED, INCOMPLETE, WRONG_USAGE
from root_trees import branch_keys, differing, write_kinds, write_numbers
from tree_copies import as_list, copy_to_tree
from tree_files import trees_for_uproot
from uproot_values import member, uproot_list

SAMPLES = trees_for_uproot()
# uproot 5.7 fails on some baskets without offsets.
NOT_FOR_UPROOT = ["embedded_genoff.root", "types_genoff.root", "stl_genoff.root", "ev_s1.root", "ev_s99.root"]


def written(path: Path, name: str) -> dict[str, list]:
    """All fields of an RNTuple that are no records, by name, as uproot reads them."""
    with uproot.open(path) as file:
        ntuple = file[name]
        arrays = ntuple.arrays()
    fields = {field: arrays[field] for field in arrays.fields}
    return {field: member(uproot_list(array), []) for field, array in fields.items() if not array.fields}


def by_column(path: Path, name: str, fields: dict[str, list]) -> dict[str, list]:
    """The fields that are whole branches, by their names."""
    with uproot.open(path) as file:
        columns = {column.replace(".", "_"): column for column in branch_keys(file[name])}
    return {columns[field]: values for field, values in fields.items() if field in columns}


# Values


@pytest.mark.thorough(quick=3)
@pytest.mark.parametrize(("path", "name"), SAMPLES)
def test_uproot_reads_the_same_values(call, tmp_path, path, name):
    done = call("convert", f"{path}:{name}", "-o", tmp_path / "out.root", "--name", "converted")
    if "cannot be read" in done.stderr:
        assert done.returncode in (FAILED, INCOMPLETE)
    else:
        assert done.returncode == DONE
        assert (
            done.stderr == ""
            or "names that a file can have" in done.stderr
            or "others have these" in done.stderr
        )
    if done.returncode == FAILED:
        pytest.skip(done.stderr)
    ours = written(tmp_path / "out.root", "converted")
    if path.name in NOT_FOR_UPROOT:
        return
    assert differing(path, name, by_column(path, name, ours)) == []
    assert call("verify", tmp_path / "out.root").returncode == DONE


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    return write_kinds(tmp_path_factory.mktemp("kinds") / "kinds.root", entries=900)


@pytest.fixture(scope="module")
def converted(call, kinds):
    path = kinds.with_name("converted.root")
    done = call("convert", kinds, "-o", path)
    assert (done.returncode, done.stderr) == (DONE, ""), done.stdout
    return path


def test_all_kinds_are_written(kinds, converted):
    ours = written(converted, "t")
    columns = by_column(kinds, "t", ours)
    assert len(columns) == 20
    assert differing(kinds, "t", columns) == []
    assert len(ours["pair_x"]) == len(ours["pair_y"]) == 900


@pytest.mark.thorough
def test_root_reads_all_kinds(kinds, converted):
    theirs = ROOT.RDataFrame("t", str(kinds))
    ours = ROOT.RDataFrame("t", str(converted))
    for column in ("o", "b", "ub", "s", "us", "i", "ui", "l", "ul", "n", "un"):
        sums = [frame.Define("_v", f"double({column})").Sum("_v").GetValue() for frame in (theirs, ours)]
        assert sums[0] == sums[1], column
    for column in ("fixed", "list", "flags", "wide"):
        sums = [
            frame.Define(
                "_v",
                f"double total_ = 0; for (auto each_ : {column}) total_ = total_ * 1.25 + double(each_); return total_;",
            )
            .Sum("_v")
            .GetValue()
            for frame in (theirs, ours)
        ]
        assert sums[0] == sums[1], column


# Collections


@pytest.fixture(scope="module")
def muons(sample, tmp_path_factory, call, generate):
    """Dimuon events as a tree, and that tree converted."""
    folder = tmp_path_factory.mktemp("muons")
    copy_to_tree(generate("dimuon", folder / "in.root", 3000), folder / "tree.root")
    done = call("convert", folder / "tree.root", "-o", folder / "out.root")
    assert (done.returncode, done.stderr) == (DONE, ""), done.stdout
    return folder


def test_columns_with_a_common_counter_are_a_collection(muons):
    reader = ROOT.RNTupleReader.Open("Events", str(muons / "out.root"))
    descriptor = reader.GetDescriptor()
    top = {field.GetFieldName(): field for field in descriptor.GetTopLevelFields()}
    assert {"Muon", "Jet", "nMuon", "nJet", "Muon_pt", "Muon_charge", "Jet_eta", "MET_pt", "event"} <= set(
        top
    )
    for name, members in (("Muon", ["pt", "eta", "phi", "mass", "charge"]), ("Jet", ["pt", "eta"])):
        collection = top[name]
        assert collection.GetTypeName() == ""
        assert collection.GetStructure() == ROOT.ROOT.ENTupleStructure.kCollection
        (record,) = [descriptor.GetFieldDescriptor(number) for number in collection.GetLinkIds()]
        found = [descriptor.GetFieldDescriptor(number).GetFieldName() for number in record.GetLinkIds()]
        assert sorted(found) == sorted(members)
        assert top[f"n{name}"].GetTypeName().startswith("ROOT::RNTupleCardinality<")
        assert top[f"n{name}"].IsProjectedField()
        for each in members:
            assert top[f"{name}_{each}"].IsProjectedField()
    assert not top["MET_pt"].IsProjectedField()
    model = reader.GetModel()
    assert model.GetConstField("Muon_pt").GetTypeName() == "std::vector<float>"


def test_titles_of_branches_become_descriptions(muons):
    reader = ROOT.RNTupleReader.Open("Events", str(muons / "out.root"))
    top = {
        field.GetFieldName(): field.GetFieldDescription()
        for field in reader.GetDescriptor().GetTopLevelFields()
    }
    assert top["MET_pt"] == "missing momentum"
    assert top["Muon_pt"] == "all Muon_pt"


@pytest.mark.thorough
def test_root_sees_columns_under_their_names(muons):
    frames = [ROOT.RDataFrame("Events", str(muons / name)) for name in ("tree.root", "out.root")]
    names = {str(name) for name in frames[1].GetColumnNames()}
    assert {"nMuon", "Muon_pt", "Jet_pt", "MET_pt", "Muon.pt"} <= names
    assert frames[1].GetColumnType("Muon_pt") == "ROOT::VecOps::RVec<float>"
    assert frames[1].GetColumnType("nMuon") in (
        "std::uint32_t",
        "unsigned int",
        "std::size_t",
        "std::uint64_t",
    )
    for text in (
        "Sum(Muon_pt * Muon_charge)",
        "nMuon * MET_pt",
        "Sum(Jet_pt) + nJet",
        "double(event % 1000)",
    ):
        values = [
            np.asarray(frame.Define("_v", f"double({text})").AsNumpy(["_v"])["_v"]).tolist()
            for frame in frames
        ]
        assert values[0] == values[1], text
    assert frames[1].Filter("nMuon != Muon_pt.size() || nJet != Jet_eta.size()").Count().GetValue() == 0


def test_uproot_sees_the_members_of_a_collection(muons):
    with uproot.open(muons / "tree.root") as trees, uproot.open(muons / "out.root") as file:
        tree, ntuple = trees["Events"], file["Events"]
        events = ntuple.arrays()
        assert as_list(events["Muon"]["pt"]) == as_list(tree["Muon_pt"].array())
        assert as_list(events["Jet"]["eta"]) == as_list(tree["Jet_eta"].array())
        assert as_list(events["nMuon"]) == as_list(tree["nMuon"].array())


def test_members_can_be_read_back(job, muons, tmp_path):
    """What was converted is an input as any other, and the collection is kept."""
    config = {"schema_version": 1, "samples": {"data": {"files": [str(muons / "out.root")]}}}
    config |= {"select": [{"name": "two", "where": "nMuon == 2 && Muon_pt[0] > 20"}]}
    config |= {"skims": {"events": {"file": "skim.root", "keep": ["Muon*", "nMuon", "event"]}}}
    done = job(config)
    assert done.returncode == DONE, done.stderr
    frame = ROOT.RDataFrame("Events", str(muons / "tree.root"))
    expected = frame.Filter("nMuon == 2 && Muon_pt[0] > 20").AsNumpy(["event"])["event"].tolist()
    with uproot.open(tmp_path / "skim.root") as file:
        assert as_list(file["Events"]["event"].array()) == expected


def test_names_that_are_taken(call, tmp_path):
    """A branch called as the collection would be: lists stay fields of their own."""
    path = write_numbers(tmp_path / "a.root", extra="Jet")
    done = call("convert", path, "-o", tmp_path / "out.root")
    assert (done.returncode, done.stderr) == (DONE, ""), done.stdout
    reader = ROOT.RNTupleReader.Open("t", str(tmp_path / "out.root"))
    top = {field.GetFieldName(): field.GetTypeName() for field in reader.GetDescriptor().GetTopLevelFields()}
    assert top == {
        "number": "std::int32_t",
        "nJet": "std::int32_t",
        "Jet_pt": "std::vector<std::int32_t>",
        "Jet": "float",
    }


# One file for any number of threads


@pytest.mark.parametrize("compression", ["zstd:5", "none", "lz4:4"])
def test_bytes_do_not_depend_on_threads(call, kinds, muons, tmp_path, compression):
    for path in (kinds, muons / "tree.root"):
        contents = set()
        for threads in (1, 2, 5):
            target = tmp_path / "out.root"
            done = call(
                "convert",
                "-f",
                "--allow-duplicates",
                path,
                path,
                "-o",
                target,
                "-j",
                threads,
                "--compression",
                compression,
            )
            assert done.returncode == DONE, done.stderr
            contents.add(target.read_bytes())
        assert len(contents) == 1


# Several inputs


def test_inputs_follow_each_other(call, tmp_path):
    kinds = ("Int_t", "UInt_t", "Double_t")
    paths = [write_numbers(tmp_path / f"{i}.root", number=kind, first=i) for i, kind in enumerate(kinds)]
    write_numbers(tmp_path / "more.root", first=3, extra="more")
    done = call("convert", *paths, tmp_path / "more.root", "-o", tmp_path / "out.root")
    assert done.returncode == INCOMPLETE
    assert "it is read as double" in done.stdout
    assert '"more" (it is missing in' in done.stderr
    ours = written(tmp_path / "out.root", "t")
    assert ours["number"] == [float(i + k) for i in range(4) for k in range(100)]
    assert "more" not in ours


def test_runs_beside_the_events(call, tmp_path):
    for i in range(2):
        write_numbers(tmp_path / f"{i}.root", name="Events", entries=30)
        ROOT.WriteTreesBeside(str(tmp_path / f"{i}.root"), 4, i)
    done = call("convert", tmp_path / "0.root", tmp_path / "1.root", "-o", tmp_path / "out.root")
    assert (done.returncode, done.stderr) == (DONE, ""), done.stdout
    for name, entries in (("Runs", 8), ("LuminosityBlocks", 24), ("Events", 60)):
        with uproot.open(tmp_path / "out.root") as file:
            assert file[name].num_entries == entries
            found = {key: as_list(file[name][key].array()) for key in file[name].keys(recursive=False)}
        expected = {}
        for i in range(2):
            with uproot.open(tmp_path / f"{i}.root") as file:
                for key in file[name].keys():
                    expected[key] = expected.get(key, []) + as_list(file[name][key].array())
        if name != "Events":
            assert found == expected


@pytest.mark.parametrize("times", [1, 2])
def test_runs_beside_several_trees_are_carried_once(call, tmp_path, times):
    with uproot.recreate(tmp_path / "a.root") as file:
        for name in ("Early", "Late"):
            file.mktree(name, {"x": "f8"}).extend({"x": [1.0, 2.0]})
        file.mktree("Runs", {"genEventSumw": "f8"}).extend({"genEventSumw": [3.5]})
    trees = [f"{tmp_path / 'a.root'}:{name}" for name in ("Early", "Late")] * times
    allowed = ["--allow-duplicates"] if times > 1 else []
    done = call("convert", *trees, "-o", tmp_path / "out.root", *allowed)
    assert done.returncode == DONE, done.stderr
    with uproot.open(tmp_path / "out.root") as file:
        assert file["Early"].num_entries == 4 * times
        assert file["Runs"]["genEventSumw"].array().to_list() == [3.5] * times


def test_ntuples_are_inputs_too(call, sample, tmp_path):
    done = call("convert", sample, "-o", tmp_path / "out.root", "--name", "other")
    assert (done.returncode, done.stderr) == (DONE, ""), done.stdout
    with uproot.open(sample) as before, uproot.open(tmp_path / "out.root") as after:
        assert after["other"].keys(recursive=False) == before["Events"].keys(recursive=False)
        for name in ("Muon_pt", "nJet", "event"):
            assert as_list(after["other"][name].array()) == as_list(before["Events"][name].array())


# What is refused, and what is left out


def test_unreadable_branches_are_left_out(call, tmp_path):
    ROOT.WriteUnreadable(str(tmp_path / "a.root"), 10)
    done = call("convert", tmp_path / "a.root", "-o", tmp_path / "out.root")
    assert done.returncode == INCOMPLETE, done.stderr
    assert re.search(
        r'warning: the RNTuple "Events" is written without "graph[^"]*" \(.+\).*, which cannot be read',
        done.stderr,
    )
    ours = written(tmp_path / "out.root", "Events")
    assert ours["x"] == list(range(10))
    assert ours["y"] == [-float(i) for i in range(10)]


def test_inputs_that_are_not_there(call, tmp_path):
    done = call("convert", tmp_path / "none.root", "-o", tmp_path / "out.root")
    assert done.returncode == FAILED
    assert "none.root" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_trees_that_are_not_there(call, kinds, tmp_path):
    done = call("convert", f"{kinds}:Events", "-o", tmp_path / "out.root")
    assert done.returncode == FAILED
    assert 'contains no RNTuple or TTree "Events"' in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_files_without_trees_say_so(call, tmp_path):
    with ROOT.TFile.Open(str(tmp_path / "h.root"), "recreate") as file:
        file.WriteObject(ROOT.TNamed("h", ""), "h")
    for name, problem in (
        ("", "contains no RNTuple or TTree"),
        (":h", '"h" is a TNamed, not an RNTuple or TTree'),
    ):
        done = call("convert", f"{tmp_path}/h.root{name}", "-o", tmp_path / "out.root")
        assert done.returncode == FAILED and problem in done.stderr


@pytest.mark.parametrize("link", [False, True])
def test_an_input_is_no_output(call, tmp_path, link):
    path = write_numbers(tmp_path / "a.root")
    before = path.read_bytes()
    target = path
    if link:
        target = tmp_path / "link.root"
        target.symlink_to(path)
    done = call("convert", path, "-o", target)
    assert done.returncode == WRONG_USAGE
    assert "is an input and the output" in done.stderr
    assert path.read_bytes() == before


def test_nothing_to_convert(call, tmp_path):
    assert call("convert", "-o", tmp_path / "out.root").returncode == WRONG_USAGE
    assert call("convert", tmp_path / "a.root").returncode == WRONG_USAGE


def test_trees_without_entries(call, tmp_path):
    write_kinds(tmp_path / "a.root", entries=0)
    done = call("convert", tmp_path / "a.root", "-o", tmp_path / "out.root")
    assert (done.returncode, done.stderr) == (DONE, ""), done.stdout
    assert ROOT.RNTupleReader.Open("t", str(tmp_path / "out.root")).GetNEntries() == 0


def test_damaged_baskets_leave_no_output(call, tmp_path):
    path = write_kinds(tmp_path / "a.root", entries=3000)
    with uproot.open(path) as file:
        branch = file["t"]["d"]
        place = branch.member("fBasketSeek")[3] + 4
    content = bytearray(path.read_bytes())
    content[place : place + 40] = bytes(40)
    path.write_bytes(content)
    done = call("convert", path, "-o", tmp_path / "out.root")
    assert done.returncode == FAILED
    assert 'TTree "t", branch "d", basket 3' in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["a.root"]


# Interruption


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_interruption_leaves_no_output(skimline, kinds, tmp_path, how):
    command = [
        skimline,
        "convert",
        "--allow-duplicates",
        *[kinds] * 2000,
        "-o",
        tmp_path / "out.root",
        "-j",
        "1",
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert process.poll() is None
        process.send_signal(how)
        process.wait(60)
    assert not (tmp_path / "out.root").exists()
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert list(tmp_path.iterdir()) == []

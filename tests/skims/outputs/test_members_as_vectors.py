# SPDX-License-Identifier: BSD-3-Clause
"""Skims with "collections": "vectors": no records are left, so that ROOT takes a snapshot of all of their columns."""

import shutil

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE, INCOMPLETE, WRONG_USAGE
from prepared_root import prepared_root
from skim_events import comparable
from thinned_events import linked_events, thinned_column, write_ntuple, write_tree, write_with_runs

ROOT = pytest.importorskip("ROOT", reason="ROOT is the oracle of these tests")


# Of all columns that RDataFrame finds, those inside of fields included.
SNAPSHOT = """
frame = ROOT.RDataFrame("Events", sys.argv[1])
frame.Snapshot("Events", sys.argv[2])
print(sorted(str(name) for name in frame.GetColumnNames()))
"""

# A collection with a class, one without, a record, and what no column holds: four levels of lists, in a record.
WRITE_CLASSES = """
#include <ROOT/RNTupleModel.hxx>
#include <ROOT/RNTupleWriter.hxx>
#include <ROOT/RField.hxx>

using Levels = std::vector<std::vector<std::vector<std::vector<int>>>>;
struct Point { float x = 0; std::vector<int> hits; };

void write_classes(const char *path)
{
   auto model = ROOT::RNTupleModel::Create();
   auto vectors = model->MakeField<std::vector<Point>>("typed");
   auto deep = model->MakeField<std::vector<std::vector<std::vector<float>>>>("deep");
   auto text = model->MakeField<std::string>("text");
   auto pair = model->MakeField<std::pair<int, float>>("pair");
   std::vector<std::unique_ptr<ROOT::RFieldBase>> members;
   members.push_back(std::make_unique<ROOT::RField<double>>("x"));
   members.push_back(std::make_unique<ROOT::RField<Levels>>("levels"));
   members.push_back(std::make_unique<ROOT::RField<std::vector<int>>>("numbers"));
   model->AddField(std::make_unique<ROOT::RRecordField>("record", std::move(members)));
   auto writer = ROOT::RNTupleWriter::Recreate(std::move(model), "Events", path);
   auto entry = writer->CreateEntry();
   auto record = entry->GetPtr<void>("record");
   const auto record_field = &writer->GetModel().GetConstField("record");
   const auto offsets = static_cast<const ROOT::RRecordField *>(record_field)->GetOffsets();
   auto typed = entry->GetPtr<std::vector<Point>>("typed");
   for (int i = 0; i < 50; ++i) {
      typed->assign(i % 3, Point{-float(i), std::vector<int>(i % 2, i)});
      entry->GetPtr<std::vector<std::vector<std::vector<float>>>>("deep")->assign(i % 2, {{float(i)}, {}});
      *entry->GetPtr<std::string>("text") = std::to_string(i);
      *entry->GetPtr<std::pair<int, float>>("pair") = {i, i + 0.5f};
      auto *bytes = static_cast<unsigned char *>(record.get());
      *reinterpret_cast<double *>(bytes + offsets[0]) = 0.25 * i;
      reinterpret_cast<Levels *>(bytes + offsets[1])->assign(1, {{{i}}});
      reinterpret_cast<std::vector<int> *>(bytes + offsets[2])->assign(i % 4, i);
      writer->Fill(*entry);
   }
}
"""


@pytest.fixture(scope="module")
def root():
    with prepared_root(f"ROOT.gInterpreter.Declare({WRITE_CLASSES!r})") as process:
        yield process


@pytest.fixture(scope="module")
def events():
    columns = linked_events(400, seed=11)
    del columns[
        "Jet_muonIdx1"
    ]  # Snapshot of lists of std::int8_t into a TTree is a segmentation violation of ROOT's
    return columns


@pytest.fixture(scope="module", params=["tree", "records", "lists"])
def path(request, events, call, tmp_path_factory):
    """A file of the events: a TTree, an RNTuple with collections and projections of their members, and one with neither."""
    folder = tmp_path_factory.mktemp("inputs")
    if request.param == "lists":
        return write_ntuple(folder / "lists.root", events)
    tree = write_tree(folder / "tree.root", events)
    if request.param == "tree":
        return tree
    done = call("convert", tree, "-o", folder / "records.root")
    assert done.returncode == DONE, done.stderr
    return folder / "records.root"


def config_of(path, **skim):
    return {
        "schema_version": 1,
        "samples": {"mc": {"files": [f"{path}:Events"]}},
        "skims": {"s": {"file": "s.root", "collections": "vectors"} | skim},
    }


def assert_events(path, events, chosen=slice(None)):
    """Top-level fields of numbers and vectors of them have the values of the events."""
    with uproot.open(path) as file:
        found = file["Events"].arrays()
        assert sorted(file["Events"].keys()) == sorted(events)
    for name, values in events.items():
        assert ak.to_list(found[name]) == ak.to_list(values[chosen]), name


def assert_snapshot(root, path, tmp_path):
    """Returns the names of the columns that ROOT has copied."""
    names = root.run(SNAPSHOT, path, tmp_path / "snapshot.root")
    before, after = (uproot.open(each)["Events"].arrays() for each in (path, tmp_path / "snapshot.root"))
    for name in before.fields:
        if name in after.fields:
            assert ak.to_list(before[name]) == ak.to_list(after[name]), name
    return names


@pytest.mark.thorough(quick=1)
def test_root_copies_all_columns(job, path, events, root, tmp_path):
    done = job(config_of(path, where="event % 3 == 0"))
    assert done.returncode == DONE, done.stderr
    assert "warning" not in done.stderr
    assert_events(tmp_path / "s.root", events, np.arange(400) % 3 == 0)
    if path.name == "records.root":
        names = assert_snapshot(root, tmp_path / "s.root", tmp_path)
        assert all(repr(name) in names for name in events)


def test_classes_and_records_become_vectors_of_their_members(job, root, tmp_path):
    root.run("ROOT.write_classes(sys.argv[1])", tmp_path / "classes.root")
    done = job(config_of("classes.root"))
    assert done.returncode == INCOMPLETE, done.stderr
    assert 'without "record.levels" (it is a member of records' in done.stderr
    with uproot.open(tmp_path / "s.root") as file:
        found = file["Events"].arrays()
        names = set(file["Events"].keys())
    assert {"typed_x", "typed_hits", "record_x", "record_numbers", "deep", "text"} <= names
    assert not any(name.startswith(("typed.", "record.")) for name in names)
    assert found["typed_x"].to_list() == [[-float(i)] * (i % 3) for i in range(50)]
    assert found["typed_hits"].to_list() == [[[i] * (i % 2)] * (i % 3) for i in range(50)]
    assert found["record_x"].to_list() == [0.25 * i for i in range(50)]
    assert found["record_numbers"].to_list() == [[i] * (i % 4) for i in range(50)]
    assert found["deep"].to_list() == [[[[float(i)], []]] * (i % 2) for i in range(50)]
    done = job(config_of("classes.root", keep=["record.levels"]))
    assert done.returncode == WRONG_USAGE
    assert '"record.levels" cannot be kept: it is a member of records' in done.stderr


def test_thinned_collections_are_vectors_too(job, path, events, tmp_path):
    done = job(config_of(path, thin={"Muon": "Muon_pt > 20"}))
    assert done.returncode == DONE, done.stderr
    keep = ak.to_list(events["Muon_pt"] > 20)
    found = uproot.open(tmp_path / "s.root")["Events"].arrays()
    assert sorted(found.fields) == sorted(events)
    for name in ("Muon_pt", "nMuon", "muonIdx", "Jet_pt"):
        expected = thinned_column(name, events[name], {"Muon": keep}, {"muonIdx": "Muon"})
        assert ak.to_list(found[name]) == ak.to_list(ak.Array(expected)), name


def test_bytes_do_not_depend_on_threads_or_parts(run_in, path, tmp_path):
    made = {}
    for arguments in (
        ("-j", "1"),
        ("-j", "2"),
        ("--store", tmp_path / "store"),
        ("--store", tmp_path / "store"),
    ):
        folder = tmp_path / f"run{len(made)}"
        folder.mkdir()
        done = run_in(folder, config_of(path, where="nJet > 1"), *arguments)
        assert done.returncode == DONE, done.stderr
        made[folder] = comparable(folder / "s.root")
    assert len(set(made.values())) == 1


@pytest.mark.thorough(quick=1)
def test_convert_makes_vectors_too(call, path, events, root, tmp_path):
    for threads in ("1", "2"):
        done = call(
            "convert",
            f"{path}:Events",
            "-o",
            tmp_path / f"c{threads}.root",
            "--collections",
            "vectors",
            "-j",
            threads,
        )
        assert done.returncode == DONE, done.stderr
    assert (tmp_path / "c1.root").read_bytes() == (tmp_path / "c2.root").read_bytes()
    assert_events(tmp_path / "c1.root", events)
    if path.name == "tree.root":
        names = assert_snapshot(root, tmp_path / "c1.root", tmp_path)
        assert all(repr(name) in names for name in events)


def test_convert_knows_two_kinds(call, path, tmp_path):
    done = call("convert", path, "-o", tmp_path / "c.root", "--collections", "lists")
    assert done.returncode == WRONG_USAGE
    assert "--collections" in done.stderr and not (tmp_path / "c.root").exists()


def test_a_store_tells_vectors_from_records(run_in, path, events, tmp_path):
    found = []
    for kind in ("records", "vectors", "records"):
        folder = tmp_path / f"run{len(found)}"
        folder.mkdir()
        done = run_in(folder, config_of(path, collections=kind), "--store", tmp_path / "store")
        assert done.returncode == DONE, done.stderr
        found.append(folder / "s.root")
    assert comparable(found[0]) == comparable(found[2])
    assert_events(found[1], events)


def test_skims_of_one_kind_are_merged(job, call, path, events, tmp_path):
    for name, where in (("a.root", "event < 100"), ("b.root", "event >= 100")):
        assert job(config_of(path, file=name, where=where)).returncode == DONE
    done = call("merge", "--allow-overlap", "ab.root", "a.root", "b.root", cwd=tmp_path)
    assert done.returncode == DONE, done.stderr
    assert_events(tmp_path / "ab.root", events)


@pytest.mark.parametrize("kind", ["tree", "rntuple"])
def test_runs_beside_the_events_have_no_records_either(job, call, tmp_path, kind):
    lists = write_with_runs(tmp_path / "tree.root")
    done = call("convert", "tree.root", "-o", "rntuple.root", cwd=tmp_path)
    assert done.returncode == DONE, done.stderr
    done = job(config_of(f"{kind}.root"))
    assert done.returncode == DONE, done.stderr
    with uproot.open(tmp_path / "rntuple.root") as records, uproot.open(tmp_path / "s.root") as vectors:
        for name in ("Events", "Runs"):
            assert {"w.a", "w.b"} <= set(records[name].keys())
            assert sorted(vectors[name].keys()) == ["nw", "run", "w_a", "w_b"]
            assert vectors[name]["w_b"].array().to_list() == lists.b.to_list()


def test_a_rerun_makes_the_same(job, call, path, tmp_path):
    assert job(config_of(path)).returncode == DONE
    shutil.copy(tmp_path / "s.root", tmp_path / "kept.root")
    done = call("rerun", "kept.root", cwd=tmp_path)
    assert done.returncode == DONE, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("skim", "message"),
    [
        ({"collections": "vector"}, '"vectors"'),
        ({"format": "ttree"}, "a TTree has no records"),
        ({"format": "ttree", "collections": "records"}, "a TTree has no records"),
    ],
)
def test_what_it_cannot_be_is_said(job, path, skim, message):
    done = job(config_of(path, **skim))
    assert done.returncode == WRONG_USAGE
    assert message in done.stderr


@pytest.mark.thorough(quick=1)
def test_frames_have_it(path, events, run_python, tmp_path):
    code = f"""
import skimline as sk
events = sk.open("{path}:Events")
sk.run(events.skim("s.root", collections="vectors"), events.skim("s.parquet", collections="vectors", name="p"))
try:
    events.skim("t.root", collections="lists")
except sk.ConfigError as error:
    print(error)
"""
    done = run_python(code)
    assert done.returncode == DONE, done.stderr
    parquet = pytest.importorskip("pyarrow.parquet")
    assert sorted(parquet.read_schema(tmp_path / "s.parquet").names) == sorted(events)
    assert "collections='lists' is none of 'records', 'vectors'" in done.stdout
    assert_events(tmp_path / "s.root", events)

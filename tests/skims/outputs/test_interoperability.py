# SPDX-License-Identifier: BSD-3-Clause
"""What a run writes, seen by ROOT and uproot: on generated files, files ROOT wrote, and files made by others."""

import json

import awkward as ak
import numpy as np
import pytest
import uproot
from prepared_root import prepared_root

ROOT = pytest.importorskip("ROOT", reason="ROOT is the oracle of these tests")

# What all of them do first, which takes ROOT seconds: snapshots of columns of each type, for which it compiles code.
PREAMBLE = """
import os, shutil, tempfile

options = ROOT.RDF.RSnapshotOptions()
options.fOutputFormat = ROOT.RDF.ESnapshotOutputFormat.kRNTuple

def read(path):
    file = ROOT.TFile.Open(path)
    for key in file.GetListOfKeys():
        if key.GetClassName() != "ROOT::RNTuple":
            key.ReadObj().GetName()
            continue
        frame = ROOT.RDataFrame(key.GetName(), path)
        names = [str(name) for name in frame.GetColumnNames()]
        names = [name for name in names if "." not in name and not name.startswith("_collection")]
        frame.Snapshot("copy", path + ".copy.root", names, options)
        frame.Count().GetValue()

integers = [f"std::{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)]
with tempfile.TemporaryDirectory() as folder:
    frame = ROOT.RDataFrame(2)
    for number, kind in enumerate(["bool", "float", "double", *integers]):
        frame = frame.Define(f"one{number}", f"{kind}(1)").Define(f"some{number}", f"ROOT::RVec<{kind}>(2)")
    names = [str(name) for name in frame.GetColumnNames()]
    frame.Snapshot("kinds", os.path.join(folder, "kinds.root"), names, options)
    read(os.path.join(folder, "kinds.root"))
"""

# Opens a file as a user of ROOT would, reads everything in it, and repeats after an update. Anything ROOT complains about
# appears on its standard error.
READ_ALL = """
path = sys.argv[1]
read(path)
updated = path + ".updated.root"
shutil.copy(path, updated)
file = ROOT.TFile.Open(updated, "UPDATE")
ROOT.TNamed("added", "later").Write()
file.Close()
read(updated)
"""

WRITE_MATRIX = """
void write_matrix_file(const char *path, int entries, int compression, int cluster_entries)
{
   auto model = ROOT::RNTupleModel::Create();
   auto b = model->MakeField<bool>("b");
   auto i8 = model->MakeField<std::int8_t>("i8");
   auto u8 = model->MakeField<std::uint8_t>("u8");
   auto i16 = model->MakeField<std::int16_t>("i16");
   auto u16 = model->MakeField<std::uint16_t>("u16");
   auto i32 = model->MakeField<std::int32_t>("i32");
   auto u32 = model->MakeField<std::uint32_t>("u32");
   auto i64 = model->MakeField<std::int64_t>("i64");
   auto u64 = model->MakeField<std::uint64_t>("u64");
   auto f = model->MakeField<float>("f");
   auto d = model->MakeField<double>("d");
   auto vb = model->MakeField<std::vector<bool>>("vb");
   auto vf = model->MakeField<std::vector<float>>("vf");
   auto rvf = model->MakeField<ROOT::RVec<float>>("rvf");
   auto vi64 = model->MakeField<std::vector<std::int64_t>>("vi64");
   auto vu8 = model->MakeField<std::vector<std::uint8_t>>("vu8");
   auto vd = model->MakeField<std::vector<double>>("vd");
   ROOT::RNTupleWriteOptions options;
   options.SetCompression(compression);
   options.SetMaxUnzippedPageSize(4096);
   auto writer = ROOT::RNTupleWriter::Recreate(std::move(model), "Events", path, options);
   TRandom3 random(5);
   for (int entry = 0; entry < entries; ++entry) {
      *b = random.Integer(2); *i8 = random.Integer(256); *u8 = random.Integer(256);
      *i16 = random.Integer(65536); *u16 = random.Integer(65536);
      *i32 = (int)random.Integer(100000) - 50000; *u32 = random.Integer(4000000000u);
      *i64 = (std::int64_t)random.Integer(2000000000) * -7; *u64 = random.Integer(2000000000) * 9ull;
      *f = random.Gaus(0, 40); *d = random.Gaus(0, 40);
      const unsigned size = random.Integer(5);
      vb->clear(); vf->clear(); rvf->clear(); vi64->clear(); vu8->clear(); vd->clear();
      for (unsigned i = 0; i < size; ++i) {
         vb->push_back(random.Integer(2)); vf->push_back(random.Gaus(0, 40)); rvf->push_back(random.Exp(10));
         vi64->push_back(*i64 + i); vu8->push_back(random.Integer(256)); vd->push_back(random.Gaus());
      }
      writer->Fill();
      if (entry % cluster_entries == cluster_entries - 1)
         writer->CommitCluster();
   }
}
"""


@pytest.fixture(scope="module")
def check_silent():
    """ROOT reads a file, and the file it becomes when ROOT adds to it, without a word of complaint."""
    with prepared_root(PREAMBLE) as root:
        yield lambda path: root.run(READ_ALL, path)


def run_config(call, folder, config):
    (folder / "config.json").write_text(json.dumps(config))
    done = call("run", folder / "config.json")
    assert done.returncode == 0, done.stderr
    return done.stdout


def is_plain(name):
    """Whether a column is a top-level field that holds numbers, and no unnamed collection."""
    return "." not in name and not name.startswith("_collection")


def values_by_root(path, name, folder):
    """All columns of an RNTuple as ROOT reads them, by way of a copy that ROOT writes."""
    frame = ROOT.RDataFrame(name, str(path))
    names = [str(column) for column in frame.GetColumnNames() if is_plain(str(column))]
    copy = str(folder / "by_root.root")
    options = ROOT.RDF.RSnapshotOptions()
    options.fOutputFormat = ROOT.RDF.ESnapshotOutputFormat.kRNTuple
    frame.Snapshot("Events", copy, names, options)
    return uproot.open(f"{copy}:Events").arrays()


def check_equal(mine, other, what):
    assert len(mine) == len(other), what
    if mine.ndim > 1:
        np.testing.assert_array_equal(ak.num(mine), ak.num(other), err_msg=what)
    np.testing.assert_array_equal(
        np.asarray(ak.flatten(mine, axis=None)), np.asarray(ak.flatten(other, axis=None)), err_msg=what
    )


def check_skim(call, check_silent, folder, source, ntuple, selection, mask):
    """Skims all usable columns of `source` and compares the file with the selected rows of the input."""
    run_config(
        call,
        folder,
        {
            "schema_version": 1,
            "samples": {"sample": {"files": [f"{source}:{ntuple}"]}},
            "select": [{"name": "selected", "where": selection}],
            "skims": {"skim": {"file": "skim.root", "name": "Events"}},
        },
    )
    skim = folder / "skim.root"
    check_silent(skim)
    rows = uproot.open(f"{source}:{ntuple}")
    written = uproot.open(f"{skim}:Events")
    by_root = values_by_root(skim, "Events", folder)
    names = [name for name in written.keys() if is_plain(name)]
    assert names
    for name in names:
        original = rows[name] if name in rows.keys() else None
        if original is None:
            continue
        expected = original.array()[mask]
        check_equal(written[name].array(), expected, f"{name} by uproot")
        check_equal(by_root[name], expected, f"{name} by ROOT")
    return names


@pytest.mark.parametrize("model", ["dimuon", "dijet", "adl"])
def test_skims_of_generated_events(call, check_silent, generate, tmp_path, model):
    source = generate(model, tmp_path / "events.root", 30000, "--seed", 9)
    check_silent(source)
    met = uproot.open(f"{source}:Events")["MET_pt"].array()
    names = check_skim(call, check_silent, tmp_path, source, "Events", "MET_pt > 20", met > 20)
    assert len(names) > 10


@pytest.mark.parametrize("compression", [0, 101, 207, 404, 505])
def test_skims_of_files_root_wrote(call, check_silent, tmp_path, compression):
    if not hasattr(ROOT, "write_matrix_file"):
        ROOT.gInterpreter.Declare(WRITE_MATRIX)
    source = tmp_path / "matrix.root"
    ROOT.write_matrix_file(str(source), 4000, compression, 1500)
    i32 = uproot.open(f"{source}:Events")["i32"].array()
    names = check_skim(call, check_silent, tmp_path, source, "Events", "i32 > 10000", i32 > 10000)
    assert len(names) == 17


SHARED = [
    (
        "Run2012BC_DoubleMuParked_Muons_1000evts_rntuple_v1-0-0-0.root",
        "Events",
        "nMuon == 2",
        lambda t: t.nMuon == 2,
    ),
    ("ntpl001_staff_rntuple_v1-0-1-0.root", "Staff", "Grade == 11", lambda t: t.Grade == 11),
    (
        "test_1jag_int_float_rntuple_v1-0-0-0.root",
        "ntuple",
        "Sum(one_v_integers) > 1",
        lambda t: ak.sum(t.one_v_integers, axis=1) > 1,
    ),
    ("test_int_float_rntuple_v1-0-0-0.root", "ntuple", "one_integers > 5", lambda t: t.one_integers > 5),
    (
        "test_multiple_cluster_groups_rntuple_v1-0-0-0.root",
        "ntuple",
        "one % 3 == 1",
        lambda t: t.one % 3 == 1,
    ),
    (
        "cmsopendata2015_ttbar_19980_NANOAOD_RNTupleImporter_rntuple_v1-0-0-1.root",
        "Events",
        "nMuon == 1",
        lambda t: t.nMuon == 1,
    ),
]


@pytest.mark.parametrize(
    ("name", "ntuple", "selection", "is_selected"), SHARED, ids=[row[0][:30] for row in SHARED]
)
def test_skims_of_files_made_by_others(
    call, check_silent, shared_data, tmp_path, name, ntuple, selection, is_selected
):
    rows = uproot.open(f"{shared_data / name}:{ntuple}")
    column = next(name for name in rows.keys() if name in selection and "." not in name)
    mask = is_selected(rows.arrays([column]))
    assert ak.any(mask)
    check_skim(call, check_silent, tmp_path, shared_data / name, ntuple, selection, mask)


def test_histograms_equal_rdataframe_s(call, check_silent, generate, tmp_path):
    source = generate("dimuon", tmp_path / "events.root", 50000, "--seed", 2)
    edges = [0.0, 1.0, 2.5, 3.0, 3.05, 3.1, 3.2, 9.0, 60.0, 91.2, 120.0, 300.0]
    run_config(
        call,
        tmp_path,
        {
            "schema_version": 1,
            "samples": {"sample": {"files": ["events.root:Events"]}},
            "define": {"mll": "InvariantMass(Muon_pt, Muon_eta, Muon_phi, Muon_mass)"},
            "select": [{"name": "pair", "where": "nMuon == 2 && Muon_charge[0] != Muon_charge[1]"}],
            "histograms": {
                "regular": {
                    "x": {"value": "mll", "bins": 120, "range": [60, 120], "label": "m", "unit": "GeV"}
                },
                "variable": {"x": {"value": "mll", "edges": edges}},
                "weighted": {"x": {"value": "MET_pt", "bins": 50, "range": [0, 100]}, "weight": "genWeight"},
                "jagged": {"x": {"value": "Muon_pt[abs(Muon_eta) < 2.1]", "bins": 100, "range": [0, 100]}},
                "jagged_weighted": {
                    "x": {"value": "Jet_pt", "bins": 40, "range": [0, 200]},
                    "weight": "genWeight",
                },
                "integer": {"x": {"value": "nJet", "bins": 10, "range": [-0.5, 9.5]}},
            },
            "skims": {"pairs": {"file": "pairs.root", "keep": ["mll"]}},
            "output": {"histograms": "histograms.root"},
        },
    )
    check_silent(tmp_path / "histograms.root")
    frame = (
        ROOT.RDataFrame("Events", str(source))
        .Filter("nMuon == 2 && Muon_charge[0] != Muon_charge[1]")
        .Define("mll", "InvariantMass(Muon_pt, Muon_eta, Muon_phi, Muon_mass)")
        .Define("central", "Muon_pt[abs(Muon_eta) < 2.1]")
    )
    # Last bits of sines, which its C library rounds otherwise, move masses across edges: ROOT fills ours.
    pairs = ROOT.RDataFrame("Events", str(tmp_path / "pairs.root"))
    ours, theirs = (each.AsNumpy(["mll"])["mll"] for each in (pairs, frame))
    heavy = theirs > 10
    np.testing.assert_allclose(ours[heavy], theirs[heavy], rtol=1e-2)
    assert np.median(np.abs(ours[heavy] / theirs[heavy] - 1)) < 1e-6
    expected = {
        "regular": pairs.Histo1D(("regular", "", 120, 60, 120), "mll"),
        "variable": pairs.Histo1D(("variable", "", len(edges) - 1, np.array(edges)), "mll"),
        "weighted": frame.Histo1D(("weighted", "", 50, 0, 100), "MET_pt", "genWeight"),
        "jagged": frame.Histo1D(("jagged", "", 100, 0, 100), "central"),
        "jagged_weighted": frame.Histo1D(("jagged_weighted", "", 40, 0, 200), "Jet_pt", "genWeight"),
        "integer": frame.Histo1D(("integer", "", 10, -0.5, 9.5), "nJet"),
    }
    file = ROOT.TFile.Open(str(tmp_path / "histograms.root"))
    by_uproot = uproot.open(tmp_path / "histograms.root")
    for name, pointer in expected.items():
        theirs, mine = pointer.GetValue(), file.Get(name)
        cells = range(theirs.GetNbinsX() + 2)
        contents = [mine.GetBinContent(cell) for cell in cells]
        assert contents == [theirs.GetBinContent(cell) for cell in cells], name
        # The weights have few bits, so sums of them and of their squares are exact in double too.
        assert [mine.GetBinError(cell) for cell in cells] == [theirs.GetBinError(cell) for cell in cells], (
            name
        )
        assert mine.GetEntries() == theirs.GetEntries(), name
        assert mine.GetMean() == pytest.approx(theirs.GetMean(), rel=1e-12), name
        assert mine.GetStdDev() == pytest.approx(theirs.GetStdDev(), rel=1e-9), name
        assert by_uproot[name].values(flow=True).tolist() == contents, name
        variances = [mine.GetBinError(cell) ** 2 for cell in cells]
        assert by_uproot[name].variances(flow=True).tolist() == pytest.approx(variances, rel=1e-12), name
    assert str(file.Get("regular").GetXaxis().GetTitle()) == "m [GeV]"
    assert str(file.Get("regular").GetYaxis().GetTitle()) == "Events"


@pytest.mark.filterwarnings("ignore:Merging RNTuples is experimental")
def test_hadd_merges_skims(generate, tmp_path):
    """ROOT's merger takes our files: checksums, page lists and compression settings are as it expects them."""
    paths = [generate("dijet", tmp_path / f"part{seed}.root", 5000, "--seed", seed) for seed in (1, 2)]
    merger = ROOT.TFileMerger(False)
    merger.OutputFile(str(tmp_path / "merged.root"), "RECREATE")
    for path in paths:
        merger.AddFile(str(path))
    assert merger.Merge()
    merged = uproot.open(f"{tmp_path / 'merged.root'}:Events")["Jet_pt"].array()
    parts = [uproot.open(f"{path}:Events")["Jet_pt"].array() for path in paths]
    check_equal(merged, ak.concatenate(parts), "Jet_pt")

# SPDX-License-Identifier: BSD-3-Clause
"""What counts the lists of TTree skims: the branches that did in the input, so that `hadd` and chains fit together."""

import awkward as ak
import numpy as np
import pytest
import ROOT
import uproot
from exit_codes import DONE, FAILED
from prepared_root import prepared_root

NUM_EVENTS = 3000


def config_of(source, **skim):
    return {
        "schema_version": 1,
        "samples": {"a": {"files": [f"{source}:Events"]}},
        "skims": {"s": {"file": "s.root", "format": "ttree"} | skim},
    }


def skim_of(job, tmp_path, source, *arguments, **skim):
    done = job(config_of(source, **skim), *arguments)
    assert done.returncode == DONE, done.stderr
    return tmp_path / "s.root"


def counters_of(path):
    """The branch that counts each branch of lists, by name."""
    with uproot.open(path) as file:
        tree = file["Events"]
        found = {name: tree[name].count_branch for name in tree.keys()}
    return {name: counter.name for name, counter in found.items() if counter is not None}


def places_of(branch):
    return [int(begin) for begin in branch.member("fBasketSeek") if begin]


def lists(sizes, factor=1.0):
    return ak.unflatten(np.arange(np.sum(sizes), dtype="float32") * np.float32(factor), sizes)


def write_ntuple(path, arrays):
    arrays = {name: ak.Array(values) for name, values in arrays.items()}
    with uproot.recreate(path) as file:
        file.mkrntuple("Events", {name: array.type.content for name, array in arrays.items()}).extend(arrays)


ROOT.gInterpreter.Declare(
    """
    // As NanoAOD calls them: not all lists begin with the name of their collection.
    template <typename Count>
    void WriteNano(const char *path, int entries, const char *code) {
      TFile file(path, "RECREATE");
      TTree tree("Events", "Events");
      Count nMuon = 0, nWeight = 0;
      Float_t pt[8], eta[8], weight[8], x;
      const auto leaf = [&](const char *name) { return std::string(name) + "/" + code; };
      tree.Branch("nLHEPdfWeight", &nWeight, leaf("nLHEPdfWeight").c_str());
      tree.Branch("LHEPdfWeight", weight, "LHEPdfWeight[nLHEPdfWeight]/F");
      tree.Branch("Muon_pt", pt, "Muon_pt[8]/F");
      tree.Branch("nJet", &nMuon, leaf("nJet").c_str());
      tree.Branch("Jet_pt", pt, "Jet_pt[nJet]/F");
      tree.Branch("Jet_eta", eta, "Jet_eta[nJet]/F");
      tree.Branch("x", &x);
      for (int i = 0; i < entries; ++i) {
        x = i; nMuon = i % 5; nWeight = i % 7;
        for (int k = 0; k < 8; ++k) { pt[k] = i + k; eta[k] = -k; weight[k] = 0.5 * i + k; }
        tree.Fill();
      }
      tree.Write();
    }
    """
)
COUNTED = {"LHEPdfWeight": "nLHEPdfWeight", "Jet_pt": "nJet", "Jet_eta": "nJet"}


def sums_of(paths):
    chain = ROOT.TChain("Events")
    for path in paths:
        chain.Add(str(path))
    frame = ROOT.RDataFrame(chain)
    booked = [frame.Sum(name) for name in (*COUNTED, "nJet", "x")]
    return [each.GetValue() for each in booked]


@pytest.mark.parametrize(("count", "code"), [("UInt_t", "i"), ("Long64_t", "L")])
def test_skims_go_together_with_their_input(job, tmp_path, count, code):
    source = tmp_path / "in.root"
    ROOT.WriteNano[count](str(source), NUM_EVENTS, code)
    skim = skim_of(job, tmp_path, source, keep=["*"], where="x > 99.5")
    ours = counters_of(skim)
    assert {name: ours[name] for name in COUNTED} == COUNTED == counters_of(source)
    with uproot.open(skim) as file:
        assert not [name for name in file["Events"].keys() if name.endswith("_")]
    whole, part = sums_of([source]), sums_of([skim])
    both = [a + b for a, b in zip(whole, part, strict=True)]
    assert sums_of([skim, source]) == both
    assert sums_of([source, skim]) == both
    for order in ([skim, source], [source, skim]):
        merger = ROOT.TFileMerger(False)
        merger.SetPrintLevel(0)
        merger.OutputFile(str(tmp_path / "merged.root"), "RECREATE", 505)
        for path in order:
            assert merger.AddFile(str(path), False)
        merger.AddObjectNames("Events")
        assert merger.PartialMerge(
            ROOT.TFileMerger.kAll | ROOT.TFileMerger.kRegular | ROOT.TFileMerger.kOnlyListed
        )
        merger.Reset()
        with uproot.open(tmp_path / "merged.root") as file:
            arrays = file["Events"].arrays([*COUNTED, "nJet", "x"])
        assert [ak.sum(ak.values_astype(arrays[name], "float64")) for name in arrays.fields] == both


def test_lists_of_vectors_have_the_counter_of_the_input(job, sample, tmp_path):
    counters = counters_of(skim_of(job, tmp_path, sample, keep=["*"], where="event < 1000"))
    assert counters == {name: "n" + name.split("_")[0] for name in counters}
    assert len(counters) > 10


@pytest.mark.parametrize("where", ["x < 0", "x >= 0"])
@pytest.mark.parametrize("kind", ["int32", "uint64"])
def test_counts_that_turn_out_to_be_others_get_branches_of_their_own(job, tmp_path, kind, where):
    """The first entries of all, and of the last clusters only, depart."""
    sizes = np.random.default_rng(3).integers(0, 4, 9000)
    early, late = sizes.copy(), sizes.copy()
    early[0] += 2
    late[7500] += 1
    arrays = {"Muon_late": lists(late), "x": np.arange(9000, dtype="int32"), "Muon_pt": lists(sizes)}
    arrays |= {"nMuon": sizes.astype(kind), "Muon_early": lists(early, -1), "Muon_eta": lists(sizes, 2)}
    write_ntuple(tmp_path / "in.root", arrays)
    contents = []
    for threads in (1, 4):
        options = {"keep": ["*"], "where": where, "cluster_size": "64 KiB", "page_size": "4 KiB"}
        skim = skim_of(job, tmp_path, tmp_path / "in.root", "-j", threads, **options)
        contents.append(skim.read_bytes())
    assert contents[0] == contents[1]
    counted = {"Muon_pt": "nMuon", "Muon_eta": "nMuon", "Muon_early": "nMuon", "Muon_late": "nMuon"}
    if where == "x < 0":
        assert counters_of(skim) == counted
        return
    own = {"Muon_early": "nMuon_early", "Muon_late": "nMuon_late"}
    assert counters_of(skim) == counted | own
    with uproot.open(skim) as file:
        tree = file["Events"]
        assert tree["nMuon"].num_baskets > 5
        # Uproot tells what it has asked for by its place: it waits forever for what two branches share.
        places = [begin for branch in tree.branches for begin in places_of(branch)]
        assert len(set(places)) == len(places)
        found = tree.arrays()
        for name, values in (arrays | {"nMuon_late": late, "nMuon_early": early}).items():
            assert ak.array_equal(found[name], values, dtype_exact=False), name
        file_bytes = skim.read_bytes()
        for name in ("nMuon", "nMuon_late"):
            written = b"\7TBasket" + bytes([len(name)]) + name.encode()
            assert all(written in file_bytes[begin : begin + 80] for begin in places_of(tree[name]))
    frame = ROOT.RDataFrame("Events", str(skim))
    booked = {name: frame.Sum(name) for name in (*counted, "nMuon", "nMuon_late")}
    for name, total in booked.items():
        values = late if name == "nMuon_late" else arrays[name]
        assert total.GetValue() == ak.sum(ak.values_astype(values, "float64")), name


def test_columns_of_the_skim_are_not_counted_by_the_input(job, tmp_path):
    sizes = np.arange(NUM_EVENTS) % 4
    write_ntuple(
        tmp_path / "in.root",
        {"nMuon": sizes.astype("int32"), "Muon_pt": lists(sizes), "Muon_eta": lists(sizes)},
    )
    trimmed = {"Muon_pt": "Muon_pt[Muon_pt > 1e9]"}
    skim = skim_of(job, tmp_path, tmp_path / "in.root", keep=["*"], columns=trimmed, where="nMuon == 0")
    assert counters_of(skim) == {"Muon_pt": "nMuon_pt", "Muon_eta": "nMuon"}
    columns = trimmed | {"nMuon": "int(Sum(Muon_pt > 1e9))"}
    skim = skim_of(job, tmp_path, tmp_path / "in.root", keep=["nMuon", "Muon_pt"], columns=columns)
    assert counters_of(skim) == {"Muon_pt": "nMuon"}
    with uproot.open(skim) as file:
        assert file["Events"].keys() == ["nMuon", "Muon_pt"]
        assert ak.sum(file["Events"]["nMuon"].array()) == 0


def test_columns_with_the_same_mask_share_a_counter(job, tmp_path):
    sizes = np.arange(NUM_EVENTS) % 4
    arrays = {"nMuon": sizes.astype("int32"), "Muon_pt": lists(sizes), "Muon_eta": lists(sizes, -1)}
    write_ntuple(tmp_path / "in.root", arrays)
    good = {"Muon_pt": "Muon_pt[Muon_pt>99]", "Muon_eta": "Muon_eta [ Muon_pt > 99 ]"}
    # The input's own "nMuon", of all muons, stays what it is.
    for keep, count in (["*"], "nMuon_pt"), (["Muon_pt"], "nMuon"):
        skim = skim_of(
            job, tmp_path, tmp_path / "in.root", keep=keep, columns=good | {"late": "Muon_pt[Muon_pt > 98]"}
        )
        assert counters_of(skim) == {"Muon_pt": count, "Muon_eta": count, "late": "nlate"}
        with uproot.open(skim) as file:
            events = file["Events"].arrays()
        mask = arrays["Muon_pt"] > 99
        assert ak.array_equal(events["Muon_eta"], arrays["Muon_eta"][mask], dtype_exact=False)
        assert events[count].tolist() == ak.num(arrays["Muon_pt"][mask]).tolist()
    counted = good | {"nMuon": "int(Sum(Muon_pt > 99))"}
    skim = skim_of(job, tmp_path, tmp_path / "in.root", keep=["nMuon"], columns=counted)
    assert counters_of(skim) == {"Muon_pt": "nMuon", "Muon_eta": "nMuon"}
    assert ROOT.RDataFrame("Events", str(skim)).Filter("Muon_pt.size() != nMuon").Count().GetValue() == 0


def test_chains_keep_counters_that_all_files_have(job, tmp_path):
    ROOT.WriteNano["UInt_t"](str(tmp_path / "1.root"), 50, "i")
    ROOT.WriteNano["UInt_t"](str(tmp_path / "2.root"), 70, "i")
    config = config_of(tmp_path / "1.root", keep=["*"])
    config["samples"]["a"]["files"].append(f"{tmp_path / '2.root'}:Events")
    done = job(config)
    assert done.returncode == DONE, done.stderr
    ours = counters_of(tmp_path / "s.root")
    assert {name: ours[name] for name in COUNTED} == COUNTED
    # An RNTuple of vectors as a further file: all that is known is what the values say.
    sizes = np.arange(40) % 3
    arrays = {"nJet": sizes.astype("uint32"), "Jet_pt": lists(sizes), "Jet_eta": lists(sizes)}
    write_ntuple(tmp_path / "3.root", arrays | {"x": np.zeros(40, "float32")})
    config["samples"]["a"]["files"].append(f"{tmp_path / '3.root'}:Events")
    config["skims"]["s"]["keep"] = ["nJet", "Jet_pt", "Jet_eta", "x"]
    done = job(config)
    assert done.returncode == DONE, done.stderr
    assert counters_of(tmp_path / "s.root") == {"Jet_pt": "nJet", "Jet_eta": "nJet"}
    with uproot.open(tmp_path / "s.root") as file:
        assert file["Events"]["Jet_pt"].array()[-40:].to_list() == lists(sizes).to_list()


@pytest.mark.parametrize("order", [("1", "2"), ("2", "1")])
def test_files_that_count_lists_otherwise_go_together(call, job, tmp_path, order):
    """As skims have them, of which only some meet an event whose lists differ."""
    sizes = np.random.default_rng(3).integers(0, 4, 3000)
    arrays = {}
    for name, others in (("1", sizes), ("2", sizes + (np.arange(3000) == 5))):
        arrays[name] = {"nMuon": sizes.astype("int32"), "Muon_pt": lists(sizes), "Muon_eta": lists(others)}
        write_ntuple(tmp_path / f"in{name}.root", arrays[name])
        skim_of(job, tmp_path, tmp_path / f"in{name}.root", keep=["*"]).rename(tmp_path / f"{name}.root")
    assert counters_of(tmp_path / "1.root")["Muon_eta"] == "nMuon"
    assert counters_of(tmp_path / "2.root")["Muon_eta"] == "nMuon_eta"
    files = [f"{name}.root" for name in order]
    merged = call("merge", "m.root", *files, cwd=tmp_path)
    assert merged.returncode == FAILED
    assert '"skimline convert" writes what the files have in common' in merged.stderr
    converted = call("convert", *files, "-o", "m.root", "--columns-in-common", cwd=tmp_path)
    assert converted.returncode == DONE, converted.stderr
    found = {"m.root": uproot.open(tmp_path / "m.root")["Events"].arrays()}
    for kind in ("rntuple", "ttree"):
        config = config_of(tmp_path / files[0], keep=["Muon_*", "nMuon"], format=kind)
        config["samples"]["a"]["files"].append(f"{tmp_path / files[1]}:Events")
        done = job(config, "--force")
        assert done.returncode == DONE, done.stderr
        found[kind] = uproot.open(tmp_path / "s.root")["Events"].arrays()
    for events in found.values():
        for name in ("nMuon", "Muon_pt", "Muon_eta"):
            both = [arrays[each][name].tolist() for each in order]
            assert events[name].to_list() == both[0] + both[1], name


WRITE_OBJECTS = r"""
class CountedBase : public TObject {
 public:
   int n = 0;
   unsigned short *ids = new unsigned short[9]; //[n]
   ClassDef(CountedBase, 1)
};
class CountedObject : public CountedBase { public: float x = 0; ClassDef(CountedObject, 1) };

void write_counted_objects(const char *path) {
   TFile file(path, "RECREATE");
   TTree tree("Events", "");
   CountedObject *first = new CountedObject, *second = new CountedObject;
   tree.Branch("first", &first, 4000, 99);
   tree.Branch("second", &second, 4000, 99);
   for (int i = 0; i < 20; ++i) {
      first->n = i % 3;
      second->n = i % 5;
      for (int k = 0; k < 9; ++k) first->ids[k] = second->ids[k] = 10 * i + k;
      tree.Fill();
   }
   tree.Write();
}
"""


def test_arrays_that_root_counts_by_another_object(job, tmp_path):
    """Members of bases have names that several objects share, of which ROOT takes the counter that comes first."""
    with prepared_root(f"ROOT.gInterpreter.Declare({WRITE_OBJECTS!r})") as root:
        root.run("ROOT.write_counted_objects(sys.argv[1])", tmp_path / "objects.root")
    path = skim_of(job, tmp_path, tmp_path / "objects.root", keep=["*.CountedBase.ids"])
    found = uproot.open(path)["Events"].arrays()
    for name, most in [("first", 3), ("second", 5)]:
        expected = [[10 * i + k for k in range(i % most)] for i in range(20)]
        assert found[f"{name}_CountedBase_ids"].to_list() == expected

# SPDX-License-Identifier: BSD-3-Clause
"""Skims written as TTrees: what ROOT and uproot read from them."""

import json

import awkward as ak
import numpy as np
import pytest
import ROOT
import uproot


def config_of(sample, **skim):
    return {
        "schema_version": 1,
        "samples": {"dimuon": {"files": [str(sample)]}},
        "define": {
            "lead": "Muon_pt[Muon_pt > 20]",
            "is_pair": "nMuon == 2",
            "kind": "is_pair ? 'pair' : ''",
            "pt2": "MET_pt * 2",
        },
        "select": [{"name": "met", "where": "MET_pt > 10"}],
        "skims": {"s": {"file": "s.root", "format": "ttree"} | skim},
    }


def run(job, config, *arguments):
    done = job(config, *arguments)
    assert done.returncode == 0, done.stderr
    return done


def test_all_columns_are_in_the_tree(job, sample, columns, tmp_path):
    run(job, config_of(sample, keep=["*"]))
    passed = columns["MET_pt"] > 10
    with uproot.open(tmp_path / "s.root") as file:
        assert file["Events"].classname == "TTree"
        assert file["Events"].num_entries == ak.sum(passed)
        arrays = file["Events"].arrays()
        for name in columns.fields:
            assert ak.array_equal(arrays[name], columns[name][passed], dtype_exact=False), name
        pt = columns["Muon_pt"][passed]
        assert ak.array_equal(arrays["lead"], pt[pt > 20], dtype_exact=False)
        assert ak.all(arrays["nlead"] == ak.num(arrays["lead"]))
        assert (
            arrays["kind"].to_list()
            == np.where(columns["nMuon"][passed].to_numpy() == 2, "pair", "").tolist()
        )


def test_lists_of_a_collection_share_their_counts(job, tmp_path):
    sizes = np.arange(1000) % 4
    numbers = np.arange(sizes.sum(), dtype="float32")
    muons = ak.zip({"pt": ak.unflatten(numbers, sizes), "eta": ak.unflatten(-numbers, sizes)})
    with uproot.recreate(tmp_path / "in.root") as file:
        arrays = {"Muon": muons, "other": ak.unflatten(numbers, sizes)}
        ntuple = file.mkrntuple("Events", {name: array.type.content for name, array in arrays.items()})
        ntuple.extend(arrays)
    config = config_of("in.root") | {"define": {"lead": "Muon.pt[Muon.pt > 20]"}}
    del config["select"]
    for keep in (["Muon.pt", "Muon.eta", "other", "lead"], ["Muon.eta", "lead"]):
        config["skims"]["s"]["keep"] = keep
        run(job, config)
        with uproot.open(tmp_path / "s.root") as file:
            tree = file["Events"]
            assert set(tree.keys()) - {"other", "nother"} == {
                "nMuon",
                "nlead",
                *(n.replace(".", "_") for n in keep),
            } - {"other"}
            for name in ("Muon_pt", "Muon_eta") if len(keep) == 4 else ("Muon_eta",):
                assert tree[name].count_branch is tree["nMuon"]
                assert ak.array_equal(tree[name].array(), muons[name[5:]], dtype_exact=False)
            assert tree["lead"].count_branch is tree["nlead"]


def test_collections_of_nanoaod_keep_their_counts(job, shared_data, tmp_path):
    source = shared_data / "cmsopendata2015_ttbar_19980_NANOAOD_RNTupleImporter_rntuple_v1-0-0-1.root"
    config = config_of(source)
    del config["define"], config["select"]
    with uproot.open(source) as file:
        expected = file["Events"]["Jet_pt"].array()
    for keep in (["Jet_pt", "Jet_eta", "nJet"], ["Jet_pt", "Jet_eta"]):
        config["skims"]["s"]["keep"] = keep
        run(job, config)
        with uproot.open(tmp_path / "s.root") as file:
            assert file["Events"].keys() == ["nJet", "Jet_eta", "Jet_pt"]
            assert ak.array_equal(file["Events"]["Jet_pt"].array(), expected, dtype_exact=False)


def test_root_reads_the_tree_and_the_record(job, sample, columns, tmp_path, capfd):
    run(job, config_of(sample, keep=["*"], cluster_size="256 KiB", page_size="4 KiB"))
    capfd.readouterr()
    frame = ROOT.RDataFrame("Events", str(tmp_path / "s.root"))
    passed = columns["MET_pt"] > 10
    assert frame.Count().GetValue() == ak.sum(passed)
    total = (
        frame.Define("sum", "double sum = 0; for (auto pt : Muon_pt) sum += pt; return sum;")
        .Sum("sum")
        .GetValue()
    )
    assert total == pytest.approx(ak.sum(ak.values_astype(columns["Muon_pt"][passed], "float64")), rel=1e-12)
    assert frame.Filter('kind == "pair"').Count().GetValue() == ak.sum(columns["nMuon"][passed] == 2)
    file = ROOT.TFile.Open(str(tmp_path / "s.root"))
    assert {key.GetClassName() for key in file.GetListOfKeys()} >= {"TTree", "TDirectoryFile"}
    tree = file.Get("Events")
    iterator, firsts = tree.GetClusterIterator(0), []
    while (first := iterator()) < tree.GetEntries():
        firsts.append(first)
    assert len(firsts) > 5
    assert capfd.readouterr().err == ""


def test_bytes_do_not_depend_on_threads(job, sample, tmp_path):
    contents = []
    for threads in (1, 2, 5):
        run(job, config_of(sample, keep=["*"], cluster_size="256 KiB"), "-j", threads)
        contents.append((tmp_path / "s.root").read_bytes())
    assert contents[0] == contents[1] == contents[2]


@pytest.mark.parametrize("compression", ["none", "zlib", "lzma:1", "lz4", "zstd:3"])
def test_compressions(job, sample, columns, tmp_path, compression):
    run(job, config_of(sample, keep=["Muon_pt"], compression=compression))
    with uproot.open(tmp_path / "s.root") as file:
        expected = columns["Muon_pt"][columns["MET_pt"] > 10]
        assert ak.array_equal(file["Events"]["Muon_pt"].array(), expected, dtype_exact=False)


def test_a_skim_without_events(job, sample, tmp_path):
    run(job, config_of(sample, keep=["*"], where="MET_pt < 0"))
    with uproot.open(tmp_path / "s.root") as file:
        assert file["Events"].num_entries == 0
    assert ROOT.RDataFrame("Events", str(tmp_path / "s.root")).Count().GetValue() == 0


def test_name_of_the_tree(job, sample, tmp_path):
    run(job, config_of(sample, name="tree", keep=["run"]))
    with uproot.open(tmp_path / "s.root") as file:
        assert file["tree"].classname == "TTree"


# Both columns as JSON.
SHOWN = r"""
std::string text = "[[";
for (auto &outer : levels) {
   text += text.back() == ']' ? ", [" : "[";
   for (auto &inner : outer) {
      text += text.back() == ']' ? ", [" : "[";
      for (auto x : inner) text += (text.back() == '[' ? "" : ", ") + std::to_string(x);
      text += "]";
   }
   text += "]";
}
text += "], [";
for (auto &list : texts) {
   text += text.back() == ']' ? ", [" : "[";
   for (auto &each : list) text += (text.back() == '[' ? "\"" : ", \"") + each + "\"";
   text += "]";
}
return text + "]]";
"""

ROOT.gInterpreter.Declare(
    """
    void WriteTreeSkimInput(const char *path) {
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "RECREATE"));
      {
        auto model = ROOT::RNTupleModel::Create();
        auto x = model->MakeField<float>("x");
        auto texts = model->MakeField<std::vector<std::vector<std::string>>>("texts");
        auto deep = model->MakeField<std::vector<std::vector<std::vector<std::vector<float>>>>>("deep");
        auto levels = model->MakeField<std::vector<std::vector<std::vector<float>>>>("levels");
        auto nested = model->MakeField<std::vector<std::vector<std::int16_t>>>("nested");
        auto writer = ROOT::RNTupleWriter::Append(std::move(model), "Events", *file);
        for (int i = 0; i < 100; ++i) {
          *x = i;
          nested->assign(i % 3, std::vector<std::int16_t>(i % 4, i));
          levels->assign(i % 3, {{i + 0.5f, -1}, {}, {0.25f}});
          texts->assign(i % 4, {"", std::to_string(i)});
          writer->Fill();
        }
      }
      auto model = ROOT::RNTupleModel::Create();
      auto run = model->MakeField<std::uint32_t>("run");
      auto scales = model->MakeField<std::vector<double>>("scales");
      auto texts = model->MakeField<std::vector<std::vector<std::string>>>("texts");
      auto writer = ROOT::RNTupleWriter::Append(std::move(model), "Runs", *file);
      for (int i = 0; i < 5; ++i) {
        *run = i;
        scales->assign(i, 0.5 * i);
        writer->Fill();
      }
    }
    """
)


def test_what_no_tree_can_hold_is_listed(job, tmp_path):
    ROOT.WriteTreeSkimInput(str(tmp_path / "in.root"))
    config = {
        "schema_version": 1,
        "samples": {"a": {"files": ["in.root"]}},
        "skims": {"s": {"file": "s.root", "format": "ttree"}},
    }
    for arguments, code in (([], 3), (["--dry-run"], 0)):
        done = job(config, *arguments)
        assert done.returncode == code, done.stderr
        said = done.stdout + done.stderr
        assert (
            'the skim "s" is written without "deep" (lists nested more than three deep), which its format cannot hold'
            in said
        )
    (sample,) = json.loads((tmp_path / "a.report.json").read_text())["samples"]
    found = {each["ntuple"]: [column["name"] for column in each["columns"]] for each in sample["left_out"]}
    assert found == {"Events": ["deep"]}

    config["skims"]["s"]["keep"] = ["x", "deep"]
    done = job(config)
    assert done.returncode == 2
    assert '"deep" cannot be kept' in done.stderr

    config["skims"]["s"] = {"file": "s.root", "format": "ttree", "drop": ["deep"]}
    done = run(job, config)
    assert "warning" not in done.stderr
    with uproot.open(tmp_path / "s.root") as file:
        assert file["Events"]["x"].array().to_list() == list(range(100))
        assert file["Events"]["nested"].array().to_list() == [[[i] * (i % 4)] * (i % 3) for i in range(100)]
        levels = [[[[i + 0.5, -1], [], [0.25]]] * (i % 3) for i in range(100)]
        texts = [[["", str(i)]] * (i % 4) for i in range(100)]
        assert file["Events"]["levels"].array().to_list() == levels
        assert file["Events"]["texts"].array().to_list() == texts
        assert file["Runs"].classname == "TTree"
        assert file["Runs"].keys() == ["run", "nscales", "scales", "texts"]
        assert file["Runs"]["scales"].array().to_list() == [[0.5 * i] * i for i in range(5)]
    by_root = (
        ROOT.RDataFrame("Events", str(tmp_path / "s.root")).Define("shown", SHOWN).AsNumpy(["shown"])["shown"]
    )
    assert [json.loads(str(each)) for each in by_root] == [[a, b] for a, b in zip(levels, texts, strict=True)]


def test_plan_says_the_format(call, sample, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(config_of(sample, keep=["run", "lead"])))
    done = call("plan", "--json", "a.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (skim,) = json.loads(done.stdout)["samples"][0]["skims"]
    assert skim["format"] == "ttree"
    assert skim["carried"] == []
    assert skim["computed"] == ["run", "lead"]
    assert "ttree" in call("plan", "a.json", cwd=tmp_path).stdout


def test_a_wrong_format_has_the_nearest_name(job, sample):
    done = job(config_of(sample, format="tree"))
    assert done.returncode == 2
    assert '"format" cannot be "tree" (did you mean "ttree"?)' in done.stderr

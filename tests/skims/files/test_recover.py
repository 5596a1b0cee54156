# SPDX-License-Identifier: BSD-3-Clause
"""skimline recover: what is whole of files that were never closed, are cut or damaged, as ROOT and uproot read it."""

import json
import random
import re
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import crashed_jobs
import numpy as np
import pytest
import ROOT
import uproot
from exit_codes import DONE, FAILED, INCOMPLETE, WRONG_USAGE

TREE = "Events"

# All that crashed_jobs.py puts into an entry, in C++.
IS_RIGHT = """
bool right = nJet == run % (3 + run / 700) && int(Jet_pt.size()) == nJet && int(v.size()) == run % 3 &&
             int(hits.size()) == run % (2 + run / 600) && int(rdfentry_) == run &&
             name == std::string(run % 4, 'n') + std::to_string(run);
for (int k = 0; right && k < nJet; ++k) right = Jet_pt[k] == run + 0.5f * k;
for (int k = 0; right && k < run % 3; ++k) right = v[k] == run / 4.f + k;
for (int k = 0; right && k < int(hits.size()); ++k)
  right = hits[k].X() == k && hits[k].Y() == run && hits[k].Z() == -k && hits[k].T() == 0;
return right;
"""


@pytest.fixture(scope="module")
def crashed(tmp_path_factory) -> Path:
    """Files of a job that was killed."""
    folder = tmp_path_factory.mktemp("crashed")
    script = Path(crashed_jobs.__file__)
    done = subprocess.run([sys.executable, script, folder], capture_output=True, check=False, timeout=100)
    assert done.returncode == -signal.SIGKILL, done.stderr
    return folder


def entries_of(path, tree_path=TREE):
    """How many entries a recovered tree has: all are compared with what the job filled."""
    frame = ROOT.RDataFrame(tree_path, str(path))
    right, count = frame.Filter(IS_RIGHT).Count(), frame.Count()
    assert right.GetValue() == count.GetValue()
    with uproot.open(path) as file:
        tree = file[tree_path]
        expected = [crashed_jobs.lists(i) for i in range(tree.num_entries)]
        assert tree.num_entries == count.GetValue()
        for name in ("text", "name", "v", "Jet_pt"):
            assert tree[name].array().tolist() == [each[name] for each in expected], name
        assert tree["hits.fCoordinates.fX"].array().tolist() == [each["hits"] for each in expected]
    return count.GetValue()


def entries_of_root(path):
    """How many ROOT's own recovery finds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = ROOT.TFile(str(path))
    tree = file.Get(TREE) if file and not file.IsZombie() else None
    return tree.GetEntries() if tree else None


@pytest.mark.parametrize(
    "name, entries",
    [("saved.root", 2100), ("whole_header.root", 2100), ("flushed_baskets.root", 2000)],
)
def test_all_flushed_entries_of_a_killed_job_are_recovered(call, crashed, tmp_path, name, entries):
    before = (crashed / name).read_bytes()
    done = call("recover", crashed / name, tmp_path / "out.root")
    assert (crashed / name).read_bytes() == before
    assert done.returncode in (DONE, INCOMPLETE), done.stderr
    assert entries_of(tmp_path / "out.root") == entries
    assert entries_of_root(crashed / name) <= entries
    assert call("verify", tmp_path / "out.root").returncode == DONE
    with uproot.open(tmp_path / "out.root") as file:
        assert file["h"].values().tolist() == [0, 3, 0, 0]


def test_trees_in_directories_are_recovered_where_they_were(call, crashed, tmp_path):
    done = call("recover", crashed / "early.root", tmp_path / "out.root")
    assert done.returncode in (DONE, INCOMPLETE), done.stderr
    assert entries_of(tmp_path / "out.root", "dir/Events") == crashed_jobs.ENTRIES


@pytest.mark.parametrize("entries", [{"a": 0, "b": 500}, {"a": 300, "b": 500}, {"a": 500, "b": 0, "c": 700}])
def test_trees_of_one_name_have_their_own_entries(call, tmp_path, entries):
    """The keys of their baskets say which tree they are of, and not in which directory it lies."""
    path = tmp_path / "regions.root"
    file = ROOT.TFile(str(path), "RECREATE")
    for number, (folder, count) in enumerate(entries.items()):
        file.mkdir(folder).cd()
        tree = ROOT.TTree("Events", "")
        tree.SetAutoFlush(200)
        x = np.zeros(1, "i4")
        tree.Branch("x", x, "x/I")
        for i in range(count):
            x[0] = 1000 * number + i
            tree.Fill()
        tree.Write()
    file.Close()
    done = call("recover", path, tmp_path / "out.root")
    assert done.returncode == DONE, done.stdout
    assert "nothing that was found is lost" in done.stdout
    with uproot.open(tmp_path / "out.root") as recovered, uproot.open(path) as written:
        for folder in entries:
            expected = written[f"{folder}/Events/x"].array().tolist()
            assert recovered[f"{folder}/Events/x"].array().tolist() == expected, folder


WRITE_REGIONS = """
import os, sys
import ROOT
ROOT.gErrorIgnoreLevel = ROOT.kError
ROOT.gSystem.Load("libROOTNTuple")
ROOT.gInterpreter.Declare('''
void fill(TDirectory &folder, int entries, bool ends) {
   auto model = ROOT::RNTupleModel::Create();
   auto x = model->MakeField<int>("x");
   auto writer = ROOT::RNTupleWriter::Append(std::move(model), "Events", folder);
   for (*x = 0; *x < entries; ++*x) writer->Fill();
   writer->CommitCluster();
   if (ends) return;
   folder.GetFile()->Flush();
   _exit(0);
}
void write(const char *path, bool ends) {
   TFile file(path, "RECREATE");
   fill(*file.mkdir("a"), 10, true);
   fill(*file.mkdir("b"), 20, ends);
}''')
ROOT.write(sys.argv[1], sys.argv[2] == "whole")
"""


@pytest.mark.parametrize("state", ["whole", "crashed"])
def test_an_rntuple_behind_a_committed_one_of_its_name_is_said_to_be_lost(call, tmp_path, state):
    path = tmp_path / "regions.root"
    subprocess.run([sys.executable, "-c", WRITE_REGIONS, path, state], check=True, timeout=100)
    done = call("recover", path, tmp_path / "out.root")
    assert done.returncode == (DONE if state == "whole" else INCOMPLETE), done.stdout
    assert 'RNTuple "a/Events": 10 entries' in done.stdout
    is_said = re.search('another RNTuple "Events", whose header is at byte .*never committed', done.stdout)
    assert bool(is_said) == (state == "crashed"), done.stdout


def test_baskets_that_other_branches_lack_are_said_to_be_lost(call, crashed, tmp_path):
    path = crashed / "between_flushes.root"
    done = call("recover", path, tmp_path / "out.root")
    assert done.returncode == INCOMPLETE
    assert 'lost:\n  "Events": what other branches have behind entry' in done.stdout
    found = entries_of(tmp_path / "out.root")
    assert found <= crashed_jobs.ENTRIES
    assert entries_of_root(path) == 1801 <= found


def test_baskets_without_a_tree_are_said_to_be_of_no_use(call, crashed, tmp_path):
    done = call("recover", crashed / "never_saved.root", tmp_path / "out.root")
    assert done.returncode == INCOMPLETE
    assert "but the tree itself, which says what they hold, was never written" in done.stdout
    with uproot.open(tmp_path / "out.root") as file:
        assert file.keys(cycle=False) == ["h"]


def write_whole(path):
    """A closed file, in which the tree was written several times."""
    file = ROOT.TFile(str(path), "RECREATE")
    tree = ROOT.TTree("Events", "events")
    tree.SetAutoFlush(200)
    x, n, y = np.zeros(1, "i4"), np.zeros(1, "i4"), np.zeros(10, "f4")
    for name, at, title in (("x", x, "x/I"), ("n", n, "n/I"), ("y", y, "y[n]/F")):
        tree.Branch(name, at, title)
    for i in range(2000):
        x[0], n[0], y[:] = i, i % 5, i / 8
        tree.Fill()
        if i % 600 == 599:
            tree.Write()
    file.Write()
    file.Close()
    return path.read_bytes()


def check_first_entries(path):
    with uproot.open(path) as file:
        arrays = file["Events"].arrays()
    assert arrays["x"].tolist() == list(range(len(arrays)))
    assert arrays["n"].tolist() == [i % 5 for i in range(len(arrays))]
    assert arrays["y"].tolist() == [[i / 8] * (i % 5) for i in range(len(arrays))]
    return len(arrays)


def test_whole_files_are_recovered_whole(call, tmp_path):
    write_whole(tmp_path / "whole.root")
    done = call("recover", tmp_path / "whole.root", tmp_path / "out.root")
    assert done.returncode == DONE and "nothing that was found is lost" in done.stdout
    assert check_first_entries(tmp_path / "out.root") == 2000


def test_names_with_slashes_become_directories(call, tmp_path):
    """The references inside of an object count its key, too, which is shorter then."""
    file = ROOT.TFile(str(tmp_path / "in.root"), "RECREATE")
    folder = file.mkdir("folder")
    histogram = ROOT.TH1D("h", "title", 2, 0, 2)
    for label in ("one", "two"):
        histogram.Fill(label, 3)
    for name in ("plots/h", "12345678/h", "a/b/c/h"):
        folder.WriteTObject(histogram, name)
    graph = ROOT.TGraph(3, np.arange(3.0), np.arange(3.0) ** 2)
    for title in ("1", "2"):
        named = ROOT.TNamed("name", title)
        ROOT.SetOwnership(named, False)
        graph.GetListOfFunctions().Add(named)
    file.WriteTObject(graph, "./results/graph")
    file.Close()
    done = call("recover", tmp_path / "in.root", tmp_path / "out.root")
    assert done.returncode == DONE, done.stderr
    out = ROOT.TFile(str(tmp_path / "out.root"))
    for name in ("plots/h", "12345678/h", "a/b/c/h"):
        found = out.Get(f"folder/{name}")
        assert [found.GetXaxis().GetBinLabel(i) for i in (1, 2)] == ["one", "two"]
        assert [found.GetBinContent(i) for i in (1, 2)] == [3, 3]
    here = next(key for key in out.GetListOfKeys() if key.GetName() == ".").ReadObj()
    results = here.GetListOfKeys()[0].ReadObj()
    found = results.GetListOfKeys()[0].ReadObj()
    assert [each.GetTitle() for each in found.GetListOfFunctions()] == ["1", "2"]
    assert list(found.GetY()) == [0, 1, 4]


def test_the_index_of_a_larger_tree_is_left_behind(call, tmp_path):
    """A clone of some entries has the index of its original, of more entries than it has."""
    file = ROOT.TFile(str(tmp_path / "in.root"), "RECREATE")
    tree = ROOT.RDataFrame(30).Define("run", "3 - rdfentry_ / 10").Define("event", "rdfentry_ % 10")
    tree.Snapshot("all", str(tmp_path / "all.root"))
    original = ROOT.TFile(str(tmp_path / "all.root"))
    original.Get("all").BuildIndex("run", "event")
    file.cd()
    clone = original.Get("all").CloneTree(10)
    clone.SetName("some")
    clone.Write()
    file.Close()
    merged = call("merge", tmp_path / "merged.root", tmp_path / "in.root")
    assert merged.returncode == FAILED
    assert "its index leads to entry 20 of 10" in merged.stderr
    done = call("recover", tmp_path / "in.root", tmp_path / "out.root")
    assert done.returncode == INCOMPLETE, done.stderr
    assert "its index, which is of other entries" in done.stdout + done.stderr
    with uproot.open(tmp_path / "out.root") as out:
        assert out["some"]["event"].array().tolist() == list(range(10))
    assert call("merge", tmp_path / "merged.root", tmp_path / "out.root").returncode == DONE


def test_of_cut_files_the_first_entries_are_recovered(call, tmp_path):
    whole = write_whole(tmp_path / "whole.root")
    generator, found = random.Random(7), set()
    for size in sorted(generator.sample(range(len(whole)), 40)):
        (tmp_path / "cut.root").write_bytes(whole[:size])
        done = call("recover", tmp_path / "cut.root", tmp_path / "out.root", "--force")
        if done.returncode == FAILED:
            assert "nothing in it is whole" in done.stderr and not (tmp_path / "out.root").exists()
            continue
        assert done.returncode in (DONE, INCOMPLETE)
        found.add(check_first_entries(tmp_path / "out.root"))
        (tmp_path / "out.root").unlink()
    assert len(found) > 5 and max(found) >= 1800


def test_damaged_files_are_recovered_up_to_the_damage_or_refused(call, tmp_path):
    whole = write_whole(tmp_path / "whole.root")
    generator, codes = random.Random(3), set()
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(generator.randint(1, 4)):
            place = generator.randrange(len(damaged))
            damaged[place : place + 4] = generator.randbytes(4)
        (tmp_path / "damaged.root").write_bytes(damaged)
        done = call("recover", tmp_path / "damaged.root", tmp_path / "out.root", "--force")
        assert done.returncode in (DONE, INCOMPLETE, FAILED), done.stderr
        codes.add(done.returncode)
        if done.returncode != FAILED and "TTree" in done.stdout.split("lost:")[0]:
            assert call("verify", tmp_path / "out.root").returncode == DONE
    assert INCOMPLETE in codes


def test_an_ntuple_without_a_footer_keeps_the_clusters_of_its_page_lists(call, tmp_path):
    script = f"""
import ROOT, os, signal
model = ROOT.RNTupleModel.Create()
model.MakeField["int"]("x")
model.MakeField["std::vector<float>"]("v")
file = ROOT.TFile({str(tmp_path / "killed.root")!r}, "RECREATE")
writer = ROOT.RNTupleWriter.Append(model, "ntuple", file)
entry = writer.CreateEntry()
for i in range(3000):
    entry["x"] = i
    entry["v"] = [i / 2.0] * (i % 3)
    writer.Fill(entry)
    if i % 500 == 499 and i < 2600:
        writer.CommitCluster(i == 1999)
os.kill(os.getpid(), signal.SIGKILL)
"""
    killed = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=100)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    done = call("recover", tmp_path / "killed.root", tmp_path / "out.root")
    assert done.returncode == INCOMPLETE, done.stderr
    assert "never committed" in done.stdout
    frame = ROOT.RDataFrame("ntuple", str(tmp_path / "out.root"))
    right = frame.Filter("x == int(rdfentry_) && int(v.size()) == x % 3 && (v.empty() || v[0] == x / 2.f)")
    assert right.Count().GetValue() == frame.Count().GetValue() == 2000


@pytest.fixture
def fill(call, generate, tmp_path):
    """Writes h.root, with the same histogram of weights under each of the names."""

    def run(*names):
        generate("dimuon", tmp_path / "in.root", 2000)
        axis = {"value": "MET_pt", "bins": 20, "range": [0, 100]}
        config = {
            "schema_version": 1,
            "samples": {"s": {"files": ["in.root"]}},
            "histograms": {name: {"x": axis, "weight": "0.1"} for name in names},
            "output": {"histograms": "h.root"},
        }
        (tmp_path / "a.json").write_text(json.dumps(config))
        assert call("run", tmp_path / "a.json").returncode == DONE

    return run


def test_histograms_of_cut_files_keep_their_exact_sums(call, fill, tmp_path):
    fill("met")
    whole = (tmp_path / "h.root").read_bytes()
    (tmp_path / "cut.root").write_bytes(whole[:-3])
    assert call("verify", tmp_path / "cut.root").returncode == FAILED
    call("recover", tmp_path / "cut.root", tmp_path / "out.root")
    assert call("diff", tmp_path / "h.root", tmp_path / "out.root").returncode == DONE
    merged = call("merge", tmp_path / "sum.root", tmp_path / "out.root")
    assert re.search(r"^  exact +1$", merged.stdout, re.MULTILINE), merged.stderr


def test_changed_histograms_do_not_keep_their_exact_sums(call, fill, tmp_path):
    """Other contents beside the sums of those that were written would be two answers in one file."""
    fill("met", "other")
    plain = tmp_path / "plain.root"
    assert call("merge", "--compression", "none", plain, tmp_path / "h.root").returncode == DONE
    with uproot.open(plain) as file:
        contents = file["met"].values(flow=True)
    stored = contents.astype(">f8").tobytes()
    changed = (2 * contents).astype(">f8").tobytes()
    whole = plain.read_bytes()
    assert whole.count(stored) == 2
    (tmp_path / "cut.root").write_bytes(whole.replace(stored, changed, 1)[:-3])
    done = call("recover", tmp_path / "cut.root", tmp_path / "out.root")
    assert done.returncode == INCOMPLETE, done.stderr
    with uproot.open(tmp_path / "out.root") as file:
        kept = {"met", "other"} & set(file.keys(cycle=False, filter_classname="TH1*"))
        assert len(kept) == 1 and (file[kept.pop()].values(flow=True) == contents).all()
    assert call("verify", tmp_path / "out.root").returncode == DONE


def test_what_exists_stays_and_inputs_are_never_replaced(call, tmp_path):
    write_whole(tmp_path / "whole.root")
    (tmp_path / "mine.root").write_bytes(b"mine")
    refused = call("recover", tmp_path / "whole.root", tmp_path / "mine.root")
    assert refused.returncode == WRONG_USAGE and (tmp_path / "mine.root").read_bytes() == b"mine"
    (tmp_path / "link.root").symlink_to(tmp_path / "whole.root")
    same = call("recover", tmp_path / "whole.root", tmp_path / "link.root", "--force")
    assert same.returncode == WRONG_USAGE and "is the input and the output" in same.stderr


@pytest.mark.parametrize(
    "content", [b"", b"root", b"root" + bytes(200), bytes(5000), b"no file of ROOT" * 900]
)
def test_files_without_records_are_refused(call, tmp_path, content):
    (tmp_path / "a.root").write_bytes(content)
    done = call("recover", tmp_path / "a.root", tmp_path / "out.root")
    assert done.returncode == FAILED and "nothing in it is whole" in done.stderr
    assert not (tmp_path / "out.root").exists()


def test_files_that_were_never_closed_are_said_to_be_read_in_part(call, crashed, tmp_path, run_in):
    """ROOT reads the entries of the last save without a word."""
    path = crashed / "whole_header.root"
    saved = uproot.open(path)[TREE].num_entries
    assert 0 < saved < crashed_jobs.ENTRIES
    config = {
        "schema_version": 1,
        "samples": {"a": {"files": [str(path)]}},
        "histograms": {"run": {"x": {"value": "run", "bins": 10, "range": [0, 3000]}}},
        "output": {"histograms": "h.root"},
    }
    done = run_in(tmp_path, config)
    assert done.returncode == DONE, done.stderr
    assert 'warning: 1 file of the sample "a" was never closed' in done.stderr
    assert uproot.open(tmp_path / "h.root")["run"].values(flow=True).sum() == saved
    shown = call("inspect", path)
    converted = call("convert", path, "-o", tmp_path / "c.root")
    for told in (shown.stdout, converted.stdout + converted.stderr):
        assert f"{path} was never closed: only the entries" in told
    call("recover", path, tmp_path / "r.root")
    config["samples"]["a"]["files"] = [str(tmp_path / "r.root")]
    assert "never closed" not in run_in(tmp_path, config, "--force").stderr


def test_where_nothing_is_whole_all_that_is_lost_is_named_in_one_line(call, tmp_path):
    path = tmp_path / "a.root"
    with ROOT.TFile.Open(str(path), "recreate") as file:
        for name in ("first", "second"):
            file.WriteObject(ROOT.TTree(name, ""), name)
    damaged = bytearray(path.read_bytes())
    with uproot.open(path) as file:
        for key in map(file.key, ("first", "second")):
            begin, end = key.fSeekKey + key.fKeylen + 20, key.fSeekKey + key.fNbytes
            damaged[begin:end] = (byte ^ 0x5A for byte in damaged[begin:end])
    path.write_bytes(damaged)
    done = call("recover", path, tmp_path / "out.root")
    assert done.returncode == FAILED
    assert "nothing in it is whole: TTree " in done.stderr and '; TTree "' in done.stderr
    assert "␊" not in done.stderr

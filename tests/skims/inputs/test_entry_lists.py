# SPDX-License-Identifier: BSD-3-Clause
"""Lists of entries that ROOT has written: the events are those that a loop over the chain with the list reads."""

import json
import pickle
import random
import re
import shutil
import subprocess
import sys

import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE
from prepared_root import prepared_root
from remote_servers import ScriptedServer

# Lists as TTree::Draw makes them, of chains and of single trees, and such as no cut makes: of bits, of numbers, of what
# is not chosen, empty ones.
WRITE = """
import json
os.chdir(sys.argv[1])
value = array("d", [0])
run, block = array("I", [0]), array("I", [0])
def write(path, values):
    file = ROOT.TFile(path, "RECREATE")
    tree = ROOT.TTree("Events", "events")
    tree.Branch("x", value, "x/D")
    tree.Branch("run", run, "run/i")
    tree.Branch("luminosityBlock", block, "luminosityBlock/i")
    for each in values:
        value[0] = each
        run[0], block[0] = 1, each % 5
        tree.Fill()
    tree.Write()
    file.Close()

files = ("a.root", "b.root", "c.root", "many.root")
write("a.root", range(100))
write("b.root", range(1000, 1050))
write("c.root", range(2000, 2070))
write("many.root", range(130000))

def chain_of(files):
    chain = ROOT.TChain("Events")
    for file in files:
        chain.Add(file)
    return chain

truth, kept = {}, []
def entries_of(chain, chosen):
    chain.SetEntryList(chosen)
    chain.SetBranchStatus("*", 0)
    chain.SetBranchStatus("x", 1)
    found = []
    if chosen.GetN() > 2000:  # a loop in Python takes seconds
        chain.SetEstimate(chosen.GetN() + 1)
        count = chain.Draw("x", "", "goff")
        return [chain.GetV1()[number] for number in range(count)]
    for number in range(chosen.GetN()):
        chain.GetEntry(chain.GetEntryNumber(number))
        found.append(chain.x)
    return found

def keep(name, chosen, chain, files):
    truth[name] = [list(files), entries_of(chain, chosen)]
    kept.append((name, chosen))

for name, some, cut in (
    ("third", files[:3], "x % 3 == 0"),
    ("last", files[:3], "x > 1990"),
    ("one", files[1:2], "x > 1020"),
    ("sparse", files, "x % 997 == 0"),
    ("half", files, "x % 2 == 0"),
    ("dense", files[3:], "x != 70000 && x % 50 != 7"),
    ("all", files[3:], "x >= 0"),
    ("nothing", files[:3], "x < 0"),
):
    chain = chain_of(some)
    chain.Draw(">>" + name, cut, "entrylist")
    keep(name, ROOT.gDirectory.Get(name), chain, some)

file = ROOT.TFile("a.root")
tree = file.Get("Events")
tree.Draw(">>tree", "x > 90", "entrylist")
keep("tree", ROOT.gDirectory.Get("tree"), chain_of(["a.root"]), ["a.root"])
by_hand = ROOT.TEntryList("by_hand", "without names")
for each in (1, 3, 64000, 64001, 127999, 129999):
    by_hand.Enter(each)
truth["by_hand"] = [["many.root"], [1.0, 3.0, 64000.0, 64001.0, 127999.0, 129999.0]]
kept.append(("by_hand", by_hand))
far = ROOT.TEntryList("far", "behind the end")
far.SetTreeName("Events")
far.SetFileName(os.path.abspath("a.root"))
far.Enter(100)
kept.append(("far", far))

chain = chain_of(files[:3])
chain.Draw(">>events", "x % 10 == 1")
events = ROOT.gDirectory.Get("events")
truth["events"] = [list(files[:3]), []]
for number in range(events.GetN()):
    chain.GetEntry(events.GetEntry(number))
    truth["events"][1].append(chain.x)
kept.append(("events", events))

out = ROOT.TFile("lists.root", "RECREATE", "", 0)
for name, chosen in kept:
    chosen.Write(name)
ROOT.TNamed("title", "no list").Write()
out.Close()
out = ROOT.TFile("only.root", "RECREATE", "", 0)
kept[0][1].Write()
out.Close()
out = ROOT.TFile("changed.root", "RECREATE", "", 0)
for name, chosen in kept:
    (kept[1][1] if name == "third" else events if name == "tree" else chosen).Write(name)
out.Close()
print(json.dumps(truth))
"""

NAMES = ["third", "last", "one", "sparse", "half", "dense", "all", "nothing", "tree", "by_hand", "events"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lists")


@pytest.fixture(scope="module")
def truth(folder):
    """By the name of a list, the files of its sample and the values that ROOT reads."""
    preamble = "import os\nfrom array import array\nROOT.gErrorIgnoreLevel = ROOT.kFatal"
    with prepared_root(preamble) as process:
        return json.loads(process.run(WRITE, folder))


@pytest.fixture(scope="module")
def in_folders(folder):
    preamble = "import os\nfrom array import array\nROOT.gErrorIgnoreLevel = ROOT.kFatal"
    with prepared_root(preamble) as process:
        process.run(IN_FOLDERS, folder)


def config_of(files, name, **more):
    sample = {"files": [f"{each}:Events" for each in files], "entry_list": name} | more.pop("sample", {})
    skims = {"s": {"file": "s.root", "format": "ttree", "keep": ["x"]}}
    return {"schema_version": 1, "samples": {"mc": sample}, "skims": skims} | more


@pytest.fixture
def run(call, truth, folder, tmp_path):
    """Runs a config that lies beside the files, and puts what it writes elsewhere."""

    def call_it(config, *arguments):
        path = folder / "a.json"
        config["skims"]["s"]["file"] = str(tmp_path / "s.root")
        output = {"report": str(tmp_path / "r.json")}
        if "histograms" in config:
            output["histograms"] = str(tmp_path / "h.root")
        path.write_text(json.dumps(config | {"output": output}))
        return call("run", path, "--force", *arguments, cwd=tmp_path)

    return call_it


def values_in(path):
    return uproot.open(path)["Events"]["x"].array().to_list()


@pytest.mark.parametrize("name", NAMES)
def test_events_are_those_of_root(run, truth, tmp_path, name):
    files, values = truth[name]
    done = run(config_of(files, f"lists.root:{name}"))
    assert done.returncode == DONE, done.stderr
    assert "warning" not in done.stderr
    assert values_in(tmp_path / "s.root") == values
    assert name == "nothing" or values


# Lists of trees of one file, which name the folders of these or not.
IN_FOLDERS = """
import json
os.chdir(sys.argv[1])
value = array("d", [0])
file = ROOT.TFile("folders.root", "RECREATE")
for number, name in enumerate(("one", "two")):
    file.mkdir(name).cd()
    tree = ROOT.TTree("Events", "events")
    tree.Branch("x", value, "x/D")
    for entry in range(20):
        value[0] = 100 * number + entry
        tree.Fill()
    tree.Write()
file.Close()

def list_of(name, trees):
    made = ROOT.TEntryList(name, "")
    for tree, entries in trees.items():
        made.SetTree(tree, os.path.abspath("folders.root"))
        for entry in entries:
            made.Enter(entry)
    return made

lists = [
    list_of("one", {"one/Events": [7, 9]}),
    list_of("both", {"one/Events": [7, 9], "two/Events": [3]}),
    list_of("bare", {"Events": [1, 2]}),
]
file = ROOT.TFile("of_folders.root", "RECREATE")
for each in lists:
    each.Write()
file.Close()
file = ROOT.TFile("changed_folders.root", "RECREATE")
list_of("both", {"one/Events": [8, 9], "two/Events": [3]}).Write()
file.Close()
print(json.dumps(0))
"""


@pytest.mark.parametrize(
    ("name", "trees", "values"),
    [
        ("one", ["one", "two"], [7, 9]),
        ("one", ["two", "one"], [7, 9]),
        ("both", ["one", "two"], [7, 9, 103]),
        ("both", ["two", "one"], [103, 7, 9]),
        ("bare", ["two"], [101, 102]),
        ("bare", ["one", "two"], None),
        ("one", ["two"], None),
    ],
)
def test_lists_are_of_the_trees_in_their_folders(run, in_folders, tmp_path, name, trees, values):
    config = config_of([], f"of_folders.root:{name}")
    config["samples"]["mc"]["files"] = [f"folders.root:{tree}/Events" for tree in trees]
    done = run(config)
    if values is None:
        assert done.returncode == WRONG_USAGE
        said = (
            "which may be several trees of"
            if name == "bare"
            else 'one/Events", which the sample does not have'
        )
        assert said in done.stderr
        return
    assert done.returncode == DONE, done.stderr
    assert values_in(tmp_path / "s.root") == values
    assert ('does not mention "folders.root:two/Events"' in done.stderr) == (name == "one")


def test_frames_know_the_lists_of_all_trees_of_a_file(sk, in_folders, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)
    shutil.copy("of_folders.root", tmp_path / "lists.root")
    trees = [f"folders.root:{tree}/Events" for tree in ("one", "two")]
    frame = sk.open(trees, entry_list=f"{tmp_path}/lists.root:both")
    assert frame.arrays("x", library="np")["x"].tolist() == [7, 9, 103]
    shutil.copy("changed_folders.root", tmp_path / "lists.root")
    with pytest.raises(sk.FileError, match="has changed since it was opened"):
        frame.arrays("x", library="np")


def test_only_list_of_a_file_needs_no_name_and_a_chain_may_be_its_sample(run, truth, tmp_path):
    files, values = truth["third"]
    assert run(config_of(files, "only.root")).returncode == DONE
    assert values_in(tmp_path / "s.root") == values


def test_steps_of_the_cutflow_and_sums_are_those_of_masks(run, folder, tmp_path):
    (folder / "golden.json").write_text('{"1": [[0, 2]]}')
    sample = {"lumi_mask": "golden.json", "sum_weights": "2"}
    done = run(
        config_of(
            ["a.root", "b.root", "c.root"],
            "lists.root:third",
            sample=sample,
            select=[{"name": "large", "where": "x > 50"}],
        )
    )
    assert done.returncode == DONE, done.stderr
    values = [*range(100), *range(1000, 1050), *range(2000, 2070)]
    listed = [each for each in values if each % 3 == 0]
    certified = [each for each in listed if each % 5 <= 2]
    steps = json.loads((tmp_path / "r.json").read_text())["samples"][0]
    assert [(step["name"], step["events"], step["sum_weights"]) for step in steps["cutflow"]] == [
        ("all events", 220, 440),
        ("entry list", len(listed), 2 * len(listed)),
        ("luminosity mask", len(certified), 2 * len(certified)),
        ("large", len([x for x in certified if x > 50]), 2 * len([x for x in certified if x > 50])),
    ]
    assert steps["luminosity_mask"] == {
        "accepted": len(certified),
        "rejected": len(listed) - len(certified),
    }


@pytest.mark.parametrize(("name", "key"), [("entry list", None), ("luminosity mask", "lumi_mask")])
def test_steps_are_not_called_like_other_lines_of_the_cutflow(run, folder, tmp_path, name, key):
    """A cutflow has each name once; without the list or the mask the name is free."""
    (folder / "golden.json").write_text('{"1": [[0, 2]]}')
    select = [{"name": "x", "where": "x > 5"}, {"name": name, "where": "x > 50"}]
    sample = {"lumi_mask": "golden.json"} if key else {}
    done = run(config_of(["a.root"], "lists.root:by_hand", sample=sample, select=select))
    assert done.returncode == WRONG_USAGE
    assert re.search(rf'a\.json:1:\d+: error: "{name}" is what comes before all selections', done.stderr), (
        done.stderr
    )
    config = config_of(["a.root"], "", select=select)
    del config["samples"]["mc"]["entry_list"]
    assert run(config).returncode == DONE
    steps = json.loads((tmp_path / "r.json").read_text())["samples"][0]["cutflow"]
    assert steps[-1]["name"] == name


def test_what_is_not_listed_is_not_read(run, tmp_path):
    read = {}
    for name in ("all", "by_hand"):
        assert run(config_of(["many.root"], f"lists.root:{name}")).returncode == DONE
        read[name] = json.loads((tmp_path / "r.json").read_text())["read"]["pages_decoded"]
    assert 0 < read["by_hand"] < read["all"] / 2


def test_bytes_are_the_same_whatever_the_threads_and_parts(run, truth, tmp_path):
    files, values = truth["half"]
    made = set()
    for threads in (1, 3):
        assert run(config_of(files, "lists.root:half"), "--threads", threads).returncode == DONE
        made.add((tmp_path / "s.root").read_bytes()[200:])
    found = []
    for part in (1, 2, 3):
        assert run(config_of(files, "lists.root:half"), "--shard", f"{part}/3").returncode == DONE
        found += values_in(tmp_path / f"s.shard{part}of3.root")
    assert len(made) == 1
    assert found == values


def test_stores_know_the_list(run, truth, tmp_path):
    store = tmp_path / "store"
    for name in ("third", "last", "events", "third"):
        files, values = truth[name]
        config = config_of(files, f"lists.root:{name}")
        config["histograms"] = {"n": {"x": {"value": "x", "bins": 1, "range": [-1, 1e6]}}}
        histograms = tmp_path / "h.root"
        done = run(config, "--store", store)
        assert done.returncode == DONE, done.stderr
        assert values_in(tmp_path / "s.root") == values
        assert uproot.open(histograms)["n"].values().tolist() == [len(values)]


def test_fewer_files_are_the_first_entries(run, truth, tmp_path):
    for name in ("third", "events"):
        files, values = truth[name]
        assert run(config_of(files, f"lists.root:{name}"), "--limit-files", "1").returncode == DONE
        assert values_in(tmp_path / "s.root") == [each for each in values if each < 100]


def test_python_takes_a_list(sk, truth, folder, monkeypatch):
    monkeypatch.chdir(folder)
    files, values = truth["last"]
    frame = sk.open([f"{each}:Events" for each in files], entry_list="lists.root:last")
    assert frame.arrays("x", library="np")["x"].tolist() == values
    assert frame.filter("x > 2000").arrays("x", library="np")["x"].tolist() == [
        each for each in values if each > 2000
    ]
    found = {each.name: each.listed for each in sk.inspect(folder / "lists.root").objects}
    parts = [range(100), range(1000, 1050), range(2000, 2070)]
    assert [each.entries for each in found["third"]] == [sum(x % 3 == 0 for x in part) for part in parts]
    assert [(each.file, each.entries) for each in found["by_hand"]] == [("", 6)]


@pytest.mark.parametrize("is_remote", [False, True], ids=["here", "elsewhere"])
@pytest.mark.parametrize(("list_name", "changes"), [("third", True), ("last", False), ("tree", True)])
def test_frames_take_the_list_that_they_were_opened_with(
    sk, truth, folder, tmp_path, monkeypatch, fault_server, list_name, changes, is_remote
):
    monkeypatch.chdir(folder)
    files, values = truth[list_name]
    shutil.copy("lists.root", tmp_path)
    place = fault_server(ScriptedServer, tmp_path, None).url("") if is_remote else f"{tmp_path}/"
    chosen = f"{place}lists.root:{list_name}"
    frame = sk.open([f"{each}:Events" for each in files], entry_list=chosen)
    copy = pickle.loads(pickle.dumps(frame))
    shutil.copy("changed.root", tmp_path / "lists.root")
    for each in (frame, copy):
        if not changes:
            assert each.arrays("x", library="np")["x"].tolist() == values
            continue
        with pytest.raises(sk.FileError, match="has changed since it was opened") as caught:
            each.arrays("x", library="np")
        assert (caught.value.path, caught.value.fault) == (chosen, "changed")


@pytest.mark.parametrize(
    ("files", "name", "said"),
    [
        (
            ["a.root"],
            "lists.root:third",
            ["is of entries of", "b.root:Events", "which the sample does not have"],
        ),
        (
            ["a.root", "b.root"],
            "lists.root:by_hand",
            ["does not say of which file", "the sample has 2 files"],
        ),
        (["a.root"], "lists.root:far", ["names entry 100, and", "a.root", "has 100 entries"]),
        (["a.root"], "lists.root:events", ["names entry 211, and the sample has 100 entries"]),
        (["a.root"], "lists.root:thrd", ['contains no list of entries "thrd"', '"third"']),
        (["a.root"], "lists.root", ["contains several lists of entries, one must be named"]),
        (["a.root"], "lists.root:title", ["is of class TNamed, neither TEntryList nor TEventList"]),
        (["a.root"], "a.root", ["contains no list of entries, neither TEntryList nor TEventList"]),
        (["a.root"], "nowhere.root", ["nowhere.root: cannot be opened: no such file"]),
    ],
)
def test_mistakes_are_said_at_the_key(run, files, name, said):
    done = run(config_of(files, name))
    assert done.returncode == WRONG_USAGE
    for text in [*said, "a.json:1:"]:
        assert text in done.stderr


WRITE_ALMOST_ALL = """
import ROOT, sys, os
from array import array
os.chdir(sys.argv[1])
file = ROOT.TFile("big.root", "RECREATE")
value, tree = array("i", [0]), ROOT.TTree("Events", "")
tree.Branch("x", value, "x/I")
for value[0] in range(63995):
    tree.Fill()
tree.Write()
chosen = ROOT.TEntryList("chosen", "", tree)
for entry in range(63995):
    if entry != 7:
        chosen.Enter(entry, tree)
chosen.OptimizeStorage()
file.WriteTObject(chosen)
file.Close()
"""


def test_a_list_of_what_is_not_chosen_may_end_behind_the_file(run_in, tmp_path):
    """A block is of 64000 entries, whatever the tree has."""
    subprocess.run([sys.executable, "-c", WRITE_ALMOST_ALL, tmp_path], check=True, timeout=100)
    done = run_in(tmp_path, config_of(["big.root"], "big.root:chosen"))
    assert done.returncode == DONE, done.stderr
    with uproot.open(tmp_path / "s.root") as file:
        values = file["Events"]["x"].array(library="np").tolist()
    assert values == [entry for entry in range(63995) if entry != 7]


def test_files_that_the_list_does_not_mention_are_warned_of(run, truth, tmp_path):
    done = run(config_of(["b.root", "a.root"], "lists.root:one"))
    assert done.returncode == DONE, done.stderr
    assert 'does not mention "a.root": nothing is taken of it' in done.stderr
    assert values_in(tmp_path / "s.root") == truth["one"][1]


def test_a_damaged_file_is_left_out_with_its_entries(call, truth, folder, tmp_path):
    for each in ("a.root", "b.root", "c.root"):
        shutil.copy(folder / each, tmp_path)
    # Where ROOT has made the list there are links to the files.
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for each in ("a.root", "c.root"):
        (elsewhere / each).symlink_to(folder / each)
    (elsewhere / "b.root").write_bytes((folder / "b.root").read_bytes()[:3000])
    skip = {"on_bad_file": "skip", "max_bad_fraction": 0.5}
    for name, code in (("last", 3), ("events", 1)):
        config = config_of(["a.root", "b.root", "c.root"], str(folder / f"lists.root:{name}")) | skip
        config["samples"]["mc"]["files"] = ["a.root:Events", "b.root:Events", "c.root:Events"]
        path = elsewhere / "a.json"
        path.write_text(json.dumps(config))
        done = call("run", path, "--force")
        assert done.returncode == code, done.stderr
        if code == 3:
            assert values_in(elsewhere / "s.root") == truth[name][1]


def test_a_list_is_no_output(call, run, folder, tmp_path):
    config = config_of(["a.root"], "lists.root:tree")
    path = folder / "b.json"
    config["skims"]["s"]["file"] = "lists.root"
    path.write_text(json.dumps(config))
    done = call("run", path, "--force")
    assert done.returncode == WRONG_USAGE and "this file is also a list" in done.stderr


def test_changed_copies_are_errors_or_lists(sk, truth, folder, tmp_path):
    """Of a thousand copies with a flipped bit none crashes, hangs or takes memory."""
    generator = random.Random(1)
    whole = bytearray((folder / "only.root").read_bytes())
    for each in ("a.root", "b.root", "c.root"):
        shutil.copy(folder / each, tmp_path)
    path = tmp_path / "changed.root"
    outcomes = {"read": 0, "refused": 0}
    for _ in range(1000):
        changed = bytearray(whole)
        changed[generator.randrange(len(changed))] ^= 1 << generator.randrange(8)
        path.write_bytes(changed)
        try:
            found = sk.inspect(path)
            refused = any(each.problem for each in found.objects)
            outcomes["refused" if refused else "read"] += 1
            assert all(tree.entries < 1 << 20 for each in found.objects for tree in each.listed)
        except sk.Error:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 0

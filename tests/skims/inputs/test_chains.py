# SPDX-License-Identifier: BSD-3-Clause
"""Files of ROOT that list files: chains as inputs, with the entries that ROOT reads of them."""

import json
import random
import shutil

import pytest
import uproot
from exit_codes import DONE, FAILED, INCOMPLETE, WRONG_USAGE
from prepared_root import prepared_root

# Some files with a tree of the same name, one with another one too, one without entries.
WRITE = """
import json
os.chdir(sys.argv[1])
value = array("d", [0])
def write(path, trees):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    file = ROOT.TFile(path, "RECREATE")
    for name, values in trees.items():
        tree = ROOT.TTree(name, name)
        tree.Branch("x", value, "x/D")
        for each in values:
            value[0] = each
            tree.Fill()
        tree.Write()
    file.Close()

write("a.root", {"Events": range(100)})
write("deep/b1.root", {"Events": range(1000, 1050)})
write("deep/b2.root", {"Events": []})
write("c.root", {"Events": range(2000, 2070), "other": range(3000, 3007)})

def values_of(chain):
    return [each.x for each in chain]

truth = {}
def chain_of(name, *files, called="Events"):
    chain = ROOT.TChain(called, "made by ROOT")
    for file in files:
        chain.Add(*file) if isinstance(file, tuple) else chain.Add(file)
    out = ROOT.TFile(name + ".root", "RECREATE", "", 0)
    chain.Write()
    out.Close()
    return chain

truth["plain"] = values_of(chain_of("plain", "a.root", "deep/b?.root", os.path.abspath("c.root")))
truth["trees"] = values_of(chain_of("trees", "c.root?#other", "a.root", "c.root/Events"))
truth["counted"] = values_of(chain_of("counted", ("c.root", 70), ("a.root", 100)))
os.environ["PLACE"] = os.getcwd()
truth["expanded"] = values_of(chain_of("expanded", "$PLACE/a.root", "${PLACE}/c.root", "file:deep/b1.root"))
chain_of("wrong", ("a.root", 99), ("c.root", 70))
chain_of("lost", "a.root", "nowhere.root", "deep/nothing.root")
chain_of("empty")
chain_of("others", "a.root", called="other")
chain_of("urls", "root://nowhere.example//store/x.root", "a.root")
chain_of("bad_url", "htp://nowhere.example/x.root")

used = ROOT.TChain("Events")
for file in ("c.root", "a.root"):
    used.Add(file)
truth["used"] = values_of(used)
used.AddFriend("Events", "deep/b1.root")
used.SetAlias("twice", "2 * x")
out = ROOT.TFile("used.root", "RECREATE")
used.Write()
out.mkdir("dir").cd()
used.Write("named")
out.Close()

two = ROOT.TFile("two.root", "RECREATE")
for name in ("one", "two"):
    chain = ROOT.TChain("Events")
    chain.Add("a.root")
    chain.Write(name)
two.Close()
print(json.dumps(truth))
"""


@pytest.fixture(scope="module")
def root():
    with prepared_root("import os\nfrom array import array\nROOT.gErrorIgnoreLevel = ROOT.kFatal") as process:
        yield process


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("chains")


@pytest.fixture(scope="module")
def truth(root, folder):
    """By the name of a chain, the values that ROOT reads."""
    return json.loads(root.run(WRITE, folder))


def config_of(*files, **more):
    skims = {"s": {"file": "s.root", "format": "ttree"}}
    return {"schema_version": 1, "samples": {"mc": {"files": list(files)}}, "skims": skims} | more


@pytest.fixture
def run(call, truth, folder, tmp_path):
    """Runs a config that lies elsewhere, in the folder of the chains."""

    def call_it(config, *arguments):
        path = tmp_path / "a.json"
        path.write_text(json.dumps(config))
        return call("run", path, "--force", *arguments, cwd=folder)

    return call_it


@pytest.fixture
def read(run, tmp_path):
    """What a run has copied of a sample."""

    def run_and_read(config, *arguments):
        done = run(config, *arguments)
        assert done.returncode == DONE, done.stderr
        assert "warning" not in done.stderr
        return uproot.open(tmp_path / "s.root")["Events"]["x"].array().to_list()

    return run_and_read


@pytest.mark.parametrize("name", ["plain", "trees", "counted", "expanded"])
def test_a_chain_is_its_files(read, truth, folder, monkeypatch, name):
    monkeypatch.setenv("PLACE", str(folder))
    assert read(config_of(f"{folder}/{name}.root")) == truth[name]
    assert read(config_of(f"{folder}/{name}.root:Events")) == truth[name]


def test_the_record_is_that_of_files_listed_by_hand(sk, run, call, folder, tmp_path):
    shown = []
    for files in (
        [f"{folder}/plain.root"],
        [f"{folder}/{each}:Events" for each in ("a.root", "deep/b1.root", "deep/b2.root", "c.root")],
    ):
        assert run(config_of(*files)).returncode == DONE
        inputs = sk.show(tmp_path / "s.root").samples["mc"]["inputs"]
        shown.append(sorted(inputs, key=lambda each: each["uuid"]))
    assert len(shown[0]) == 4
    for one, other in zip(*shown, strict=True):
        assert {**one, "file": ""} == {**other, "file": ""}
        assert (tmp_path / one["file"]).resolve() == (tmp_path / other["file"]).resolve()
    assert run(config_of(f"{folder}/plain.root")).returncode == DONE
    done = call("rerun", tmp_path / "s.root", "-o", tmp_path / "again", cwd=folder)
    assert done.returncode == DONE, done.stderr
    done = call("verify", tmp_path / "s.root", folder / "plain.root")
    assert done.returncode == DONE, done.stderr


def test_the_order_is_that_of_all_inputs(read, truth, folder):
    files = [f"{folder}/counted.root", f"{folder}/deep/*.root"]
    assert read(config_of(*files)) == truth["counted"] + [*map(float, range(1000, 1050))]
    assert read(config_of(*files), "--limit-files", "1") == truth["counted"][:70]
    assert read(config_of("x.root"), "--input", f"mc={folder}/counted.root") == truth["counted"]


def test_what_else_a_chain_has_is_said(run, truth, folder, tmp_path):
    done = run(config_of(f"{folder}/used.root:dir/named"))
    assert done.returncode == DONE, done.stderr
    assert uproot.open(tmp_path / "s.root")["Events"]["x"].array().to_list() == truth["used"]
    assert 'the friends of the TChain "dir/named"' in done.stderr
    assert 'the aliases of the TChain "dir/named"' in done.stderr


def test_entries_that_the_chain_counts_are_promised(run, call, folder, tmp_path):
    for name, file in (("wrong", "a.root"), ("used", "a.root")):
        if name == "used":  # its numbers are those of what ROOT has read
            shutil.copytree(folder, tmp_path / "moved")
            shutil.copy(folder / "deep/b1.root", tmp_path / "moved/a.root")
            path = tmp_path / "b.json"
            path.write_text(json.dumps(config_of("moved/used.root:Events")))
            done = call("run", path, "--force", cwd=tmp_path / "moved")
        else:
            done = run(config_of(f"{folder}/{name}.root"))
        assert done.returncode == INCOMPLETE, done.stderr
        assert f"{file}: {'99' if name == 'wrong' else '100'} entries promised" in done.stdout


def test_convert_inspect_and_python(sk, call, truth, folder, tmp_path, monkeypatch):
    done = call("convert", "plain.root", "-o", tmp_path / "n.root", cwd=folder)
    assert done.returncode == DONE, done.stderr
    assert uproot.open(tmp_path / "n.root")["Events"].arrays()["x"].to_list() == truth["plain"]
    done = call("convert", "wrong.root", "-o", tmp_path / "m.root", cwd=folder)
    assert done.returncode == FAILED
    assert "a.root: has 100 entries, and the chain that names it says 99" in done.stderr
    assert not (tmp_path / "m.root").exists()
    done = call("convert", "plain.root", "-o", folder / "a.root", "--force", cwd=folder)
    assert done.returncode == WRONG_USAGE and "is an input and the output" in done.stderr
    found = call("inspect", "counted.root", cwd=folder).stdout
    assert "listed by TChain Events" in found and "a.root" in found
    (chain,) = sk.inspect(folder / "counted.root:Events").objects
    assert [(each.file, each.tree, each.entries) for each in chain.listed] == [
        ("c.root", "Events", 70),
        ("a.root", "Events", 100),
    ]
    monkeypatch.chdir(folder)
    assert sk.open(folder / "plain.root").arrays("x", library="np")["x"].tolist() == truth["plain"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("lost.root", ['names "nowhere.root", "deep/nothing.root", which do not exist', "as in ROOT"]),
        ("empty.root", ['the TChain "Events" in ', "has no files"]),
        ("two.root", ['contains several TChains, one must be named: "one", "two"']),
        ("bad_url.root", ["htp://"]),
        ("others.root", ['contains no RNTuple or TTree "other"']),
    ],
)
def test_mistakes_are_said(run, folder, name, said):
    done = run(config_of(f"{folder}/{name}"))
    assert done.returncode not in (DONE, INCOMPLETE)
    for text in said:
        assert text in done.stderr


def test_a_chain_is_no_output_and_not_followed_elsewhere(run, call, folder, tmp_path):
    config = config_of(f"{folder}/plain.root")
    config["skims"]["s"]["file"] = f"{folder}/plain.root"
    done = run(config)
    assert done.returncode == WRONG_USAGE and "this file is also a list of inputs" in done.stderr
    done = call("diff", "plain.root:Events", "counted.root:Events", cwd=folder)
    assert done.returncode == FAILED and '"Events" is a TChain, which lists files' in done.stderr
    # What a chain names is read, and no other chain.
    shutil.copytree(folder, tmp_path / "moved")
    shutil.copy(folder / "plain.root", tmp_path / "moved/c.root")
    path = tmp_path / "b.json"
    path.write_text(json.dumps(config_of("moved/counted.root")))
    done = call("run", path, cwd=tmp_path / "moved")
    assert done.returncode == FAILED and '"Events" is a TChain, which lists files' in done.stderr


def test_changed_copies_are_errors_or_chains(sk, truth, folder, tmp_path):
    """Of a thousand copies with a flipped bit none crashes, hangs or takes memory."""
    generator = random.Random(1)
    # Without compression every bit is one of the chain.
    whole = bytearray((folder / "counted.root").read_bytes())
    path = tmp_path / "changed.root"
    outcomes = {"read": 0, "refused": 0}
    for _ in range(1000):
        changed = bytearray(whole)
        changed[generator.randrange(len(changed))] ^= 1 << generator.randrange(8)
        path.write_bytes(changed)
        try:
            sk.inspect(path)
            outcomes["read"] += 1
        except sk.Error:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 0

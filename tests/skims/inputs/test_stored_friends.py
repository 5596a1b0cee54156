# SPDX-License-Identifier: BSD-3-Clause
"""Friends, indices and aliases that trees name themselves: values as RDataFrame has them, and what is said of the others."""

import json
import os
import shutil

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE
from prepared_root import prepared_root
from skim_events import comparable

NUM_EVENTS = 300

WRITE = r"""
// A column of a tree, by entry.
using Values = std::vector<double>;

struct Table {
   TTree *tree;
   int number = 0, run = 0, event = 0, n = 0;
   unsigned int u = 0;
   float x = 0, dnn = 0;
   double weight = 0;
   std::vector<float> v;
   explicit Table(const char *name) : tree(new TTree(name, name)) {}

   void key() { tree->Branch("run", &run); tree->Branch("event", &event); }
   void fill(int each) {
      number = each; run = 1 + each / 100; event = each % 100; n = each % 7; u = each % 5; x = 0.5f * each; dnn = 0.125f * each; weight = 1 + each;
      v.assign(each % 4, each + 0.25f);
      tree->Fill();
   }
   void fill_all(int first, int count) { for (int each = first; each < first + count; ++each) fill(each); }
   void write() { tree->Write(); tree->ResetBranchAddresses(); }
};

void write_scores(int first, int count, float constant = -1) {
   TFile other("friends/scores.root", "RECREATE");
   Table scores("scores");
   scores.tree->Branch("dnn", constant < 0 ? &scores.dnn : &constant);
   scores.tree->Branch("flags", &scores.v);
   scores.fill_all(first, count + 1);
   scores.write();
   Table keyed("keyed");
   keyed.key();
   keyed.tree->Branch("weight", &keyed.weight);
   for (int each = first + count - 1; each >= first; --each) if (each % 2) keyed.fill(each);
   for (int each = first; each < first + count; ++each) if (each % 2 == 0) keyed.fill(each);
   keyed.tree->BuildIndex("run", "event");
   keyed.write();
   Table few("few");
   few.tree->Branch("x", &few.x);
   few.fill_all(0, 10);
   few.write();
}

Table *main_table() {
   auto *table = new Table("events");
   table->key();
   table->tree->Branch("x", &table->x);
   table->tree->Branch("n", &table->n);
   table->tree->Branch("u", &table->u);
   table->tree->Branch("v", &table->v);
   return table;
}

void write_aliased() {
   TFile file("aliased.root", "RECREATE");
   TTree tree("events", "events");
   double x = 0, y = 0, z = 0;
   tree.Branch("x", &x);
   tree.Branch("y", &y);
   tree.Branch("z", &z);
   for (int each = 1; each < 4; ++each) { x = each; y = 10 * each; tree.Fill(); }
   tree.SetAlias("x_2", "y + 1");
   tree.SetAlias("once", "x");
   tree.SetAlias("twice", "once * 2");
   tree.Write();
}

void write_trees(const char *folder, int first, int count) {
   gSystem->ChangeDirectory(folder);
   gSystem->mkdir("friends");
   write_scores(first, count);
   write_aliased();
   TFile file("events.root", "RECREATE");
   Table near("near");
   int negative = 0;
   near.tree->Branch("z", &negative);
   for (int each = first; each < first + count; ++each) { negative = -each; near.fill(each); }
   near.write();
   Table &events = *main_table();
   events.fill_all(first, count);
   events.tree->AddFriend("near");
   events.tree->AddFriend("s = scores", "friends/scores.root");
   events.tree->AddFriend("keyed", "friends/scores.root");
   const std::vector<std::pair<const char *, const char *>> aliases = {
      {"later", "square + 1"}, {"square", "x * x"}, {"far", "x > 20 && n < 3"}, {"twice", "v * 2"}, {"power", "x^2"},
      {"ratio", "n / 2"}, {"total", "Sum$(v)"}, {"n", "x"}, {"follows", "power + 1"},
      {"scaled", "s.dnn * 2"}, {"below", "u - 3"}, {"above", "u - 3 > 0"}, {"opposite", "-below * x"},
      {"inverse", "x / (u - 1)"}, {"huge", "n * 1000000000 * u"}, {"shifted", "(n - 3 < 0) + (below - 1) / u"},
      {"order", "n > 2 == u"}};
   for (const auto &[name, expression] : aliases) events.tree->SetAlias(name, expression);
   events.write();
}

void write_broken(const char *folder) {
   gSystem->ChangeDirectory(folder);
   const auto level = std::exchange(gErrorIgnoreLevel, kFatal);
   TFile file("broken.root", "RECREATE");
   Table &events = *main_table();
   events.fill_all(0, 300);
   events.tree->AddFriend("near", "events.root");
   auto *friends = events.tree->GetListOfFriends();
   friends->Clear();
   for (const auto &[name, path] : std::map<std::string, std::string>{
           {"lost", "friends/nowhere.root"}, {"few", "friends/scores.root"}, {"absent", "friends/scores.root"},
           {"remote", "http://127.0.0.1:9/a.root"}, {"folder", "friends"}, {"text", "a.txt"}, {"pipe", "pipe"}}) {
      auto *each = new TFriendElement();
      each->SetName(name.c_str());
      each->SetTitle(path.c_str());
      *(TString *)((char *)each + TFriendElement::Class()->GetDataMemberOffset("fTreeName")) = name.c_str();
      friends->Add(each);
   }
   events.write();
   gErrorIgnoreLevel = level;
}
"""

VALUES = """
import json
os.chdir(sys.argv[1])
file = ROOT.TFile("events.root")
tree = file.Get("events")
frame = ROOT.RDataFrame(tree)
found = frame.AsNumpy(["near.z", "s.dnn", "keyed.weight", "x"])
lists = frame.Take["ROOT::RVec<float>"]("s.flags")
print(json.dumps({**{name: values.tolist() for name, values in found.items()},
                  "s.flags": [list(each) for each in lists.GetValue()]}))
tree.SetEstimate(10000)
aliases = {}
for name in ("later", "square", "far", "twice", "scaled", "ratio", "below", "above", "opposite", "inverse", "huge", "shifted"):
    count = tree.Draw(name, "", "goff")
    aliases[name] = [tree.GetVal(0)[i] for i in range(count)]
print(json.dumps(aliases))
"""


@pytest.fixture(scope="module")
def root():
    with prepared_root(f"import os\nROOT.gInterpreter.Declare({WRITE!r})") as process:
        yield process


@pytest.fixture(scope="module")
def folder(root, tmp_path_factory):
    path = tmp_path_factory.mktemp("trees")
    root.run("ROOT.write_trees(sys.argv[1], 0, 300)", path)
    return path


@pytest.fixture(scope="module")
def of_root(root, folder):
    """Columns of friends as RDataFrame has them, and what TTree::Draw gives of aliases."""
    friends, aliases = root.run(VALUES, folder).splitlines()
    return json.loads(friends), json.loads(aliases)


def config_of(folder, **more):
    return {"schema_version": 1, "samples": {"mc": {"files": [f"{folder}/events.root:events"]}}} | more


def events_of(path):
    return uproot.open(path)["Events"].arrays()


def test_columns_of_friends_are_those_of_root(job, folder, of_root, tmp_path):
    names = {"near_z": "near.z", "s_dnn": "s.dnn", "keyed_weight": "keyed.weight", "s_flags": "s.flags"}
    done = job(config_of(folder, skims={"s": {"file": "s.root"}}))
    assert done.returncode == DONE, done.stderr
    assert "warning" not in done.stderr
    found = events_of(tmp_path / "s.root")
    for name, of_friend in names.items():
        assert found[name].to_list() == of_root[0][of_friend], name
    select = [{"name": "a", "where": "s.dnn > 10 && near_z < -90 && keyed.weight > 150"}]
    done = job(config_of(folder, select=select, skims={"s": {"file": "s.root", "keep": ["x", "keyed.*"]}}))
    assert done.returncode == DONE, done.stderr
    friends = {name: np.array(values) for name, values in of_root[0].items() if name != "s.flags"}
    chosen = (friends["s.dnn"] > 10) & (friends["near.z"] < -90) & (friends["keyed.weight"] > 150)
    assert 0 < chosen.sum() < NUM_EVENTS
    found = events_of(tmp_path / "s.root")
    assert found["x"].to_list() == friends["x"][chosen].tolist()
    assert found["keyed_weight"].to_list() == friends["keyed.weight"][chosen].tolist()


def test_aliases_are_those_of_root(job, folder, of_root, tmp_path):
    columns = {
        "a": "later",
        "b": "square",
        "c": "far",
        "d": "twice",
        "f": "scaled",
        "e": "Sum(twice) + later",
    }
    computed = ("ratio", "below", "above", "opposite", "inverse", "huge", "shifted")
    columns |= {f"of_{name}": name for name in computed}
    done = job(config_of(folder, skims={"s": {"file": "s.root", "columns": columns}}))
    assert done.returncode == DONE, done.stderr
    found = events_of(tmp_path / "s.root")
    for column, alias in columns.items():
        if column == "e":
            continue
        values = ak.to_numpy(ak.flatten(found[column], axis=None)).astype(np.float64)
        assert values == pytest.approx(np.array(of_root[1][alias]), rel=1e-12), alias
    assert found["e"].to_list() == pytest.approx(
        (ak.sum(found["d"], axis=1) + found["a"]).to_list(), rel=1e-6
    )


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("power", '"power", which the tree calls "x^2", cannot be used: ROOT\'s formulas take ^ for a power'),
        ("order", 'ROOT\'s formulas take "n > 2 == u" in another order than C++: write (n > 2), or'),
        ("total", '"total", which the tree calls "Sum$(v)", cannot be used'),
        ("1 + follows", 'cannot be used: unknown column "power"'),
    ],
)
def test_aliases_that_are_no_expressions_are_refused_where_they_are_used(job, folder, expression, message):
    done = job(
        config_of(
            folder, select=[{"name": "a", "where": f"{expression} > 3"}], skims={"s": {"file": "s.root"}}
        )
    )
    assert done.returncode == WRONG_USAGE
    assert message in done.stderr
    assert done.stderr.count("error:") == 1


def test_columns_and_definitions_come_before_aliases(job, folder, tmp_path):
    config = config_of(folder, define={"square": "x + 1.0f"}, skims={"s": {"file": "s.root", "keep": ["*"]}})
    done = job(config)
    assert done.returncode == DONE, done.stderr
    found = events_of(tmp_path / "s.root")
    assert found["square"].to_list() == (found["x"] + 1).to_list()
    assert found["n"].to_list() == [number % 7 for number in range(NUM_EVENTS)]
    assert not {"later", "far", "twice"} & set(found.fields)  # what nobody has asked for


def test_they_are_not_reported_as_unused(job, folder, call, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(config_of(folder, skims={"s": {"file": "s.root"}})))
    for arguments in (("validate", "a.json"), ("plan", "a.json")):
        done = call(*arguments, cwd=tmp_path)
        assert done.returncode == DONE, done.stderr
        assert "later" not in done.stdout + done.stderr and "not used" not in done.stderr


def test_each_file_has_its_own_friends(root, run_in, folder, tmp_path):
    """Also part by part, from a store."""
    (tmp_path / "second").mkdir()
    root.run("ROOT.write_trees(sys.argv[1], 1000, 120)", tmp_path / "second")
    files = [f"{each}/events.root:events" for each in (folder, tmp_path / "second")]
    config = {"schema_version": 1, "samples": {"mc": {"files": files}}, "skims": {"s": {"file": "s.root"}}}
    made = []
    for arguments in (("-j", "1"), ("-j", "2"), *[("--store", tmp_path / "store")] * 2):
        place = tmp_path / f"run{len(made)}"
        place.mkdir()
        done = run_in(place, config, *arguments)
        assert done.returncode == DONE, done.stderr
        made.append(comparable(place / "s.root"))
        found = events_of(place / "s.root")
        assert found["near_z"].to_list() == [-(2 * x) for x in found["x"]]
        assert found["s_dnn"].to_list() == [0.25 * x for x in found["x"]]
        assert found["keyed_weight"].to_list() == [1 + 2 * x for x in found["x"]]
    assert len(set(made)) == 1


WRITE_LACKING = """
os.chdir(sys.argv[1])
from array import array
def write(number, kind, events, with_partner):
    other = ROOT.TFile(f"other{number}.root", "RECREATE")
    keyed = ROOT.TTree("keyed", "keyed")
    event, weight = array("i", [0]), array(kind, [0])
    keyed.Branch("event", event, "event/I")
    keyed.Branch("weight", weight, f"weight/{kind.upper()}")
    for event[0] in with_partner:
        weight[0] = 2 * event[0]
        keyed.Fill()
    keyed.BuildIndex("event")
    keyed.Write()
    other.Close()
    file = ROOT.TFile(f"main{number}.root", "RECREATE")
    tree = ROOT.TTree("events", "events")
    tree.Branch("event", event, "event/I")
    for event[0] in events:
        tree.Fill()
    tree.AddFriend("keyed", f"other{number}.root")
    tree.Write()
    file.Close()
write(1, "f", range(10), [7, 2, 3])
write(2, "d", range(10, 20), range(15, 20))
"""


@pytest.fixture(scope="module")
def lacking(root, tmp_path_factory):
    """Two files, whose friends lack partners of some events and have weights of unlike types."""
    path = tmp_path_factory.mktemp("lacking")
    root.run(WRITE_LACKING, path)
    return path


def weights_of(lacking, **more):
    files = [str(lacking / f"main{number}.root") for number in (1, 2)]
    return {
        "schema_version": 1,
        "samples": {"mc": {"files": files}},
        "skims": {"s": {"file": "s.root", "keep": ["event", "keyed.weight"]}},
    } | more


@pytest.mark.parametrize("default", ["keyed.weight", "keyed.*"])
def test_events_without_a_partner_have_the_default(job, lacking, tmp_path, default):
    done = job(weights_of(lacking, defaults={default: -9}))
    assert done.returncode == DONE, done.stderr
    found = events_of(tmp_path / "s.root")
    expected = [2 * i if i in (2, 3, 7, *range(15, 20)) else -9 for i in range(20)]
    assert found["keyed_weight"].to_list() == expected


def test_events_without_a_partner_need_a_default(job, lacking):
    done = job(weights_of(lacking))
    assert done.returncode != DONE
    assert 'the friend "keyed" has no entry with event = 0' in done.stderr
    done = job(weights_of(lacking, defaults={"keyed.weight": "none"}))
    assert done.returncode == WRONG_USAGE
    assert "cannot be its default" in done.stderr


@pytest.mark.parametrize("lost", [[1], [2], [1, 2]])
@pytest.mark.parametrize("default", ["keyed.weight", "keyed_weight", "keyed.*"])
def test_no_default_stands_for_a_friend_that_cannot_be_read(job, lacking, tmp_path, lost, default):
    shutil.copytree(lacking, tmp_path / "t")
    for number in lost:
        (tmp_path / "t" / f"other{number}.root").unlink()
    done = job(weights_of(tmp_path / "t", defaults={default: -9}))
    assert done.returncode == WRONG_USAGE
    if default != "keyed.*" or len(lost) < 2:
        said = (
            f'main{lost[0]}.root: the friend "keyed", which the tree names, cannot be used: there is no file'
        )
        assert said in done.stderr


def test_a_store_knows_the_files_of_friends(root, run_in, tmp_path):
    config = config_of(tmp_path / "t", skims={"s": {"file": "s.root", "keep": ["s.dnn"]}})
    (tmp_path / "t").mkdir()
    root.run("ROOT.write_trees(sys.argv[1], 0, 300)", tmp_path / "t")
    for changed in (False, True):
        if changed:
            root.run("os.chdir(sys.argv[1])\nROOT.write_scores(0, 300, 7)", tmp_path / "t")
        place = tmp_path / f"run{changed}"
        place.mkdir()
        done = run_in(place, config, "--store", tmp_path / "store")
        assert done.returncode == DONE, done.stderr
        found = events_of(place / "s.root")["s_dnn"].to_list()
        assert (found == [7.0] * NUM_EVENTS) == changed


def test_friends_that_cannot_be_read_are_left_out_and_said(root, job, call, folder, tmp_path):
    shutil.copytree(folder, tmp_path / "t")
    (tmp_path / "t" / "a.txt").write_text("no file of ROOT")
    root.run("ROOT.write_broken(sys.argv[1])", tmp_path / "t")
    os.mkfifo(tmp_path / "t" / "pipe")  # which ROOT would wait for
    expected = {
        "lost": "there is no file",
        "few": "10 entries",
        "absent": 'has no tree "absent"',
        "remote": "is not where that of the tree is",
        "folder": "is no file",
        "text": "a.txt",
        "pipe": "is no file",
    }
    done = call("inspect", "--json", tmp_path / "t" / "broken.root")
    assert done.returncode == DONE, done.stderr
    (tree,) = json.loads(done.stdout)["trees"]
    problems = {each["name"]: each["problem"] for each in tree["friends"]}
    assert set(problems) == set(expected)
    assert [name for name, problem in expected.items() if problem not in problems[name]] == []
    config = config_of(folder, skims={"s": {"file": "s.root"}})
    config["samples"]["mc"]["files"] = ["t/broken.root:events"]
    done = job(config)
    assert done.returncode == DONE, done.stderr
    assert 'the sample "mc" is read without 7 friends that its files name: "absent" (' in done.stderr
    assert len(events_of(tmp_path / "s.root").fields) == 6
    done = job(config | {"select": [{"name": "a", "where": "few.x > 0"}]})
    assert done.returncode == WRONG_USAGE
    assert 'the friend "few", which the tree names, cannot be used' in done.stderr


@pytest.mark.parametrize("path", ["friends/scores.root", "friends/../friends/scores.root"])
def test_files_of_friends_are_not_written(job, folder, path):
    before = (folder / "friends/scores.root").read_bytes()
    done = job(config_of(folder, skims={"s": {"file": f"{folder}/{path}"}}), "--force")
    assert (
        done.returncode == WRONG_USAGE and "this file is also a file of a friend that is read" in done.stderr
    )
    assert (folder / "friends/scores.root").read_bytes() == before


def test_inspect_lists_aliases_and_friends(call, folder):
    done = call("inspect", "--json", folder / "events.root:events")
    tree = next(each for each in json.loads(done.stdout)["trees"] if each["name"] == "events")
    problems = {each["name"]: each["problem"] for each in tree["aliases"]}
    refused = {"power", "order", "total", "n", "follows"}
    assert {name for name, problem in problems.items() if problem} == refused
    assert problems["n"] == "a column is called so"
    assert [each["problem"] for each in tree["friends"]] == ["", "", ""]
    done = call("inspect", folder / "events.root")
    assert "not usable because" in done.stdout


def test_other_commands_read_the_tree_alone(call, folder, tmp_path):
    done = call("convert", folder / "events.root:events", "-o", tmp_path / "c.root")
    assert done.returncode == DONE, done.stderr
    fields = uproot.open(tmp_path / "c.root")["events"].keys()
    assert [name for name in fields if name.startswith(("near", "s_", "keyed"))] == []


def test_friends_of_the_config_come_beside_them(job, folder, tmp_path):
    config = config_of(folder, skims={"s": {"file": "s.root", "keep": ["mine.*", "near.z"]}})
    config["samples"]["mc"]["friends"] = {
        "mine": {"files": [f"{folder}/friends/scores.root:keyed"], "match": ["run", "event"]}
    }
    done = job(config)
    assert done.returncode == DONE, done.stderr
    found = events_of(tmp_path / "s.root")
    assert found["mine_weight"].to_list() == [1.0 + number for number in range(NUM_EVENTS)]
    assert found["near_z"].to_list() == [-number for number in range(NUM_EVENTS)]


def test_frames_have_them(folder, run_python, of_root):
    done = run_python(
        f"""
import skimline as sk, json
events = sk.open("{folder}/events.root:events")
frame = events.filter("far").define("square", "x * 3.0f")
print(json.dumps([frame.sum("square").value, events.sum("square").value, events.sum("s.dnn").value]))
try:
    events.filter("power > 3")
except sk.ExpressionError as error:
    print(error)
"""
    )
    assert done.returncode == DONE, done.stderr
    values = json.loads(done.stdout.splitlines()[0])
    x = np.array(of_root[0]["x"])
    far = np.array(of_root[1]["far"], dtype=bool)
    expected = [3 * x[far].sum(), np.sum(of_root[1]["square"]), np.sum(of_root[0]["s.dnn"])]
    assert values == pytest.approx(expected, rel=1e-6)
    assert "take ^ for a power" in done.stdout


def test_names_that_frames_make_are_none_of_aliases(folder, run_python, of_root):
    done = run_python(
        f"""
import skimline as sk, json
events = sk.open("{folder}/aliased.root:events")
frame = events.redefine("x", "x * 3")
print(json.dumps([frame.sum("x_2").value, frame.sum("x").value]))
behind = events.filter("y > 0").vary("v", {{"x": "x * 3"}})
total = behind.sum("x_2 + 0 * x")
print(json.dumps([total.value, total.numbers["v"]]))
"""
    )
    assert done.returncode == DONE, done.stderr
    assert [json.loads(each) for each in done.stdout.splitlines()] == [[63, 18], [63, 63]]


@pytest.mark.parametrize(
    "frame",
    [
        "events.redefine('x', 'x * 3')",
        "events.vary('v', {'x': 'x * 3'}).in_variation('v')",
        "events.filter('y > 0').vary('v', {'x': 'x * 3'})",
        "events.define('more', 'twice + 1').filter('y > 0').vary('v', {'x': 'x * 3'})",
    ],
)
def test_frames_have_no_aliases_of_columns_that_mean_something_else(folder, run_python, frame):
    done = run_python(
        f"""
import skimline as sk
events = sk.open("{folder}/aliased.root:events")
varied = events.vary("v", {{"x": "x * 3"}}).sum("twice")
print(varied.value, varied.numbers["v"])
kept = events.define("before", "twice").redefine("x", "x * 3").filter("y > 0").vary("v", {{"z": "z + 1"}})
print(kept.sum("before + 0 * z").value, kept.sum("x_2 + 0 * z").value)
try:
    print(({frame}).sum("twice").value)
except sk.ConfigError as error:
    print(error)
"""
    )
    assert done.returncode == DONE, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:2] == ["12.0 36.0", "12.0 63.0"]
    assert lines[2].startswith('"twice", an alias of the tree, is made of "x" and does not follow'), lines


@pytest.mark.parametrize(
    "frame", ["varied.in_variation('v')", "events.filter('y > 0').vary('v', {'twice': 'x * 3'})"]
)
def test_aliases_vary_in_all_events_or_not_at_all(folder, run_python, frame):
    done = run_python(
        f"""
import skimline as sk
events = sk.open("{folder}/aliased.root:events")
varied = events.vary("v", {{"twice": "x * 3"}})
print(varied.sum("twice").numbers["v"])
try:
    print(({frame}).sum("twice").value)
except sk.ConfigError as error:
    print(error)
"""
    )
    assert done.returncode == DONE, done.stderr
    value, problem = done.stdout.splitlines()
    assert value == "18.0"
    assert problem.startswith(
        'frames cannot vary "twice" behind a filter, or have its values of one variation'
    )

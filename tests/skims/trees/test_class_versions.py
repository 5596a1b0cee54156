# SPDX-License-Identifier: BSD-3-Clause
"""Files in which objects of one class are stored in several of its versions, as hadd makes them of old and new files, against ROOT."""

import json

import pytest
import uproot
from exit_codes import DONE, FAILED
from prepared_root import MERGE_AS_HADD, prepared_root

NUM_EVENTS = 40

TRACKS = {
    1: r"""
struct Point { int q = 0; float x = 0; ClassDefInline(Point, 1) };
class Track : public TObject {
 public:
   int id = 0; float pt = 0; int charge = 0; std::vector<float> w; Double_t a[2] = {0, 0}; short gone = 3; Point at;
   std::vector<short> pairs[2];
   void set(int x, int k) {
      id = 10 * x + k; pt = x + 0.25f * k; charge = k - 1; w.assign(k, x); a[0] = x; a[1] = -k; at.q = k; at.x = x;
      for (int i = 0; i < 2; ++i) pairs[i].assign(k + i, x);
   }
   ClassDefInline(Track, 1)
};
struct Changed { int a = 1; int b = 2; ClassDefInline(Changed, 1) };""",
    2: r"""
struct Point { double x = 0; float y = 0; int q = 0; ClassDefInline(Point, 2) };
class Track : public TObject {
 public:
   std::vector<float> w; std::vector<int> hits; double pt = 0; Point at; Double_t a[2] = {0, 0}; float charge = 0; TString label;
   std::string name; Long64_t id = 0; Int_t more[3] = {0, 0, 0}; std::vector<double> pairs[2];
   void set(int x, int k) {
      id = -(10 * x + k); pt = x + 0.5 * k; charge = k + 0.5f; w.assign(k, -x); hits.assign(k, x); a[0] = x; a[1] = k; at.q = -k;
      at.x = -x; at.y = 0.5f; label = TString::Format("l%d", k); name = "n" + std::to_string(x); more[1] = x; more[2] = k;
      for (int i = 0; i < 2; ++i) pairs[i].assign(k + i, x + 0.5);
   }
   ClassDefInline(Track, 2)
};
struct Changed { std::vector<int> a = {3, 4}; float b = 5.5f; ClassDefInline(Changed, 2) };""",
}

EVENT = r"""
class Event : public TObject {
 public:
   int run = 0; Track lead; int last = 0;
   ClassDefInline(Event, 1)
};
class Listed : public TObject {
 public:
   std::vector<Track> tracks; int last = 0;
   ClassDefInline(Listed, 1)
};
class Holder : public TObject {
 public:
   Changed changed;
   ClassDefInline(Holder, 1)
};

void write_events(const char *path, int entries) {
   TFile file(path, "RECREATE", "", 0);  // so that damage reaches the objects
   const auto level = std::exchange(gErrorIgnoreLevel, kError);
   TTree tree("t", "events");
   auto *event = new Event;
   auto *listed = new Listed;
   auto *one = new Track;
   auto *clones = new TClonesArray("Track");
   auto *slow = new TClonesArray("Track");
   slow->BypassStreamer(false);
   Int_t x = 0;
   tree.Branch("x", &x);
   tree.Branch("event.", "Event", &event, 2000, 0);
   tree.Branch("listed.", "Listed", &listed, 2000, 0);
   tree.Branch("clones", &clones, 2000, 0);
   tree.Branch("slow", &slow, 2000, 0);
   tree.BranchOld("one", "Track", &one, 2000, 0);
   for (x = 0; x < entries; ++x) {
      event->run = x; event->last = -x; event->lead.set(x, 1); listed->tracks.clear(); listed->last = x; clones->Clear("C"); slow->Clear("C");
      one->set(x, 2);
      for (int k = 0; k < x % 4; ++k) {
         listed->tracks.emplace_back(); listed->tracks.back().set(x, k);
         static_cast<Track *>(clones->ConstructedAt(k))->set(x, k);
         static_cast<Track *>(slow->ConstructedAt(k))->set(x, k);
      }
      tree.Fill();
   }
   tree.Write();
   TTree other("changed", "a member that became a list");
   auto *holder = new Holder;
   other.Branch("holder.", "Holder", &holder, 2000, 0);
   for (x = 0; x < 3; ++x) other.Fill();
   other.Write();
   gErrorIgnoreLevel = level;
}
"""

WRITE = "ROOT.gInterpreter.Declare(sys.argv[1]); ROOT.write_events(sys.argv[2], int(sys.argv[3]))"

READ = """
import json

ROOT.gInterpreter.Declare(sys.argv[1])
MEMBERS = {
    "id": lambda t: int(t.id),
    "pt": lambda t: t.pt,
    "charge": lambda t: t.charge,
    "w": lambda t: list(t.w),
    "hits": lambda t: list(t.hits),
    "a": lambda t: [t.a[0], t.a[1]],
    "label": lambda t: str(t.label),
    "name": lambda t: str(t.name),
    "more": lambda t: [t.more[k] for k in range(3)],
    "pairs": lambda t: [list(t.pairs[k]) for k in range(2)],
    "at_q": lambda t: t.at.q,
    "at_x": lambda t: t.at.x,
    "at_y": lambda t: t.at.y,
}
BRANCHES = {
    "event_lead": lambda e, get: get(getattr(e, "event.").lead),
    "clones": lambda e, get: [get(e.clones.At(k)) for k in range(e.clones.GetEntriesFast())],
    "slow": lambda e, get: [get(e.slow.At(k)) for k in range(e.slow.GetEntriesFast())],
    "one": lambda e, get: get(e.one),
}
values = {"event_run": [], "event_last": []}
file = ROOT.TFile(sys.argv[2])
tree = file.Get("t")
# ROOT 6.40 crashes where it reads lists of interpreted classes in two versions: they are filled as those of "clones" are.
tree.SetBranchStatus("listed.*", False)
for number in range(tree.GetEntries()):
    tree.GetEntry(number)
    values["event_run"].append(getattr(tree, "event.").run)
    values["event_last"].append(getattr(tree, "event.").last)
    for branch, read in BRANCHES.items():
        for member, get in MEMBERS.items():
            values.setdefault(f"{branch}_{member}", []).append(read(tree, get))
print(json.dumps(values))
"""


@pytest.fixture(scope="module")
def merged(tmp_path_factory):
    """The file of objects in both versions, and what ROOT reads of it."""
    folder = tmp_path_factory.mktemp("versions")
    parts = [folder / f"v{version}.root" for version in TRACKS]
    with prepared_root("ROOT.gInterpreter.Declare('#include <string>')") as root:
        for version, part in zip(TRACKS, parts, strict=True):
            root.run(WRITE, TRACKS[version] + EVENT, part, NUM_EVENTS // 2)
        root.run(MERGE_AS_HADD, folder / "merged.root", *parts)
        output = root.run(READ, TRACKS[2] + EVENT, folder / "merged.root")
    values = json.loads(output.splitlines()[-1])
    lists = {
        name.replace("clones_", "listed_tracks_"): value
        for name, value in values.items()
        if name.startswith("clones_")
    }
    return folder / "merged.root", {**values, **lists}


@pytest.fixture(scope="module")
def columns(call, merged, tmp_path_factory):
    path = tmp_path_factory.mktemp("converted") / "c.root"
    done = call("convert", f"{merged[0]}:t", "-o", path, "--name", "Events")
    assert done.returncode == DONE, done.stderr
    return uproot.open(path)["Events"].arrays()


def test_values_are_those_of_root(columns, merged):
    names = {name.replace(".", "_"): name for name in columns.fields}
    different = {}
    for name, expected in merged[1].items():
        found = columns[names[name]].to_list()
        if found != expected:
            first = next(k for k in range(len(expected)) if found[k] != expected[k])
            different[name] = (first, found[first], expected[first])
    assert different == {}
    half = NUM_EVENTS // 2
    assert merged[1]["one_name"][: half + 1] == [""] * half + ["n0"], (
        "the file has no objects of both versions"
    )


def test_nothing_is_left_out(call, merged):
    done = call("inspect", "--json", merged[0])
    assert done.returncode == DONE, done.stderr
    assert [tree["unsupported"] for tree in json.loads(done.stdout)["trees"]] == [[], []]


def test_a_member_that_became_a_list_is_an_error_where_it_is_met(call, merged, tmp_path):
    done = call("convert", f"{merged[0]}:changed", "-o", tmp_path / "c.root")
    assert done.returncode == FAILED
    assert 'member "a" of class Changed is int in version 1 and vector<int> in version 2' in done.stderr
    assert '"holder.changed.a" cannot be decoded; all others can be read without it' in done.stderr
    done = call(
        "convert", f"{merged[0]}:changed", "-o", tmp_path / "c.root", "--drop", "*.a", "--name", "Events"
    )
    assert done.returncode == DONE, done.stderr
    numbers = uproot.open(tmp_path / "c.root")["Events"].arrays()
    assert numbers[numbers.fields[0]].to_list() == [2] * 3 + [5.5] * 3


def test_verify_reads_all_versions(call, merged):
    done = call("verify", merged[0])
    assert done.returncode == DONE, done.stdout


def test_damaged_copies_are_read_or_refused(verify_damaged_copies, merged):
    """Never a crash."""
    verify_damaged_copies(merged[0], seed=5)

# SPDX-License-Identifier: BSD-3-Clause
"""Base classes in several versions, in a file as hadd makes it of old and new ones, against ROOT. Where members of objects follow one
another those of the base have no version of their own: that of the class around them says which it is."""

import json

import pytest
import uproot
from exit_codes import DONE, FAILED
from prepared_root import MERGE_AS_HADD, prepared_root

NUM_EVENTS = 20
# Members that change places keep the size of an object, another one does not.
BASES = {
    "old": "struct Base {{ int a = 0; int b = 0; ClassDefInline(Base, 1) }};",
    "moved": "struct Base {{ int b = 0; int a = 0; ClassDefInline(Base, {version}) }};",
    "larger": "struct Base {{ double b = 0; short c = 7; int a = 0; ClassDefInline(Base, {version}) }};",
}
CLASSES = r"""
class Track : public TObject, public Base {{
 public:
   float pt = 0;
   void set(int x, int k) {{ a = 100 + x; b = 200 + k; pt = x + 0.25f * k; }}
   ClassDefInline(Track, {version})
}};
class Listed : public TObject {{ public: std::vector<Track> tracks; int last = 0; ClassDefInline(Listed, 1) }};

void write_tracks(const char *path, int entries, const char *name) {{
   TFile file(path, "RECREATE", "", 0);
   TTree tree(name, "");
   auto *listed = new Listed;
   auto *clones = new TClonesArray("Track");
   tree.Branch("listed.", "Listed", &listed, 2000, 0);
   tree.Branch("clones", &clones, 2000, 0);
   for (int x = 0; x < entries; ++x) {{
      listed->tracks.clear();
      listed->last = -x;
      clones->Clear("C");
      for (int k = 0; k < x % 4; ++k) {{
         listed->tracks.emplace_back();
         listed->tracks.back().set(x, k);
         static_cast<Track *>(clones->ConstructedAt(k))->set(x, k);
      }}
      tree.Fill();
   }}
   tree.Write();
}}
"""
WRITE = "ROOT.gInterpreter.Declare(sys.argv[1]); ROOT.write_tracks(sys.argv[2], int(sys.argv[3]), (*sys.argv, 't')[4])"
# ROOT 6.40 crashes where it reads lists of interpreted classes in two versions: they are filled as those of "clones" are.
READ = """
import json

ROOT.gInterpreter.Declare(sys.argv[1])
file = ROOT.TFile(sys.argv[2])
tree = file.Get("t")
tree.SetBranchStatus("listed.*", False)
values = {"a": [], "b": [], "pt": []}
for number in range(tree.GetEntries()):
    tree.GetEntry(number)
    tracks = [tree.clones.At(k) for k in range(tree.clones.GetEntriesFast())]
    for member, all_values in values.items():
        all_values.append([getattr(track, member) for track in tracks])
print(json.dumps(values))
"""


@pytest.fixture(scope="module")
def root():
    with prepared_root("") as prepared:
        yield prepared


def code(base, version, track_version=None):
    return BASES[base].format(version=version) + CLASSES.format(version=track_version or version)


@pytest.mark.parametrize("base", ["moved", "larger"])
def test_values_are_those_of_root(call, root, tmp_path, base):
    codes = {"old.root": code("old", 1), "new.root": code(base, 2)}
    for name, classes in codes.items():
        root.run(WRITE, classes, tmp_path / name, NUM_EVENTS)
    path = tmp_path / "merged.root"
    root.run(MERGE_AS_HADD, path, *(tmp_path / name for name in codes))
    expected = json.loads(root.run(READ, codes["new.root"], path).splitlines()[-1])
    assert expected["a"][1] == expected["a"][NUM_EVENTS + 1] == [101]
    done = call("convert", f"{path}:t", "-o", tmp_path / "c.root", "--name", "Events")
    assert done.returncode == DONE, done.stderr
    found = uproot.open(tmp_path / "c.root")["Events"].arrays()
    for collection in ("listed_tracks", "clones"):
        for member, values in expected.items():
            assert found[f"{collection}_{member}"].to_list() == values, (collection, member)
    assert found["listed_last"].to_list() == [-x for x in range(NUM_EVENTS)] * 2


@pytest.fixture(scope="module")
def changed(root, tmp_path_factory):
    """Files of a class that kept its version, and of which the base changed its own."""
    folder = tmp_path_factory.mktemp("changed")
    root.run(WRITE, code("old", 1), folder / "old.root", NUM_EVENTS)
    root.run(WRITE, code("moved", 2, track_version=1), folder / "new.root", NUM_EVENTS, "u")
    root.run(WRITE, code("moved", 2, track_version=1), folder / "same_name.root", NUM_EVENTS)
    return folder


def test_objects_are_not_read_with_either_base_where_nothing_says_which(call, changed, tmp_path):
    done = call("merge", tmp_path / "m.root", changed / "old.root", changed / "new.root")
    assert done.returncode == DONE, done.stderr
    done = call("inspect", "--json", tmp_path / "m.root")
    assert done.returncode == DONE, done.stderr
    for tree in json.loads(done.stdout)["trees"]:
        unread = {field["name"]: field["reason"] for field in tree["unsupported"]}
        assert unread.keys() == {"listed", "clones"}
        assert all(
            "class Track is described in several ways in version 1" in each for each in unread.values()
        )


def test_objects_of_either_base_are_not_merged_into_one_tree(call, changed, tmp_path):
    done = call("merge", tmp_path / "m.root", changed / "old.root", changed / "same_name.root")
    assert done.returncode == FAILED
    assert "class Track in version 1, with its bases, has other members than in files before" in done.stderr
    assert not (tmp_path / "m.root").exists()


# A base of a base, arrays that a member of the base counts, in it and in the class around it.
COUNTED = {
    1: """
class Deep : public TObject {{ public: short r = 0; ClassDefInline(Deep, 1) }};
class Base : public Deep {{
 public:
   int n = 0;
   float *p = nullptr;  //[n]
   ClassDefInline(Base, 1)
}};
class Track : public Base {{
 public:
   short *q = nullptr;  //[n]
   int z = 0;
   {set}
   ClassDefInline(Track, 1)
}};
""",
    2: """
class Deep : public TObject {{ public: double more = 1.5; int r = 0; ClassDefInline(Deep, 2) }};
class Base : public Deep {{
 public:
   double extra = 2;
   int n = 0;
   double *p = nullptr;  //[n]
   ClassDefInline(Base, 2)
}};
class Track : public Base {{
 public:
   float *q = nullptr;  //[n]
   Long64_t z = 0;
   {set}
   ClassDefInline(Track, 2)
}};
""",
}
SET = """
   void set(int x, int k) {
      r = x; n = (x + k) % 3; z = 10 * x + k; delete[] p; delete[] q; p = nullptr; q = nullptr;
      if (n == 0) return;
      p = new std::decay_t<decltype(*p)>[n]; q = new std::decay_t<decltype(*q)>[n];
      for (int i = 0; i < n; ++i) { p[i] = x + i * 0.5f; q[i] = -x - i; }
   }
"""
WRITE_COUNTED = """
void write_counted(const char *path, int entries) {
   TFile file(path, "RECREATE", "", 0);
   TTree tree("t", "");
   auto *clones = new TClonesArray("Track");
   auto *slow = new TClonesArray("Track");
   slow->BypassStreamer(false);
   tree.Branch("clones", &clones, 2000, 0);
   tree.Branch("slow", &slow, 2000, 0);
   for (int x = 0; x < entries; ++x) {
      for (auto *list : {clones, slow}) {
         list->Clear("C");
         for (int k = 0; k < x % 4; ++k) static_cast<Track *>(list->ConstructedAt(k))->set(x, k);
      }
      tree.Fill();
   }
   tree.Write();
}
"""


def test_arrays_that_a_member_of_a_base_counts(call, root, tmp_path):
    """What was written is the oracle; member by member, and one object after the other."""
    parts = [tmp_path / f"v{version}.root" for version in COUNTED]
    for version, part in zip(COUNTED, parts, strict=True):
        classes = COUNTED[version].format(set=SET) + WRITE_COUNTED
        run = "ROOT.gInterpreter.Declare(sys.argv[1]); ROOT.write_counted(sys.argv[2], int(sys.argv[3]))"
        root.run(run, classes, part, NUM_EVENTS)
    root.run(MERGE_AS_HADD, tmp_path / "merged.root", *parts)
    done = call("convert", tmp_path / "merged.root:t", "-o", tmp_path / "c.root", "--name", "Events")
    assert done.returncode == DONE, done.stderr
    found = uproot.open(tmp_path / "c.root")["Events"].arrays()
    members = {
        "r": lambda x, k: x,
        "n": lambda x, k: (x + k) % 3,
        "p": lambda x, k: [x + i * 0.5 for i in range((x + k) % 3)],
        "q": lambda x, k: [-x - i for i in range((x + k) % 3)],
        "z": lambda x, k: 10 * x + k,
    }
    for branch in ("clones", "slow"):
        for member, value in members.items():
            expected = [[value(x, k) for k in range(x % 4)] for x in range(NUM_EVENTS)] * 2
            assert found[f"{branch}_{member}"].to_list() == expected, (branch, member)
        new = [[2.0] * (x % 4) for x in range(NUM_EVENTS)]
        assert found[f"{branch}_extra"].to_list() == [[0.0] * len(each) for each in new] + new

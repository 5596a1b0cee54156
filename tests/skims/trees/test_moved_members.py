# SPDX-License-Identifier: BSD-3-Clause
"""Members that went from a class to one of its bases in its newest version, in a file as hadd makes it of old and new ones, against
ROOT."""

import json

import pytest
import uproot
from exit_codes import DONE, FAILED
from prepared_root import MERGE_AS_HADD, prepared_root

NUM_EVENTS = 12
CODE = r"""
class Deep {{ public: int a = 0; {deep} ClassDefInline(Deep, {version}) }};
class Base : public Deep {{ public: float b = 0; {base} ClassDefInline(Base, {version}) }};
class Track : public TObject, public Base {{
 public:
   double first = 0;
   {own}
   short last = 0;
   void set(int x, int k) {{ a = x; b = k; first = x + 0.5; last = -x; fill(x + 10 * k); }}
   void fill(int x) {{ {fill} }}
   std::vector<double> values() const {{ return {{ {values} }}; }}
   ClassDefInline(Track, {version})
}};
class Held : public TObject {{ public: int before = 0; Track track; int behind = 0; ClassDefInline(Held, 1) }};
class Listed : public TObject {{ public: std::vector<Track> tracks; int behind = 0; ClassDefInline(Listed, 1) }};

void write_tracks(const char *path, int entries) {{
   TFile file(path, "RECREATE", "", 0);
   TTree tree("t", "");
   auto *held = new Held;
   auto *listed = new Listed;
   auto *clones = new TClonesArray("Track");
   tree.Branch("held.", "Held", &held, 2000, 1);
   tree.Branch("listed.", "Listed", &listed, 2000, 0);
   tree.Branch("clones", &clones, 2000, 0);
   for (int x = 0; x < entries; ++x) {{
      held->track.set(x, 5);
      held->behind = listed->behind = x;
      listed->tracks.clear();
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
WRITE = "ROOT.gInterpreter.Declare(sys.argv[1]); ROOT.write_tracks(sys.argv[2], int(sys.argv[3]))"
# ROOT 6.40 crashes where it reads lists of interpreted classes in two versions: they are filled as those of "clones" are.
READ = """
import json

ROOT.gInterpreter.Declare(sys.argv[1])
file = ROOT.TFile(sys.argv[2])
tree = file.Get("t")
tree.SetBranchStatus("listed.*", False)
held, clones = [], []
for number in range(tree.GetEntries()):
    tree.GetEntry(number)
    held.append(list(getattr(tree, "held.").track.values()))
    clones.append([list(tree.clones.At(k).values()) for k in range(tree.clones.GetEntriesFast())])
print(json.dumps([held, clones]))
"""
# What the member is in the class, what it is in the base, how it is filled and what is read of it.
NUMBER = ("int m = 0;", "int m = 0;", "m = x;", "double(m)")
CONVERTED = ("short m = 0;", "float m = 0;", "m = x;", "double(m)")
ARRAY = ("float m[2] = {0, 0};", "double m[2] = {0, 0};", "m[0] = x; m[1] = -x;", "m[0], m[1]")
LIST = ("std::vector<int> m;", "std::vector<int> m;", "m = {x, 2 * x};", "double(m.at(0)), double(m.at(1))")


@pytest.fixture(scope="module")
def root():
    with prepared_root("") as prepared:
        yield prepared


def code(version, fill, values, own="", base="", deep=""):
    return CODE.format(version=version, fill=fill, values=values, own=own, base=base, deep=deep)


def merged(root, folder, old, new):
    codes = {"old.root": old, "new.root": new}
    for name, classes in codes.items():
        root.run(WRITE, classes, folder / name, NUM_EVENTS)
    root.run(MERGE_AS_HADD, folder / "merged.root", *(folder / name for name in codes))
    return folder / "merged.root"


def converted(call, path):
    done = call("convert", f"{path}:t", "-o", path.parent / "c.root", "--name", "Events")
    assert done.returncode == DONE, done.stderr
    return uproot.open(path.parent / "c.root")["Events"].arrays()


@pytest.mark.parametrize("where", ["base", "deep"])
@pytest.mark.parametrize(
    "member", [NUMBER, CONVERTED, ARRAY, LIST], ids=["number", "converted", "array", "list"]
)
def test_values_are_those_of_root(call, root, tmp_path, member, where):
    own, in_base, fill, values = member
    old, new = code(1, fill, values, own=own), code(2, fill, values, **{where: in_base})
    path = merged(root, tmp_path, old, new)
    held, clones = json.loads(root.run(READ, new, path).splitlines()[-1])
    if "," not in values:
        held, clones = [each[0] for each in held], [[each[0] for each in tracks] for tracks in clones]
    assert held[:NUM_EVENTS] == held[NUM_EVENTS:]
    assert clones[:NUM_EVENTS] == clones[NUM_EVENTS:]
    found = converted(call, path)
    assert found["held_track_m"].to_list() == held
    assert found["clones_m"].to_list() == clones
    assert found["listed_tracks_m"].to_list() == clones
    assert found["clones_last"].to_list() == [[-x] * (x % 4) for x in range(NUM_EVENTS)] * 2
    assert found["held_behind"].to_list() == found["listed_behind"].to_list() == [*range(NUM_EVENTS)] * 2


def test_of_two_members_that_became_one_it_is_that_of_the_class(call, root, tmp_path):
    old = code(1, "m = x; Base::m = 1000 + x;", "double(m)", own="int m = 0;", base="int m = 0;")
    new = code(2, "m = x;", "double(m)", base="int m = 0;")
    path = merged(root, tmp_path, old, new)
    held, clones = json.loads(root.run(READ, new, path).splitlines()[-1])
    found = converted(call, path)
    assert found["held_track_m"].to_list() == [each[0] for each in held]
    assert found["clones_m"].to_list() == [[each[0] for each in tracks] for tracks in clones]


def test_one_that_went_from_a_base_to_the_class_is_not_there(call, root, tmp_path):
    old = code(1, "m = x;", "double(m)", base="int m = 0;")
    new = code(2, "m = x;", "double(m)", own="int m = 0;")
    path = merged(root, tmp_path, old, new)
    found = converted(call, path)
    written = [[x + 10 * k for k in range(x % 4)] for x in range(NUM_EVENTS)]
    assert found["clones_m"].to_list() == [[0] * len(each) for each in written] + written
    assert found["listed_tracks_m"].to_list() == found["clones_m"].to_list()


def test_one_that_became_something_else_is_an_error(call, root, tmp_path):
    old = code(1, "m = x;", "double(m)", own="int m = 0;")
    new = code(2, "m = {x};", "double(m.at(0))", base="std::vector<int> m;")
    path = merged(root, tmp_path, old, new)
    done = call("convert", f"{path}:t", "-o", tmp_path / "c.root", "--name", "Events")
    assert done.returncode == FAILED
    assert 'member "m" of class Track is int in version 1 and vector<int> in version 2' in done.stderr

# SPDX-License-Identifier: BSD-3-Clause
"""Fixed arrays of collections as members of classes, in all ways in which ROOT writes them, against ROOT."""

import json

import pytest
import uproot
from exit_codes import DONE, INCOMPLETE
from prepared_root import prepared_root

NUM_EVENTS = 40
SPLITS = (0, 1, 99)

CLASSES = r"""
struct Point { int q = 0; float x = 0; };
struct Inner { std::vector<float> w[2]; int z = 0; };
class Part : public TObject {
 public:
   int first = 1;
   std::string s[2];
   std::vector<float> v[4];
   std::vector<int> m[2][3];
   std::vector<std::vector<short>> vv[2];
   std::vector<Point> p[2];
   std::vector<bool> b[2];
   std::vector<std::string> vs[2];
   std::vector<Double32_t> d[2];
   std::set<int> st[2];
   std::vector<Inner> in[2];
   Inner ones[2];
   std::array<std::string, 2> as;
   std::array<std::vector<float>, 2> a;
   std::array<std::array<std::vector<float>, 2>, 3> aa;
   std::array<std::vector<Point>, 2> ap;
   std::array<std::vector<std::vector<short>>, 2> avv;
   int last = 9;

   void set(int x) {
      first = x; last = -x;
      for (int i = 0; i < 2; ++i) {
         s[i] = as[i] = std::string(x % 3 + 300 * i * (x % 2), 'a' + i);
         a[i].assign(i + x % 2, x + i);
         vv[i].assign(i + 1, std::vector<short>(x % 3, x));
         avv[i].assign(x % 2 + i, std::vector<short>(x % 3 + i, -x));
         b[i].assign(i + x % 2, x % 2);
         vs[i].assign(i + x % 2, std::string(x % 4, 'z'));
         d[i].assign(i + x % 2, x + 0.25);
         ones[i].z = i; ones[i].w[0].assign(i, x);
         for (int j = 0; j < 3; ++j) {
            m[i][j].assign((x + i + j) % 3, 100 * x + 10 * i + j);
            aa[j][i].assign((x + i + j) % 3, 100 * x + 10 * i + j);
         }
         p[i].clear(); ap[i].clear(); st[i].clear(); in[i].clear();
         for (int k = 0; k < x % 3 + i; ++k) {
            p[i].push_back({10 * x + k, k + 0.5f}); ap[i].push_back({-10 * x - k, k + 0.25f}); st[i].insert(k * 2 + x);
            in[i].emplace_back(); in[i].back().z = k; in[i].back().w[1].assign(k, x);
         }
      }
      for (int i = 0; i < 4; ++i) v[i].assign((x + i) % 3, 100 * x + i);
   }
   ClassDefInline(Part, 2)
};
struct Parts { std::vector<Part> parts; int end = 3; };

void write_arrays(const char *path, int entries) {
   TFile file(path, "RECREATE", "", 0);  // so that damage reaches the objects
   const auto level = std::exchange(gErrorIgnoreLevel, kError);
   for (const int split : {0, 1, 99}) {
      TTree tree(("t" + std::to_string(split)).c_str(), "arrays");
      auto *one = new Part; auto *many = new Parts; auto *clones = new TClonesArray("Part"), *slow = new TClonesArray("Part");
      slow->BypassStreamer(false);
      Int_t x = 0;
      tree.Branch("x", &x);
      tree.Branch("one.", &one, 8000, split);
      tree.Branch("many.", &many, 8000, split);
      tree.Branch("clones", &clones, 8000, split);
      tree.Branch("slow", &slow, 8000, split);
      for (x = 0; x < entries; ++x) {
         one->set(x); many->parts.clear(); many->end = x + 1; clones->Clear("C"); slow->Clear("C");
         for (int k = 0; k < x % 4; ++k) {
            many->parts.emplace_back(); many->parts.back().set(10 * x + k);
            static_cast<Part *>(clones->ConstructedAt(k))->set(10 * x + k);
            static_cast<Part *>(slow->ConstructedAt(k))->set(10 * x + k);
         }
         tree.Fill();
      }
      file.cd();
      tree.Write();
   }
   gErrorIgnoreLevel = level;
}
"""


def written_part(x):
    """The members of `Part::set(x)`; the names of those in members have an underscore."""
    sizes = [x % 3, x % 3 + 1]
    few = [x % 2, x % 2 + 1]
    square = [[[100 * x + 10 * i + j] * ((x + i + j) % 3) for j in range(3)] for i in range(2)]
    texts = ["a" * sizes[0], "b" * (x % 3 + 300 * (x % 2))]
    return {
        "first": x,
        "s": texts,
        "v": [[100 * x + i] * ((x + i) % 3) for i in range(4)],
        "m": square[0] + square[1],
        "vv": [[[x] * (x % 3)] * (i + 1) for i in range(2)],
        "p_q": [[10 * x + k for k in range(size)] for size in sizes],
        "p_x": [[k + 0.5 for k in range(size)] for size in sizes],
        "b": [[x % 2 == 1] * size for size in few],
        "vs": [["z" * (x % 4)] * size for size in few],
        "d": [[x + 0.25] * size for size in few],
        "st": [[k * 2 + x for k in range(size)] for size in sizes],
        "in_w": [[[[], [x] * k] for k in range(size)] for size in sizes],
        "in_z": [list(range(size)) for size in sizes],
        "ones_w": [[[x] * i, []] for i in range(2)],
        "ones_z": [0, 1],
        "as": texts,
        "a": [[x + i] * few[i] for i in range(2)],
        "aa": [square[i][j] for j in range(3) for i in range(2)],
        "ap_q": [[-10 * x - k for k in range(size)] for size in sizes],
        "ap_x": [[k + 0.25 for k in range(size)] for size in sizes],
        "avv": [[[-x] * (x % 3 + i)] * few[i] for i in range(2)],
        "last": -x,
    }


def written_columns():
    """All columns, by name."""
    columns = {"x": list(range(NUM_EVENTS)), "many_end": [x + 1 for x in range(NUM_EVENTS)]}
    for x in range(NUM_EVENTS):
        for member, value in written_part(x).items():
            columns.setdefault(f"one_{member}", []).append(value)
        parts = [written_part(10 * x + k) for k in range(x % 4)]
        for member in written_part(0):
            for branch in ("many_parts", "clones", "slow"):
                columns.setdefault(f"{branch}_{member}", []).append([part[member] for part in parts])
    return columns


@pytest.fixture(scope="module")
def arrays(tmp_path_factory):
    """A file with one tree for each split level."""
    path = tmp_path_factory.mktemp("arrays") / "arrays.root"
    with prepared_root(f"ROOT.gInterpreter.Declare({CLASSES!r})") as root:
        root.run("ROOT.write_arrays(sys.argv[1], int(sys.argv[2]))", path, NUM_EVENTS)
    return path


@pytest.fixture(scope="module", params=SPLITS)
def converted(request, call, arrays, tmp_path_factory):
    """All columns of a tree, by name."""
    path = tmp_path_factory.mktemp("converted") / "c.root"
    done = call("convert", f"{arrays}:t{request.param}", "-o", path, "--name", "Events")
    assert done.returncode in (DONE, INCOMPLETE), done.stderr
    columns = uproot.open(path)["Events"].arrays()
    return {name.replace(".", "_").replace("__", "_"): columns[name].to_list() for name in columns.fields}


def depth_of(value):
    if not isinstance(value, list):
        return 0
    return 1 + max(map(depth_of, value), default=0)


def is_too_deep(values):
    return depth_of(values) > 4  # of the entries, and of the lists in them


def test_values_are_those_that_were_written(converted):
    columns = written_columns()
    usable = {name: values for name, values in columns.items() if not is_too_deep(values)}
    assert len(usable) < len(columns)
    different = [name for name, values in usable.items() if converted.get(name) != values]
    assert different == []


def test_only_what_is_too_deep_is_left_out(call, arrays):
    deep = {name for name, values in written_columns().items() if is_too_deep(values)}
    done = call("inspect", "--json", arrays)
    assert done.returncode == DONE, done.stderr
    for tree in json.loads(done.stdout)["trees"]:
        reasons = {each["name"].replace(".", "_"): each["reason"] for each in tree["unsupported"]}
        assert set(reasons) == deep
        assert all("levels of lists, at most 3" in reason for reason in reasons.values()), reasons


def test_verify_reads_all_of_them(call, arrays):
    done = call("verify", arrays)
    assert done.returncode == DONE, done.stdout


def test_damaged_copies_are_read_or_refused(verify_damaged_copies, arrays):
    """Never a crash."""
    verify_damaged_copies(arrays, seed=7)

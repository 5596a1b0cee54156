# SPDX-License-Identifier: BSD-3-Clause
"""Members of classes that have the names of members of their base classes, in trees and RNTuples, against ROOT."""

import json

import pytest
import uproot
from exit_codes import DONE
from prepared_root import prepared_root

NUM_EVENTS = 20
SAMPLES = ("tree", "ntuple")
# ROOT needs compiled code to write lists of objects into trees, and writes no arrays of a counted size into RNTuples.
MISSING = {"tree": "overs", "ntuple": "counts"}
HIDDEN = ["over.n", "over.m", "overs.n", "overs.m", "counts.n"]

CLASSES = r"""
struct Under { int n = 0; float e = 0; };
struct Between : Under { short m = 0; };
struct Over : Between { float n = 0; short m = 0; Under part; int last = 0; };
struct CountUnder { int n = 0; virtual ~CountUnder() {} };
struct CountOver : CountUnder { int n = 0; float *a = nullptr; //[n]
   int last = 0; };

struct Events {
   Over over;
   std::vector<Over> overs;
   CountOver counts;

   void fill(int x) {
      over = made(x);
      overs.clear();
      for (int k = 0; k < x % 3; ++k) overs.push_back(made(10 * x + k));
      counts.CountUnder::n = 1 + (x + 1) % 3; counts.n = x % 3; counts.last = -x;
      if (counts.a == nullptr) counts.a = new float[3];
      for (int k = 0; k < 3; ++k) counts.a[k] = x + k;
   }

   static Over made(int x) {
      Over over;
      over.Under::n = -x; over.n = 0.5f * x; over.e = x + 1; over.Between::m = -3 * x; over.m = 3 * x;
      over.part.n = 100 + x; over.last = x;
      return over;
   }

   template <typename Member>
   std::string text(Member member) const {
      std::string list;
      for (const Over &each : overs) list += (list.empty() ? "" : ", ") + std::to_string(member(each));
      return "[" + list + "]";
   }

   void show() const {
      std::string a;
      for (int k = 0; k < counts.n; ++k) a += (k ? ", " : "") + std::to_string(counts.a[k]);
      std::cout << "{\"over.n\": " << over.n << ", \"over.e\": " << over.e << ", \"over.m\": " << over.m
                << ", \"over.part.n\": " << over.part.n << ", \"over.last\": " << over.last
                << ", \"overs.n\": " << text([](const Over &each) { return each.n; })
                << ", \"overs.m\": " << text([](const Over &each) { return each.m; })
                << ", \"overs.part.n\": " << text([](const Over &each) { return each.part.n; })
                << ", \"counts.n\": " << counts.n << ", \"counts.a\": [" << a << "], \"counts.last\": " << counts.last
                << "}" << std::endl;
   }
};

void write_events(const char *path, int entries) {
   TFile file(path, "RECREATE");
   Events events;
   TTree tree("tree", "events");
   tree.Branch("over", &events.over, 4000, 0);
   tree.Branch("counts", &events.counts, 4000, 0);
   for (int x = 0; x < entries; ++x) { events.fill(x); tree.Fill(); }
   tree.Write();
   auto model = ROOT::RNTupleModel::Create();
   auto over = model->MakeField<Over>("over");
   auto overs = model->MakeField<std::vector<Over>>("overs");
   auto writer = ROOT::RNTupleWriter::Append(std::move(model), "ntuple", file);
   for (int x = 0; x < entries; ++x) {
      events.fill(x);
      *over = events.over; *overs = events.overs;
      writer->Fill();
   }
}

void show_events(int entries) {
   Events events;
   for (int x = 0; x < entries; ++x) { events.fill(x); events.show(); }
}
"""

HEADERS = "#include <ROOT/RNTupleModel.hxx>\n#include <ROOT/RNTupleWriter.hxx>\n#include <iostream>\n"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A file with a tree and an RNTuple, and the values by the names that C++ gives them."""
    path = tmp_path_factory.mktemp("hidden") / "events.root"
    with prepared_root(f"ROOT.gInterpreter.Declare({HEADERS + CLASSES!r})") as root:
        root.run("ROOT.write_events(sys.argv[1], int(sys.argv[2]))", path, NUM_EVENTS)
        shown = root.run("ROOT.show_events(int(sys.argv[1]))", NUM_EVENTS)
    events = [json.loads(line) for line in shown.splitlines()]
    return path, {name: [event[name] for event in events] for name in events[0]}


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_name_is_the_member_that_it_is_in_the_class(job, written, tmp_path, sample):
    path, expected = written
    names = [name for name in expected if not name.startswith(MISSING[sample])]
    define = {name.replace(".", "_of_"): f"{name} + 0" for name in names}
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": [f"{path}:{sample}"]}},
        "define": define,
        "skims": {"s": {"file": "s.root", "keep": [*define]}},
    }
    done = job(config)
    assert done.returncode == DONE, done.stderr
    columns = uproot.open(tmp_path / "s.root")["Events"].arrays()
    assert {name: columns[name.replace(".", "_of_")].to_list() for name in names} == {
        name: expected[name] for name in names
    }


@pytest.mark.parametrize("sample", SAMPLES)
def test_what_is_hidden_has_a_reason(call, written, sample):
    done = call("inspect", "--json", written[0])
    assert done.returncode == DONE, done.stderr
    inspected = json.loads(done.stdout)
    (tree,), (ntuple,) = inspected["trees"], inspected["ntuples"]
    left_out = {"tree": tree["unsupported"], "ntuple": ntuple["unsupported_fields"]}[sample]
    hidden = [
        each["name"] for each in left_out if each["reason"] == "a derived class has a member of this name"
    ]
    assert sorted(hidden) == sorted(name for name in HIDDEN if not name.startswith(MISSING[sample]))

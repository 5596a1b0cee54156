# SPDX-License-Identifier: BSD-3-Clause
"""Objects of classes with rules that read older versions (`#pragma read`): the values are those that are stored, each under its own name."""

import json
import re

import pytest
import uproot
from exit_codes import DONE
from prepared_root import prepared_root

EVENTS = 30

CLASSES = r"""
struct Hit { float a = 0; int b = 0; int c = 0; float d = 0; double e = 0; short f = 0; ClassDefInline(Hit, 1) };
struct Inner { int n = 0; float x = 0; float v[3] = {0, 0, 0}; int m = 0; ClassDefInline(Inner, 1) };
struct Outer { int first = 0; Inner inner; float last = 0; ClassDefInline(Outer, 1) };
struct Derived : public Hit { int own = 0; float more = 0; ClassDefInline(Derived, 1) };
struct Lists { int n = 0; std::vector<float> w; std::vector<int> k; float z = 0; ClassDefInline(Lists, 1) };
struct Hidden { float keep = 0; int cache = 0; //!
   int n = 0; float x = 0; ClassDefInline(Hidden, 1) };
struct Event { int n = 0; std::vector<Hit> hits; float z = 0; std::vector<Inner> inners; int last = 0; ClassDefInline(Event, 1) };
void fill(Hit &h, int i) { h.a = i + 0.5f; h.b = 100 + i; h.c = 200 + i; h.d = 300.25f + i; h.e = 400.125 + i; h.f = 500 + i; }
void fill(Inner &h, int i) { h.n = i; h.x = i + 0.75f; h.m = -i; for (int k = 0; k < 3; ++k) h.v[k] = i + 0.25f * k; }
void write_objects(const char *path, int split, int events) {
   gErrorIgnoreLevel = kError;
   TFile file(path, "RECREATE");
   TTree tree("Events", "");
   Hit hit; Outer outer; Derived derived; Lists lists; Hidden hidden; Event event;
   Int_t number = 0;
   tree.Branch("number", &number);
   tree.Branch("hit.", &hit, 32000, split); tree.Branch("outer.", &outer, 32000, split);
   tree.Branch("derived.", &derived, 32000, split); tree.Branch("lists.", &lists, 32000, split);
   tree.Branch("hidden.", &hidden, 32000, split); tree.Branch("event.", &event, 32000, split);
   for (int i = 0; i < events; ++i) {
      number = i;
      fill(hit, i); fill(derived, 2 * i); derived.own = -i; derived.more = i / 8.f;
      outer.first = i; fill(outer.inner, i); outer.last = i / 4.f;
      lists.n = i; lists.w.assign(i % 3, i + 0.5f); lists.k.assign(i % 4, i); lists.z = -i;
      hidden.keep = i + 0.5f; hidden.cache = 7; hidden.n = i + 9; hidden.x = i / 2.f;
      event.hits.resize(i % 3); event.inners.resize(i % 4); event.n = i; event.z = i + 0.5f; event.last = -i;
      for (unsigned k = 0; k < event.hits.size(); ++k) fill(event.hits[k], 10 * i + k);
      for (unsigned k = 0; k < event.inners.size(); ++k) fill(event.inners[k], 10 * i + k);
      tree.Fill();
   }
   tree.Write();
}
"""

RULES = [
    ("Hit", "float a", "e"),
    ("Hit", "int b; int c", "f"),
    ("Inner", "int n", "m"),
    ("Inner", "float x", "v"),
    ("Outer", "int first", "last"),
    ("Derived", "int own", "more"),
    ("Lists", "int n", "z"),
    ("Hidden", "float keep", "cache"),
    ("Event", "float z", "n"),
]

WRITE = """
import json
ROOT.gInterpreter.Declare(sys.argv[1])
for name, source, target in json.loads(sys.argv[2]):
    rule = f'sourceClass="{name}" version="[1-]" targetClass="{name}" source="{source}" target="{target}" code="{{ }}"'
    assert ROOT.TClass.AddRule(rule)
ROOT.write_objects(sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
"""


def hit(i):
    return {"a": i + 0.5, "b": 100 + i, "c": 200 + i, "d": 300.25 + i, "e": 400.125 + i, "f": 500 + i}


def inner(i):
    return {"n": i, "x": i + 0.75, "v": [i, i + 0.25, i + 0.5], "m": -i}


def expected(i):
    """What is stored of an event, by the name of the column."""
    objects = {
        "hit": hit(i),
        "outer": {"first": i, "last": i / 4} | {f"inner_{key}": each for key, each in inner(i).items()},
        "derived": hit(2 * i) | {"own": -i, "more": i / 8},
        "lists": {"n": i, "w": [i + 0.5] * (i % 3), "k": [i] * (i % 4), "z": -i},
        "hidden": {"keep": i + 0.5, "n": i + 9, "x": i / 2},
        "event": {"n": i, "z": i + 0.5, "last": -i},
        "event_hits": {key: [hit(10 * i + k)[key] for k in range(i % 3)] for key in "abcdef"},
        "event_inners": {key: [inner(10 * i + k)[key] for k in range(i % 4)] for key in "nxm"},
    }
    return {f"{name}_{key}": value for name, members in objects.items() for key, value in members.items()}


@pytest.fixture(scope="module", params=[0, 99])
def objects(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("rules") / "objects.root"
    with prepared_root() as root:
        root.run(WRITE, CLASSES, json.dumps(RULES), path, request.param, EVENTS)
    if request.param:
        with uproot.open(path) as file:
            numbers = [branch.member("fID") for branch in file["Events"]["hit."].branches]
        assert numbers != list(range(6))
    return path, request.param


def in_expression(name, split):
    """The members of a base class are below a branch of its name where objects are split."""
    prefix, member = re.fullmatch(
        r"(hit|outer_inner|outer|derived|lists|hidden|event_hits|event_inners|event)_(\w+)", name
    ).groups()
    is_inherited = prefix == "derived" and member in hit(0) and split
    return f"{prefix.replace('_', '.')}.{'Hit.' if is_inherited else ''}{member}"


def test_each_member_has_its_own_values(job, objects, tmp_path):
    path, split = objects
    names = list(expected(0))
    columns = {name: in_expression(name, split) for name in names}
    config = {
        "schema_version": 1,
        "samples": {"s": {"files": [str(path)]}},
        "skims": {"s": {"file": "s.root", "format": "ttree", "keep": ["number"], "columns": columns}},
    }
    done = job(config)
    assert done.returncode == DONE, done.stderr
    with uproot.open(tmp_path / "s.root") as file:
        for name in names:
            assert file["Events"][name].array().to_list() == [expected(i)[name] for i in range(EVENTS)], name

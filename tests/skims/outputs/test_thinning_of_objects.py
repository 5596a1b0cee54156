# SPDX-License-Identifier: BSD-3-Clause
"""Skims of which lists of objects lose elements, split into branches or not, against plain loops."""

import pytest
import uproot
from exit_codes import DONE, FAILED
from prepared_root import prepared_root

NUM_EVENTS = 30
FORMATS = ("rntuple", "ttree")
LISTS = ("ev.hits", "ev.few", "clones")
MEMBERS = ("id", "x", "samples", "name")

CLASSES = r"""
class Hit : public TObject {
 public:
   int id = 0;
   float x = 0;
   std::vector<short> samples;
   std::string name;
   void set(int number) {
      id = number; x = number + 0.5f; samples.assign(number % 3, number); name.assign(number % 4, 'h');
   }
   ClassDefInline(Hit, 1)
};
struct Ev { int before = 1; std::vector<Hit> hits, few; int after = 2; };

void fill(std::vector<Hit> &hits, int event, int count) {
   hits.clear();
   for (int k = 0; k < count; ++k) { hits.emplace_back(); hits.back().set(10 * event + k); }
}

void write_hits(const char *path, int entries, int split) {
   TFile file(path, "RECREATE");
   TTree tree("Events", "");
   auto *ev = new Ev; auto *clones = new TClonesArray("Hit");
   tree.Branch("ev.", &ev, 8000, split);
   tree.Branch("clones", &clones, 8000, split);
   for (int event = 0; event < entries; ++event) {
      fill(ev->hits, event, event % 4); fill(ev->few, event, event % 2);
      clones->Clear("C");
      for (int k = 0; k < event % 3; ++k) static_cast<Hit *>(clones->ConstructedAt(k))->set(10 * event + k);
      tree.Fill();
   }
   tree.Write();
}
"""
SIZES = {"ev.hits": 4, "clones": 3, "ev.few": 2}


def member_of(number, member):
    return {"id": number, "x": number + 0.5, "samples": [number] * (number % 3), "name": "h" * (number % 4)}[
        member
    ]


def written(name, member, is_kept=lambda _: True):
    """The values of a member in all events."""
    numbers = [[10 * event + k for k in range(event % SIZES[name])] for event in range(NUM_EVENTS)]
    return [[member_of(number, member) for number in each if is_kept(number)] for each in numbers]


@pytest.fixture(scope="module", params=[0, 99])
def hits(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("hits") / "hits.root"
    with prepared_root(
        f"ROOT.gErrorIgnoreLevel = ROOT.kError\nROOT.gInterpreter.Declare({CLASSES!r})"
    ) as root:
        root.run(
            "ROOT.write_hits(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))",
            path,
            NUM_EVENTS,
            request.param,
        )
    return path


def skim_of(job, path, **skim):
    samples = {"mc": {"files": [str(path)]}}
    return job({"schema_version": 1, "samples": samples, "skims": {"s": {"file": "s.root"} | skim}})


def columns_in(path):
    """By name, with underscores as dots stand for."""
    events = uproot.open(path)["Events"].arrays()
    return {name.replace(".", "_"): events[name].to_list() for name in events.fields}


@pytest.mark.parametrize("output", FORMATS)
@pytest.mark.parametrize("name", LISTS)
def test_lists_of_objects_lose_elements_in_all_members(job, hits, tmp_path, name, output):
    done = skim_of(
        job,
        hits,
        format=output,
        keep=[f"{each}.{m}" for each in LISTS for m in MEMBERS],
        thin={name: f"{name}.id % 3 == 1"},
    )
    assert done.returncode == DONE, done.stderr
    found = columns_in(tmp_path / "s.root")
    for each in LISTS:
        for member in MEMBERS:
            is_kept = (lambda number: number % 3 == 1) if each == name else (lambda _: True)
            assert found[f"{each}.{member}".replace(".", "_")] == written(each, member, is_kept), (
                each,
                member,
            )


@pytest.mark.parametrize("output", FORMATS)
def test_without_thinning_all_stay(job, hits, tmp_path, output):
    done = skim_of(job, hits, format=output, keep=[f"{each}.{m}" for each in LISTS for m in MEMBERS])
    assert done.returncode == DONE, done.stderr
    found = columns_in(tmp_path / "s.root")
    for each in LISTS:
        for member in MEMBERS:
            assert found[f"{each}.{member}".replace(".", "_")] == written(each, member), (each, member)


def test_a_mask_of_another_list_is_refused(job, hits):
    done = skim_of(job, hits, keep=["clones.id", "ev.hits.id"], thin={"clones": "ev.hits.id > 3"})
    assert done.returncode == FAILED
    assert "lists of different sizes" in done.stderr

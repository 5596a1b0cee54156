# SPDX-License-Identifier: BSD-3-Clause
"""Skims and conversions of RNTuples that have the same members in records of classes with other names."""

import itertools

import pytest
import uproot
from exit_codes import DONE
from prepared_root import prepared_root

COUNT = 7  # entries of each file

CLASSES = """
struct Hit { float x; int n; };
struct OldHit { float x; int n; };
struct ShuffledHit { int n; float x; };
struct LongHit { float x; int n; double t; };
struct Event { Hit hit; double z; };
struct OldEvent { OldHit hit; double z; };
struct Tracks { std::vector<Hit> hits; };
struct OldTracks { std::vector<OldHit> hits; };
"""

WRITE = """
ROOT.gErrorIgnoreLevel = ROOT.kError
def set_hit(hit, number):
    hit.x, hit.n = number + 0.5, number
def set_hits(hits, size):
    hits.resize(size)
    for number in range(size):
        set_hit(hits[number], 10 * size + number)
def set_value(kind, value, number):
    if "<" in kind:
        set_hits(value, number % 4)
    elif "Tracks" in kind:
        set_hits(value.hits, number % 4)
    elif "Event" in kind:
        set_hit(value.hit, number)
        value.z = 2 * number
    else:
        set_hit(value, number)
def write(path, kind, first):
    model = ROOT.RNTupleModel.Create()
    model.AddField(ROOT.RFieldBase.Create("v", kind).Unwrap())
    with ROOT.RNTupleWriter.Recreate(model, "Events", path) as writer:
        entry = writer.CreateEntry()
        for number in range(first, first + int(sys.argv[2])):
            set_value(kind, entry["v"], number)
            writer.Fill(entry)
for index, kind in enumerate(sys.argv[3:]):
    for number in (0, 1):
        write(f"{sys.argv[1]}/{index}_{number}.root", kind, number * int(sys.argv[2]))
"""

ALIKE = [
    ("Hit", "OldHit"),
    ("Hit", "ShuffledHit"),
    ("Hit", "LongHit"),
    ("Event", "OldEvent"),
    ("Tracks", "OldTracks"),
    ("std::vector<Hit>", "std::vector<OldHit>"),
    ("std::vector<Hit>", "std::vector<LongHit>"),
    ("std::vector<Hit>", "ROOT::RVec<Hit>"),
    ("std::vector<OldHit>", "ROOT::RVec<ShuffledHit>"),
]
KINDS = sorted({kind for pair in ALIKE for kind in pair})
SKIMS = {
    "all": {},
    "members": {"keep": ["v.*"]},
    "one member": {"keep": ["v.*x"]},
    "vectors": {"collections": "vectors"},
    "tree": {"format": "ttree"},
}


def path_of(folder, kind, number):
    return folder / f"{KINDS.index(kind)}_{number}.root"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Of each kind the first file of a sample and the second."""
    folder = tmp_path_factory.mktemp("classes")
    with prepared_root(f"ROOT.gInterpreter.Declare({CLASSES!r})") as root:
        root.run(WRITE, folder, COUNT, *KINDS)
    return folder


def values(path, field, member):
    """The values of a member, whether the file has it as a field of its own or in records."""
    with uproot.open(path) as file:
        events = file["Events"]
        for name in (f"{field}.{member}", f"{field}_{member}".replace(".", "_")):
            if name in events.keys():
                return events[name].array().to_list()
    return None


def of_all(files, field, member):
    return [value for path in files for value in values(path, field, member)]


@pytest.mark.parametrize("skim", SKIMS)
@pytest.mark.parametrize(
    ("first", "second"), [order for pair in ALIKE for order in itertools.permutations(pair)]
)
def test_members_are_written_in_one_record(run_in, folder, first, second, skim):
    files = [path_of(folder, kind, number) for number, kind in enumerate((first, second))]
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": [str(path) for path in files]}},
        "skims": {"s": {"file": "s.root", "columns_in_common": True} | SKIMS[skim]},
    }
    done = run_in(folder, config, "--force")
    assert done.returncode == DONE, done.stderr
    record = {"E": "v.hit", "T": "v.hits"}.get(first.removeprefix("Old")[0], "v")
    for member in ("x", "n"):
        found = values(folder / "s.root", record, member)
        if member == "n" and skim == "one member":
            assert found is None
            continue
        assert found == of_all(files, record, member)
    assert values(folder / "s.root", record, "t") is None


def test_conversions_do_the_same(call, folder, tmp_path):
    files = [path_of(folder, kind, number) for number, kind in enumerate(("Hit", "OldHit"))]
    done = call("convert", *files, "-o", tmp_path / "o.root", "--columns-in-common")
    assert done.returncode == DONE, done.stderr
    assert values(tmp_path / "o.root", "v", "x") == of_all(files, "v", "x")


def test_shared_classes_keep_their_name(run_in, folder):
    """Nothing but what differs loses it."""
    files = [str(path_of(folder, "std::vector<Hit>", number)) for number in (0, 1)]
    skims = {"s": {"file": "s.root"}}
    config = {"schema_version": 1, "samples": {"data": {"files": files}}, "skims": skims}
    assert run_in(folder, config, "--force").returncode == DONE
    with uproot.open(folder / "s.root") as file:
        types = [field.type_name for field in file["Events"].ntuple.header.field_records]
    assert "std::vector<Hit>" in types and "Hit" in types

# SPDX-License-Identifier: BSD-3-Clause
"""Values of trees, and of chains of them: what uproot and ROOT read, however slices cut baskets."""

import struct
import subprocess

import numpy as np
import pytest
import ROOT
import uproot
from root_trees import TreeByUproot, differing, write_kinds, write_numbers
from test_columns import read_columns, written_columns
from tree_files import trees_for_uproot

# Entries of slices and of batches.
SIZES = [(65536, 4096), (100, 33), (7, 3)]
# uproot 5.7 fails on some baskets without offsets: the values are those of a file with them.
READ_ELSEWHERE = {"embedded_genoff.root": "embedded.root"}
# Objects and lists of classes are compared by test_tree_values, which knows what uproot reads of them.
OF_CLASSES = ("ev_s", "stl_genoff")
# Neither uproot nor ROOT reads these lists without offsets right: theirs are not those that were written.
READ_BY_NOBODY = {"types_genoff.root": {"vf16", "vl"}}
# At least so many columns.
PLAIN = {"nanoAOD_2015_CMS_Open_Data_ttbar.root": 947, "uproot-HZZ.root": 51, "uproot-Zmumu.root": 20}
PLAIN |= {"types_zlib.root": 39, "clusters.root": 4, "merged.root": 4, "up.root": 10, "snap.root": 5}


SAMPLES = trees_for_uproot()


def program(build_folder):
    return build_folder / "tests" / "io" / "io_column_values"


def failure(build_folder, *arguments):
    done = subprocess.run(
        [program(build_folder), *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout
    return done.stderr


def values_of(columns):
    return {name: column["values"] for name, column in columns.items()}


def chained(paths):
    return ",".join(map(str, paths))


# Files made by others


@pytest.mark.thorough(quick=4)
@pytest.mark.parametrize(("path", "name"), SAMPLES)
def test_values_are_those_that_uproot_reads(build_folder, path, name):
    if path.name.startswith(OF_CLASSES):
        pytest.skip("compared elsewhere")
    ours = values_of(read_columns(build_folder, path, name))
    different = differing(path.with_name(READ_ELSEWHERE.get(path.name, path.name)), name, ours)
    assert set(different) <= READ_BY_NOBODY.get(path.name, set())
    assert len(ours) >= PLAIN.get(path.name, 0)


@pytest.mark.thorough(quick=8)
@pytest.mark.parametrize("sizes", SIZES[1:], ids=str)
@pytest.mark.parametrize(("path", "name"), SAMPLES)
def test_slices_do_not_matter(build_folder, path, name, sizes):
    whole = written_columns(build_folder, path, name)
    assert written_columns(build_folder, path, name, *sizes) == whole


# Trees that ROOT writes here


@pytest.fixture(
    scope="module",
    params=[
        {"basket": 400, "cluster": 130},
        {"basket": 100, "cluster": -1},
        {"basket": 32000, "cluster": 17, "compression": 0},
        {"basket": 3000, "cluster": 0, "compression": 101},
        {"basket": 700, "cluster": 1000, "compression": 404},
    ],
    ids=str,
)
def tree_of_all_kinds(request, tmp_path_factory):
    """A tree whose baskets lie in one of several ways."""
    path = write_kinds(tmp_path_factory.mktemp("kinds") / "a.root", entries=700, **request.param)
    return TreeByUproot(path, "t")


@pytest.mark.thorough(quick=4)
@pytest.mark.parametrize("sizes", [*SIZES, (1, 1), (64, 64)], ids=str)
def test_baskets_may_lie_anywhere(build_folder, tree_of_all_kinds, sizes):
    ours = values_of(read_columns(build_folder, tree_of_all_kinds.path, "t", *sizes))
    assert len(ours) == 22
    assert tree_of_all_kinds.differing(ours) == []


@pytest.mark.parametrize("entries", [0, 1])
def test_few_entries(build_folder, tmp_path, entries):
    path = write_kinds(tmp_path / "a.root", entries=entries)
    ours = values_of(read_columns(build_folder, path, "t"))
    assert {len(values) for values in ours.values()} == {entries}
    assert len(ours) == 22


def test_tree_in_a_directory(build_folder, tmp_path):
    path = write_kinds(tmp_path / "a.root", "one/two/t", entries=50, seed=3)
    write_kinds(path, "t", entries=60, seed=4)
    for name, entries in (("one/two/t", 50), ("t", 60)):
        ours = values_of(read_columns(build_folder, path, name))
        assert len(ours["i"]) == entries
        assert differing(path, name, ours) == []


def test_newest_cycle_is_read(build_folder, tmp_path):
    path = write_numbers(tmp_path / "a.root", entries=5)
    write_numbers(path, entries=9, first=100)
    with uproot.open(path) as file:
        assert sorted(file.keys()) == ["t;1", "t;2"]
    assert read_columns(build_folder, path, "t")["number"]["values"] == list(range(100, 109))
    assert read_columns(build_folder, path, "")["number"]["values"] == list(range(100, 109))


def test_ntuples_of_root_are_trees(build_folder, tmp_path):
    ROOT.WriteNtuples(str(tmp_path / "a.root"), 300)
    ours = read_columns(build_folder, tmp_path / "a.root", "f", 50, 20)
    assert ours["x"] == {"type": "float", "values": [float(np.float32(i * 0.1)) for i in range(300)]}
    assert ours["y"]["values"] == [-float(i) for i in range(300)]
    ours = read_columns(build_folder, tmp_path / "a.root", "d", 50, 20)
    assert ours["z"] == {"type": "double", "values": [i * 0.1 for i in range(300)]}


def test_branches_of_other_lengths(build_folder, skimline, tmp_path):
    ROOT.WriteUneven(str(tmp_path / "a.root"), 200)
    ours = values_of(read_columns(build_folder, tmp_path / "a.root", "t", 64, 10))
    assert ours == {"even": list(range(200)), "more": list(range(200))}
    shown = subprocess.run(
        [skimline, "inspect", tmp_path / "a.root"], capture_output=True, text=True, check=True
    ).stdout
    assert "it has 197 entries, the tree 200" in shown
    assert 'branch "more"' in shown
    assert "has 205 entries: only those of the tree, 200, are read" in shown


# How much baskets can hold

CONSTANT_ENTRIES = 400_000


@pytest.mark.thorough(quick=3)
@pytest.mark.parametrize("compression", [0, 101, 109, 201, 209, 401, 409, 501, 505, 519])
def test_constant_columns_of_root(build_folder, tmp_path, compression):
    path = tmp_path / "a.root"
    ROOT.WriteConstants(str(path), CONSTANT_ENTRIES, compression)
    with uproot.open(path) as file:
        assert [branch.num_baskets for branch in file["t"].branches] == [1, 1, 1]
    columns = read_columns(build_folder, path, "t")
    assert {name: column["type"] for name, column in columns.items()} == {
        "flag": "bool",
        "run": "std::uint32_t",
        "weight": "double",
    }
    for name, value in (("flag", True), ("run", 362104), ("weight", 0.25)):
        assert columns[name]["values"] == [value] * CONSTANT_ENTRIES, name


@pytest.mark.parametrize("codec", [uproot.ZLIB, uproot.LZMA, uproot.LZ4, uproot.ZSTD])
def test_constant_columns_of_uproot(build_folder, tmp_path, codec):
    with uproot.recreate(tmp_path / "a.root", compression=codec(5)) as file:
        file.mktree("t", {"flag": "bool", "run": "uint32"}).extend(
            {"flag": np.zeros(CONSTANT_ENTRIES, "bool"), "run": np.full(CONSTANT_ENTRIES, 7, "uint32")}
        )
    ours = values_of(read_columns(build_folder, tmp_path / "a.root", "t"))
    assert ours == {"flag": [False] * CONSTANT_ENTRIES, "run": [7] * CONSTANT_ENTRIES}


def numbers_of_uproot(path, num_baskets, size):
    """A tree of raw baskets, as bytes that may be changed, and what is said of its one branch."""
    with uproot.recreate(path, compression=None) as file:
        tree = file.mktree("t", {"x": "int32"}, initial_basket_capacity=num_baskets)
        for _ in range(num_baskets):
            tree.extend({"x": np.arange(size, dtype="int32")})
    with uproot.open(path) as file:
        branch = file["t"]["x"]
        names = ("fBasketBytes", "fBasketEntry", "fBasketSeek")
        return bytearray(path.read_bytes()), {name: branch.member(name)[: num_baskets + 1] for name in names}


def replace(data, old, new):
    """Replaces numbers that lie in the file as they are."""
    assert old in data
    data[:] = data.replace(old, new)


def reason_of(skimline, path):
    shown = subprocess.run([skimline, "inspect", path], capture_output=True, text=True, check=False)
    return shown.stdout + shown.stderr


def test_a_basket_cannot_hold_any_number_of_entries(skimline, tmp_path):
    path = tmp_path / "a.root"
    data, facts = numbers_of_uproot(path, 1, 12345)
    (size,) = facts["fBasketBytes"][:1]
    most = int(size) * 32768
    for entries, refusal in (
        (most + 32767, None),
        (most + 32768, f"its basket 0 cannot hold the {most + 32768} entries that the tree says"),
        (1 << 40, "has no branch that can be read"),
    ):
        hostile = bytearray(data)
        replace(hostile, struct.pack(">q", 12345), struct.pack(">q", entries))
        path.write_bytes(hostile)
        shown = reason_of(skimline, path)
        assert ("cannot hold" in shown) == (refusal is not None and "cannot hold" in refusal)
        assert refusal is None or refusal in shown


def test_baskets_in_the_same_bytes_cannot_hold_more_than_the_file(skimline, tmp_path):
    path, count, size = tmp_path / "a.root", 64, 1000
    data, facts = numbers_of_uproot(path, count, size)
    seeks = facts["fBasketSeek"][:count].astype(">i8")
    entries = facts["fBasketEntry"].astype(">i8")
    assert entries.tolist() == [size * i for i in range(count + 1)]
    replace(data, seeks.tobytes(), np.full_like(seeks, seeks[0]).tobytes())
    sizes = facts["fBasketBytes"][:count].astype(">i4")
    replace(data, sizes.tobytes(), np.full_like(sizes, len(data) // 2).tobytes())
    scale = len(data) * 32768 // 3 // size
    replace(data, entries.tobytes(), (entries * scale).astype(">i8").tobytes())
    replace(data, struct.pack(">q", count * size), struct.pack(">q", count * size * scale))
    path.write_bytes(data)
    assert "has no branch that can be read" in reason_of(skimline, path)


# Which tree is meant


def test_name_may_be_left_out(build_folder, tmp_path):
    only = write_numbers(tmp_path / "only.root", name="any", entries=3)
    assert read_columns(build_folder, only, "")["number"]["values"] == [0, 1, 2]
    events = write_numbers(tmp_path / "events.root", name="Runs", entries=1)
    write_numbers(events, name="Events", entries=4)
    write_numbers(events, name="Other", entries=2)
    assert read_columns(build_folder, events, "")["number"]["values"] == [0, 1, 2, 3]


def test_one_of_several_must_be_named(build_folder, tmp_path):
    path = write_numbers(tmp_path / "a.root", name="first")
    write_numbers(path, name="second")
    message = failure(build_folder, path, "")
    assert f'{path}: contains several RNTuples or TTrees, one must be named: "first", "second"' in message


def test_names_that_do_not_exist(build_folder, tmp_path):
    path = write_numbers(tmp_path / "a.root", name="Events")
    with uproot.update(path) as file:
        file["h"] = np.histogram([1.0])
    message = failure(build_folder, path, "Event")
    assert 'contains no RNTuple or TTree "Event"' in message
    assert '"Events"' in message
    assert '"h" is a TH1D, no RNTuple or TTree' in failure(build_folder, path, "h")


# Chains


def numbers(*parts):
    return [number for first, entries in parts for number in range(first, first + entries)]


def expected_lists(first, entries):
    return [[first + 10 * entry + k for k in range(entry % 4)] for entry in range(entries)]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize(
    ("types", "scalar"),
    [
        (("Int_t", "Int_t"), "std::int32_t"),
        (("UInt_t", "Int_t"), "std::int64_t"),
        (("UShort_t", "Short_t"), "std::int32_t"),
        (("Float_t", "Double_t"), "double"),
        (("Int_t", "Float_t"), "double"),
        (("Short_t", "Float_t"), "float"),
        (("UInt_t", "Int_t", "Double_t"), "double"),
        (("ULong64_t", "UInt_t"), "std::uint64_t"),
    ],
    ids=str,
)
def test_types_may_drift(build_folder, tmp_path, types, scalar, sizes):
    paths = [
        write_numbers(
            tmp_path / f"{i}.root", number=kind, count=("UInt_t", "Int_t", "Short_t")[i], first=i, entries=90
        )
        for i, kind in enumerate(types)
    ]
    ours = read_columns(build_folder, chained(paths), "t", *sizes)
    assert ours["number"]["type"] == scalar
    assert ours["Jet_pt"]["type"] == f"list of {scalar}"
    assert ours["number"]["values"] == numbers(*((i, 90) for i in range(len(types))))
    assert ours["Jet_pt"]["values"] == [values for i in range(len(types)) for values in expected_lists(i, 90)]
    assert ours["nJet"]["values"] == [entry % 4 for _ in types for entry in range(90)]
    assert ours["nJet"]["type"] == "std::int64_t"


def test_missing_branches_are_left_out(build_folder, tmp_path):
    paths = [write_numbers(tmp_path / "a.root"), write_numbers(tmp_path / "b.root", extra="more")]
    assert sorted(read_columns(build_folder, chained(paths), "t")) == ["Jet_pt", "nJet", "number"]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_both_formats_in_one_chain(build_folder, tmp_path, order, sizes):
    tree = write_numbers(tmp_path / "tree.root", name="Events", number="Float_t", count="Int_t", entries=110)
    content = {
        "number": np.arange(50, dtype=np.float32),
        "nJet": np.arange(50, dtype=np.uint32) % 4,
        "Jet_pt": [[0.5 * k for k in range(i % 4)] for i in range(50)],
    }
    with uproot.recreate(tmp_path / "ntuple.root") as file:
        file.mkrntuple("Events", content)
    paths = [tree, tmp_path / "ntuple.root"][::order]
    ours = read_columns(build_folder, chained(paths), "Events", *sizes)
    parts = [numbers((0, 110)), numbers((0, 50))][::order]
    assert ours["number"] == {"type": "float", "values": parts[0] + parts[1]}
    assert ours["nJet"] == {
        "type": "std::int64_t",
        "values": [i % 4 for part in parts for i in range(len(part))],
    }
    lists = [expected_lists(0, 110), content["Jet_pt"]][::order]
    assert ours["Jet_pt"] == {"type": "list of double", "values": lists[0] + lists[1]}


@pytest.mark.parametrize("announced", ["number", "Jet_pt"])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_columns_need_not_be_announced(build_folder, tmp_path, announced, sizes):
    """Where the baskets of others lie is forgotten then, and read again."""
    paths = [write_numbers(tmp_path / f"{i}.root", first=i, entries=90) for i in range(3)]
    ours = read_columns(build_folder, chained(paths), "t", *sizes, announced)
    assert ours == read_columns(build_folder, chained(paths), "t", *sizes)
    assert ours["number"]["values"] == numbers(*((i, 90) for i in range(3)))
    assert ours["Jet_pt"]["values"] == [values for i in range(3) for values in expected_lists(i, 90)]


def test_many_files(build_folder, tmp_path):
    """More than are kept open."""
    one = write_numbers(tmp_path / "a.root", entries=5)
    ours = read_columns(build_folder, chained([one] * 300), "t")
    assert ours["number"]["values"] == [0, 1, 2, 3, 4] * 300


def test_trees_that_claim_more_entries_than_their_branches(build_folder, skimline, tmp_path):
    ROOT.WriteClaim(str(tmp_path / "a.root"), 50, 80)
    ours = values_of(read_columns(build_folder, tmp_path / "a.root", "t"))
    assert ours == {"x": list(range(50))}
    shown = subprocess.run(
        [skimline, "inspect", tmp_path / "a.root"], capture_output=True, text=True, check=True
    )
    assert "says that it has 80 entries, but its branches have 50: only those are read" in shown.stdout

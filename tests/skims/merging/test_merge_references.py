# SPDX-License-Identifier: BSD-3-Clause
"""`skimline merge` of trees whose objects refer to each other (TRef, TRefArray, TProcessID), against ROOT."""

from itertools import chain

import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED
from histogram_files import hadd
from prepared_root import prepared_root
from referring_files import CLASSES, offsets_of_keys, processes, processes_of_entries

A, B, C, M, N = (f"{letter * 8}-1111-11f1-9717-010011acbeef" for letter in "abcde")
SPLITS = (99, 0)
NUMBER = 0xFFFFFF  # the bits of an object's number without those of a process

WRITE = """
folder, A, B, C, M, N = sys.argv[1:]
for split in (99, 0):
    path = lambda name: f"{folder}/{name}{split}.root"
    ROOT.write_file(path("a"), 0, 40, split, 505, A)
    ROOT.write_file(path("b"), 100, 40, split, 505, B)
    ROOT.write_file(path("c"), 200, 40, split, 404, C)
    ROOT.write_file(path("again"), 300, 40, split, 0, A)
    ROOT.write_file(path("nothing"), 0, 0, split, 505, N)
    ROOT.write_mixed(path("m"), path("a"), False, 1000, split, M)
    ROOT.write_mixed(path("n"), path("a"), True, 2000, split, N)
for name, process in (("h", A), ("i", B)):
    ROOT.TProcessID.GetSessionProcessID().SetTitle(process)
    file = ROOT.TFile(f"{folder}/{name}.root", "RECREATE")
    histogram = ROOT.TH1D(name, name, 4, 0, 4)
    histogram.Fill(1.5)
    reference = ROOT.TRef(histogram)
    histogram.Write()
    file.Close()
"""
FOLLOW = """
for path in sys.argv[1:]: ROOT.follow_all(path)
"""
FOLLOW_TO_HISTOGRAMS = """
file = ROOT.TFile(sys.argv[1])
for name in ("h", "i"):
    histogram = file.Get(name)
    print(name, histogram.TestBit(16), ROOT.TProcessID.GetProcessWithUID(histogram).GetTitle())
"""


@pytest.fixture(scope="module")
def root():
    with prepared_root(f"ROOT.gInterpreter.Declare({CLASSES!r})") as process:
        yield process


@pytest.fixture(scope="module")
def files(root, tmp_path_factory):
    """Returns the paths of files by their names."""
    folder = tmp_path_factory.mktemp("referring")
    root.run(WRITE, folder, A, B, C, M, N)
    return lambda names, split=99: [folder / f"{name}{split}.root" for name in names.split()]


@pytest.fixture
def merge(call, tmp_path):
    def run(name, *arguments):
        done = call("merge", "-f", tmp_path / name, *arguments)
        assert done.returncode == DONE, done.stderr
        return tmp_path / name

    return run


def check_processes(path):
    found, expected = processes_of_entries(path)
    assert found == expected


@pytest.mark.parametrize("split", SPLITS)
def test_references_lead_to_the_objects_of_their_entries(root, call, merge, files, tmp_path, split):
    paths = files("a b nothing c again m n", split)
    out = merge("m.root", *paths)
    counts = [[*map(int, line.split())] for line in root.run(FOLLOW, *paths).splitlines()]
    (found,) = ([*map(int, line.split())] for line in root.run(FOLLOW, out).splitlines())
    assert found == [sum(each) for each in zip(*counts, strict=True)]
    assert found[0] > 1000
    assert found[1:] == [0, 0]
    check_processes(out)
    assert [*processes(out).values()] == [A, B, C, A, M, N, A]
    assert set(processes_of_entries(out)[1]) == {A, B, C, M, N}
    with uproot.open(out) as file:
        tags = file["Events/tag"].array().tolist()
    expected = []
    for path in paths:
        with uproot.open(path) as file:
            expected += file["Events/tag"].array().tolist()
    assert tags == expected
    assert call("verify", out).returncode == DONE


def test_what_we_read_of_merged_references_is_what_we_read_of_each_input(call, merge, files, tmp_path):
    """By hadd, which copies entry by entry where compressions differ, and by us."""
    paths = files("a b c m")
    hadd("-fk", tmp_path / "theirs.root", *paths)
    read = []
    for path in (*paths, merge("ours.root", *paths), tmp_path / "theirs.root"):
        out = tmp_path / f"converted_{path.name}"
        done = call("convert", "-f", f"{path}:Events", "-o", out)
        assert done.returncode in (DONE, 3), done.stderr
        with uproot.open(out) as file:
            columns = file["Events"].arrays()
        read.append(
            [
                (columns[name] & NUMBER).tolist()
                for name in ("Jet_parts", "Jet_lead", "first", "Tower_fUniqueID", "Tower_tag")
            ]
        )
    expected = [[*chain.from_iterable(columns)] for columns in zip(*read[:-2], strict=True)]
    assert read[-2] == expected
    assert read[-1] == expected


def test_processes_that_files_share_are_there_once(merge, files):
    out = merge("m.root", *files("a again"))
    assert processes(out) == {0: A}
    assert set(offsets_of_keys(out, "all")) == {0}
    # The first identifier of the one is the last of the other.
    out = merge("m.root", *files("a m again b"))
    assert processes(out) == {0: A, 1: M, 2: B}
    check_processes(out)
    # Two files that have them the other way round.
    out = merge("m.root", *files("m n"))
    assert processes(out) == {0: A, 1: M, 2: N, 3: A}
    check_processes(out)


def test_merges_of_merges(root, merge, files, tmp_path):
    once = merge("once.root", *files("a b c m"))
    left, right = merge("left.root", *files("a b")), merge("right.root", *files("c m"))
    assert merge("twice.root", left, right).read_bytes() == once.read_bytes()
    hadd("-fk", tmp_path / "theirs.root", *files("c b a"))
    out = merge("mixed.root", tmp_path / "theirs.root", left, *files("n"))
    check_processes(out)
    _, none, wrong = root.run(FOLLOW, out).split()
    assert (none, wrong) == ("0", "0")
    check_processes(merge("lz4.root", "--compression", "lz4", left, right))


def test_references_of_trees_that_patterns_name(merge, call, files, tmp_path):
    out = merge("m.root", "--include", "Events", *files("b a"))
    assert processes(out) == {0: B, 1: A}
    check_processes(out)
    # Without identifiers they lead nowhere, and stay so.
    lost = merge("lost.root", "--exclude", "ProcessID*", *files("b c"))
    assert processes(lost) == {}
    out = merge("m.root", lost, *files("a"))
    assert processes(out) == {0: A}
    assert set(processes_of_entries(out)[0]) == {None, A}
    again = merge("again.root", out, *files("c"))
    found, expected = processes_of_entries(again)
    assert all(one in (None, other) for one, other in zip(found, expected, strict=True))
    assert found.count(None) == 80


def test_histograms_that_others_refer_to(root, merge, files, tmp_path):
    folder = files("a")[0].parent
    out = merge("m.root", folder / "i.root", *files("c a"), folder / "h.root")
    assert root.run(FOLLOW_TO_HISTOGRAMS, out).split("\n")[:2] == [f"h True {A}", f"i True {B}"]
    with uproot.open(out) as file:
        assert file["h"].values().tolist() == [0, 1, 0, 0]


def test_recovered_files_keep_their_references(call, merge, files, tmp_path):
    out = merge("m.root", *files("a b m"))
    (tmp_path / "broken.root").write_bytes(b"\0" * 100 + out.read_bytes()[100:])
    done = call("recover", tmp_path / "broken.root", tmp_path / "r.root")
    assert done.returncode in (DONE, 3), done.stderr
    assert processes(tmp_path / "r.root") == processes(out)
    check_processes(tmp_path / "r.root")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"ProcessID0", b"ProcessID2", 'it has "ProcessID1" and no "ProcessID0"'),
        (b"ProcessID1", b"ProcessID9", 'it has "ProcessID9" and no "ProcessID1"'),
        (b"TProcessID", b"TProcessIX", '"ProcessID0" (TProcessIX) is in'),
        (b"ProcessID1", b"ProcessIDx", '"ProcessIDx" (TProcessID) is in'),
        (b"ProcessID1", b"ProcessID0", 'it has "ProcessID0" more than once'),
    ],
)
def test_identifiers_that_lie(call, files, tmp_path, old, new, message):
    content = files("m")[0].read_bytes()
    (tmp_path / "m.root").write_bytes(content.replace(old, new))
    done = call("merge", tmp_path / "out.root", *files("b"), tmp_path / "m.root")
    assert done.returncode == FAILED
    assert message in done.stderr
    assert not (tmp_path / "out.root").exists()


@pytest.mark.parametrize("offset", [1, 0x7FFF, 0xFFFF])
def test_numbers_that_a_file_does_not_know_lead_nowhere(merge, files, tmp_path, offset):
    content = bytearray(files("b")[0].read_bytes())
    with uproot.open(files("b")[0]) as file:
        seek = int(file["Events/first"].member("fBasketSeek")[0])
    content[seek + 26 : seek + 28] = offset.to_bytes(2, "big")
    (tmp_path / "b.root").write_bytes(content)
    out = merge("m.root", tmp_path / "b.root", *files("a"))
    assert offsets_of_keys(out, "first") == [0x8000, 1]
    found, expected = processes_of_entries(out)
    assert found == [None] * 40 + expected[40:]


def test_an_object_with_the_name_of_an_identifier(call, files, tmp_path):
    with uproot.recreate(tmp_path / "h.root") as file:
        file["ProcessID0"] = np.histogram([0.5, 1.5], bins=2, range=(0, 2))
    done = call("merge", tmp_path / "out.root", *files("b"), tmp_path / "h.root")
    assert done.returncode == FAILED
    assert '"ProcessID0" (TH1D) has the name of the identifier of a process in' in done.stderr
    assert call("merge", tmp_path / "out.root", tmp_path / "h.root").returncode == DONE

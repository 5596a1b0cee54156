# SPDX-License-Identifier: BSD-3-Clause
"""Entries read by their numbers, judged by what numpy and awkward take of all of them."""

import json
import os
import subprocess
import sys
from itertools import chain

import pytest

ak = pytest.importorskip("awkward")
np = pytest.importorskip("numpy")
uproot = pytest.importorskip("uproot")

import skimline as sk  # noqa: E402

NUM_EVENTS = 30_000
RANDOM = np.random.default_rng(5)


def random_events(count):
    """Columns of each kind."""
    sizes = RANDOM.integers(0, 4, count)
    return ak.Array(
        {
            "number": np.arange(count),
            "flag": RANDOM.random(count) < 0.4,
            "mass": RANDOM.normal(size=count),
            "name": [f"event {i % 11}" for i in range(count)],
            "pt": ak.unflatten(RANDOM.exponential(30, sizes.sum()).astype(np.float32), sizes),
            "three": ak.from_regular(RANDOM.integers(0, 9, (count, 3)).astype(np.int32)),
        }
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A file of some clusters without compression, and what is in it."""
    path = tmp_path_factory.mktemp("entries") / "all.root"
    events = random_events(NUM_EVENTS)
    sk.write(f"{path}:Events", events, compression="none", cluster_size="512 KiB")
    return path, events


@pytest.fixture
def frame(written):
    return sk.open(f"{written[0]}:Events")


def some_entries(count=300):
    """Numbers in any order, some of them twice, and the first and the last."""
    return np.concatenate([RANDOM.integers(0, NUM_EVENTS, count), [NUM_EVENTS - 1, 0, 0]])


def test_gives_entries_in_the_order_in_which_they_are_asked_for(frame, written):
    entries = some_entries()
    for threads in (1, 2):
        assert ak.array_equal(frame.arrays(entries=entries, threads=threads), written[1][entries])


@pytest.mark.parametrize("entries", [[], [7], [9, 8], range(10, 5, -1), np.array([3, 3, 1], np.uint8)])
def test_takes_any_sequence_of_numbers(frame, written, entries):
    found = frame.arrays(["mass", "pt"], entries=entries)
    assert found.fields == ["mass", "pt"]
    assert ak.array_equal(found, written[1][["mass", "pt"]][np.asarray(entries, np.int64)])


def test_gives_the_same_in_every_library(frame, written):
    entries = some_entries()
    expected = written[1][entries]
    columns = ["number", "mass", "name"]
    by_library = {
        name: frame.arrays(columns, library=name, entries=entries) for name in ("np", "pa", "pd", "pl")
    }
    assert list(by_library["pd"].index) == list(range(len(entries)))
    for found in by_library.values():
        for name in columns:
            assert list(np.asarray(found[name])) == expected[name].to_list()
    rows = frame.arrays("three", library="np", entries=entries)["three"]
    assert np.array_equal(rows, ak.to_numpy(expected["three"]))


def test_gives_those_that_pass_the_filters(frame, written):
    entries = some_entries(1000)
    chosen = frame.define("hard", "pt[pt > 40]").filter("flag").filter("Sum(pt) > 20")
    found = chosen.arrays(["number", "hard"], entries=entries)
    asked = written[1][entries]
    passing = asked[asked.flag & (ak.sum(asked.pt, axis=1) > 20)]
    assert 0 < len(passing) < len(entries)
    assert found.number.to_list() == passing.number.to_list()
    assert ak.array_equal(found.hard, passing.pt[passing.pt > 40])


def test_counts_through_all_files_and_friends_of_a_sample(written, tmp_path):
    path, events = written
    second = tmp_path / "second.root"
    others = random_events(500)
    sk.write(f"{second}:Events", others)
    sk.write(f"{tmp_path / 'friend.root'}:Events", {"doubled": np.arange(NUM_EVENTS + 500) * 2})
    frame = sk.open(
        {
            "a": {
                "files": [str(path), str(second)],
                "friends": {"more": {"files": [str(tmp_path / "friend.root")]}},
            }
        }
    )
    entries = np.array([NUM_EVENTS + 499, 12, NUM_EVENTS, NUM_EVENTS - 1])
    found = frame.arrays(["mass", "more.doubled", "entry_"], library="np", entries=entries)
    both = np.concatenate([events.mass.to_numpy(), others.mass.to_numpy()])
    assert np.array_equal(found["mass"], both[entries])
    assert np.array_equal(found["entry_"], entries)
    assert np.array_equal(found["more.doubled"], 2 * entries)


def test_reads_trees(written, tmp_path):
    path, events = written
    skim = sk.open(f"{path}:Events").skim(str(tmp_path / "tree.root"), keep=["number", "pt"], format="ttree")
    sk.run(skim)
    entries = some_entries()
    found = sk.open(str(tmp_path / "tree.root")).arrays(["number", "pt"], entries=entries)
    assert ak.array_equal(found, events[["number", "pt"]][entries])


def test_takes_entries_of_a_variation(frame, written):
    varied = frame.vary("shift", {"mass": {"up": "mass + 1"}})
    found = varied.arrays("mass", library="np", entries=[5, 2], variation="shift_up")
    assert np.array_equal(found["mass"], written[1].mass.to_numpy()[[5, 2]] + 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"entries": [3, NUM_EVENTS, 5]},
            f'entry {NUM_EVENTS} is asked for, but the sample "events" has the entries from 0 to',
        ),
        ({"entries": [2**63]}, f"entry {2**63} is asked for"),
        ({"entries": [1, -1]}, "entries are counted from 0: -1"),
        ({"entries": [0.5]}, "entries are a sequence of whole numbers, not float64"),
        ({"entries": [[1, 2]]}, "whole numbers, not int64 of shape"),
        ({"entries": np.ones(3, bool)}, "numpy.flatnonzero"),
        ({"entries": [1], "entry_start": 1}, "by their numbers, or between two of them"),
        ({"entries": [1], "entry_stop": 5}, "by their numbers, or between two of them"),
    ],
)
def test_says_which_entries_there_are_not(frame, arguments, message):
    with pytest.raises(sk.ConfigError, match=message):
        frame.arrays("mass", **arguments)


def test_entries_are_those_of_one_sample(written):
    frame = sk.open({"a": str(written[0]), "b": str(written[0])}, allow_duplicates=True)
    with pytest.raises(sk.ConfigError, match="entries are those of one sample"):
        frame.arrays("mass", sample="*", entries=[1])
    assert frame.arrays("number", library="np", sample="b", entries=[4, 1])["number"].tolist() == [4, 1]


def test_an_empty_file_has_no_entry(tmp_path):
    sk.write(f"{tmp_path / 'none.root'}:Events", {"x": np.empty(0)})
    frame = sk.open(str(tmp_path / "none.root"))
    assert len(frame.arrays("x", entries=[])) == 0
    with pytest.raises(sk.ConfigError, match='entry 0 is asked for, but the sample "events" has none'):
        frame.arrays("x", entries=[0])


def pages_of(path, column):
    """First entry, place and size with checksum of the pages of a column with one value for each entry, cluster by cluster."""
    with uproot.open(path) as file:
        ntuple = file["Events"]
        number = [each.field_name for each in ntuple.field_records].index(column)
        index = [each.field_id for each in ntuple.column_records].index(number)
        first, clusters = 0, []
        for cluster in ntuple.page_link_list:
            clusters.append([])
            for page in cluster[index].pages:
                clusters[-1].append((first, page.locator.offset, page.locator.num_bytes + 8))
                first += page.num_elements
    assert first == NUM_EVENTS
    return clusters


def test_reads_no_pages_of_other_entries(written, tmp_path):
    """What is damaged elsewhere is never looked at."""
    path, events = written
    content = bytearray(path.read_bytes())
    _, *others = pages_of(path, "mass")
    assert len(others) > 1
    for _, offset, size in chain.from_iterable(others):
        content[offset : offset + size] = bytes(size)
    copy = tmp_path / "damaged.root"
    copy.write_bytes(content)
    frame = sk.open(f"{copy}:Events")
    end = others[0][0][0]
    entries = [end - 1, 3]
    found = frame.arrays("mass", library="np", entries=entries)["mass"]
    assert np.array_equal(found, events.mass.to_numpy()[entries])
    with pytest.raises(sk.FileError, match=r"damaged\.root.*mass"):
        frame.arrays("mass", entries=[3, end])


BYTES_READ = """
import json, re, sys
import numpy as np
import skimline as sk

def read():
    return int(re.search(r"rchar: (\\d+)", open("/proc/self/io").read())[1])

def bytes_for(path, entries):
    frame = sk.open(path + ":Events")
    frame.num_entries
    before = read()
    frame.arrays("mass", library="np", entries=entries, threads=1)
    return read() - before

path, *lists = map(json.loads, sys.argv[1:])
bytes_for(path, [0])
none = bytes_for(path, [])
print(json.dumps([bytes_for(path, entries) - none for entries in lists]))
"""


def bytes_for(path, *lists):
    """What is read of the file for entries, without its metadata."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", BYTES_READ, *map(json.dumps, [str(path), *lists])]
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=environment)
    return json.loads(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not count bytes")
def test_reads_the_pages_that_hold_the_entries(written, tmp_path):
    path, _ = written
    clusters = pages_of(path, "mass")
    sizes = [sum(size for _, _, size in pages) for pages in clusters]
    begins = [pages[0][0] for pages in clusters]
    assert all(len(pages) == 1 for pages in clusters)
    few, more = bytes_for(path, [begins[1] + 5, begins[1]], [begins[2] - 1, begins[2], 0])
    assert few == sizes[1]
    assert more == sizes[0] + sizes[1] + sizes[2]


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not count bytes")
def test_reads_the_pages_of_a_cluster_near_the_entries(written, tmp_path):
    path = tmp_path / "pages.root"
    sk.write(f"{path}:Events", {"mass": written[1].mass}, compression="none", page_size=8192)
    (pages,) = pages_of(path, "mass")
    (found,) = bytes_for(path, [NUM_EVENTS // 2])
    # So many entries are evaluated together.
    assert 0 < found <= (4096 // 1024 + 2) * max(size for _, _, size in pages)
    assert len(pages) > 20

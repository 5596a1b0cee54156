# SPDX-License-Identifier: BSD-3-Clause
"""`skimline diff --by`: events in any order are matched by a key, judged by numpy."""

import json

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DIFFERENT, DONE, WRONG_USAGE

NUM_EVENTS = 3000


def write(path, columns, form="rntuple", name="Events"):
    with uproot.recreate(path) as file:
        file.mkrntuple(name, columns) if form == "rntuple" else file.mktree(name, columns)
    return path


@pytest.fixture
def events():
    random = np.random.default_rng(5)
    counts = random.integers(0, 4, NUM_EVENTS)
    return {
        "run": random.integers(1, 4, NUM_EVENTS).astype(np.int32),
        "luminosityBlock": random.integers(1, 5, NUM_EVENTS).astype(np.uint32),
        "event": random.permutation(NUM_EVENTS).astype(np.uint64),
        "x": random.normal(size=NUM_EVENTS).astype(np.float32),
        "pt": ak.unflatten(random.normal(size=counts.sum()).astype(np.float32), counts),
        "nested": ak.Array([[list(range(i % 3)), []][: i % 4] for i in range(NUM_EVENTS)]),
        "text": np.array([f"event {i}" for i in range(NUM_EVENTS)]),
    }


def in_order(events, order):
    return {name: values[order] for name, values in events.items()}


def compared(call, *arguments):
    done = call("diff", "--json", *arguments)
    assert done.returncode in (DONE, DIFFERENT), done.stderr
    report = json.loads(done.stdout)
    assert done.returncode == (DONE if report["equal"] else DIFFERENT)
    return report


@pytest.mark.parametrize("key", ["run,luminosityBlock,event", "event", "text", "run * 100000 + event, event"])
def test_another_order_is_no_difference(call, events, tmp_path, key):
    order = np.random.default_rng(1).permutation(NUM_EVENTS)
    a, b = write(tmp_path / "a.root", events), write(tmp_path / "b.root", in_order(events, order))
    assert call("diff", a, b).returncode == DIFFERENT
    done = call("diff", a, b, "--by", key)
    assert (done.returncode, done.stdout) == (
        DONE,
        "Events: 7 columns of 3 000 entries compared, none differs\n",
    )


def test_a_tree_in_another_order(call, events, tmp_path):
    order = np.random.default_rng(1).permutation(NUM_EVENTS)
    del events["nested"]
    a = write(tmp_path / "a.root", events)
    b = write(tmp_path / "b.root", in_order(events, order), "ttree")
    for files in ((a, b), (b, a)):
        included = [option for name in events for option in ("--include", name)]
        done = call("diff", *files, "--by", "run,event", *included, "-j", 3)
        assert done.returncode == DONE, done.stdout


def test_missing_events_are_named(call, events, tmp_path):
    order = np.random.default_rng(1).permutation(NUM_EVENTS)
    a = write(tmp_path / "a.root", in_order(events, np.arange(5, NUM_EVENTS)))
    b = write(tmp_path / "b.root", in_order(events, order[:-2]))
    (report,) = compared(call, a, b, "--by", "run,event")["events"]
    left = [i for i in range(5, NUM_EVENTS) if i in set(order[-2:])]
    right = [i for i in order[:-2] if i < 5]

    def names(entries):
        return [f"run {events['run'][i]}, event {events['event'][i]}" for i in entries]

    assert report["columns"] == []
    by = report["by"]
    assert by["key"] == ["run", "event"]
    assert by["matched"] == NUM_EVENTS - 5 - len(left)
    assert (by["only_left"]["number"], by["only_left"]["first"]) == (len(left), names(left)[:3])
    assert (by["only_right"]["number"], by["only_right"]["first"]) == (len(right), names(right)[:3])
    text = call("diff", a, b, "--by", "run,event").stdout
    assert f"  {len(right)} entries only in {b}: {'; '.join(names(right)[:3])}; ...\n" in text


def test_differences_are_those_of_matched_events(call, events, tmp_path):
    order = np.random.default_rng(1).permutation(NUM_EVENTS)
    a = write(tmp_path / "a.root", events)
    changed = dict(events, x=np.where(events["event"] % 10 == 3, 7, events["x"]).astype(np.float32))
    lists = ak.to_list(changed["nested"])
    lists[30] = [[0, 1, 9], *lists[30][1:]] if lists[30] else [[0]]
    changed["nested"] = ak.values_astype(ak.Array(lists), "int64")
    b = write(tmp_path / "b.root", in_order(changed, order))
    (report,) = compared(call, a, b, "--by", "run,luminosityBlock,event")["events"]
    found = {column["column"]: column for column in report["columns"]}
    assert set(found) == {"x", "nested"}
    differing = np.flatnonzero(events["x"] != changed["x"])
    assert found["x"]["entries"] == len(differing)
    for entry, first in zip(differing, found["x"]["first"], strict=False):
        assert first["entry"] == entry
        assert first["key"] == ", ".join(
            f"{name} {events[name][entry]}" for name in ("run", "luminosityBlock", "event")
        )
        assert (np.float32(float(first["left"])), first["right"]) == (events["x"][entry], "7")
    assert [each["entry"] for each in found["nested"]["first"]] == [30]
    assert f"    entry {differing[0]} (run " in call("diff", a, b, "--by", "run,luminosityBlock,event").stdout
    for threads in (1, 4):
        assert compared(call, a, b, "--by", "run,luminosityBlock,event", "-j", threads)["events"] == [report]


def test_tolerances_and_patterns_hold(call, events, tmp_path):
    order = np.random.default_rng(1).permutation(NUM_EVENTS)
    a = write(tmp_path / "a.root", events)
    b = write(tmp_path / "b.root", in_order(dict(events, x=np.nextafter(events["x"], np.float32(9))), order))
    assert call("diff", a, b, "--by", "event").returncode == DIFFERENT
    assert call("diff", a, b, "--by", "event", "--ulps", 1).returncode == DONE
    report = compared(call, a, b, "--by", "event", "--include", "p*")
    assert (report["equal"], report["events"][0]["compared"]) == (True, 1)


def test_repeated_keys(call, tmp_path):
    """Of those with one key the first is compared with the first; those that are too many are named."""
    a = write(tmp_path / "a.root", {"event": np.array([1, 2, 2, 3, 4, 4]), "x": np.arange(6)})
    b = write(tmp_path / "b.root", {"event": np.array([4, 3, 2, 2, 2, 1]), "x": np.array([4, 3, 1, 2, 9, 0])})
    report = compared(call, a, b, "--by", "event")["events"][0]
    assert report["columns"] == []
    assert report["by"]["matched"] == 5
    assert report["by"]["only_left"] == {"number": 1, "first": ["event 4"]}
    assert report["by"]["only_right"] == {"number": 1, "first": ["event 2"]}
    assert report["by"]["repeated"] == {"number": 2, "first": ["event 2 (2 and 3)", "event 4 (2 and 1)"]}
    done = call("diff", a, a, "--by", "event")
    assert done.returncode == DONE
    assert "  2 keys of several entries: event 2 (2 and 2); event 4 (2 and 2)\n" in done.stdout


def test_keys_of_other_types(call, tmp_path):
    signed = np.array([-1, 5, 2**62], dtype=np.int64)
    unsigned = np.array([2**62, 5, 2**64 - 1], dtype=np.uint64)
    a = write(tmp_path / "a.root", {"k": signed, "z": np.array([0.0, np.nan, 0.1])})
    b = write(tmp_path / "b.root", {"k": unsigned, "z": np.array([0.1, np.nan, -0.0], dtype=np.float64)})
    by = compared(call, a, b, "--by", "k")["events"][0]["by"]
    assert (by["matched"], by["only_left"]["first"], by["only_right"]["first"]) == (
        2,
        ["k -1"],
        [f"k {2**64 - 1}"],
    )
    by = compared(call, a, b, "--by", "z")["events"][0]["by"]
    assert by["matched"] == 3
    c = write(tmp_path / "c.root", {"k": np.array(["5", "6", "7"])})
    done = call("diff", a, c, "--by", "k")
    assert done.returncode == WRONG_USAGE
    assert "the key k is std::int64_t in one and string in the other" in done.stderr


def test_what_has_no_key_is_compared_in_order(call, events, tmp_path):
    """ "Runs" beside "Events"."""
    order = np.random.default_rng(1).permutation(NUM_EVENTS)
    paths = [write(tmp_path / "a.root", events), write(tmp_path / "b.root", in_order(events, order))]
    for path in paths:
        with uproot.update(path) as file:
            file.mkrntuple("Runs", {"run": np.array([1, 2, 3])})
    report = compared(call, *paths, "--by", "run,event")
    assert report["equal"]
    assert [("by" in each) for each in report["events"]] == [True, False]


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ("evnt", 'did you mean "event"'),
        ("pt", '"pt" is list of float'),
        ("event,", "no events have the key"),
        ("event +", "no events have the key"),
    ],
)
def test_wrong_keys(call, events, tmp_path, key, problem):
    a = write(tmp_path / "a.root", events)
    done = call("diff", a, a, "--by", key)
    assert done.returncode == WRONG_USAGE, done.stdout
    assert problem in done.stderr


def test_a_key_that_one_input_lacks(call, events, tmp_path):
    a = write(tmp_path / "a.root", events)
    b = write(tmp_path / "b.root", {"run": events["run"]})
    done = call("diff", a, b, "--by", "run,event")
    assert done.returncode == WRONG_USAGE
    assert "b.root" in done.stderr
    assert "event" in done.stderr


def test_empty_inputs(call, events, tmp_path):
    a, b = (write(tmp_path / f"{n}.root", {"event": np.arange(n, dtype=np.int32)}) for n in (0, 4))
    assert compared(call, a, a, "--by", "event")["equal"]
    by = compared(call, a, b, "--by", "event")["events"][0]["by"]
    assert (by["matched"], by["only_right"]["number"]) == (0, 4)

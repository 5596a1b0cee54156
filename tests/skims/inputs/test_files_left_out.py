# SPDX-License-Identifier: BSD-3-Clause
"""What `on_bad_file: skip` leaves: with limits, the same wherever damage is found; where it leaves nothing out, why."""

import re

import numpy as np
import pytest
import uproot
from exit_codes import FAILED, INCOMPLETE

ENTRIES = 500
NAMES = ["a.root", "b.root", "c.root"]


def write(path, seed):
    """A tree of random numbers, which zlib gives a checksum."""
    x = np.random.default_rng(seed).normal(size=ENTRIES)
    with uproot.recreate(path, compression=uproot.ZLIB(1)) as file:
        file.mktree("Events", {"x": "float64"}).extend({"x": x})
    return x


def damage_values(path, tree="Events"):
    """Found when they are read."""
    with uproot.open(path) as file:
        branch = file[tree]["x"]
        place = int(branch.member("fBasketSeek")[0]) + branch.basket_key(0).fKeylen + 1000
    content = bytearray(path.read_bytes())
    content[place : place + 30] = bytes(30)
    path.write_bytes(content)


def damage_end(path):
    """Found on opening."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def config_of(files, **more):
    return {
        "schema_version": 1,
        "on_bad_file": "skip",
        "max_bad_fraction": 0.5,
        "samples": {"data": {"files": files} | more},
        "skims": {"s": {"file": "s.root", "format": "ttree"}},
    }


@pytest.fixture
def values(tmp_path):
    return {name: write(tmp_path / name, seed) for seed, name in enumerate(NAMES)}


@pytest.mark.parametrize("damage", [damage_end, damage_values])
@pytest.mark.parametrize("bad", NAMES[:2])
@pytest.mark.parametrize("limit", [501, 700, 1200])
def test_limits_count_events_of_the_other_files(job, values, tmp_path, damage, bad, limit):
    damage(tmp_path / bad)
    done = job(config_of(NAMES), "--limit-events", limit)
    assert done.returncode == INCOMPLETE, done.stderr
    expected = np.concatenate([values[name] for name in NAMES if name != bad])[:limit]
    with uproot.open(tmp_path / "s.root") as file:
        assert np.array_equal(file["Events"]["x"].array(library="np"), expected)


@pytest.mark.parametrize("bad", [["Early"], ["Late"], ["Early", "Late"]])
def test_files_are_left_out_with_all_of_their_trees(job, tmp_path, bad):
    """What lies beside them, Runs, is of all of them."""
    values = np.random.default_rng(1).normal(size=(4, ENTRIES))
    sums = {"genEventCount": np.int64, "genEventSumw": np.float64, "genEventSumw2": np.float64}
    trees = [f"{name}.root:{tree}" for name in "ab" for tree in ("Early", "Late")]
    for number, name in enumerate("ab"):
        with uproot.recreate(tmp_path / f"{name}.root", compression=uproot.ZLIB(1)) as file:
            for tree, x in zip(("Early", "Late"), values[2 * number :][:2], strict=True):
                file.mktree(tree, {"x": "float64"}).extend({"x": x})
            file.mktree("Runs", sums).extend(
                {each: np.array([10**number], kind) for each, kind in sums.items()}
            )
    for tree in bad:
        damage_values(tmp_path / "a.root", tree)
    done = job(config_of(trees, sum_weights={"runs": True, "weight": "1"}))
    assert done.returncode == INCOMPLETE, done.stderr
    assert done.stdout.count("left out: a.root") == 1
    with uproot.open(tmp_path / "s.root") as file:
        assert np.array_equal(file["Events"]["x"].array(library="np"), values[2:].ravel())
        assert file["Runs"]["genEventSumw"].array(library="np").tolist() == [10.0]
        assert file["skimline/weighted_cutflow/data"].values()[0] == 10


@pytest.mark.parametrize("damage", [damage_end, damage_values])
@pytest.mark.parametrize("bad", ["b.root", "friend.root"])
def test_files_that_friends_need_are_not_left_out(job, values, tmp_path, damage, bad):
    write(tmp_path / "friend.root", 7)
    damage(tmp_path / bad)
    done = job(config_of(["b.root"], friends={"f": {"files": ["friend.root"]}}))
    assert done.returncode == FAILED, done.stderr
    text = " ".join(done.stderr.split())
    assert bad in text
    assert text.count('"on_bad_file" does not leave it out: ') == 1
    reason = (
        'none of the files of the sample "data"' if bad == "friend.root" else 'the friend "f" go together'
    )
    assert reason in text
    assert not (tmp_path / "s.root").exists()


def test_what_is_not_left_out_is_still_a_fault_of_the_file(sk, values, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "friend.root", 7)
    damage_values(tmp_path / "b.root")
    booked = sk.book(config_of(["b.root"], friends={"f": {"files": ["friend.root"]}}))
    with pytest.raises(sk.FileError, match='"on_bad_file" does not leave it out: ') as raised:
        sk.run(booked)
    assert raised.value.path.endswith("b.root")
    assert raised.value.fault == "damaged"


@pytest.mark.parametrize("damage", [damage_end, damage_values])
def test_more_than_may_be_left_out_is_still_a_fault_of_the_file(sk, values, tmp_path, monkeypatch, damage):
    monkeypatch.chdir(tmp_path)
    damage(tmp_path / "b.root")
    with pytest.raises(sk.FileError, match='1 of 3 files of the sample "data" are damaged') as raised:
        sk.run(sk.book(config_of(NAMES) | {"max_bad_fraction": 0.2}))
    assert str(raised.value).count("max_bad_fraction") == 1
    assert raised.value.path.endswith("b.root")
    assert raised.value.fault == "damaged"
    assert not (tmp_path / "s.root").exists()


def test_merges_say_what_runs_left_out(sk, values, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    damage_values(tmp_path / "b.root")
    with pytest.warns(sk.IncompleteWarning):
        sk.run(sk.book(config_of(NAMES)))
    left_out = 'of the sample "data", by its run: b.root: '
    with pytest.warns(sk.IncompleteWarning, match=f"^m.root is incomplete: {left_out}"):
        report = sk.merge("m.root", ["s.root"])
    assert len(report.left_out) == 1
    assert report.left_out[0].startswith(left_out)


@pytest.mark.parametrize("weight", ["w", "1"])
@pytest.mark.parametrize("limit", [501, 800, 999])
def test_shards_are_normalised_by_what_all_of_them_process(job, call, tmp_path, limit, weight):
    """A limit that is shared by shards is not made up for with events that none of them has."""
    rng = np.random.default_rng(7)
    weights = {}
    for name in NAMES:
        weights[name] = rng.integers(1, 9, ENTRIES).astype(float)
        with uproot.recreate(tmp_path / name, compression=uproot.ZLIB(1)) as file:
            tree = file.mktree("Events", {"x": "float64", "w": "float64"})
            tree.extend({"x": rng.normal(size=ENTRIES), "w": weights[name]})
    damage_values(tmp_path / "a.root")
    config = config_of(NAMES, cross_section_pb=3, sum_weights=weight) | {
        "luminosity_pb": 5,
        "histograms": {
            "x": {"x": {"value": "x", "bins": 2, "range": [0, 1]}, "weight": f"{weight} * normalisation_"}
        },
        "output": {"histograms": "h.root"},
    }
    del config["skims"]
    for shard in ["1/2", "2/2"]:
        done = job(config, "--shard", shard, "--limit-events", limit)
        assert done.returncode == INCOMPLETE, done.stderr
    merged = call("merge", "all.root", "h.shard1of2.root", "h.shard2of2.root", cwd=tmp_path)
    assert merged.returncode == INCOMPLETE, merged.stderr
    assert re.findall(r"^  left out +of the sample \"data\", by its run: (\S*): ", merged.stdout, re.M) == [
        "a.root"
    ]
    with uproot.open(tmp_path / "all.root") as file:
        assert file["x"].values(flow=True).sum() == pytest.approx(15)

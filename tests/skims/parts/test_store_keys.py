# SPDX-License-Identifier: BSD-3-Clause
"""What results in a store are told apart by: what they are computed from, and how it was checked."""

import json
import os
import re
import subprocess

import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED
from uuids_of_files import UUID_OF_UPROOT3, set_uuid

NUM_ENTRIES = 6
VALUES = (np.arange(1000) + 0.5) / 1000


@pytest.fixture
def run(run_in, tmp_path):
    """Runs a config, with the store unless it shall not; the histograms by name are returned."""

    def run(config, *arguments, code=DONE, stored=True):
        store = ("--store", "store") if stored else ()
        done = run_in(tmp_path, config | {"schema_version": 1}, *store, "--force", *arguments)
        assert done.returncode == code, done.stderr
        if code != DONE:
            return done.stderr
        with uproot.open(tmp_path / "h.root") as file:
            return {name: file[name].values().tolist() for name in config["histograms"]}

    return run


def write(path, make="mktree", **columns):
    with uproot.recreate(path, compression=None) as file:
        getattr(file, make)("Events", columns)


@pytest.mark.parametrize("divided", [(1, 2), (2, 1)])
def test_files_belong_to_friends(divided, run, tmp_path):
    """The same files in the same order, of which the first friend has one, or two."""
    ids = np.arange(NUM_ENTRIES)
    write(tmp_path / "main.root", id=ids)
    parts = {0.1: ids[:3], 0.2: ids[3:], 0.3: ids[:3]}
    paths = [f"friend{number}.root" for number in range(len(parts))]
    for path, (x, some) in zip(paths, parts.items(), strict=True):
        write(tmp_path / path, id=some, x=np.full(len(some), x))

    def config(number):
        files = {"a": paths[:number], "b": paths[number:]}
        friends = {name: {"files": some, "match": ["id"]} for name, some in files.items()}
        axis = {"bins": 10, "range": [-0.5, 0.5]}
        return {
            "samples": {"s": {"files": ["main.root"], "friends": friends}},
            "defaults": {"*.x": -0.45},
            "histograms": {name: {"x": {"value": f"{name}.x", **axis}} for name in files},
            "output": {"histograms": "h.root"},
        }

    expected = [run(config(number), stored=False) for number in divided]
    assert expected[0] != expected[1]
    assert [run(config(number)) for number in divided] == expected


def test_entries_of_friends_in_order_belong_to_the_place_of_a_file(run, tmp_path):
    """The same files beside the same friend, in another order."""
    write(tmp_path / "friend.root", y=np.arange(2 * NUM_ENTRIES))
    for path, first in (("a.root", 0), ("b.root", 100)):
        write(tmp_path / path, x=first + np.arange(NUM_ENTRIES))
    axis = {"value": "x + f.y", "bins": 150, "range": [0, 150]}

    def config(*files):
        friends = {"f": {"files": ["friend.root"]}}
        return {
            "samples": {"s": {"files": list(files), "friends": friends}},
            "histograms": {"sum": {"x": axis}},
            "output": {"histograms": "h.root"},
        }

    expected = [run(config(*files), stored=False) for files in (("a.root", "b.root"), ("b.root", "a.root"))]
    assert expected[0] != expected[1]
    assert [run(config(*files)) for files in (("a.root", "b.root"), ("b.root", "a.root"))] == expected


@pytest.mark.parametrize("uuid", [UUID_OF_UPROOT3, bytes(16)], ids=["uproot 3", "none"])
def test_files_without_a_uuid_of_their_own(uuid, run, tmp_path):
    """As large as each other, and of one time, as those of an archive may be."""
    found = []
    for name, x in (("a.root", 0.1), ("b.root", 0.3)):
        path = tmp_path / name
        write(path, x=np.full(100, x))
        set_uuid(path, uuid)
        os.utime(path, (10**9, 10**9))
        config = {
            "samples": {"s": {"files": [name]}},
            "histograms": {"x": {"x": {"value": "x", "bins": 2, "range": [0, 0.4]}}},
            "output": {"histograms": "h.root"},
        }
        found.append(run(config))
    assert (tmp_path / "a.root").stat().st_size == path.stat().st_size
    assert found == [{"x": [100, 0]}, {"x": [0, 100]}]


def plain(path, make):
    """A config of values without checksums."""
    write(path, make, x=VALUES)
    return {
        "samples": {"s": {"files": [path.name]}},
        "histograms": {"x": {"x": {"value": "x", "bins": 10, "range": [0, 1]}}},
        "output": {"histograms": "h.root"},
    }


def test_what_was_read_without_checksums_is_not_taken_where_they_are_required(run, tmp_path):
    config = plain(tmp_path / "main.root", "mkrntuple")
    run(config)
    assert "has no checksum" in run(config, "--require-checksums", code=FAILED)


def test_what_was_read_without_a_file_of_checksums_is_not_taken_with_one(run, call, tmp_path):
    path = tmp_path / "main.root"
    config = plain(path, "mktree")
    assert call("verify", "--write-checksums", path).returncode == DONE
    checksums = path.with_name("main.root.checksums")
    checksums.rename(tmp_path / "kept")
    status, whole = path.stat(), path.read_bytes()
    values = VALUES.astype(">f8").tobytes()
    path.write_bytes(whole.replace(values, values[::-1]))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    run(config)
    (tmp_path / "kept").rename(checksums)
    assert "checksum" in run(config, code=FAILED)
    path.write_bytes(whole)
    assert run(config) == {"x": [100] * 10}


def commit_of(program):
    told = subprocess.run([program, "--version", "--verbose"], check=True, capture_output=True, text=True)
    return re.search(r"^commit +(\S+)$", told.stdout, re.MULTILINE).group(1)


def test_what_another_commit_has_computed_is_not_taken(skimline, tmp_path):
    """A mended fault gives other results while the version is the same."""
    config = plain(tmp_path / "main.root", "mktree") | {"schema_version": 1}
    (tmp_path / "a.json").write_text(json.dumps(config))
    commit = commit_of(skimline)
    if commit == "unknown":
        pytest.skip("the program was not built from a checkout")
    other = tmp_path / "other"
    content = skimline.read_bytes()
    other.write_bytes(content.replace(commit.encode(), commit[::-1].encode()))
    other.chmod(0o755)
    assert commit_of(other) == commit[::-1]
    found = []
    for each in (skimline, other, other):
        command = [each, "run", "--force", "--store", "store", "--report", "-", "a.json"]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
        found.append(json.loads(done.stdout)["store"]["computed"] > 0)
    assert found == [True, True, False]

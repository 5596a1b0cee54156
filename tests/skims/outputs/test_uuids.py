# SPDX-License-Identifier: BSD-3-Clause
"""UUIDs of files without records: equal contents have one, others have others."""

import itertools

import numpy as np
import pytest
import uproot
from exit_codes import DONE

NUM_EVENTS = 5000


def uuid_of(path):
    with uproot.open(path) as file:
        return str(file.file.uuid)


@pytest.fixture
def converted(call, tmp_path):
    """Writes a tree by uproot, converts it and returns the UUID."""
    numbers = itertools.count()

    def convert(columns):
        tree, ntuple = (tmp_path / f"{kind}{next(numbers)}.root" for kind in ("tree", "ntuple"))
        with uproot.recreate(tree) as file:
            file["t"] = columns
        done = call("convert", tree, "-o", ntuple)
        assert done.returncode == DONE, done.stderr
        return uuid_of(ntuple)

    return convert


def test_uuid_says_which_column_has_which_pages_and_how_it_is_called(converted) -> None:
    """All are written of the same two pages."""
    first, second = np.arange(NUM_EVENTS), np.arange(NUM_EVENTS)[::-1].copy()
    tables = [
        {"a": first, "b": second, "c": first},
        {"a": first, "b": second, "c": second},
        {"a": first, "b": second, "d": first},
    ]
    uuids = [converted(columns) for columns in tables]
    assert all(left != right for left, right in itertools.combinations(uuids, 2))
    assert converted(tables[0]) == uuids[0]


@pytest.fixture(params=[["copy", "--cluster-size", "0"], ["kernel", "--cluster-size", "0"], ["rewrite"]])
def merged(request, call, tmp_path):
    """Merges two files of many columns and one that is constant."""
    method, *options = request.param
    numbers = itertools.count()

    def merge(constant):
        parts = []
        for seed in range(2):
            random = np.random.default_rng(seed)
            columns = {f"x{i}": random.normal(size=NUM_EVENTS) for i in range(10)}
            parts.append(tmp_path / f"part{next(numbers)}.root")
            with uproot.recreate(parts[-1]) as file:
                file.mkrntuple("Events", {**columns, "weight": np.full(NUM_EVENTS, constant)})
        target = tmp_path / f"merged{next(numbers)}.root"
        done = call("merge", "--method", method, *options, target, *parts)
        assert done.returncode == DONE, done.stderr
        return target

    return merge


def test_merged_files_that_differ_by_the_sign_of_weights_are_no_copies(call, merged, tmp_path) -> None:
    """Their pages are the smallest, and have one size for both signs."""
    parts = [merged(1.5), merged(-1.5)]
    assert uuid_of(parts[0]) == uuid_of(merged(1.5)) != uuid_of(parts[1])
    both = tmp_path / "both.root"
    done = call("merge", both, *parts)
    assert done.returncode == DONE, done.stderr
    weights = uproot.open(both)["Events"]["weight"].array()
    assert weights.tolist() == [1.5] * 2 * NUM_EVENTS + [-1.5] * 2 * NUM_EVENTS

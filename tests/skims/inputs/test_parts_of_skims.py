# SPDX-License-Identifier: BSD-3-Clause
"""Runs over skims of which a part is missing: they say so, whichever command lost it."""

import re

import numpy as np
import pytest
import uproot
from exit_codes import DONE, INCOMPLETE

NAMES = ["a.root", "b.root", "c.root"]
NUM_SHARDS = 3


def config_of(files, **more):
    return {"schema_version": 1, "samples": {"data": {"files": files}}} | more


@pytest.fixture
def parts(job, tmp_path):
    """The skim of a run in shards, one of which has left out a file."""
    for seed, name in enumerate(NAMES):
        with uproot.recreate(tmp_path / name) as file:
            file.mktree("Events", {"x": "float64"}).extend(
                {"x": np.random.default_rng(seed).normal(size=100)}
            )
    (tmp_path / "b.root").write_bytes((tmp_path / "b.root").read_bytes()[:500])
    skim = {"skims": {"s": {"file": "s.root"}}, "on_bad_file": "skip", "max_bad_fraction": 1}
    for number in range(1, NUM_SHARDS + 1):
        assert job(config_of(NAMES, **skim), "--shard", f"{number}/{NUM_SHARDS}").returncode == INCOMPLETE
    return [f"s.shard{number}of{NUM_SHARDS}.root" for number in range(1, NUM_SHARDS + 1)]


@pytest.fixture
def warnings_of(job):
    def run(*files):
        histogram = {"x": {"x": {"value": "x", "bins": 2, "range": [0, 1]}}}
        done = job(config_of(list(files), histograms=histogram, output={"histograms": "h.root"}))
        assert done.returncode == DONE, done.stderr
        return [line for line in done.stderr.splitlines() if re.search("is not read|left out", line)]

    return run


def missing(first, shards):
    return f"warning: {first} is of a run of which shard {shards} is not read"


def left_out(file):
    return f"warning: {file}: its run left out b.root: "


def test_shards_that_are_not_read(parts, warnings_of):
    first, second, third = parts
    for files, shards in (((first, third), "2/3"), ((third,), "1/3, 2/3")):
        told = warnings_of(*files)
        assert missing(files[0], shards) in told
        assert len(told) == 1 + len(files)
    told = warnings_of(third, first, second)
    assert len(told) == NUM_SHARDS
    for part in parts:
        assert any(line.startswith(left_out(part)) for line in told)


def test_shards_that_were_not_merged(parts, warnings_of, call, tmp_path):
    done = call("merge", "--incomplete", "some.root", *parts[:2], cwd=tmp_path)
    assert done.returncode == INCOMPLETE, done.stderr
    told = warnings_of("some.root")
    assert missing("some.root", "3/3") in told
    assert any(line.startswith(left_out("some.root")) for line in told)
    assert len(told) == 2
    assert missing("some.root", "3/3") not in warnings_of("some.root", parts[2])

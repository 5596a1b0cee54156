# SPDX-License-Identifier: BSD-3-Clause
"""Merging what is normalised: shards of one whole, and no two wholes, in whichever order."""

import itertools

import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED, INCOMPLETE

NUM_EVENTS = 100


@pytest.fixture
def made(job, tmp_path):
    """Runs over the files with these names, normalised to 50 events, into a file with the name."""
    for number, name in enumerate("ab"):
        with uproot.recreate(tmp_path / f"{name}.root") as file:
            file.mktree("Events", {"x": "float64"}).extend({"x": np.full(NUM_EVENTS, number + 0.5)})

    def run(output, inputs, *arguments):
        config = {
            "schema_version": 1,
            "luminosity_pb": 10,
            "samples": {
                "mc": {
                    "files": [f"{name}.root" for name in inputs],
                    "sum_weights": "1",
                    "cross_section_pb": 5,
                }
            },
            "histograms": {
                "x": {"x": {"value": "x", "bins": 3, "range": [0, 3]}, "weight": "normalisation_"}
            },
            "output": {"histograms": f"{output}.root"},
        }
        done = job(config, *arguments)
        assert done.returncode == DONE, done.stderr

    return run


def test_runs_over_some_of_the_inputs_of_another(made, call, tmp_path):
    """The limit makes their normalisations equal."""
    made("all", "ab", "--limit-events", NUM_EVENTS)
    made("some", "b", "--limit-events", NUM_EVENTS)
    for first, second in itertools.permutations(["all", "some"]):
        done = call("merge", "sum.root", f"{first}.root", f"{second}.root", cwd=tmp_path)
        assert done.returncode == FAILED
        assert f"only the {'first' if first == 'all' else 'second'} has a.root" in done.stderr


@pytest.mark.parametrize("others", ["one.shard2of2", "other.shard2of2", "other"])
def test_parts_of_different_runs(made, call, tmp_path, others):
    """In another order of inputs the limit leaves other events."""
    limit = ("--limit-events", NUM_EVENTS)
    made("other", "ba", *limit)
    for number in (1, 2):
        made("one", "ab", *limit, "--shard", f"{number}/2")
        made("other", "ba", *limit, "--shard", f"{number}/2")
    for order in itertools.permutations(["one.shard1of2.root", f"{others}.root"]):
        done = call("merge", "--force", "sum.root", *order, cwd=tmp_path)
        if others.startswith("one"):
            assert done.returncode == DONE, done.stderr
            with uproot.open(tmp_path / "sum.root") as file:
                assert file["x"].values().sum() == pytest.approx(50)
            continue
        assert done.returncode == FAILED
        assert "are parts of different runs, by all events of each run" in done.stderr
        done = call("merge", "--force", "--allow-overlap", "sum.root", *order, cwd=tmp_path)
        assert done.returncode == INCOMPLETE


def test_whole_runs_over_different_events(made, call, tmp_path):
    """Each has the whole cross section: together they would have it twice."""
    limit = ("--limit-events", NUM_EVENTS)
    made("one", "ab", *limit)
    made("other", "ba", *limit)
    made("same", "ab", *limit)
    done = call("merge", "sum.root", "one.root", "other.root", cwd=tmp_path)
    assert done.returncode == FAILED
    assert "which are different runs, by all events of each run" in done.stderr
    assert not (tmp_path / "sum.root").exists()
    again = call("merge", "sum.root", "one.root", "same.root", cwd=tmp_path)
    assert again.returncode == FAILED
    assert "have both processed entries 0 to 100" in again.stderr
    assert (
        call("merge", "--allow-overlap", "sum.root", "one.root", "other.root", cwd=tmp_path).returncode
        == DONE
    )

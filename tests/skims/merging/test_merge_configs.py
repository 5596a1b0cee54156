# SPDX-License-Identifier: BSD-3-Clause
"""Merging outputs of one sample that were made by several configs."""

import json

import pytest
from exit_codes import DONE


@pytest.fixture
def merged(job, call, generate, tmp_path):
    """The sentences of `merge` on two runs, each over a file of its own, with these changes of the config."""
    for name, seed in (("a", 1), ("b", 2)):
        generate("dimuon", tmp_path / f"{name}.root", 50, "--seed", seed)

    def merge(**changed):
        for name, changes in (("a", {}), ("b", changed)):
            config = {
                "schema_version": 1,
                "samples": {"s": {"files": [f"{name}.root"]}},
                "select": [{"name": "muons", "where": "nMuon >= 1"}],
                "histograms": {"met": {"x": {"value": "MET_pt", "bins": 5, "range": [0, 50]}}},
                "output": {"histograms": f"{name}_histograms.root"},
            }
            done = job(config | changes)
            assert done.returncode == DONE, done.stderr
        inputs = ("a_histograms.root", "b_histograms.root")
        done = call("merge", "--json", "all.root", *inputs, cwd=tmp_path)
        assert done.returncode == DONE, done.stderr
        shown = call("merge", "all.root", *inputs, cwd=tmp_path).stdout
        sentences = json.loads(done.stdout)["differing_configs"]
        assert all(f"  configs    {each}\n" in shown for each in sentences)
        assert ("  configs" in shown) == bool(sentences)
        return sentences

    return merge


def test_other_cuts_are_told(merged):
    assert merged(select=[{"name": "muons", "where": "nMuon >= 2"}]) == [
        'the sample "s" is of configs that differ in "select", in a_histograms.root and b_histograms.root'
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"require_checksums": True},
        {"samples": {"s": {"files": ["./b.root"]}, "other": {"files": ["a.root"]}}},
    ],
    ids=["the same", "no result depends on it", "another sample beside"],
)
def test_what_decides_nothing_is_not(merged, changes):
    assert merged(**changes) == []

# SPDX-License-Identifier: BSD-3-Clause
"""Skims whose `passed_variations` mean other variations, merged and read together."""

import json

import numpy as np
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE

OTHER = (
    'bit 1 of "passed_variations" is "up" in a.root, and bit 1 of "passed_variations" is "other" in b.root'
)


@pytest.fixture(params=["rntuple", "ttree"])
def skims(request, job, generate, tmp_path):
    """Writes a.root and b.root, with one variation each of these names."""

    def write(a, b):
        for name, variation, seed in (("a", a, 1), ("b", b, 2)):
            generate("dimuon", tmp_path / f"in_{name}.root", 500, "--seed", seed)
            config = {
                "schema_version": 1,
                "samples": {"s": {"files": [f"in_{name}.root"]}},
                "variations": {variation: {"columns": {"MET_pt": "MET_pt * 2.f"}}},
                "select": [{"name": "met", "where": "MET_pt > 20"}],
                "skims": {
                    "s": {
                        "file": f"{name}.root",
                        "keep": ["MET_pt"],
                        "variations": True,
                        "format": request.param,
                    }
                },
            }
            done = job(config)
            assert done.returncode == DONE, done.stderr

    return write


@pytest.fixture
def read(job):
    """Runs over both, with changes of the config."""

    def run(where, files=("a.root", "b.root"), **changes):
        return job(
            {
                "schema_version": 1,
                "samples": {"s": {"files": list(files)}},
                "select": [{"name": "up", "where": where}],
                "histograms": {"met": {"x": {"value": "MET_pt", "bins": 5, "range": [0, 50]}}},
                "output": {"histograms": "h.root"},
            }
            | changes
        )

    return run


def test_merges_say_which_bit_differs(skims, call, tmp_path):
    skims("up", "other")
    done = call("merge", "--json", "all.root", "a.root", "b.root", cwd=tmp_path)
    assert done.returncode == DONE, done.stderr
    ((merged,),) = (found for key in ("ntuples", "trees") if (found := json.loads(done.stdout)[key]))
    assert merged["other_bits"] == [OTHER]
    assert f"    bits     {OTHER}\n" in call("merge", "all.root", "a.root", "b.root", cwd=tmp_path).stdout


def test_runs_say_so_where_they_use_or_keep_the_bits(skims, read):
    skims("up", "other")
    warning = (
        'files of the sample "s" differ: bit 1 of "passed_variations" is "up" in some, and bit 1 of '
        '"passed_variations" is "other" in others'
    )
    used = read("passed_variations & 2")
    assert used.returncode == DONE and used.stderr.count(warning) == 1, used.stderr
    kept = read("true", skims={"t": {"file": "t.root", "keep": ["passed_variations"]}})
    assert kept.returncode == DONE and kept.stderr.count(warning) == 1, kept.stderr
    unused = read("MET_pt > 30")
    assert unused.returncode == DONE and "passed_variations" not in unused.stderr
    named = read('bits(passed_variations, "up")')
    assert named.returncode == WRONG_USAGE
    assert 'the files describe the bits "up" of "passed_variations" differently' in named.stderr


def test_nothing_is_said_of_bits_that_are_the_same(skims, read, call, tmp_path):
    skims("up", "up")
    for name in ("a", "b"):
        assert uproot.open(tmp_path / f"{name}.root")["Events/passed_variations"].array().to_list()
    merged = call("merge", "all.root", "a.root", "b.root", cwd=tmp_path)
    assert merged.returncode == DONE and "bits" not in merged.stdout
    used = read('bits(passed_variations, "up") && passed_variations & 2')
    assert used.returncode == DONE and "differ" not in used.stderr


def test_bits_have_the_names_of_variations(skims, read, tmp_path):
    skims("up", "other")
    done = read('bits(passed_variations, "up") && !bits(passed_variations, "nominal")', files=["a.root"])
    assert done.returncode == DONE, done.stderr
    passed = np.asarray(uproot.open(tmp_path / "a.root")["Events/passed_variations"].array(library="np"))
    counted = uproot.open(tmp_path / "h.root")["met"].values(flow=True).sum()
    assert counted == np.count_nonzero((passed & 3) == 2) > 0

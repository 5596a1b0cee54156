# SPDX-License-Identifier: BSD-3-Clause
"""Merging what was made of files that have one UUID, as of uproot 3, or none: they are told apart all the same."""

import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED
from uuids_of_files import UUID_OF_UPROOT3, set_uuid

NUM_EVENTS = 100


@pytest.fixture(params=[UUID_OF_UPROOT3, bytes(16)], ids=["uproot 3", "none"])
def files(request, tmp_path):
    """As large as each other, with as many events."""
    for number, name in enumerate("abc"):
        with uproot.recreate(tmp_path / f"{name}.root", compression=None) as file:
            file["Events"] = {"x": np.full(NUM_EVENTS, number + 0.5)}
        set_uuid(tmp_path / f"{name}.root", request.param)


def config_for(*names, **more):
    """The file of histograms is called after the inputs."""
    return {
        "schema_version": 1,
        "luminosity_pb": 10,
        "samples": {
            "mc": {"files": [f"{name}.root" for name in names], "sum_weights": "1", "cross_section_pb": 5}
        },
        "histograms": {"x": {"x": {"value": "x", "bins": 3, "range": [0, 3]}}},
        "output": {"histograms": "".join(names) + "_h.root"},
    } | more


def test_wholes_are_not_added_up(files, job, call, tmp_path):
    for name in "ab":
        config = config_for(name, weights={"lumi": "normalisation_"})
        config["histograms"]["x"]["weight"] = "weight_"
        assert job(config).returncode == DONE
    done = call("merge", tmp_path / "sum.root", tmp_path / "a_h.root", tmp_path / "b_h.root")
    assert done.returncode == FAILED
    assert "by the inputs of each, which differ: only the second has b.root" in done.stderr


def test_shards_of_other_files_are_no_whole(files, job, call, tmp_path):
    made = []
    for names, shards in (("ab", (1, 2)), ("ac", (2,))):
        for shard in shards:
            config = config_for(*names, skims={"s": {"file": f"{names}.root"}})
            for key in ("sum_weights", "cross_section_pb"):
                del config["samples"]["mc"][key]
            assert job(config, "--shard", f"{shard}/2").returncode == DONE
            made.append(tmp_path / f"{names}.shard{shard}of2.root")
    assert call("merge", tmp_path / "whole.root", *made[:2]).returncode == DONE
    done = call("merge", tmp_path / "other.root", made[0], made[2])
    assert done.returncode == FAILED
    assert "shard 2/2" in done.stderr

# SPDX-License-Identifier: BSD-3-Clause
"""Skims of lists that some files lack, with a default in their place, which has other sizes than the lists beside it."""

from itertools import chain

import pytest
import uproot
from exit_codes import DONE

NUM_SHARDS = 4
KEPT = ["event", "nMuon", "Muon_pt", "Muon_dz"]


@pytest.fixture(scope="module", params=["rntuple", "ttree"])
def inputs(request, generate, call, run_in, tmp_path_factory):
    """A file with all columns, and one that lacks Muon_dz."""
    folder = tmp_path_factory.mktemp(request.param)
    for seed, (name, dropped) in enumerate([("whole", "PV_npvs"), ("without", "Muon_dz")]):
        generate("dimuon", folder / "in.root", 2000 + seed, "--seed", seed, "--format", request.param, "-f")
        skim = {"file": f"{name}.root", "format": request.param, "drop": [dropped]}
        config = {
            "schema_version": 1,
            "samples": {"d": {"files": ["in.root"]}},
            "skims": {"s": {**skim, "keep": ["*"]}},
        }
        done = run_in(folder, config)
        assert done.returncode == DONE, done.stderr
    return folder


def column(path, name):
    tree = uproot.open(path)["Events"]
    return tree[name if name in tree.keys(recursive=False) else name.replace("_", ".")].array().to_list()


@pytest.mark.parametrize("output", ["rntuple", "ttree"])
@pytest.mark.parametrize("files", [["whole.root", "without.root"], ["without.root", "whole.root"]])
def test_parts_of_the_run_have_the_columns_of_the_whole(inputs, call, run_in, files, output) -> None:
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": files}},
        "defaults": {"Muon_dz": []},
        "skims": {"s": {"file": "s.root", "format": output, "keep": KEPT}},
    }
    done = run_in(inputs, config, "-f")
    assert done.returncode == DONE, done.stderr
    for number in range(1, NUM_SHARDS + 1):
        assert call("run", "-f", "--shard", f"{number}/{NUM_SHARDS}", "a.json", cwd=inputs).returncode == DONE
    done = call("merge", "-f", "m.root", *sorted(inputs.glob("s.shard*.root")), cwd=inputs)
    assert done.returncode == DONE, done.stderr
    expected = []
    for file in files:
        events = column(inputs / file, "event")
        expected += column(inputs / file, "Muon_dz") if file == "whole.root" else [[]] * len(events)
    for path in (inputs / "s.root", inputs / "m.root"):
        assert column(path, "Muon_dz") == expected
        assert column(path, "Muon_pt") == [*chain(*(column(inputs / file, "Muon_pt") for file in files))]

# SPDX-License-Identifier: BSD-3-Clause
"""The configs of the ADL benchmark queries fill every bin as the references do."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
import reference_awkward
import uproot

CONFIGS = sorted((Path(__file__).resolve().parents[2] / "configs" / "adl").glob("*.json"))


def place(config: Path, events: Path, histograms: Path) -> str:
    """The config with other files. The rest stays as it is written, comments too."""
    text, inputs = re.subn(r'("files":\s*\[)[^\]]*\]', rf'\g<1>"{events}:Events"]', config.read_text())
    text, outputs = re.subn(r'("output":\s*\{\s*"histograms":\s*)"[^"]*"', rf'\g<1>"{histograms}"', text)
    assert (inputs, outputs) == (1, 1), config
    return text


def histogram_names(file):
    """Those of the config, not of the record beside them."""
    return [name for name in file.keys(cycle=False) if not name.startswith("skimline")]


def read_histograms(path: Path) -> dict[str, np.ndarray]:
    """The contents of all histograms of a file, flow bins included."""
    with uproot.open(path) as file:
        return {name: file[name].values(flow=True) for name in histogram_names(file)}


@pytest.fixture(params=CONFIGS, ids=lambda config: config.stem)
def config(request) -> Path:
    return request.param


@pytest.fixture
def filled(config, events, skimline, tmp_path) -> dict[str, np.ndarray]:
    """What the config fills."""
    (tmp_path / "a.json").write_text(place(config, events, tmp_path / "histograms.root"))
    done = subprocess.run([skimline, "run", tmp_path / "a.json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return read_histograms(tmp_path / "histograms.root")


def test_every_config_is_a_query():
    assert CONFIGS
    assert {config.stem for config in CONFIGS} <= set(reference_awkward.QUERIES)


@pytest.mark.thorough(quick=4)
@pytest.mark.parametrize("reference", ["awkward", "rdataframe"], ids=["awkward", "RDataFrame"])
def test_bins_are_those_of_the_reference(request, config, events, filled, reference):
    expected = request.getfixturevalue(reference)(events, config.stem)
    assert set(filled) == set(expected)
    for name, counts in expected.items():
        np.testing.assert_array_equal(filled[name], counts, err_msg=name)

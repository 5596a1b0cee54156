# SPDX-License-Identifier: BSD-3-Clause
"""The configs of the AGC fill every bin of every variation as the references do."""

import json
import subprocess
from pathlib import Path

import agc_awkward
import agc_rdataframe
import pytest
import uproot
from agc_comparison import assert_same
from agc_definition import Contents, Histograms

CONFIGS = Path(__file__).resolve().parents[2] / "configs" / "agc"


def read_histograms(path: Path) -> Histograms:
    """Those of the config, not of the record beside them."""
    with uproot.open(path) as file:
        names = [name for name in file.keys(cycle=False) if not name.startswith("skimline")]
        return {
            name: Contents(file[name].values(flow=True), file[name].variances(flow=True)) for name in names
        }


def run(skimline: Path, version: str, inputs: Path, target: Path, *options: str) -> bytes:
    """Runs the config of a version, with other inputs, and returns the file it writes."""
    samples = json.dumps({"file": str(inputs), "tree": "Events"})
    command = [skimline, "run", CONFIGS / f"ttbar_{version}.json", *options]
    command += ["--set", f"samples_from={samples}", "--set", f"output.histograms.file={target}"]
    command += ["--set", "output.report=false"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target.read_bytes()


@pytest.fixture(scope="module")
def filled(skimline, inputs, version, tmp_path_factory) -> Histograms:
    """What the config fills."""
    target = tmp_path_factory.mktemp("filled") / "histograms.root"
    run(skimline, version, inputs, target)
    return read_histograms(target)


@pytest.mark.parametrize("reference", [agc_awkward, agc_rdataframe], ids=["awkward", "RDataFrame"])
def test_bins_are_those_of_the_reference(filled, filled_by, inputs, version, reference):
    assert_same(filled, filled_by(reference, inputs, version))


def test_histograms_do_not_depend_on_the_number_of_threads(skimline, all_inputs, version, tmp_path):
    one, four = (
        run(skimline, version, all_inputs["snapshot"], tmp_path / "histograms.root", "-j", threads)
        for threads in ("1", "4")
    )
    assert one == four

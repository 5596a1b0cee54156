# SPDX-License-Identifier: BSD-3-Clause
"""Other modules of the same process bring libraries of their own, which must not be taken for ours."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "build" / "release" / "python"
SCRIPT = """
import sys, warnings
warnings.simplefilter("ignore")
for module in sys.argv[2:]:
    __import__(module)
if "ROOT" in sys.modules:
    sys.modules["ROOT"].RDataFrame(1).Count().GetValue()
import skimline as sk
events = sk.open(sys.argv[1])
for compression in ("zstd:5", "zstd:19", "lz4:4", "lz4:9", "zlib:6", "lzma:5"):
    name = compression.replace(":", "_")
    sk.run(events.skim(f"{name}.root", keep=["Muon_*", "MET_pt"], compression=compression, name="s"))
"""


def written(dimuon, folder, modules):
    folder.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    command = [sys.executable, "-c", SCRIPT, dimuon, *modules]
    done = subprocess.run(command, env=environment, cwd=folder, check=False, capture_output=True, text=True)
    if "an older oneTBB than the one that skimline was built with" in done.stderr:
        pytest.skip("the oneTBB of ROOT is too old for the module, which says so")
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("modules", [["ROOT"], ["pyarrow", "zstandard", "lz4.block"]])
def test_skims_have_the_same_bytes(dimuon, tmp_path, modules):
    beside, alone = written(dimuon, tmp_path / "beside", modules), written(dimuon, tmp_path / "alone", [])
    assert len(alone) == 6
    assert {name for name, content in alone.items() if beside[name] != content} == set()


CORRECTIONS = """
import sys
for module in sys.argv[3:]:
    __import__(module)
import correctionlib, numpy, skimline as sk, uproot
dimuon, file = sys.argv[1:3]
theirs = correctionlib.CorrectionSet.from_file(file)["muon_id"]
config = {
    "schema_version": 1,
    "samples": {"data": {"files": [dimuon]}},
    "corrections": {"sf": {"file": file, "correction": "muon_id", "inputs": {"systematic": "systup"}}},
    "define": {"factor": "sf(1.5, MET_pt)"},
    "skims": {"out": {"file": "out.root", "keep": ["MET_pt", "factor"]}},
}
sk.run_config(config)
events = uproot.open("out.root")["Events"].arrays()
expected = theirs.evaluate(1.5, numpy.asarray(events["MET_pt"], float), "systup")
assert numpy.asarray(events["factor"]).tobytes() == expected.tobytes()

del config["corrections"]["sf"]["inputs"]
config["define"]["factor"] = "sf(1.5, MET_pt, 'none')"
for fail, kind in [(lambda: theirs.evaluate(1.5, 30.0, "none"), IndexError), (lambda: sk.run_config(config), sk.Error)]:
    try:
        fail()
    except kind as error:
        assert "Index not available in Category" in str(error)
    else:
        raise AssertionError(kind)
"""


@pytest.mark.parametrize("first", ["correctionlib", "skimline"])
def test_correctionlib_may_be_used_beside_ours(dimuon, tmp_path, first):
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    file = ROOT / "tests" / "project" / "muon_sf.json"
    command = [sys.executable, "-c", CORRECTIONS, dimuon, file, first]
    done = subprocess.run(command, env=environment, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

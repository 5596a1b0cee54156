# SPDX-License-Identifier: BSD-3-Clause
"""Other modules of the same process bring libraries of their own, which must not be taken for ours."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
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
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build" / "release" / "python")}
    command = [sys.executable, "-c", SCRIPT, dimuon, *modules]
    subprocess.run(command, env=environment, cwd=folder, check=True, capture_output=True)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("modules", [["ROOT"], ["pyarrow", "zstandard", "lz4.block"]])
def test_skims_have_the_same_bytes(dimuon, tmp_path, modules):
    beside, alone = written(dimuon, tmp_path / "beside", modules), written(dimuon, tmp_path / "alone", [])
    assert len(alone) == 6
    assert {name for name, content in alone.items() if beside[name] != content} == set()

# SPDX-License-Identifier: BSD-3-Clause
"""Files whose records begin at byte 64, as the first versions of ROOT and Geant4 write them, not at 100."""

import struct

import numpy as np
import pytest
import uproot
from exit_codes import DONE
from uproot.writing import _cascade


class ShortHeader(_cascade.FileHeader):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._allocation = self._begin = 64


@pytest.fixture
def old_file(tmp_path, monkeypatch):
    monkeypatch.setattr(_cascade, "FileHeader", ShortHeader)
    path = tmp_path / "old.root"
    with uproot.recreate(path) as file:
        file.mktree("hits", {"energy": "f8", "layer": "i4"})
        file["hits"].extend({"energy": np.arange(1000) / 8, "layer": np.arange(1000) % 7})
        file["deposits"] = np.histogram(np.arange(100) % 10, bins=10)
    header = path.read_bytes()[:100]
    assert struct.unpack(">i", header[8:12]) == (64,)
    assert any(header[84:])  # what would lead to checksums in a file of ours
    return path


def test_they_are_read(call, old_file, tmp_path):
    converted = tmp_path / "new.root"
    assert call("convert", f"{old_file}:hits", "-o", converted).returncode == DONE
    with uproot.open(converted) as file:
        arrays = file["hits"].arrays()
    assert arrays["energy"].tolist() == (np.arange(1000) / 8).tolist()
    assert arrays["layer"].tolist() == (np.arange(1000) % 7).tolist()


def test_their_histograms_are_merged(call, old_file, tmp_path):
    merged = tmp_path / "merged.root"
    assert call("merge", merged, old_file).returncode == DONE
    with uproot.open(merged) as file:
        assert file["deposits"].values().tolist() == [10.0] * 10

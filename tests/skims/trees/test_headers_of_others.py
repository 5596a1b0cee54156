# SPDX-License-Identifier: BSD-3-Clause
"""Files whose headers are not those of ROOT: with records from byte 64 on, not from 100, as Geant4 and the first
versions of ROOT write them; with wide numbers or a negative version, and a UUID of its own, as early versions of uproot did."""

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


class LargeHeader(_cascade.FileHeader):
    big = True
    version = 61800


class NegativeVersion(_cascade.FileHeader):
    version = 61800 - 1000000


def write(path):
    with uproot.recreate(path) as file:
        file.mktree("hits", {"energy": "f8", "layer": "i4"})
        file["hits"].extend({"energy": np.arange(1000) / 8, "layer": np.arange(1000) % 7})
        file["deposits"] = np.histogram(np.arange(100) % 10, bins=10)


@pytest.fixture
def short(tmp_path, monkeypatch):
    monkeypatch.setattr(_cascade, "FileHeader", ShortHeader)
    write(tmp_path / "in.root")
    header = (tmp_path / "in.root").read_bytes()[:100]
    assert struct.unpack(">i", header[8:12]) == (64,)
    assert any(header[84:])  # what would lead to checksums in a file of ours
    return tmp_path / "in.root"


@pytest.fixture
def large(tmp_path, monkeypatch):
    monkeypatch.setattr(_cascade, "FileHeader", LargeHeader)
    write(tmp_path / "in.root")
    content = (tmp_path / "in.root").read_bytes()
    assert struct.unpack(">i", content[4:8]) == (1061800,)
    assert content.count(content[59:75]) == 1  # the UUID
    return tmp_path / "in.root"


@pytest.fixture
def negative(tmp_path, monkeypatch):
    monkeypatch.setattr(_cascade, "FileHeader", NegativeVersion)
    write(tmp_path / "in.root")
    content = (tmp_path / "in.root").read_bytes()
    assert struct.unpack(">i", content[4:8]) == (-938200,)
    assert content.count(content[47:63]) == 1  # the UUID
    return tmp_path / "in.root"


@pytest.fixture(params=["short", "large", "negative"])
def path(request):
    return request.getfixturevalue(request.param)


def test_they_are_read(call, path, tmp_path):
    converted = tmp_path / "new.root"
    assert call("convert", f"{path}:hits", "-o", converted).returncode == DONE
    with uproot.open(converted) as file:
        arrays = file["hits"].arrays()
    assert arrays["energy"].tolist() == (np.arange(1000) / 8).tolist()
    assert arrays["layer"].tolist() == (np.arange(1000) % 7).tolist()


def test_they_are_merged(call, path, tmp_path):
    merged = tmp_path / "merged.root"
    assert call("merge", merged, path).returncode == DONE
    with uproot.open(merged) as file:
        assert file["deposits"].values().tolist() == [10.0] * 10
        assert file["hits"]["layer"].array().tolist() == (np.arange(1000) % 7).tolist()


def test_they_are_not_called_damaged(call, path):
    assert call("verify", path).returncode == DONE

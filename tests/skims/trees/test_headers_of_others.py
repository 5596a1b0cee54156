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


# With the bytes that say so, and where they are.
HEADERS = {
    "short": (ShortHeader, 8, 64),
    "large": (LargeHeader, 4, 1061800),
    "negative": (NegativeVersion, 4, -938200),
}


@pytest.fixture(params=HEADERS)
def path(tmp_path, monkeypatch, request):
    header, place, number = HEADERS[request.param]
    monkeypatch.setattr(_cascade, "FileHeader", header)
    path = tmp_path / "in.root"
    write(path)
    content = path.read_bytes()
    assert struct.unpack_from(">i", content, place) == (number,)
    if header is ShortHeader:
        assert any(content[84:100])  # what would lead to checksums in a file of ours
    else:
        uuid = content[59:75] if header is LargeHeader else content[47:63]
        assert content.count(uuid) == 1  # the directory has another
    return path


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


def test_descriptions_of_classes_behind_a_key_of_another_size_are_recovered(call, tmp_path, monkeypatch):
    """As Geant4 writes them. Its trees are of an old version, which nothing else describes."""
    own_key = _cascade.Key

    def key(*arguments, **options):
        made = own_key(*arguments, **options)
        if made._name.string == "StreamerInfo":
            made._title = _cascade.String(None, "no such list")
        return made

    monkeypatch.setattr(_cascade, "Key", key)
    write(tmp_path / "in.root")
    assert b"no such list" in (tmp_path / "in.root").read_bytes()
    done = call("recover", tmp_path / "in.root", tmp_path / "out.root")
    assert done.returncode == DONE, done.stderr
    assert "no descriptions of classes" not in done.stdout + done.stderr
    with uproot.open(tmp_path / "in.root") as before, uproot.open(tmp_path / "out.root") as after:
        classes = {name: sorted(versions) for name, versions in before.file.streamers.items()}
        assert {name: sorted(versions) for name, versions in after.file.streamers.items()} == classes
        assert after["hits"]["layer"].array().tolist() == (np.arange(1000) % 7).tolist()

# SPDX-License-Identifier: BSD-3-Clause
"""Files of every compression, as ROOT and uproot read them."""

import json
import re
import subprocess
from pathlib import Path

import pytest

ak = pytest.importorskip("awkward")
uproot = pytest.importorskip("uproot")
ROOT = pytest.importorskip("ROOT", reason="ROOT is the oracle of these tests")

NUM_EVENTS = 8000
# Each: how configs spell it, ROOT's number, what all chunks hold.
COMPRESSIONS = [
    ("none", 0, None),
    ("zstd:1", 501, b"ZS\x01"),
    ("zstd:19", 519, b"ZS\x01"),
    ("lz4:1", 401, b"L4\x01"),
    ("lz4:12", 412, b"L4\x01"),
    ("zlib", 101, b"ZL\x08"),
    ("zlib:1", 101, b"ZL\x08"),
    ("zlib:6", 106, b"ZL\x08"),
    ("zlib:9", 109, b"ZL\x08"),
    ("lzma:1", 201, b"\xfd7zXZ\x00"),
    ("lzma", 207, b"\xfd7zXZ\x00"),
    ("lzma:9", 209, b"\xfd7zXZ\x00"),
]


def generate(skimline: Path, path: Path, compression: str) -> Path:
    arguments = ["--events", str(NUM_EVENTS), "--seed", "3", "-o", path, "--compression", compression]
    subprocess.run([skimline, "generate", "dimuon", *arguments], check=True, capture_output=True)
    return path


def read_by_uproot(path: Path, name: str = "Events") -> "ak.Array":
    return uproot.open(f"{path}:{name}").arrays()


def read_by_root(path: Path, folder: Path) -> "ak.Array":
    """The columns as ROOT reads them, by way of a copy that ROOT writes."""
    options = ROOT.RDF.RSnapshotOptions()
    options.fOutputFormat = ROOT.RDF.ESnapshotOutputFormat.kRNTuple
    ROOT.RDataFrame("Events", str(path)).Snapshot("Events", str(folder / "copy.root"), "", options)
    return read_by_uproot(folder / "copy.root")


@pytest.fixture(scope="module")
def uncompressed(skimline: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file without compression."""
    return generate(skimline, tmp_path_factory.mktemp("uncompressed") / "none.root", "none")


def assert_holds(path: Path, uncompressed: Path, folder: Path) -> None:
    expected = read_by_uproot(uncompressed)
    assert len(expected) == NUM_EVENTS
    for found in (read_by_uproot(path), read_by_root(path, folder)):
        assert sorted(found.fields) == sorted(expected.fields)
        for field in expected.fields:
            assert ak.array_equal(found[field], expected[field]), field


def assert_compressed(skimline: Path, path: Path, number: int, begin: bytes | None) -> None:
    """The chunks are of that compression alone, and ROOT finds it declared."""
    data = path.read_bytes()
    for other in {begin for *_, begin in COMPRESSIONS if begin}:
        assert (data.count(other) > 3) == (other == begin), other
    text = ROOT.std.ostringstream()
    ROOT.RNTupleReader.Open("Events", str(path)).PrintInfo(ROOT.ENTupleInfo.kStorageDetails, text)
    assert re.findall(r"^ *Compression: *(\d+)$", str(text.str()), re.MULTILINE) == [str(number)]
    subprocess.run([skimline, "verify", path], check=True, capture_output=True)


@pytest.mark.thorough(quick=2)
@pytest.mark.parametrize(("compression", "number", "begin"), COMPRESSIONS)
def test_generated_files(
    skimline: Path, tmp_path: Path, uncompressed: Path, compression: str, number: int, begin: bytes | None
) -> None:
    path = generate(skimline, tmp_path / "generated.root", compression)
    assert_compressed(skimline, path, number, begin)
    assert_holds(path, uncompressed, tmp_path)
    if begin:
        assert path.stat().st_size < uncompressed.stat().st_size


@pytest.mark.thorough(quick=2)
@pytest.mark.parametrize(("compression", "number", "begin"), COMPRESSIONS)
def test_skims(
    skimline: Path, tmp_path: Path, uncompressed: Path, compression: str, number: int, begin: bytes | None
) -> None:
    config = {
        "schema_version": 1,
        "samples": {"dimuon": {"files": [str(uncompressed)]}},
        "skims": {"all": {"file": "skim.root", "compression": compression}},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    subprocess.run([skimline, "run", tmp_path / "config.json"], check=True, capture_output=True)
    assert_compressed(skimline, tmp_path / "skim.root", number, begin)
    assert_holds(tmp_path / "skim.root", uncompressed, tmp_path)

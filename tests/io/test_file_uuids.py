# SPDX-License-Identifier: BSD-3-Clause
"""UUIDs of files, as ROOT and uproot read them."""

import struct
import subprocess
from pathlib import Path

import numpy as np
import uproot
from root_types import ROOT

NO_UUID = "00000000-0000-0000-0000-000000000000"


def our_uuids(build_folder: Path, paths: list[Path]) -> list[str]:
    """What our reader finds in each file."""
    command = [str(build_folder / "tests" / "io" / "io_file_uuids"), *map(str, paths)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()


def root_uuid(path: Path) -> str:
    """What ROOT finds in a file."""
    file = ROOT.TFile.Open(str(path))
    uuid = str(file.GetUUID().AsString())
    file.Close()
    return uuid


def uproot_uuid(path: Path) -> str:
    """What uproot finds in a file."""
    with uproot.open(path) as file:
        return str(file.file.uuid)


def expect_equal(build_folder: Path, paths: list[Path]) -> list[str]:
    """Compares ours with ROOT's and uproot's. uproot takes that of the header: of files with RNTuples only ROOT leaves it
    empty, and those that uproot writes have another one there."""
    found = our_uuids(build_folder, paths)
    assert found == [root_uuid(path) for path in paths]
    for path, uuid in zip(paths, found, strict=True):
        assert "_uproot" in path.name or uproot_uuid(path) in (uuid, NO_UUID)
    return found


def test_files_of_others(build_folder, shared_data):
    """Files of many versions of ROOT, with short and long offsets."""
    paths = sorted(shared_data.glob("*.root"))
    assert len(paths) > 10
    found = expect_equal(build_folder, paths)
    assert len(set(found)) > len(found) / 2


def test_new_files_of_root_and_uproot(build_folder, tmp_path):
    """Files that are written now, each with another UUID."""
    for name in ("a", "b"):
        # Directories without objects have no list of keys.
        file = ROOT.TFile(str(tmp_path / f"{name}.root"), "RECREATE")
        file.mkdir("dir").mkdir("inner")
        file.Close()
        with uproot.recreate(tmp_path / f"{name}_uproot.root") as other:
            other["tree"] = {"x": np.arange(10)}
    found = expect_equal(build_folder, sorted(tmp_path.glob("*.root")))
    assert len(set(found)) == 4


def test_our_files(build_folder, skimline, tmp_path):
    """Files that we write."""
    paths = [tmp_path / "one.root", tmp_path / "two.root"]
    for events, path in enumerate(paths, 10):
        subprocess.run([skimline, "generate", "dimuon", "--events", str(events), "-o", path], check=True)
    found = expect_equal(build_folder, paths)
    assert len(set(found)) == 2


def test_directories_of_the_first_version_have_none(build_folder, tmp_path):
    """The oldest files end their top directory before the UUID."""
    path = tmp_path / "old.root"
    with uproot.recreate(path) as file:
        file["tree"] = {"x": np.arange(10)}
    content = bytearray(path.read_bytes())
    begin, _, _, _, _, name_size = struct.unpack_from(">iiiiii", content, 8)
    (version,) = struct.unpack_from(">h", content, begin + name_size)
    assert version % 1000 > 1
    struct.pack_into(">h", content, begin + name_size, version - version % 1000 + 1)
    path.write_bytes(content)
    assert our_uuids(build_folder, [path]) == [""]

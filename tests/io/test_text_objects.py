# SPDX-License-Identifier: BSD-3-Clause
"""Texts as objects of ROOT files: ROOT and uproot read ours, and we read theirs."""

import json
import subprocess

import pytest
import ROOT
import uproot

TEXTS = [
    "a",
    "Größe µ",
    "x" * 254,
    "x" * 255,
    "ü" * 200,
    json.dumps({"configs": [{"a": list(range(3000))}]}),
]


@pytest.fixture
def program(build_folder):
    return build_folder / "tests" / "io" / "io_text_objects"


def write(program, folder, compression):
    for number, text in enumerate(TEXTS):
        (folder / f"{number}.txt").write_text(text)
    path = folder / "texts.root"
    files = [folder / f"{number}.txt" for number in range(len(TEXTS))]
    subprocess.run([program, "write", path, compression, *files], check=True)
    return path


@pytest.mark.parametrize("compression", ["none", "zstd:5", "lz4", "zlib:1", "lzma:7"])
def test_root_and_uproot_read_ours(program, tmp_path, capfd, compression):
    path = write(program, tmp_path, compression)
    theirs = ROOT.TFile(str(path))
    ours = uproot.open(path)
    for number, text in enumerate(TEXTS):
        assert theirs.Get(f"dir/{number}").GetString().Data() == text
        assert ours[f"dir/{number}"] == text
    theirs.Close()
    assert capfd.readouterr().err == ""


def test_objects_are_those_that_root_streams(program, tmp_path):
    path = write(program, tmp_path, "none")
    copies = ROOT.TFile(str(tmp_path / "copies.root"), "RECREATE", "", 0)
    for number, text in enumerate(TEXTS):
        copies.WriteTObject(ROOT.TObjString(text), str(number))
    copies.Write()
    ours = ROOT.TFile(str(path))
    for number in range(len(TEXTS)):
        keys = [ours.GetDirectory("dir").GetKey(str(number)), copies.GetKey(str(number))]
        assert keys[0].GetTitle() == keys[1].GetTitle()
        contents = [
            file.read_bytes()[key.GetSeekKey() + key.GetKeylen() : key.GetSeekKey() + key.GetNbytes()]
            for file, key in zip((path, tmp_path / "copies.root"), keys, strict=True)
        ]
        assert contents[0] == contents[1]


@pytest.mark.parametrize("settings", [0, 101, 207, 404, 505])
def test_we_read_those_of_root(program, tmp_path, settings):
    path = tmp_path / "theirs.root"
    file = ROOT.TFile(str(path), "RECREATE", "", settings)
    folder = file.mkdir("some/folder", "", True)
    for number, text in enumerate(TEXTS):
        folder.WriteTObject(ROOT.TObjString(text), f"t{number}")
    file.Close()
    for number, text in enumerate(TEXTS):
        found = subprocess.run(
            [program, "read", path, f"some/folder/t{number}"], check=True, capture_output=True
        )
        assert found.stdout.decode() == text


def test_we_read_those_of_uproot(program, tmp_path):
    path = tmp_path / "theirs.root"
    with uproot.recreate(path) as file:
        for number, text in enumerate(TEXTS):
            file[f"t{number}"] = text
    for number, text in enumerate(TEXTS):
        found = subprocess.run([program, "read", path, f"t{number}"], check=True, capture_output=True)
        assert found.stdout.decode() == text

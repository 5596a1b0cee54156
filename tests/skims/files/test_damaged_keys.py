# SPDX-License-Identifier: BSD-3-Clause
"""What no checksum covers in files of ROOT, but the file says twice: flipped bits in the keys of records, and in front of an anchor."""

import re
import struct
import subprocess

import pytest
from exit_codes import DONE, FAILED

ROOT = pytest.importorskip("ROOT", reason="ROOT writes the files, which have no checksums")

KEY = {"size of the record": 0, "size of the object": 6, "size of the key": 14, "cycle": 16, "place": 18}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The bytes of a file, and where the records of its RNTuple and of its histogram begin."""
    path = tmp_path_factory.mktemp("keys") / "sound.root"
    file = ROOT.TFile(str(path), "RECREATE")
    with ROOT.RNTupleWriter.Append(ROOT.RNTupleModel.Create(), "Events", file) as writer:
        writer.Fill(writer.CreateEntry())
    folder = file.mkdir("plots")
    folder.WriteObject(ROOT.TH1F("h", "", 3, 0, 3), "h")
    places = {"Events": file.GetKey("Events").GetSeekKey(), "h": folder.GetKey("h").GetSeekKey()}
    places["plots"] = file.GetKey("plots").GetSeekKey()
    file.Close()
    return path.read_bytes(), places


def verify(skimline, folder, content):
    path = folder / "flipped.root"
    path.write_bytes(content)
    return subprocess.run([skimline, "verify", path], capture_output=True, text=True)


def flipped(content, byte, bit=1):
    return content[:byte] + bytes([content[byte] ^ bit]) + content[byte + 1 :]


@pytest.mark.parametrize("part", KEY)
@pytest.mark.parametrize("name", ["Events", "h", "plots"])
def test_keys_that_differ_from_the_list(skimline, tmp_path, written, name, part):
    content, places = written
    assert verify(skimline, tmp_path, content).returncode == DONE
    done = verify(skimline, tmp_path, flipped(content, places[name] + KEY[part] + 1))
    assert done.returncode == FAILED
    assert "another key than the list of keys" in done.stdout + done.stderr


def test_names_of_directories(skimline, tmp_path, written):
    """A flipped bit in either would be another directory in merged files."""
    content, _ = written
    names = [found.start() for found in re.finditer(rb"TDirectory(File)?\x05plots", content)]
    done = [verify(skimline, tmp_path, flipped(content, content.index(b"plots", name))) for name in names]
    found = ["another key than the list of keys" in each.stdout for each in done if each.returncode == FAILED]
    # The third name is that in front of the list of its own keys, which nothing reads.
    assert len(names) == 3 and found == [True, True]


def test_own_key_of_the_file(skimline, tmp_path, written):
    """No list has it, but name and title follow it once more; its class may be any of a file."""
    content, _ = written
    (size,) = struct.unpack_from(">H", content, 100 + KEY["size of the key"])
    class_name = content.index(b"TFile", 100)
    for byte in [
        100 + KEY["size of the key"] + 1,
        100 + KEY["place"] + 3,
        *range(class_name + 5, 100 + 2 * size - 40),
    ]:
        done = verify(skimline, tmp_path, flipped(content, byte))
        assert done.returncode == FAILED, byte
        assert "key at byte 100" in done.stdout, byte


def test_byte_count_of_an_anchor(skimline, tmp_path, written):
    content, places = written
    (key_size,) = struct.unpack_from(">H", content, places["Events"] + KEY["size of the key"])
    for byte in range(4):
        done = verify(skimline, tmp_path, flipped(content, places["Events"] + key_size + byte))
        assert done.returncode == FAILED
        assert "has a wrong byte count" in done.stdout + done.stderr


def test_merges_of_such_files(skimline, tmp_path, written):
    """A flipped bit in the name of the list would be the name of another histogram in the output."""
    content, places = written
    inputs = {"sound.root": content, "number.root": flipped(content, places["h"] + KEY["place"] + 3)}
    own = content.index(b"TH1F\x01h", places["h"])
    (listed,) = (found.start() for found in re.finditer(rb"TH1F\x01h", content) if found.start() != own)
    inputs["name.root"] = flipped(content, listed + 5)
    results = {}
    for name, changed in inputs.items():
        (tmp_path / name).write_bytes(changed)
        merged = [skimline, "merge", "--include", "plots/*", "-f", tmp_path / "merged.root", tmp_path / name]
        results[name] = subprocess.run(merged, capture_output=True, text=True)
    assert results.pop("sound.root").returncode == DONE
    for done in results.values():
        assert done.returncode == FAILED
        assert "another key than the list of keys" in done.stderr

# SPDX-License-Identifier: BSD-3-Clause
"""RNTuples of ROOT before 6.34 are called what they are. No such file is at hand: one is made with their class."""

import json
import struct

import pytest

CLASS = "ROOT::Experimental::RNTuple"
MESSAGE = '"Staff" is a pre-release RNTuple, written by ROOT before 6.34'


def text(value):
    return bytes([len(value)]) + value.encode()


def key(class_name, name, title, offset, payload_size):
    texts = text(class_name) + text(name) + text(title)
    size = 26 + len(texts)
    head = struct.pack(">iHIIHHII", size + payload_size, 4, payload_size, 0x14210000, size, 1, offset, 100)
    return head + texts


def file_with_one_object(class_name, name, payload):
    """The ROOT container: header, top directory, the object and the list of keys."""
    top = key("TFile", "old.root", "", 100, 0)
    names = text("old.root") + text("")
    directory_size = 30 + 18
    object_at = 100 + len(top) + len(names) + directory_size
    listed = key(class_name, name, "", object_at, len(payload))
    list_at = object_at + len(listed) + len(payload)
    keys = struct.pack(">I", 1) + listed
    list_key = key("TFile", "old.root", "", list_at, len(keys))
    end = list_at + len(list_key) + len(keys)
    name_size = len(top) + len(names)
    directory = struct.pack(">HIIIIIII", 5, 0, 0, len(list_key) + len(keys), name_size, 100, 0, list_at)
    header = b"root" + struct.pack(">IIIIIIIBIII", 62800, 100, end, 0, 0, 0, name_size, 4, 505, 0, 0)
    return (
        header.ljust(100, b"\0")
        + key("TFile", "old.root", "", 100, len(names) + directory_size)
        + names
        + directory.ljust(directory_size, b"\0")
        + listed
        + payload
        + list_key
        + keys
    )


@pytest.fixture
def old(tmp_path):
    (tmp_path / "old.root").write_bytes(file_with_one_object(CLASS, "Staff", bytes(70)))
    return tmp_path


CONFIG = {
    "schema_version": 1,
    "samples": {"s": {"files": ["old.root"]}},
    "histograms": {"x": {"x": {"value": "x", "bins": 1, "range": [0, 1]}}},
    "output": {"histograms": "h.root"},
}


@pytest.mark.parametrize("name", ["old.root", "old.root:Staff"])
@pytest.mark.parametrize("command", [["run"], ["convert", "-o", "new.root"], ["inspect"], ["verify"]])
def test_every_command_says_so(call, old, command, name):
    arguments = [name]
    if command[0] == "run":
        (old / "a.json").write_text(json.dumps(CONFIG | {"samples": {"s": {"files": [name]}}}))
        arguments = ["a.json"]
    elif command[0] == "verify":
        arguments = ["old.root"]
    done = call(command[0], *arguments, *command[1:], cwd=old)
    assert MESSAGE in done.stdout + done.stderr
    # The objects of a file are listed, whatever they are.
    assert done.returncode == (0 if command[0] == "inspect" and name == "old.root" else 1)


def test_they_are_not_recovered_without_their_pages(call, old):
    done = call("recover", "old.root", "new.root", cwd=old)
    assert done.returncode == 1
    assert MESSAGE in done.stderr
    assert not (old / "new.root").exists()


def test_inspect_says_so_as_json(call, old):
    (listed,) = json.loads(call("inspect", "--json", "old.root", cwd=old).stdout)["objects"]
    assert listed["class"] == CLASS and listed["problem"].startswith(MESSAGE)

# SPDX-License-Identifier: BSD-3-Clause
"""Files whose UUID tells them from no other."""

import uproot

UUID_OF_UPROOT3 = bytes.fromhex("30d5f5ea7e0b11e8a2447e531facbeef")


def set_uuid(path, uuid):
    """In both places that have it."""
    content = bytearray(path.read_bytes())
    with uproot.open(path) as file:
        header = file.file.uuid.bytes
    begin = int.from_bytes(content[8:12], "big") + int.from_bytes(content[28:32], "big")
    size = len(content)
    content[47:63] = uuid
    content[begin + 32 : begin + 48] = uuid
    assert len(content) == size
    assert header not in bytes(content)
    path.write_bytes(content)
    with uproot.open(path) as file:
        assert file.file.uuid.bytes == uuid

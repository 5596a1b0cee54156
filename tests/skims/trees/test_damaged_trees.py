# SPDX-License-Identifier: BSD-3-Clause
"""Damaged bytes of TTrees: found where the format allows it, never a crash, and never values of other sizes."""

import random

import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED
from written_inputs import COMPRESSIONS

ENTRIES = 4000
CODECS = ["zlib", "lzma", "lz4"]


def write(path, compression):
    random_numbers = np.random.default_rng(5)
    with uproot.recreate(path, compression=compression) as file:
        tree = file.mktree("Events", {"x": "float32", "n": "int32", "j": "var * float64"})
        for _ in range(4):
            counts = random_numbers.integers(0, 5, ENTRIES // 4)
            lists = np.round(random_numbers.normal(size=counts.sum()), 1)
            tree.extend(
                {
                    "x": np.round(random_numbers.normal(size=ENTRIES // 4), 1).astype("float32"),
                    "n": np.arange(ENTRIES // 4, dtype="int32"),
                    "j": [list(each) for each in np.split(lists, np.cumsum(counts)[:-1])],
                }
            )
    return path


def baskets(path):
    """Where the payload of each basket begins and ends."""
    with uproot.open(path) as file:
        tree = file["Events"]
        return [
            (int(seek) + branch.basket_key(i).fKeylen, int(seek) + int(size))
            for branch in tree.branches
            for i, (seek, size) in enumerate(
                zip(
                    branch.member("fBasketSeek")[: branch.num_baskets],
                    branch.member("fBasketBytes")[: branch.num_baskets],
                    strict=True,
                )
            )
        ]


@pytest.mark.parametrize("codec", CODECS)
def test_compressions_with_checksums_find_every_flip(call, tmp_path, codec):
    path = write(tmp_path / "a.root", COMPRESSIONS[codec])
    assert call("verify", path).stdout.startswith("readable")
    whole = path.read_bytes()
    generator = random.Random(codec)
    found = 0
    # Baskets that do not shrink are stored raw.
    places = [place for place in baskets(path) if whole[place[0] : place[0] + 2] in (b"ZL", b"XZ", b"L4")]
    assert places
    for _ in range(30):
        begin, end = generator.choice(places)
        flipped = bytearray(whole)
        # Behind the nine bytes in front of the compressed data, of which some are not used.
        flipped[generator.randrange(begin + 9, end)] ^= 1 << generator.randrange(8)
        path.write_bytes(flipped)
        done = call("verify", path)
        assert done.returncode in (DONE, FAILED), done.stderr
        found += done.returncode == FAILED and "damaged" in done.stdout
    assert found == 30


def test_any_flip_is_an_error_or_reads_values(call, tmp_path):
    path = write(tmp_path / "a.root", uproot.ZSTD(1))
    whole = path.read_bytes()
    generator = random.Random(2)
    for _ in range(60):
        flipped = bytearray(whole)
        flipped[generator.randrange(len(whole))] ^= 1 << generator.randrange(8)
        path.write_bytes(flipped)
        for command in (("verify", path), ("inspect", path), ("convert", path, "-o", tmp_path / "b.root")):
            done = call(*command)
            assert done.returncode in (0, 1, 3), (command, done.stderr)
            assert "fault of skimline" not in done.stderr


def test_any_end_of_a_file_is_an_error(call, tmp_path):
    path = write(tmp_path / "a.root", uproot.ZLIB(1))
    whole = path.read_bytes()
    for size in range(0, len(whole), len(whole) // 25):
        path.write_bytes(whole[:size])
        done = call("verify", path)
        assert done.returncode == FAILED, size

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the inputs that fuzzing of exact sums begins with: bodies of records, built after docs/histogram-files.md."""

import struct
from pathlib import Path

CORPUS = Path(__file__).resolve().parent / "corpus" / "exact_sums"
EMPTY_WINDOW = -1000


def text(string: str) -> bytes:
    return struct.pack("<I", len(string.encode())) + string.encode()


def axis(kind: int, flags: int, bins: int, after: bytes) -> bytes:
    return struct.pack("<BB", kind, flags) + text("label") + text("GeV") + struct.pack("<i", bins) + after


def regular(bins: int) -> bytes:
    return axis(0, 3, bins, struct.pack("<dd", -1, 1))


def position_sum(window: int, part: int) -> bytes:
    return struct.pack("<iB", window, 0) + part.to_bytes(16, "little", signed=True) + bytes(32)


def array(numbers: list[int], *, is_first: bool = False) -> bytes:
    words = b"".join(number.to_bytes(8, "little") for number in numbers)
    planes = [words[plane::8] for plane in range(8)]
    used = [plane for plane in range(8) if any(planes[plane]) or (is_first and plane == 0)]
    return bytes([sum(1 << plane for plane in used)]) + b"".join(planes[plane] for plane in used)


def body(storage: int, entries: int, axes: list[bytes], after: bytes) -> bytes:
    head = bytes([storage]) + text("title") + text("Events") + struct.pack("<QQQI", entries, 1, 2, len(axes))
    return head + b"".join(axes) + after


def cells(numbers: list[int], *, is_first: bool) -> bytes:
    """One sum of all cells: low numbers in the first two places."""
    first = array(numbers, is_first=is_first)
    return struct.pack("<i", 0) + first + array([]) + array([7] * len(numbers)) + 3 * array([])


def cells_of(places: int, *, is_first: bool) -> bytes:
    """One sum of three cells, as the second version has it: low numbers in the last place too."""
    first, last = array([1, 0, 2], is_first=is_first), array([3, 4, 5])
    return struct.pack("<iB", 0, places) + first + array([]) + 2 * (places - 2) * array([]) + last + array([])


def inputs() -> dict[str, bytes]:
    sums = 2 * position_sum(0, -12345) + 2 * position_sum(EMPTY_WINDOW, 0) + position_sum(1, 1 << 100)
    edges = axis(1, 1, 2, struct.pack("<ddd", 0, 0.1, 5))
    integers = axis(2, 3, 4, struct.pack("<dd", -2, 2))
    strings = axis(3, 8, 2, text("a") + text("ü"))
    numbers = axis(4, 0, 2, struct.pack("<qq", -7, 1 << 40))
    no_position = position_sum(EMPTY_WINDOW, 0)
    return {
        "counts": body(
            0, 1000, [regular(3)], 2 * position_sum(0, 5) + array([1, 2, 300, 4, 0], is_first=True)
        ),
        "weighted": body(
            1, 9, [edges, integers], sums + b"".join(cells([2, 3] * 12, is_first=i == 0) for i in range(2))
        ),
        "profile": body(
            2,
            9,
            [strings],
            2 * no_position + b"".join(cells([1, 2, 3, 1 << 50], is_first=i == 0) for i in range(4)),
        ),
        "four_axes": body(
            0,
            50,
            [regular(1), numbers, strings, axis(0, 4, 2, struct.pack("<dd", 0, 6.25))],
            8 * no_position + array([0] * 191 + [49], is_first=True),
        ),
        "many_places": body(
            1,
            9,
            [regular(1)],
            struct.pack("<iBB", 2, 0, 5)
            + b"".join(part.to_bytes(16, "little") for part in (7, 0, 0, 0, 9))
            + struct.pack("<iBB", EMPTY_WINDOW, 0, 3)
            + bytes(48)
            + cells_of(8, is_first=True)
            + cells_of(20, is_first=False),
        ),
        "many_cells": body(0, 0, [regular(100_000_000)], 2 * no_position + b"\x01" + bytes(100)),
    }


if __name__ == "__main__":
    CORPUS.mkdir(parents=True, exist_ok=True)
    for name, content in inputs().items():
        (CORPUS / name).write_bytes(content)

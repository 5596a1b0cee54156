# SPDX-License-Identifier: BSD-3-Clause
"""What uproot reads of an RNTuple that was written from arrays, and texts to write."""

import awkward as ak
import uproot

TEXTS = ["", "pt", "größer", "日本語 🎉", "a\0b", "x" * 300]


def read(path, name="Events"):
    with uproot.open(path) as file:
        return file[name].arrays()


def check(path, name, expected):
    """uproot reads the values of a column, of the same types."""
    found = read(path)[name]
    assert len(found) == len(expected)
    assert ak.array_equal(found, expected, dtype_exact=True, equal_nan=True, check_parameters=False), name

# SPDX-License-Identifier: BSD-3-Clause
"""Columns in memory as a file of either kind, written by uproot, and the compressions that it has."""

import numpy
import uproot

COMPRESSIONS = {
    "zstd": uproot.ZSTD(1),
    "lz4": uproot.LZ4(1),
    "zlib": uproot.ZLIB(1),
    "lzma": uproot.LZMA(1),
}


def write(path, columns, kind):
    """Writes arrays, by name, as the "tree" or "rntuple" Events; in trees, lists have a branch of their sizes."""
    with uproot.recreate(path) as file:
        if kind == "rntuple":
            file.mkrntuple("Events", columns)
            return path
        types = {
            name: array.dtype if isinstance(array, numpy.ndarray) else array.type.content
            for name, array in columns.items()
        }
        file.mktree("Events", types).extend(columns)
    return path

# SPDX-License-Identifier: BSD-3-Clause
"""Compares the answers of two programs; exits with 4 and says what differs if they do.

answers.py histogram OURS.root BINS.json     contents of all bins; one fill of 100 000 may lie in another, as functions
                                             of the C library have other last bits than ours
answers.py histograms OURS.root BINS.json    the same of several histograms, {name: contents}
answers.py skim OURS.root THEIRS.root        entries and values of all columns, in any order of entries
"""

import json
import sys
from pathlib import Path

import awkward
import numpy
import uproot

GOLDEN = numpy.uint64(0x9E3779B97F4A7C15)


def mix(words: numpy.ndarray) -> numpy.ndarray:
    """Returns a 64-bit hash of each word (the finalizer of splitmix64)."""
    words = (words ^ (words >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return words ^ (words >> numpy.uint64(31))


def bits(values: numpy.ndarray) -> numpy.ndarray:
    """Returns the bit patterns as 64-bit words, so that -0 differs from 0 and NaN equals itself."""
    return numpy.ascontiguousarray(values).view(f"u{values.dtype.itemsize}").astype(numpy.uint64)


def entry_hashes(column: awkward.Array) -> numpy.ndarray:
    """Returns one hash per entry of a flat or jagged column; the order within a list counts."""
    if column.ndim == 1:
        return mix(bits(column.to_numpy()) + GOLDEN)
    position = awkward.flatten(awkward.local_index(column)).to_numpy().astype(numpy.uint64)
    count = awkward.num(column).to_numpy().astype(numpy.uint64)
    elements = mix(mix(bits(awkward.flatten(column).to_numpy())) + (position + numpy.uint64(1)) * GOLDEN)
    ends = numpy.cumsum(count)
    sums = numpy.concatenate([numpy.zeros(1, numpy.uint64), numpy.cumsum(elements, dtype=numpy.uint64)])
    return mix(sums[ends] - sums[ends - count] + count)


def summarise_skim(path: str) -> dict[str, object]:
    """Returns entries, a checksum per column, and one over whole entries that ties the columns together."""
    with uproot.open(path) as file:
        ntuple = file["Events"]
        summary: dict[str, object] = {"entries": ntuple.num_entries}
        whole = numpy.zeros(ntuple.num_entries, numpy.uint64)
        for name in sorted(ntuple.keys(recursive=False)):
            column = ntuple[name].array()
            if column.fields:  # a collection, whose members have names of their own as well
                continue
            hashes = entry_hashes(column)
            summary[name] = int(hashes.sum(dtype=numpy.uint64))
            whole = mix(whole + hashes)
    summary["whole entries"] = int(whole.sum(dtype=numpy.uint64))
    return summary


def read_histograms(path: str) -> dict[str, list[float]]:
    """Returns the contents of all one-dimensional histograms in a ROOT file, flow bins included."""
    with uproot.open(path) as file:
        kinds = file.classnames(cycle=False)
        names = [
            name
            for name, kind in kinds.items()
            if kind.startswith("TH1") and not name.startswith("skimline/")  # the record
        ]
        return {name: file[name].values(flow=True).tolist() for name in names}


def bins_by_place(histograms: dict[str, list[float]]) -> dict[str, float]:
    return {f"{name} bin {i}": content for name, bins in histograms.items() for i, content in enumerate(bins)}


def read_histogram(path: str) -> list[float]:
    """Returns the contents of the only histogram in a ROOT file, flow bins included."""
    found = read_histograms(path)
    if len(found) != 1:
        raise ValueError(f"{path}: one histogram expected, got {list(found)}")
    return next(iter(found.values()))


def differences(ours: dict, theirs: dict) -> list[str]:
    return [
        f"{key}: ours {ours.get(key)}, theirs {theirs.get(key)}"
        for key in sorted({*ours, *theirs}, key=str)
        if ours.get(key) != theirs.get(key)
    ]


def moved_fills(ours: dict, theirs: dict) -> float:
    """Returns how many fills lie in other bins; infinity if not as many fills are in all."""
    if ours.keys() != theirs.keys() or sum(ours.values()) != sum(theirs.values()):
        return float("inf")
    return sum(abs(ours[bin] - theirs[bin]) for bin in ours) / 2


def main() -> int:
    kind, ours_path, theirs_path = sys.argv[1:]
    if kind == "histogram":
        ours = dict(enumerate(read_histogram(ours_path)))
        theirs = dict(enumerate(json.loads(Path(theirs_path).read_text())))
    elif kind == "histograms":
        ours = bins_by_place(read_histograms(ours_path))
        theirs = bins_by_place(json.loads(Path(theirs_path).read_text()))
    else:
        ours, theirs = summarise_skim(ours_path), summarise_skim(theirs_path)
    faults = differences(ours, theirs)
    if kind != "skim" and moved_fills(ours, theirs) <= 1e-5 * sum(theirs.values()):
        faults = []
    for fault in faults[:10]:
        print(fault)
    return 4 if faults else 0


if __name__ == "__main__":
    with numpy.errstate(over="ignore"):
        sys.exit(main())

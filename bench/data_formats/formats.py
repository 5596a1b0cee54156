# SPDX-License-Identifier: BSD-3-Clause
"""What a format is, and those that physicists' files have: RNTuple and TTree.

Each is written and read by its own library. Every format reads columns as numpy arrays, of which the answers are computed; what does better, a database for
instance, computes them itself. Reading raises an exception for what a library reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import events
import numpy as np
from events import ANALYSED, BIN_WIDTH, BINS, FLAGS, PLOTTED, SKIMMED, Columns, type_of
from needed_bytes import Extent, baskets, pages, whole

COMPRESSIONS = ("none", "lz4", "zlib", "zstd")
LEVELS = {"lz4": 4, "zlib": 6, "zstd": 5}
# Entries of a part that is stored by itself, where a format leaves it to its users.
CHUNK = 65536


class Format:
    """A format with one writer and one reader."""

    suffix = ".bin"
    compressions: Sequence[str] = COMPRESSIONS
    has_threads = False
    written_by = ""
    """The format whose writer makes the files, if that is another one."""
    is_slow = False
    """Whether each event becomes objects of Python."""
    has_random_access = True
    checksums = "none"
    """Which there are in the files written here, and whether the reader looks at them."""

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        """Writes the flat columns, in the layout of the format."""
        raise NotImplementedError

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        """The flat columns of these names, whatever the layout."""
        raise NotImplementedError

    def sums(self, path: Path, threads: int) -> list[float]:
        return events.sums(self.read(path, ANALYSED, threads))

    def plot(self, path: Path, threads: int) -> list[int]:
        return events.plot(self.read(path, PLOTTED, threads))

    def take(self, path: Path, entries: np.ndarray) -> dict[str, np.ndarray]:
        # What cannot take entries reads all of them.
        columns = self.read(path, self.all_names(), 1)
        return {name: values[entries] for name, values in columns.items()}

    def needed(self, path: Path) -> list[Extent]:
        """The stored values that the sums read; none if the format does not say where they are."""
        return whole(path)

    def skim(self, path: Path, target: Path, cut: float, compression: str) -> None:
        """Writes the events above the cut, in the same format."""
        columns = self.read(path, self.all_names(), 1)
        chosen = columns[SKIMMED] > cut
        self.write(target, {name: values[chosen] for name, values in columns.items()}, compression)

    @staticmethod
    def all_names() -> list[str]:
        return [*PLOTTED, *(f"{hadron}_{what}" for hadron in events.HADRONS for what in events.FIELDS)]


class Skimline(Format):
    """RNTuples by Skimline."""

    kind = "rntuple"
    suffix = ".root"
    has_threads = True
    checksums = "XXH3 per page, checked"

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        import skimline

        word = compression if compression == "none" else f"{compression}:{LEVELS[compression]}"
        skimline.write(f"{path}:Events", dict(columns), compression=word, force=True, threads=1)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import skimline

        return skimline.open(f"{path}:Events").arrays(list(names), library="np", threads=threads)

    def take(self, path: Path, entries: np.ndarray) -> dict[str, np.ndarray]:
        import skimline

        events = skimline.open(f"{path}:Events")
        return events.arrays(self.all_names(), library="np", entries=entries, threads=1)

    def needed(self, path: Path) -> list[Extent]:
        return pages(path, ANALYSED)

    def sums(self, path: Path, threads: int) -> list[float]:
        import skimline

        chosen = skimline.open(f"{path}:Events").filter(" && ".join(f"{flag} == 0" for flag in FLAGS))
        columns = chosen.arrays(list(ANALYSED), library="np", threads=threads)
        return [len(columns[FLAGS[0]]), *(float(columns[name].sum()) for name in ANALYSED)]

    def skim(self, path: Path, target: Path, cut: float, compression: str) -> None:
        import skimline

        word = compression if compression == "none" else f"{compression}:{LEVELS[compression]}"
        chosen = skimline.open(f"{path}:Events").filter(f"{SKIMMED} > {cut!r}")
        booked = chosen.skim(f"{target}:Events", compression=word, format=self.kind)
        target.unlink(missing_ok=True)
        skimline.run(booked, threads=1)


class SkimlineTree(Skimline):
    """TTrees that ROOT wrote, read by Skimline."""

    kind = "ttree"
    written_by = "TTree, ROOT"
    checksums = "none"

    def needed(self, path: Path) -> list[Extent]:
        return baskets(path, ANALYSED)


class Root(Format):
    """RNTuples by ROOT's RDataFrame."""

    suffix = ".root"
    has_threads = True
    checksums = "XXH3 per page, checked"
    is_tree = False

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        import ROOT

        frame = ROOT.RDF.FromNumpy(dict(columns))
        frame.Snapshot("Events", str(path), list(columns), self.options(compression))

    def options(self, compression: str) -> Any:
        import ROOT

        options = ROOT.RDF.RSnapshotOptions()
        kind = ROOT.RDF.ESnapshotOutputFormat
        options.fOutputFormat = kind.kTTree if self.is_tree else kind.kRNTuple
        algorithms = ROOT.RCompressionSetting.EAlgorithm
        algorithm = "kUseGlobal" if compression == "none" else f"k{compression.upper()}"
        options.fCompressionAlgorithm = getattr(algorithms, algorithm)
        options.fCompressionLevel = LEVELS.get(compression, 0)
        return options

    def skim(self, path: Path, target: Path, cut: float, compression: str) -> None:
        chosen = self.frame(path, 1).Filter(f"{SKIMMED} > {cut!r}")
        chosen.Snapshot("Events", str(target), self.all_names(), self.options(compression))

    def frame(self, path: Path, threads: int) -> Any:
        import ROOT

        if threads > 1:
            ROOT.EnableImplicitMT(threads)
        return ROOT.RDataFrame("Events", str(path))

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        return {k: np.asarray(v) for k, v in self.frame(path, threads).AsNumpy(list(names)).items()}

    def sums(self, path: Path, threads: int) -> list[float]:
        kept = self.frame(path, threads).Filter(" && ".join(f"{flag} == 0" for flag in FLAGS))
        booked = [
            kept.Count(),
            *(kept.Sum["int" if type_of(n) is np.int32 else "double"](n) for n in ANALYSED),
        ]
        return [result.GetValue() for result in booked]

    def plot(self, path: Path, threads: int) -> list[int]:
        frame = self.frame(path, threads)
        booked = [
            frame.Histo1D["double"](("", "", BINS, 0, BINS * BIN_WIDTH), name)  # type: ignore[index]
            for name in PLOTTED
        ]
        counts: list[int] = []
        for each in booked:
            first, *others = (int(each.GetBinContent(i)) for i in range(1, BINS + 2))
            counts += [int(each.GetBinContent(0)) + first, *others]
        return counts

    def needed(self, path: Path) -> list[Extent]:
        return (baskets if self.is_tree else pages)(path, ANALYSED)


class RootTree(Root):
    """TTrees by ROOT's RDataFrame."""

    checksums = "none"
    is_tree = True

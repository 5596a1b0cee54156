# SPDX-License-Identifier: BSD-3-Clause
"""The formats that pyarrow's tables go into: Parquet, Arrow IPC, Lance and Vortex."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from events import ANALYSED, Columns
from formats import CHUNK, LEVELS, Format
from needed_bytes import Extent, RecordedFile, chunks_of_parquet


def table_of(columns: Columns) -> Any:
    import pyarrow

    return pyarrow.table(dict(columns))


class Parquet(Format):
    """Parquet by pyarrow; row groups of 65,536 events."""

    suffix = ".parquet"
    has_threads = True
    checks = False
    table = staticmethod(table_of)
    codecs: ClassVar = {"none": "none", "lz4": "lz4", "zlib": "gzip", "zstd": "zstd"}

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        import pyarrow.parquet

        level = None if compression in ("none", "lz4") else LEVELS[compression]
        options = {"compression": self.codecs[compression], "compression_level": level}
        pyarrow.parquet.write_table(
            self.table(columns),
            path,
            row_group_size=CHUNK,
            write_page_checksum=self.checks,
            **options,
        )

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import pyarrow
        import pyarrow.parquet

        pyarrow.set_cpu_count(threads)
        table = pyarrow.parquet.read_table(
            path, columns=list(names), use_threads=threads > 1, page_checksum_verification=self.checks
        )
        return {name: table[name].to_numpy() for name in names}

    def needed(self, path: Path) -> list[Extent]:
        return chunks_of_parquet(path, ANALYSED)


class CheckedParquet(Parquet):
    """The same with checksums of pages."""

    checks = True
    checksums = "CRC32 per page, checked if asked"


class Arrow(Format):
    """Arrow IPC by pyarrow; uncompressed files are mapped into memory."""

    suffix = ".arrow"
    has_threads = True
    compressions = ("none", "lz4", "zstd")
    table = staticmethod(table_of)

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        import pyarrow.feather

        table = self.table(columns)
        level = LEVELS[compression] if compression == "zstd" else None
        word = {"none": "uncompressed"}.get(compression, compression)
        pyarrow.feather.write_feather(table, str(path), word, compression_level=level, chunksize=CHUNK)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        table = self.stored(path, names, threads)
        return {name: table[name].to_numpy() for name in names}

    @staticmethod
    def stored(path: Path, names: Sequence[str], threads: int) -> Any:
        import pyarrow
        import pyarrow.feather

        pyarrow.set_cpu_count(threads)
        return pyarrow.feather.read_table(str(path), columns=list(names), use_threads=threads > 1)

    def take(self, path: Path, entries: np.ndarray) -> dict[str, np.ndarray]:
        table = self.stored(path, self.all_names(), 1).take(entries)
        return {name: table[name].to_numpy() for name in self.all_names()}

    stored_names: Sequence[str] = ANALYSED
    """What the sums read of the file."""

    def needed(self, path: Path) -> list[Extent]:
        import pyarrow.feather

        with path.open("rb") as file:
            recorded = RecordedFile(file, path)
            pyarrow.feather.read_table(recorded, columns=list(self.stored_names), use_threads=False)
        return recorded.extents


class Lance(Format):
    """Lance's own format, a folder."""

    suffix = ".lance"
    compressions = ("own",)
    table = staticmethod(table_of)

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        import lance

        # Overwritten data sets keep what they had before.
        shutil.rmtree(path, ignore_errors=True)
        lance.write_dataset(self.table(columns), str(path))

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import lance

        table = lance.dataset(str(path)).to_table(columns=list(names))
        return {name: table[name].to_numpy() for name in names}

    def take(self, path: Path, entries: np.ndarray) -> dict[str, np.ndarray]:
        import lance

        table = lance.dataset(str(path)).take(entries.tolist())
        return {name: table[name].to_numpy() for name in table.column_names}

    def needed(self, path: Path) -> list[Extent]:
        return []


class Vortex(Format):
    """Vortex's own format."""

    suffix = ".vortex"
    compressions = ("own",)
    has_threads = True
    table = staticmethod(table_of)

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        import vortex.io

        vortex.set_worker_threads(0)
        vortex.io.write(self.table(columns), str(path))

    @staticmethod
    def stored(path: Path, names: Sequence[str], threads: int, entries: np.ndarray | None = None) -> Any:
        import pyarrow
        import vortex

        # Whoever asks is a thread, too.
        vortex.set_worker_threads(threads - 1)
        indices = None if entries is None else vortex.array(pyarrow.array(entries))
        found = vortex.open(str(path)).scan(list(names), indices=indices)
        return found.read_all().to_arrow_table()

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        table = self.stored(path, names, threads)
        return {name: table[name].to_numpy() for name in names}

    def take(self, path: Path, entries: np.ndarray) -> dict[str, np.ndarray]:
        table = self.stored(path, self.all_names(), 1, entries)
        return {name: table[name].to_numpy() for name in self.all_names()}

    def needed(self, path: Path) -> list[Extent]:
        return []

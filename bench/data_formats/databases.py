# SPDX-License-Identifier: BSD-3-Clause
"""SQLite and DuckDB, which compute in SQL where the data are."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from arrow_formats import table_of
from events import ANALYSED, BIN_WIDTH, BINS, FLAGS, PLOTTED, SKIMMED, Columns, type_of
from formats import Extent, Format


class Sqlite(Format):
    """SQLite by Python's module; sums and bins are computed in SQL."""

    suffix = ".sqlite"
    compressions = ("none",)

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        path.unlink(missing_ok=True)
        names = list(columns)
        kinds = ", ".join(f"{n} {'INTEGER' if type_of(n) is np.int32 else 'REAL'}" for n in names)
        rows = zip(*(columns[name].tolist() for name in names), strict=True)
        with contextlib.closing(sqlite3.connect(path)) as base, base:
            base.execute(f"CREATE TABLE events ({kinds})")
            base.executemany(f"INSERT INTO events VALUES ({', '.join('?' * len(names))})", rows)

    @staticmethod
    def ask(path: Path, query: str) -> list[tuple]:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
            return base.execute(query).fetchall()

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        rows = self.ask(path, f"SELECT {', '.join(names)} FROM events")
        values = zip(*rows, strict=True)
        return {name: np.array(each, type_of(name)) for name, each in zip(names, values, strict=True)}

    def sums(self, path: Path, threads: int) -> list[float]:
        wanted = ", ".join(f"SUM({name})" for name in ANALYSED)
        condition = " AND ".join(f"{flag} = 0" for flag in FLAGS)
        return list(self.ask(path, f"SELECT COUNT(*), {wanted} FROM events WHERE {condition}")[0])

    def plot(self, path: Path, threads: int) -> list[int]:
        counts = []
        for name in PLOTTED:
            cell = f"CAST(MIN(MAX({name} / {BIN_WIDTH}, 0), {BINS}) AS INTEGER)"
            found = dict(self.ask(path, f"SELECT {cell}, COUNT(*) FROM events GROUP BY 1"))
            counts += [found.get(cell, 0) for cell in range(BINS + 1)]
        return counts

    def take(self, path: Path, entries: np.ndarray) -> dict[str, np.ndarray]:
        listed = ", ".join(str(entry + 1) for entry in entries)
        rows = self.ask(path, f"SELECT * FROM events WHERE rowid IN ({listed}) ORDER BY rowid")
        values = zip(self.all_names(), zip(*rows, strict=True), strict=True)
        return {name: np.array(each, type_of(name)) for name, each in values}

    def skim(self, path: Path, target: Path, cut: float, compression: str) -> None:
        target.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
            base.execute("ATTACH ? AS target", (f"file:{target}?mode=rwc",))
            query = f"CREATE TABLE target.events AS SELECT * FROM main.events WHERE {SKIMMED} > ?"
            base.execute(query, (cut,))
            base.commit()


class DuckDb(Format):
    """DuckDB's own format; sums are computed in SQL."""

    suffix = ".duckdb"
    compressions = ("own",)
    has_threads = True
    checksums = "per block, checked"
    stored = "events"
    table = staticmethod(table_of)

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        import duckdb

        path.unlink(missing_ok=True)
        with duckdb.connect(str(path), config={"threads": 1}) as base:
            base.register("source", self.table(columns))
            self.create(base, "SELECT * FROM source")

    def create(self, base: Any, query: str) -> None:
        """Makes the table of events of what the query gives."""
        base.execute(f"CREATE TABLE events AS {query}")

    @staticmethod
    @contextlib.contextmanager
    def asked(path: Path, query: str, threads: int = 1) -> Iterator[Any]:
        import duckdb

        with duckdb.connect(str(path), read_only=True, config={"threads": threads}) as base:
            yield base.execute(query)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        with self.asked(path, f"SELECT {', '.join(names)} FROM events", threads) as found:
            return dict(found.fetchnumpy())

    def sums(self, path: Path, threads: int) -> list[float]:
        wanted = ", ".join(f"SUM({name})" for name in ANALYSED)
        condition = " AND ".join(f"{flag} = 0" for flag in FLAGS)
        query = f"SELECT COUNT(*), {wanted} FROM events WHERE {condition}"
        with self.asked(path, query, threads) as found:
            return [float(value) for value in found.fetchone()]

    def needed(self, path: Path) -> list[Extent]:
        with self.asked(path, f"PRAGMA storage_info('{self.stored}')") as found:
            names = [each[0] for each in found.description]
            segments = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
        return segment_extents(path, [self.place_of(each) for each in segments])

    @staticmethod
    def place_of(segment: dict) -> tuple[int | None, int, bool]:
        """Block and offset of a segment, and whether the sums read it."""
        is_needed = segment["column_name"] not in PLOTTED and not segment["column_name"].endswith("IPChi2")
        return segment["block_id"], segment["block_offset"], is_needed

    def take(self, path: Path, entries: np.ndarray) -> dict[str, np.ndarray]:
        listed = ", ".join(str(entry) for entry in entries)
        query = f"SELECT {', '.join(self.all_names())} FROM events WHERE rowid IN ({listed}) ORDER BY rowid"
        with self.asked(path, query) as found:
            return dict(found.fetchnumpy())

    def skim(self, path: Path, target: Path, cut: float, compression: str) -> None:
        import duckdb

        target.unlink(missing_ok=True)
        with duckdb.connect(config={"threads": 1}) as base:
            base.execute(f"ATTACH '{path}' AS source (READ_ONLY)")
            base.execute(f"ATTACH '{target}' AS target")
            base.execute("USE target")
            self.create(base, f"SELECT * FROM source.{self.stored} WHERE {SKIMMED} > {cut!r}")


def segment_extents(path: Path, places: list[tuple[int | None, int, bool]]) -> list[Extent]:
    """Those of the needed segments, each up to the next one in its block. Constant segments have no block."""
    # The file begins with three blocks of 4 KiB.
    block_size, header = 262144, 3 * 4096
    stored = sorted(
        (block, offset, is_needed) for block, offset, is_needed in places if block not in (None, -1)
    )
    extents = []
    for number, (block, offset, is_needed) in enumerate(stored):
        following = stored[number + 1] if number + 1 < len(stored) else (None, 0, False)
        end = following[1] if following[0] == block else block_size
        if is_needed and end > offset:
            extents.append((path, header + block * block_size + offset, end - offset))
    return extents

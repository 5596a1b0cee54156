# SPDX-License-Identifier: BSD-3-Clause
"""The formats: how each is written and read by its own library.

Every format reads columns as numpy arrays, of which the answers are computed; what does better, a database for
instance, computes them itself. Reading raises an exception for what a library reports.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import events
import numpy as np
from events import ANALYSED, BIN_WIDTH, BINS, FLAGS, PLOTTED, SKIMMED, Columns, type_of

COMPRESSIONS = ("none", "lz4", "zlib", "zstd")
LEVELS = {"lz4": 4, "zlib": 6, "zstd": 5}
# Entries of a part that is stored by itself, where a format leaves it to its users.
CHUNK = 65536


class Format:
    """A format with one writer and one reader."""

    suffix = ".bin"
    compressions: Sequence[str] = COMPRESSIONS
    has_threads = False
    has_writer = True
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
    has_writer = False
    checksums = "none"


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
        return [int(each.GetBinContent(i)) for each in booked for i in range(1, BINS + 2)]


class RootTree(Root):
    """TTrees by ROOT's RDataFrame."""

    checksums = "none"
    is_tree = True


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
        import pyarrow
        import pyarrow.feather

        pyarrow.set_cpu_count(threads)
        table = pyarrow.feather.read_table(str(path), columns=list(names), use_threads=threads > 1)
        return {name: table[name].to_numpy() for name in names}


class Hdf5Columns(Format):
    """HDF5 by h5py: a chunked dataset for each column, with the shuffle filter."""

    suffix = ".h5"
    fletcher = False

    def filters(self, compression: str) -> dict[str, Any]:
        import hdf5plugin

        if compression == "zlib":
            return {"compression": "gzip", "compression_opts": LEVELS["zlib"], "shuffle": True}
        if compression == "lz4":
            return {"compression": hdf5plugin.LZ4(), "shuffle": True}
        if compression == "zstd":
            return {"compression": hdf5plugin.Zstd(clevel=LEVELS["zstd"]), "shuffle": True}
        return {}

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        import h5py

        options = {**self.filters(compression), "fletcher32": self.fletcher}
        with h5py.File(path, "w") as file:
            for name, values in columns.items():
                file.create_dataset(name, data=values, chunks=(min(CHUNK, len(values)),), **options)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import h5py
        import hdf5plugin

        assert hdf5plugin and threads == 1
        with h5py.File(path) as file:
            return {name: file[name][:] for name in names}


class CheckedHdf5(Hdf5Columns):
    """The same with Fletcher32."""

    fletcher = True
    checksums = "Fletcher32 per chunk, checked"


class Hdf5Rows(Hdf5Columns):
    """HDF5 by h5py: one chunked dataset of structs, as whole events are read and written."""

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        import h5py

        rows = np.empty(len(columns[FLAGS[0]]), [(name, type_of(name)) for name in columns])
        for name, values in columns.items():
            rows[name] = values
        with h5py.File(path, "w") as file:
            options = self.filters(compression)
            file.create_dataset("Events", data=rows, chunks=(min(CHUNK // 16, len(rows)),), **options)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import h5py
        import hdf5plugin

        assert hdf5plugin and threads == 1
        with h5py.File(path) as file:
            rows = file["Events"][:]
        return {name: rows[name] for name in names}


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
            cell = f"CAST(MIN({name} / {BIN_WIDTH}, {BINS}) AS INTEGER)"
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


class Avro(Format):
    """Avro by fastavro: records, one by one."""

    suffix = ".avro"
    compressions = ("none", "zlib", "zstd")
    codecs: ClassVar = {"none": "null", "zlib": "deflate", "zstd": "zstandard"}

    def fields(self) -> list[dict]:
        """Those of the record, as Avro's schema has them."""
        kinds = {np.int32: "int", np.float64: "double"}
        return [{"name": name, "type": kinds[type_of(name)]} for name in self.all_names()]

    def records(self, columns: Columns) -> Iterator[dict]:
        names = list(columns)
        rows = zip(*(columns[name].tolist() for name in names), strict=True)
        return (dict(zip(names, row, strict=True)) for row in rows)

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        self.store(path, self.records(columns), compression)

    def store(self, path: Path, records: Iterator[dict], compression: str) -> None:
        import fastavro

        schema = fastavro.parse_schema({"type": "record", "name": "Event", "fields": self.fields()})
        options = {"codec": self.codecs[compression], "codec_compression_level": LEVELS.get(compression)}
        with path.open("wb") as file:
            fastavro.writer(file, schema, records, **options)

    def row(self, record: dict, names: Sequence[str]) -> tuple:
        return tuple(record[name] for name in names)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import fastavro

        with path.open("rb") as file:
            rows = [self.row(record, names) for record in fastavro.reader(file)]
        values = zip(*rows, strict=True)
        return {name: np.array(each, type_of(name)) for name, each in zip(names, values, strict=True)}

    def skim(self, path: Path, target: Path, cut: float, compression: str) -> None:
        import fastavro

        with path.open("rb") as file:
            chosen = (record for record in fastavro.reader(file) if record[SKIMMED] > cut)
            self.store(target, chosen, compression)


class Protobuf(Format):
    """Protocol Buffers by Google's Python package: messages with their lengths, the whole stream compressed."""

    suffix = ".pb"

    def message(self) -> Any:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

        file = descriptor_pb2.FileDescriptorProto(name="event.proto", syntax="proto3")
        self.add_fields(file)
        pool = descriptor_pool.DescriptorPool()
        pool.Add(file)
        return message_factory.GetMessageClass(pool.FindMessageTypeByName("Event"))

    def add_fields(self, file: Any) -> None:
        self.describe(file.message_type.add(name="Event"), self.all_names())

    @staticmethod
    def describe(kind: Any, names: Sequence[str]) -> None:
        for number, name in enumerate(names, 1):
            # The types of the wire: double is 1, sint32 17.
            kind.field.add(name=name, number=number, label=1, type=17 if type_of(name) is np.int32 else 1)

    def opened(self, path: Path, mode: str, compression: str) -> Any:
        import gzip

        import lz4.frame
        import zstandard

        if compression == "none":
            return path.open(mode)
        if compression == "zlib":
            return gzip.open(path, mode, LEVELS["zlib"])
        if compression == "lz4":
            return lz4.frame.open(path, mode, compression_level=LEVELS["lz4"])
        return zstandard.open(
            path, mode, cctx=zstandard.ZstdCompressor(LEVELS["zstd"]) if "w" in mode else None
        )

    def messages(self, columns: Columns) -> Iterator[bytes]:
        make, names = self.message(), list(columns)
        for row in zip(*(columns[name].tolist() for name in names), strict=True):
            yield make(**dict(zip(names, row, strict=True))).SerializeToString()

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        self.store(path, self.messages(columns), compression)

    def store(self, path: Path, messages: Iterator[bytes], compression: str) -> None:
        with self.opened(path, "wb", compression) as file:
            for text in messages:
                file.write(len(text).to_bytes(2, "little") + text)

    def stored(self, path: Path) -> Iterator[bytes]:
        with path.open("rb") as file:
            magic = file.read(4)
        known = {b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}
        compression = "zlib" if magic[:2] == b"\x1f\x8b" else known.get(magic, "none")
        with self.opened(path, "rb", compression) as file:
            content, place = file.read(), 0
        while place < len(content):
            end = place + 2 + int.from_bytes(content[place : place + 2], "little")
            if end > len(content):
                raise ValueError("the last message is cut off")
            yield content[place + 2 : end]
            place = end

    def row(self, event: Any, names: Sequence[str]) -> list:
        return [getattr(event, name) for name in names]

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        parse = self.message().FromString
        rows = [self.row(parse(text), names) for text in self.stored(path)]
        values = zip(*rows, strict=True)
        return {name: np.array(each, type_of(name)) for name, each in zip(names, values, strict=True)}

    def skim(self, path: Path, target: Path, cut: float, compression: str) -> None:
        parse = self.message().FromString
        chosen = (text for text in self.stored(path) if getattr(parse(text), SKIMMED) > cut)
        self.store(target, chosen, compression)


class Lance(Format):
    """Lance's own format, a folder."""

    suffix = ".lance"
    compressions = ("own",)
    table = staticmethod(table_of)

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        import lance

        lance.write_dataset(self.table(columns), str(path), mode="overwrite")

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import lance

        table = lance.dataset(str(path)).to_table(columns=list(names))
        return {name: table[name].to_numpy() for name in names}

    def take(self, path: Path, entries: np.ndarray) -> dict[str, np.ndarray]:
        import lance

        table = lance.dataset(str(path)).take(entries.tolist())
        return {name: table[name].to_numpy() for name in table.column_names}

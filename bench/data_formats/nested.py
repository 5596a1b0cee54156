# SPDX-License-Identifier: BSD-3-Clause
"""The formats with nested events: two values and a list of three kaons, each a struct of eight values.

Columns given and returned are the flat ones, so that all answers can be compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import array_formats
import arrow_formats
import databases
import events
import formats
import numpy as np
import records
from events import FIELDS, HADRONS, PLOTTED, Columns, type_of
from formats import CHUNK, LEVELS
from needed_bytes import Extent, baskets, chunks_of_parquet, pages

# The sums read all fields of kaons but one.
SUMMED = tuple(field for field in FIELDS if field != "IPChi2")

PLACES = {f"{hadron}_{field}": (place, field) for place, hadron in enumerate(HADRONS) for field in FIELDS}
"""Where the value of a flat column is: the number of the kaon, and the field."""


def together(columns: Columns, field: str) -> np.ndarray:
    """One field of all kaons, in the order of events."""
    return np.stack([columns[f"{hadron}_{field}"] for hadron in HADRONS], axis=1).ravel()


def fields_of(names: Sequence[str]) -> list[str]:
    """The fields of kaons that the columns need."""
    return [field for field in FIELDS if any(PLACES.get(name, (0, ""))[1] == field for name in names)]


def apart(names: Sequence[str], plain: Columns, kaons: Columns) -> dict[str, np.ndarray]:
    """The flat columns of those of events, and of fields of all kaons, of shape (events, 3)."""
    columns = {}
    for name in names:
        if name in PLACES:
            place, field = PLACES[name]
            columns[name] = np.ascontiguousarray(kaons[field][:, place])
        else:
            columns[name] = plain[name]
    return columns


def arrow_table(columns: Columns) -> Any:
    import pyarrow

    count = len(columns[PLOTTED[0]])
    offsets = np.arange(0, 3 * count + 1, 3, dtype=np.int32)
    kaons = pyarrow.StructArray.from_arrays([together(columns, field) for field in FIELDS], list(FIELDS))
    plain = {name: columns[name] for name in PLOTTED}
    return pyarrow.table({**plain, "Kaons": pyarrow.ListArray.from_arrays(offsets, kaons)})


def stored_columns(names: Sequence[str]) -> list[str]:
    """What is read of files with lists of structs."""
    return [name for name in PLOTTED if name in names] + ["Kaons"] * bool(fields_of(names))


def arrow_columns(table: Any, names: Sequence[str]) -> dict[str, np.ndarray]:
    import pyarrow
    import pyarrow.compute

    kaons = {}
    if fields_of(names):
        lists = table["Kaons"]
        if pyarrow.compute.unique(pyarrow.compute.list_value_length(lists)).to_pylist() not in ([3], []):
            raise ValueError("an event does not have three kaons")
        parts = [chunk.flatten() for chunk in lists.chunks]
        for field in fields_of(names):
            values = [part.field(field).to_numpy(zero_copy_only=False) for part in parts]
            kaons[field] = np.concatenate(values).reshape(-1, 3)
    plain = {name: table[name].to_numpy() for name in PLOTTED if name in names}
    return apart(names, plain, kaons)


class Skimline(formats.Skimline):
    """RNTuples by Skimline, with a collection of records."""

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        import awkward
        import skimline

        word = compression if compression == "none" else f"{compression}:{LEVELS[compression]}"
        kaons = {field: awkward.unflatten(together(columns, field), 3) for field in FIELDS}
        data = {**{name: columns[name] for name in PLOTTED}, "Kaons": awkward.zip(kaons)}
        skimline.write(f"{path}:Events", data, compression=word, force=True, threads=1)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        return self.columns(path, names, threads=threads)

    def take(self, path: Path, entries: np.ndarray) -> dict[str, np.ndarray]:
        return self.columns(path, self.all_names(), threads=1, entries=entries)

    def needed(self, path: Path) -> list[Extent]:
        return pages(path, SUMMED)

    def sums(self, path: Path, threads: int) -> list[float]:
        condition = f"Sum({self.column('isMuon')}) == 0"
        columns = self.columns(path, events.ANALYSED, condition, threads=threads)
        return [len(columns[events.FLAGS[0]]), *(float(columns[name].sum()) for name in events.ANALYSED)]

    def columns(
        self, path: Path, names: Sequence[str], condition: str | None = None, **options: Any
    ) -> dict[str, np.ndarray]:
        import skimline

        source = skimline.open(f"{path}:Events")
        wanted = [name for name in PLOTTED if name in names]
        wanted += [self.column(field) for field in fields_of(names)]
        chosen = source.filter(condition) if condition else source
        found = chosen.arrays(wanted, library="np", **options)
        return apart(names, found, {field: found.get(self.column(field)) for field in FIELDS})

    @staticmethod
    def column(field: str) -> str:
        """What a field of the kaons is called in the file."""
        return f"Kaons.{field}"


class SkimlineTree(Skimline):
    """TTrees that ROOT wrote, with a list for each field, read by Skimline."""

    kind = "ttree"
    written_by = "TTree, nested, ROOT"
    checksums = "none"

    def needed(self, path: Path) -> list[Extent]:
        return baskets(path, [self.column(field) for field in SUMMED])

    @staticmethod
    def column(field: str) -> str:
        return f"Kaons_{field}"


class Root(formats.Root):
    """RNTuples by ROOT's RDataFrame, with a list for each field, since lists of structs need a compiled dictionary."""

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        import ROOT

        frame = ROOT.RDF.FromNumpy(dict(columns))
        for field in FIELDS:
            kind = "int" if type_of(field) is np.int32 else "double"
            values = ", ".join(f"{hadron}_{field}" for hadron in HADRONS)
            frame = frame.Define(f"Kaons_{field}", f"ROOT::RVec<{kind}>{{{values}}}")
        frame.Snapshot("Events", str(path), self.stored_names(), self.options(compression))

    @staticmethod
    def stored_names() -> list[str]:
        return [*PLOTTED, *(f"Kaons_{field}" for field in FIELDS)]

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        frame = self.taken_apart(self.frame(path, threads), names)
        return {k: np.asarray(v) for k, v in frame.AsNumpy(list(names)).items()}

    @staticmethod
    def taken_apart(frame: Any, names: Sequence[str]) -> Any:
        for name in names:
            if name in PLACES:
                place, field = PLACES[name]
                frame = frame.Define(name, f"Kaons_{field}.at({place})")
        return frame

    def skim(self, path: Path, target: Path, cut: float, compression: str) -> None:
        chosen = self.frame(path, 1).Filter(f"{events.SKIMMED} > {cut!r}")
        chosen.Snapshot("Events", str(target), self.stored_names(), self.options(compression))

    def sums(self, path: Path, threads: int) -> list[float]:
        kept = self.frame(path, threads).Filter("Sum(Kaons_isMuon) == 0")
        kept = self.taken_apart(kept, events.ANALYSED)
        kinds = {name: "int" if type_of(name) is np.int32 else "double" for name in events.ANALYSED}
        booked = [kept.Count(), *(kept.Sum[kind](name) for name, kind in kinds.items())]
        return [result.GetValue() for result in booked]

    def needed(self, path: Path) -> list[Extent]:
        return (baskets if self.is_tree else pages)(path, [f"Kaons_{field}" for field in SUMMED])


class RootTree(Root):
    """The same in TTrees."""

    checksums = "none"
    is_tree = True


class Parquet(arrow_formats.Parquet):
    """Parquet by pyarrow, with a list of structs; fields that are not asked for are not read."""

    table = staticmethod(arrow_table)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import pyarrow
        import pyarrow.parquet

        pyarrow.set_cpu_count(threads)
        wanted = [name for name in PLOTTED if name in names]
        wanted += [f"Kaons.list.element.{field}" for field in fields_of(names)]
        with pyarrow.parquet.ParquetFile(path, page_checksum_verification=self.checks) as file:
            return arrow_columns(file.read(wanted, use_threads=threads > 1), names)

    def needed(self, path: Path) -> list[Extent]:
        return chunks_of_parquet(path, SUMMED)


class Arrow(arrow_formats.Arrow):
    """Arrow IPC by pyarrow, with a list of structs, which is read whole."""

    table = staticmethod(arrow_table)
    stored_names = ("Kaons",)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        return arrow_columns(self.stored(path, stored_columns(names), threads), names)

    def take(self, path: Path, entries: np.ndarray) -> dict[str, np.ndarray]:
        table = self.stored(path, [*PLOTTED, "Kaons"], 1)
        return arrow_columns(table.take(entries), self.all_names())


class DuckDb(databases.DuckDb):
    """DuckDB's own format with a list of structs, and a view that takes it apart."""

    stored = "nested"
    table = staticmethod(arrow_table)

    @staticmethod
    def place_of(segment: dict) -> tuple[int | None, int, bool]:
        # The items of lists are part 1 of their column, the fields of a struct parts 1, 2 and so on.
        _, *parts = json.loads(segment["column_path"])
        is_needed = segment["column_name"] == "Kaons" and parts[:2] != [1, 1 + FIELDS.index("IPChi2")]
        return segment["block_id"], segment["block_offset"], is_needed

    def create(self, base: Any, query: str) -> None:
        parts = [f"Kaons[{place + 1}].{field} AS {name}" for name, (place, field) in PLACES.items()]
        base.execute(f"CREATE TABLE nested AS {query}")
        base.execute(
            f"CREATE VIEW events AS SELECT rowid AS rowid, {', '.join([*PLOTTED, *parts])} FROM nested"
        )


class Avro(records.Avro):
    """Avro by fastavro, with an array of records."""

    def fields(self) -> list[dict]:
        kinds = {np.int32: "int", np.float64: "double"}
        inner = [{"name": field, "type": kinds[type_of(field)]} for field in FIELDS]
        kaon = {"type": "record", "name": "Kaon", "fields": inner}
        plain = [{"name": name, "type": "double"} for name in PLOTTED]
        return [*plain, {"name": "Kaons", "type": {"type": "array", "items": kaon}}]

    def records(self, columns: Columns) -> Iterator[dict]:
        for record in super().records(columns):
            kaons = [{field: record[f"{hadron}_{field}"] for field in FIELDS} for hadron in HADRONS]
            yield {**{name: record[name] for name in PLOTTED}, "Kaons": kaons}

    def row(self, record: dict, names: Sequence[str]) -> tuple:
        kaons, places = checked_kaons(record["Kaons"]), (PLACES.get(name) for name in names)
        return tuple(
            kaons[place[0]][place[1]] if place else record[name]
            for name, place in zip(names, places, strict=True)
        )


class Protobuf(records.Protobuf):
    """Protocol Buffers by Google's Python package, with a repeated message."""

    def add_fields(self, file: Any) -> None:
        self.describe(file.message_type.add(name="Kaon"), FIELDS)
        event = file.message_type.add(name="Event")
        self.describe(event, PLOTTED)
        # The types of the wire: a message is 11, and 3 says repeated.
        event.field.add(name="Kaons", number=len(PLOTTED) + 1, label=3, type=11, type_name=".Kaon")

    def messages(self, columns: Columns) -> Iterator[bytes]:
        make = self.message()
        names = list(columns)
        for row in zip(*(columns[name].tolist() for name in names), strict=True):
            record = dict(zip(names, row, strict=True))
            kaons = [{field: record[f"{hadron}_{field}"] for field in FIELDS} for hadron in HADRONS]
            yield make(**{name: record[name] for name in PLOTTED}, Kaons=kaons).SerializeToString()

    def row(self, event: Any, names: Sequence[str]) -> list:
        kaons, places = checked_kaons(event.Kaons), (PLACES.get(name) for name in names)
        return [
            getattr(kaons[place[0]], place[1]) if place else getattr(event, name)
            for name, place in zip(names, places, strict=True)
        ]


def checked_kaons(kaons: Any) -> Any:
    if len(kaons) != len(HADRONS):
        raise ValueError("an event does not have three kaons")
    return kaons


class Hdf5Rows(array_formats.Hdf5Rows):
    """HDF5 by h5py: a dataset of structs with a list of variable length, which HDF5 does not compress."""

    compressions = ("none",)
    is_slow = True

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        import h5py

        kaon = np.dtype([(field, type_of(field)) for field in FIELDS])
        count = len(columns[PLOTTED[0]])
        kaons = np.empty(3 * count, kaon)
        for field in FIELDS:
            kaons[field] = together(columns, field)
        kind = [*((name, "f8") for name in PLOTTED), ("Kaons", h5py.vlen_dtype(kaon))]
        rows = np.empty(count, np.dtype(kind))
        for name in PLOTTED:
            rows[name] = columns[name]
        for event, of_event in enumerate(kaons.reshape(-1, 3)):
            rows["Kaons"][event] = of_event
        with h5py.File(path, "w") as file:
            file.create_dataset("Events", data=rows, chunks=(min(CHUNK // 16, count),))

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import h5py

        assert threads == 1
        with h5py.File(path) as file:
            rows = file["Events"][:]
        kaons = np.stack(rows["Kaons"])
        if kaons.shape != (len(rows), len(HADRONS)):
            raise ValueError("an event does not have three kaons")
        return apart(names, {name: np.ascontiguousarray(rows[name]) for name in PLOTTED}, kaons)


class Lance(arrow_formats.Lance):
    """Lance's own format with a list of structs, which is read whole."""

    table = staticmethod(arrow_table)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import lance

        return arrow_columns(lance.dataset(str(path)).to_table(columns=stored_columns(names)), names)

    def take(self, path: Path, entries: np.ndarray) -> dict[str, np.ndarray]:
        import lance

        return arrow_columns(lance.dataset(str(path)).take(entries.tolist()), self.all_names())


class Vortex(arrow_formats.Vortex):
    """Vortex's own format with a list of structs, which is read whole."""

    table = staticmethod(arrow_table)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        return arrow_columns(self.stored(path, stored_columns(names), threads), names)

    def take(self, path: Path, entries: np.ndarray) -> dict[str, np.ndarray]:
        table = self.stored(path, [*PLOTTED, "Kaons"], 1, entries)
        return arrow_columns(table, self.all_names())

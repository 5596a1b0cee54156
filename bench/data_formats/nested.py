# SPDX-License-Identifier: BSD-3-Clause
"""The formats with nested events: two values and a list of three kaons, each a struct of eight values.

Columns given and returned are the flat ones, so that all answers can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import events
import formats
import numpy as np
from events import FIELDS, HADRONS, PLOTTED, Columns, type_of
from formats import LEVELS

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
        return self.columns(path, names, threads, None)

    def sums(self, path: Path, threads: int) -> list[float]:
        columns = self.columns(path, events.ANALYSED, threads, "Sum(Kaons.isMuon) == 0")
        return [len(columns[events.FLAGS[0]]), *(float(columns[name].sum()) for name in events.ANALYSED)]

    @staticmethod
    def columns(path: Path, names: Sequence[str], threads: int, condition: str | None) -> dict:
        import skimline

        source = skimline.open(f"{path}:Events")
        wanted = [name for name in PLOTTED if name in names]
        wanted += [f"Kaons.{field}" for field in fields_of(names)]
        chosen = source.filter(condition) if condition else source
        found = chosen.arrays(wanted, library="np", threads=threads)
        return apart(names, found, {field: found.get(f"Kaons.{field}") for field in FIELDS})


class Parquet(formats.Parquet):
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


class Arrow(formats.Arrow):
    """Arrow IPC by pyarrow, with a list of structs, which is read whole."""

    table = staticmethod(arrow_table)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import pyarrow
        import pyarrow.feather

        pyarrow.set_cpu_count(threads)
        wanted = [name for name in PLOTTED if name in names] + ["Kaons"] * bool(fields_of(names))
        table = pyarrow.feather.read_table(str(path), columns=wanted, use_threads=threads > 1)
        return arrow_columns(table, names)


class DuckDb(formats.DuckDb):
    """DuckDB's own format with a list of structs, and a view that takes it apart."""

    stored = "nested"
    table = staticmethod(arrow_table)

    def create(self, base: Any, query: str) -> None:
        parts = [f"Kaons[{place + 1}].{field} AS {name}" for name, (place, field) in PLACES.items()]
        base.execute(f"CREATE TABLE nested AS {query}")
        base.execute(
            f"CREATE VIEW events AS SELECT rowid AS rowid, {', '.join([*PLOTTED, *parts])} FROM nested"
        )


class Avro(formats.Avro):
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


class Protobuf(formats.Protobuf):
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


class Hdf5Rows(formats.Hdf5Rows):
    """HDF5 by h5py: a dataset of structs with a list of variable length, which HDF5 does not compress."""

    compressions = ("none",)

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
            file.create_dataset("Events", data=rows, chunks=(min(formats.CHUNK // 16, count),))

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import h5py

        assert threads == 1
        with h5py.File(path) as file:
            rows = file["Events"][:]
        kaons = np.stack(rows["Kaons"])
        if kaons.shape != (len(rows), len(HADRONS)):
            raise ValueError("an event does not have three kaons")
        return apart(names, {name: np.ascontiguousarray(rows[name]) for name in PLOTTED}, kaons)


class Lance(formats.Lance):
    """Lance's own format with a list of structs, which is read whole."""

    table = staticmethod(arrow_table)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import lance

        wanted = [name for name in PLOTTED if name in names] + ["Kaons"] * bool(fields_of(names))
        return arrow_columns(lance.dataset(str(path)).to_table(columns=wanted), names)

    def take(self, path: Path, entries: np.ndarray) -> dict[str, np.ndarray]:
        import lance

        return arrow_columns(lance.dataset(str(path)).take(entries.tolist()), self.all_names())

# SPDX-License-Identifier: BSD-3-Clause
"""Writes RNTuples from arrays."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

from skimline import _core
from skimline.argument_types import checked
from skimline.arguments import checked_threads
from skimline.column_layout import Layout, Lists, Records, Scalars, Strings, Unknown, layouts_of
from skimline.column_type import (
    ListType,
    RecordType,
    ScalarType,
    StringType,
    Type,
    checked_name,
    is_known,
    parse_type,
)
from skimline.errors import ConfigError, Error, SchemaError

if TYPE_CHECKING:
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["WriteReport", "Writer", "create", "write"]

Location = Union[str, "os.PathLike[str]"]

_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "kB": 10**3, "MB": 10**6, "GB": 10**9, "B": 1}
_CLUSTER_BYTES = 32 << 20
_PAGE_BYTES = 1 << 20


@dataclass(frozen=True)
class WriteReport:
    """What was written."""

    path: str
    """The file."""
    name: str
    """The RNTuple in it, with the directories it lies in."""
    entries: int
    clusters: int
    pages: int
    bytes: int
    """Of the file."""
    bytes_in_memory: int
    """Of all values, before they were encoded."""

    def __str__(self) -> str:
        entries = "1 entry" if self.entries == 1 else f"{self.entries} entries"
        return f"{self.path}:{self.name}: {entries}, {self.bytes} bytes"


class Writer:
    """Writes one RNTuple chunk by chunk; create() makes it.

    A context manager: the file is complete when the block ends. If an exception leaves the block, no file
    remains, and one that was there before stays as it was. Threads may share a writer; the entries then stand in
    the order of the calls.
    """

    def __init__(
        self,
        location: Location,
        fields: Mapping[str, Any] | None,
        options: Mapping[str, Any],
        *,
        force: bool = False,
    ) -> None:
        self._path, name = _split(os.fspath(location))
        self._name = checked_name(name)
        self._options = dict(options)
        # The same program writes the same file again.
        program = os.path.realpath(sys.argv[0]) if sys.argv and sys.argv[0] else ""
        self._job: list[str | bytes] = [os.fsencode(self._name), os.fsencode(program)]
        self._force = force
        self._check_replaced()
        self._chunks: _core.ChunkWriter | None = None
        self._types: dict[str, Type] | None = None
        self._report: WriteReport | None = None
        self._is_over = False
        self._lock = threading.Lock()
        if fields is not None:
            self._open({name: parse_type(kind, name) for name, kind in fields.items()})

    def extend(self, data: Any) -> None:
        """Adds entries, as write() takes them.

        The first chunk decides on the columns and their types, unless create() was given `fields`. Later ones must
        have the same columns, in any order; numbers of other types are converted if no value changes by that.

        The arrays may be changed or dropped afterwards. Throws SchemaError for a chunk that does not fit, of which
        nothing is taken then; FileError if the file cannot be written, after which the writer is of no use.
        """
        layouts = layouts_of(data)
        chunks, types = self._opened(layouts)
        _check_names(layouts, types)
        fitting = [_fit(layouts[name], kind, name) for name, kind in types.items()]
        chunks.extend([layout.buffers() for layout in fitting], len(fitting[0]))

    def close(self) -> WriteReport:
        """Completes the file. Closing again only returns the report again.

        Throws SchemaError if there was no chunk and create() was not given `fields`, FileError if the file cannot
        be written, Error if the writer was left by an exception; then no file remains.
        """
        if self._report is not None:
            return self._report
        if self._is_over:
            raise Error("the writer was left before the file was complete: there is no file")
        self._is_over = True
        if self._chunks is None:
            raise SchemaError(
                "nothing was written and no fields were given: an RNTuple must have columns, fields={...} names them"
            )
        try:
            self._check_replaced()
            self._chunks.finish()
            _core.mark_as_output(os.fsencode(self._path), "write", self._job)
            self._report = WriteReport(path=self._path, name=self._name, **self._chunks.statistics)
        finally:
            self._chunks = None
        return self._report

    def _check_replaced(self) -> None:
        """Throws ConfigError if the file would replace one of another job, which may have come meanwhile."""
        if not self._force:
            _core.check_replaced(os.fsencode(self._path), "write", self._job)

    def abandon(self) -> None:
        """Leaves no file. Does nothing if it is complete."""
        self._is_over = True
        self._chunks = None

    @property
    def report(self) -> WriteReport:
        """What was written. Throws Error before the writer is closed."""
        if self._report is None:
            raise Error("the file is not complete: the report comes when the writer is closed")
        return self._report

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def _opened(self, layouts: Mapping[str, Layout]) -> tuple[_core.ChunkWriter, dict[str, Type]]:
        """The writer on the side of C++ and the columns, which are those of the first chunk."""
        with self._lock:
            if self._is_over:
                raise Error("the writer is closed")
            if self._types is None:
                types = {name: layout.type for name, layout in layouts.items()}
                for name, kind in types.items():
                    if not is_known(kind):
                        raise SchemaError(
                            f'column "{name}" is empty and has no type: give it one, by an array of a certain dtype '
                            "or by fields={...}"
                        )
                self._open(types)
            assert self._types is not None and self._chunks is not None
            return self._chunks, self._types

    def _open(self, types: dict[str, Type]) -> None:
        columns = types.items()
        specifications = [
            (checked_name(name), kind.specification()) for name, kind in columns if kind is not None
        ]
        self._chunks = _core.ChunkWriter(os.fsencode(self._path), self._name, specifications, **self._options)
        self._types = types


@checked
def write(
    location: Location,
    data: Any,
    *,
    compression: str = "auto",
    cluster_size: int | str | None = None,
    page_size: int | str | None = None,
    description: str = "",
    threads: int = 0,
    fields: Mapping[str, Any] | None = None,
    force: bool = False,
) -> WriteReport:
    """Writes columns into one RNTuple of a new file, which ROOT, uproot and Skimline read.

    Args:
        location: "file.root:name"; the name is "Events" by default and may have directories in front of it.
        data: names and columns: a mapping, an awkward array of records, a pyarrow table, a DataFrame of pandas (without
            its index) or polars, another stream of Arrow, or a structured NumPy array. See below for the columns.
        compression: "auto", for each column what is worth its time; or "none", "zstd", "lz4", "zlib" or "lzma", with a
            level: "zstd:5".
        cluster_size: bytes in memory after which a cluster ends, a number or "32 MiB", which is the default. Readers
            work on clusters in parallel.
        page_size: bytes in memory of a full page, 1 MiB by default.
        description: of the RNTuple.
        threads: how many encode and compress; 0 means one per core. The file's bytes do not depend on it.
        fields: types that columns shall have, as create() takes them.
        force: replaces any file; without it, only one that the same program has written under the same name.

    Columns have one element per entry:

    - NumPy arrays of bool, integers, float32, float64 and texts. Each further dimension becomes lists: an array of
      shape (n, 3) is written as n lists of 3.
    - awkward arrays of these, of lists of any depth, of texts, and of records. Lists of records, such as
      ak.zip({"pt": ..., "eta": ...}), become a collection, with the columns "Muon.pt" and "Muon.eta".
    - pyarrow arrays, pandas Series, plain lists, lists of lists and lists of dicts. Python's own numbers become
      int64 and float64.

    Buffers that are contiguous are taken where they are. While files are written other threads of Python run, and
    Ctrl-C ends it.

    Throws SchemaError, naming the column, for missing values (None, NA), float16, complex numbers, dates and unions,
    and if columns have different numbers of entries; FileError if the file cannot be written. The file is complete
    or absent.

    >>> import numpy as np, skimline.writing
    >>> report = skimline.writing.write("out.root:Events", {"x": np.arange(3.0), "hits": [[1, 2], [], [3]]})
    >>> report.entries
    3
    """
    options = _options(compression, cluster_size, page_size, description, threads)
    with Writer(location, fields, options, force=force) as writer:
        writer.extend(data)
    return writer.report


@checked
def create(
    location: Location,
    *,
    fields: Mapping[str, Any] | None = None,
    compression: str = "auto",
    cluster_size: int | str | None = None,
    page_size: int | str | None = None,
    description: str = "",
    threads: int = 0,
    force: bool = False,
) -> Writer:
    """Returns a writer for an RNTuple whose entries come in chunks. Arguments are those of write().

    Chunks may be of any size: they are copied and put together to clusters, which are compressed in the background.
    So the file's bytes depend on the entries and the options only, not on the chunks or on `threads`. Up to
    `threads` + 2 clusters are in memory at a time.

    Args:
        fields: names and types of the columns; without it the first chunk decides. Types are "bool", "int8" to
            "int64", "uint8" to "uint64", "float" (32 bits), "double", "string", "list of float", "list of lists of
            float", or types of NumPy. {"x": "float"} is a record, [{"pt": "float"}] are lists of records.

    Throws ConfigError for an impossible option or type, SchemaError for names that no column can have.

    >>> import numpy as np, skimline.writing
    >>> with skimline.writing.create("out.root:Events", fields={"x": "float", "hits": "list of float"}) as out:
    ...     out.extend({"x": np.zeros(2, "float32"), "hits": [[1.5], []]})
    ...     out.extend({"x": np.ones(1, "float32"), "hits": [[2.5, 3.5]]})
    >>> out.report.entries
    3
    """
    options = _options(compression, cluster_size, page_size, description, threads)
    return Writer(location, fields, options, force=force)


def _options(
    compression: str,
    cluster_size: int | str | None,
    page_size: int | str | None,
    description: str,
    threads: int,
) -> dict[str, Any]:
    return {
        "compression": compression,
        "cluster_bytes": _size("cluster_size", cluster_size, _CLUSTER_BYTES, (64 << 10, 16 << 30)),
        "page_bytes": _size("page_size", page_size, _PAGE_BYTES, (1 << 10, 256 << 20)),
        "description": description,
        "threads": checked_threads(threads),
    }


def _size(what: str, size: int | str | None, default: int, limits: tuple[int, int]) -> int:
    if size is None:
        return default
    number: int | None = size if isinstance(size, int) else None
    if isinstance(size, str):
        count = size.rstrip("BGKMik ")
        unit = size[len(count) :].strip() or "B"
        if count.isdecimal() and unit in _UNITS:
            number = int(count) * _UNITS[unit]
    if number is None or not limits[0] <= number <= limits[1]:
        least, most = limits[0] >> 10, limits[1] >> 20
        raise ConfigError(
            f'{what}: {size!r} is not from {least} KiB to {most} MiB: a number of bytes, or a text such as "32 MiB"'
        )
    return number


def _split(location: str) -> tuple[str, str]:
    """The path and the name behind the last ":", unless that is a part of the path."""
    # What follows a colon in a URL may be its port.
    if "://" in location and location.rfind(":") < location.rfind("/"):
        return location, "Events"
    path, colon, name = location.rpartition(":")
    if not colon or ".root" in name:
        return location, "Events"
    return path, name or "Events"


def _check_names(layouts: Mapping[str, Layout], types: Mapping[str, Type]) -> None:
    for what, names in (
        ("is missing", types.keys() - layouts.keys()),
        ("is new", layouts.keys() - types.keys()),
    ):
        if names:
            some = ", ".join(f'"{name}"' for name in sorted(names))
            others = ", ".join(f'"{name}"' for name in types)
            raise SchemaError(f"column {some} {what}: the columns are {others}")


def _fit(layout: Layout, kind: Type, name: str) -> Layout:
    """The column as one of a type. Throws SchemaError if a value would change."""
    import numpy as np

    if isinstance(layout, Unknown):
        return _empty(kind)
    if isinstance(layout, Scalars) and isinstance(kind, ScalarType):
        return Scalars(_convert(layout, kind, name))
    if isinstance(layout, Strings) and isinstance(kind, StringType):
        return layout
    if isinstance(layout, Lists) and isinstance(kind, ListType):
        return Lists(np.ascontiguousarray(layout.offsets), _fit(layout.item, kind.item, name))
    if isinstance(layout, Records) and isinstance(kind, RecordType):
        _check_members(layout, kind, name)
        members = kind.members.items()
        fitting = {part: _fit(layout.members[part], inner, f"{name}.{part}") for part, inner in members}
        return Records(fitting, len(layout))
    raise SchemaError(f'column "{name}" has the type {layout.type}, but {kind} was expected')


def _check_members(layout: Records, kind: RecordType, name: str) -> None:
    if layout.members.keys() != kind.members.keys():
        raise SchemaError(f'column "{name}" has the type {layout.type}, but {kind} was expected')


def _empty(kind: Type) -> Layout:
    import numpy as np

    offsets = np.zeros(1, dtype=np.int64)
    if isinstance(kind, ScalarType):
        return Scalars(np.zeros(0, dtype=kind.dtype))
    if isinstance(kind, StringType):
        return Strings(offsets, np.zeros(0, dtype=np.uint8))
    if isinstance(kind, ListType):
        return Lists(offsets, _empty(kind.item))
    assert isinstance(kind, RecordType)
    return Records({name: _empty(member) for name, member in kind.members.items()}, 0)


def _convert(layout: Scalars, kind: ScalarType, name: str) -> NDArray[Any]:
    import numpy as np

    values = layout.values
    wanted = kind.dtype
    if values.dtype == wanted or values.size == 0:
        return values.astype(wanted, copy=False)
    ranks = {"b": 0, "u": 1, "i": 1, "f": 2}
    changed = np.ones(len(values), dtype=np.bool_)
    if ranks[values.dtype.kind] <= ranks[wanted.kind]:
        with np.errstate(all="ignore"):
            converted = values.astype(wanted)
        changed = _changed(values, converted, layout.is_typed)
    if changed.any():
        first = int(changed.argmax())
        raise SchemaError(
            f'column "{name}" has the type {layout.type}, but {kind} was expected: {values[first]}, value number '
            f"{first} of the chunk, would change"
        )
    return converted


def _changed(values: NDArray[Any], converted: NDArray[Any], is_typed: bool) -> NDArray[np.bool_]:
    import numpy as np

    if values.dtype.kind == "b":
        return np.zeros(len(values), dtype=np.bool_)
    if values.dtype.kind == "f":
        lost = np.isfinite(values) & (~np.isfinite(converted) if not is_typed else converted != values)
        return np.asarray(lost, dtype=np.bool_)
    if converted.dtype.kind == "f":
        largest = 1 << (np.finfo(converted.dtype).nmant + 1)
        return np.asarray((values > largest) | (values < -largest if values.dtype.kind == "i" else False))
    limits, mine = np.iinfo(converted.dtype), np.iinfo(values.dtype)
    least, most = max(int(limits.min), int(mine.min)), min(int(limits.max), int(mine.max))
    return np.asarray((values < least) | (values > most))

# SPDX-License-Identifier: BSD-3-Clause
"""Files of Parquet and Arrow IPC, for the engine: RNTuples are made of them, and they are made of RNTuples."""

from __future__ import annotations

import base64
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from skimline import _core
from skimline.arrays import Values, arrow_lists, arrow_struct, arrow_table, arrow_values, in_parts
from skimline.errors import Error, SchemaError
from skimline.optional import require

__all__ = ["answer"]

IsStopped = Callable[[], bool]

_RECORD = b"skimline.record"
"""The key of the record in the metadata: a ROOT file, in base64, that has nothing else."""
_RUN = b"skimline.run"
"""The key of the same as JSON, as `skimline show --json` prints it."""
_ROWS = 1 << 16
"""How many rows are in memory at once while a file is read; it has no influence on what is made of it."""
_IPC = b"ARROW1"
_OPTIONS: dict[str, Any] = {
    "compression": "auto",
    "cluster_bytes": 32 << 20,
    "page_bytes": 1 << 20,
    "description": "",
    "threads": 0,
}


_FAULTS = (
    Error,
    ImportError,
    OSError,
    ValueError,
    TypeError,
    KeyError,
    NotImplementedError,
    MemoryError,
    OverflowError,
)
"""Those of Arrow are among them."""


class _Stopped(Exception):  # noqa: N818  no error
    """The engine has asked to stop."""


def answer(request: dict[str, Any], is_stopped: IsStopped) -> tuple[bool, str]:
    """Does what the engine asks for. Returns whether that was possible, and the result, or why it was not."""
    try:
        return True, _DEEDS[request["do"]](request, is_stopped)
    except _Stopped:
        return True, ""
    except _FAULTS as error:
        return False, str(error).split("\n")[0]


def _check(request: dict[str, Any], is_stopped: IsStopped) -> str:
    try:
        require("pyarrow", "a file of Parquet or Arrow")
    except ImportError as error:
        return str(error)
    return ""


def _read(request: dict[str, Any], is_stopped: IsStopped) -> str:
    from skimline.arrow_cache import made_of_file, made_of_state

    form = request["format"]
    if "copy" in request:
        return made_of_state(request["state"], lambda target: _make_of_copy(request, target, is_stopped))
    path = os.fsdecode(request["path"])
    return made_of_file(path, lambda target: _make_ntuple(path, form, target, is_stopped))


def _make_of_copy(request: dict[str, Any], target: str, is_stopped: IsStopped) -> None:
    copy = f"{target}.copy"
    request["copy"](copy)
    _make_ntuple(copy, request["format"], target, is_stopped)


def _write(request: dict[str, Any], is_stopped: IsStopped) -> str:
    source, target = os.fsdecode(request["from"]), os.fsdecode(request["to"])
    metadata = _metadata_of(source)
    tables = (table.replace_schema_metadata(metadata) for table in _Tables(source, request["ntuple"]))
    writer = _parquet_writer if request["format"] == "parquet" else _ipc_writer
    _write_all(tables, lambda schema: writer(target, schema, request["compression"]), is_stopped)
    return ""


_DEEDS: dict[str, Callable[[dict[str, Any], IsStopped], str]] = {
    "check": _check,
    "read": _read,
    "write": _write,
}


# Reading

_LeftOut = dict[str, tuple[str, str]]
"""Of columns that cannot be read, the type and why."""


class _Opened(NamedTuple):
    schema: Any
    batches: Callable[[list[str]], Iterator[Any]]
    """Batches with these columns, and perhaps others."""


class _Missing(Exception):  # noqa: N818  no error of the file
    """A batch has missing values."""


def _make_ntuple(path: str, form: str, target: str, is_stopped: IsStopped) -> None:
    opened = _open(path, form)
    left_out = _left_out_by_type(opened.schema)
    while True:
        try:
            return _write_ntuple(opened, target, left_out, is_stopped)
        except _Missing:
            found = _left_out_by_values(opened, left_out, is_stopped)
        except NotImplementedError:
            found = _left_out_by_library(opened, left_out, is_stopped)
            if not found:
                raise
        if not found:
            raise OSError("changed while it was being read")
        left_out |= found


def _write_ntuple(opened: _Opened, target: str, left_out: _LeftOut, is_stopped: IsStopped) -> None:
    import pyarrow as pa

    from skimline.writing import Writer

    fields = _fields_without(opened.schema, left_out)
    schema = pa.schema([pa.field(field.name, _read_type(field.type)) for field in fields])
    if len(schema) == 0:
        raise SchemaError(f"it has no columns{_shown(left_out)}")
    record = (opened.schema.metadata or {}).get(_RECORD)
    with tempfile.TemporaryDirectory() as folder:
        options = _OPTIONS | {"description": _description(left_out)}
        if record is not None:
            options["record_of"] = os.fsencode(_decoded_record(record, folder))
        with Writer(target, None, options, force=True) as writer:
            writer.extend(schema.empty_table())
            for batch in opened.batches(schema.names):
                if is_stopped():
                    raise _Stopped
                batch.validate(full=True)
                columns = [batch.column(name) for name in schema.names]
                if any(map(_has_missing, columns)):
                    raise _Missing
                cast = [_as_read(column, field.type) for column, field in zip(columns, schema)]
                writer.extend(pa.Table.from_arrays(cast, schema=schema))


def _open(path: str, form: str) -> _Opened:
    import pyarrow as pa

    if form == "parquet":
        import pyarrow.parquet as pq

        file = pq.ParquetFile(path, page_checksum_verification=True)
        return _Opened(file.schema_arrow, lambda names: _batches_of_parquet(file, names))
    # A file that is mapped into memory ends the process when it becomes shorter.
    source = pa.OSFile(path)
    if source.read(len(_IPC)) != _IPC:
        raise SchemaError(
            "is no file of Arrow IPC with its index at the end, as pyarrow.feather and pyarrow.ipc.new_file write it"
        )
    reader = pa.ipc.open_file(source)
    return _Opened(reader.schema, lambda names: map(reader.get_batch, range(reader.num_record_batches)))


def _batches_of_parquet(file: Any, names: list[str]) -> Iterator[Any]:
    """One row group after the other: across them Arrow cannot put lists of dictionaries together."""
    for number in range(file.num_row_groups):
        yield from file.iter_batches(batch_size=_ROWS, row_groups=[number], columns=names)


def _decoded_record(record: bytes, folder: str) -> str:
    path = os.path.join(folder, "record.root")  # noqa: PTH118  pathlib takes long to import
    with open(path, "wb") as file:  # noqa: PTH123
        file.write(base64.b64decode(record, validate=True))
    return path


def _left_out_by_type(schema: Any) -> _LeftOut:
    """Columns of types and names that cannot be read."""
    names = schema.names
    left_out = {}
    for field in schema:
        reason = _problem_with(field.type)
        if names.count(field.name) > 1:
            reason = "another column has this name"
        elif not _core.is_legal_name(field.name):
            reason = "no field can have this name"
        if reason:
            left_out[field.name] = (str(field.type), reason)
    return left_out


def _fields_without(schema: Any, left_out: _LeftOut) -> list[Any]:
    return [field for field in schema if field.name not in left_out]


def _left_out_by_values(opened: _Opened, known: _LeftOut, is_stopped: IsStopped) -> _LeftOut:
    """Columns with missing values, for which an RNTuple of plain numbers and lists has no place."""
    left = _fields_without(opened.schema, known)
    found = {}
    for batch in opened.batches([field.name for field in left]):
        if is_stopped():
            raise _Stopped
        for field in left:
            if field.name not in found and _has_missing(batch.column(field.name)):
                found[field.name] = (str(field.type), "it has missing values: fill or drop them")
    return found


def _left_out_by_library(opened: _Opened, known: _LeftOut, is_stopped: IsStopped) -> _LeftOut:
    """Columns that pyarrow itself does not read, found by reading each alone."""
    found = {}
    for field in _fields_without(opened.schema, known):
        try:
            for batch in opened.batches([field.name]):
                if is_stopped():
                    raise _Stopped
                _has_missing(batch.column(field.name))
                _as_read(batch.column(field.name), _read_type(field.type))
        except NotImplementedError as error:
            found[field.name] = (str(field.type), f"pyarrow cannot read it: {error}")
    return found


def _has_missing(values: Any) -> bool:
    from pyarrow import types

    kind = values.type
    if types.is_dictionary(kind):
        return _has_missing(values.dictionary_decode())
    if values.null_count:
        return True
    if types.is_struct(kind):
        return any(map(_has_missing, values.flatten()))
    return _is_list(kind) and _has_missing(values.flatten())


def _is_list(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _read_type(kind: Any) -> Any:
    """The type that columns of `kind` are read as: with 32 bits in place of 16, texts in one piece, no dictionary."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_dictionary(kind):
        return _read_type(kind.value_type)
    if types.is_float16(kind):
        return pa.float32()
    if _is_text(kind):
        return pa.large_string()
    if types.is_fixed_size_list(kind):
        return pa.list_(_read_type(kind.value_type), kind.list_size)
    if types.is_large_list(kind):
        return pa.large_list(_read_type(kind.value_type))
    if types.is_list(kind):
        return pa.list_(_read_type(kind.value_type))
    if types.is_struct(kind):
        return pa.struct([(part.name, _read_type(part.type)) for part in _parts_of_struct(kind)])
    return kind


def _as_read(values: Any, kind: Any) -> Any:
    from pyarrow import types

    return (values.dictionary_decode() if types.is_dictionary(values.type) else values).cast(kind)


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    is_view = getattr(types, "is_string_view", lambda kind: False)  # which old versions do not know
    return bool(types.is_string(kind) or types.is_large_string(kind) or is_view(kind))


def _parts_of_struct(kind: Any) -> list[Any]:
    return [kind.field(number) for number in range(kind.num_fields)]


def _problem_with(kind: Any) -> str:
    """Why columns of a type cannot be read; empty if they can."""
    from pyarrow import types

    if types.is_dictionary(kind) or _is_list(kind):
        return _problem_with(kind.value_type)
    if types.is_struct(kind):
        parts = _parts_of_struct(kind)
        if not all(_core.is_legal_name(part.name) for part in parts):
            return "no field can have the name of one of its members"
        problems = filter(None, (_problem_with(part.type) for part in parts))
        return next(problems, "") if parts else "a struct without members"
    is_number = types.is_integer(kind) or types.is_floating(kind)
    if is_number or types.is_boolean(kind) or _is_text(kind):
        return ""
    if types.is_temporal(kind):
        return "dates and times are not read: write them as integers"
    return "it is no number, bool, text, list or struct"


def _description(left_out: _LeftOut) -> str:
    """As the engine reads it, which tells what is not there where it is asked for."""
    if not left_out:
        return ""
    lines = ("\t".join(" ".join(word.split()) for word in (name, *why)) for name, why in left_out.items())
    return "\n".join(("Columns that cannot be read:", *lines))


def _shown(left_out: _LeftOut) -> str:
    if not left_out:
        return ""
    return " that can be read: " + ", ".join(
        f'"{name}" ({kind}): {why}' for name, (kind, why) in left_out.items()
    )


# Writing


class _Tables:
    """An RNTuple as tables of Arrow, one for each cluster, or one without rows."""

    def __init__(self, path: str, ntuple: str) -> None:
        location = f"{path}:{ntuple}"
        found = json.loads(_core.inspect(os.fsencode(location))[0])["ntuples"][0]
        self._parts = _parts_of([field["name"] for field in found["fields"]])
        self._roles = {field["name"]: field["role"] for field in found["fields"]}
        config = _core.Config(
            "<arrow>",
            json.dumps({"schema_version": 1, "samples": {"a": {"files": [location]}}, "select": []}),
        )
        sample = _core.SampleColumns(config, 0)
        second = _second_names(sample.names_of_one_field)
        columns = {
            plain: name for name, _, _ in sample.columns if (plain := _core.plain_name(name)) not in second
        }
        aliases = {name for name, _ in sample.aliases}
        self._columns = columns
        self._prefixes = {name[:end] for name in columns for end in _ends_of_words(name)}
        self._fields = [name for name in self._parts[""] if name not in aliases and self._has_column(name)]
        reached = {name for field in self._fields for name in self._columns_in(field, field)}
        for name in columns:
            if name not in reached:
                raise SchemaError(f'column "{name}" is of no type that a file of Arrow can hold')
        outputs = {str(number): name for number, name in enumerate(columns.values())}
        sizes = [cluster["entries"] for cluster in found["clusters"]]
        self._values = in_parts(config, outputs, sizes)

    def __iter__(self) -> Iterator[Any]:
        import pyarrow as pa

        for values in self._values:
            named = dict(zip(self._columns, values))
            yield arrow_table(pa, {field: self._array(pa, field, named) for field in self._fields})

    def _array(self, pa: Any, field: str, values: dict[str, Values], name: str = "", level: int = 0) -> Any:
        """The array of a field that is `level` lists deep, and whose column would be called `name`."""
        name = name or field
        column = values.get(name)
        if column is not None:
            return arrow_lists(pa, arrow_values(pa, column), column.offsets[level : column.column.depth])
        parts = self._named_parts(field, name)
        if not parts:
            raise SchemaError(f'column "{field}" is of no type that a file of Arrow can hold')
        is_list = self._is_list(field)
        arrays = [self._array(pa, part, values, called, level + is_list) for part, called in parts]
        if not is_list:
            return arrow_struct(pa, dict(zip((called[len(name) + 1 :] for _, called in parts), arrays)))
        return arrow_lists(pa, arrays[0], [self._any_column(*parts[0], values).offsets[level]])

    def _is_list(self, field: str) -> bool:
        """Whether its part is the items of a list, and not the only member of a record, which may be called so too."""
        return self._parts.get(field) == [f"{field}._0"] and self._roles[field] != "record"

    def _named_parts(self, field: str, name: str) -> list[tuple[str, str]]:
        """The parts of a field with columns, and what these are called: items as their list, members of a base
        class as those of the class. What is stored under another name, such as that of a projection, has none."""
        parts = self._parts.get(field, [])
        if self._is_list(field):
            return [(part, name) for part in parts]
        named: dict[str, str] = {}
        for part in parts:
            own = part[len(field) :]
            members = self._named_parts(part, name) if own.startswith(".:_") else [(part, name + own)]
            for member, called in members:
                if self._has_column(called):
                    named.setdefault(called, member)
        return [(member, called) for called, member in named.items()]

    def _has_column(self, name: str) -> bool:
        return name in self._prefixes

    def _columns_in(self, field: str, name: str) -> Iterator[str]:
        if name in self._columns:
            yield name
        else:
            for part, called in self._named_parts(field, name):
                yield from self._columns_in(part, called)

    def _any_column(self, field: str, name: str, values: dict[str, Values]) -> Values:
        column = values.get(name)
        return column or self._any_column(*self._named_parts(field, name)[0], values)


def _second_names(fields: list[list[str]]) -> set[str]:
    """The names of fields by which they are called once more: of "Muon.pt" and its projection the second."""
    second: set[str] = set()
    for names in fields:
        first = next((name for name in names if "." in name), names[0])
        second.update(name for name in names if name != first)
    return second


def _ends_of_words(name: str) -> list[int]:
    return [*(end for end, letter in enumerate(name) if letter == "."), len(name)]


def _parts_of(fields: list[str]) -> dict[str, list[str]]:
    """The fields in each field, and those in none by an empty name."""
    parts: dict[str, list[str]] = {}
    for field in fields:
        parts.setdefault(field.rpartition(".")[0], []).append(field)
    return parts


def _metadata_of(path: str) -> dict[bytes, bytes]:
    """The record of a file."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "record.root")  # noqa: PTH118
        if not _core.copy_record(os.fsencode(path), os.fsencode(copy)):
            return {}
        with open(copy, "rb") as file:  # noqa: PTH123
            record = file.read()
        run = _core.read_record(os.fsencode(copy))[0]
    return {_RECORD: base64.b64encode(record), _RUN: run.encode("utf-8", "surrogateescape")}


def _write_all(tables: Iterable[Any], make: Callable[[Any], Any], is_stopped: IsStopped) -> None:
    """Writes tables, each as one piece, by the writer that is made for their schema."""
    writer = None
    try:
        for table in tables:
            if is_stopped():
                raise _Stopped
            if writer is None:
                writer = make(table.schema)
            writer.write_table(table, max(table.num_rows, 1))
    finally:
        if writer is not None:
            writer.close()


def _parquet_writer(target: str, schema: Any, compression: str) -> Any:
    import pyarrow.parquet as pq

    codec, level = _compression("zstd" if compression == "auto" else compression)
    return pq.ParquetWriter(
        target, schema, compression=codec, compression_level=level, write_page_checksum=True
    )


def _ipc_writer(target: str, schema: Any, compression: str) -> Any:
    import pyarrow as pa

    codec, level = _compression("lz4" if compression == "auto" else compression)
    options = pa.ipc.IpcWriteOptions(
        compression=None if codec == "none" else pa.Codec(codec, compression_level=level)
    )
    return pa.ipc.new_file(target, schema, options=options)


def _compression(text: str) -> tuple[str, int | None]:
    """What Arrow calls a compression, and its level if it has one."""
    name, _, level = text.partition(":")
    codec = {"zlib": "gzip"}.get(name, name)
    return codec, int(level) if level and codec in ("zstd", "gzip") else None

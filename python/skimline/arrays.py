# SPDX-License-Identifier: BSD-3-Clause
"""Columns and expressions of events as arrays: Awkward Array, NumPy, Arrow or pandas.

What is read are the events that pass the luminosity mask and all cuts of a config, in the order of the files.
The values lie in memory that the engine has allocated and the arrays own: nothing is copied but where the
documentation of `read` says so. Arrays do not depend on the number of threads.

>>> import os, tempfile
>>> from skimline import _core, arrays
>>> folder = tempfile.TemporaryDirectory()
>>> file = os.path.join(folder.name, "events.root")
>>> _core.run_program(["skimline", "generate", "dimuon", "--events", "1000", "-o", file, "--quiet"])
0
>>> config = _core.Config("<python>", '{"schema_version": 1, "samples": {"a": {"files": ["%s"]}}, "select": []}' % file)
>>> events = arrays.read(config, {"n": "nMuon", "pt": "Muon_pt"})
>>> len(events)
1000
>>> sum(len(part) for part in arrays.iterate(config, {"pt": "Muon_pt"}, step=300))
1000
>>> folder.cleanup()
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

from skimline import _core
from skimline.arguments import checked_threads, checked_whole
from skimline.chosen_entries import ChosenEntries, reordered
from skimline.errors import ConfigError, IncompleteWarning, RunWarning, SchemaError, warn
from skimline.optional import require
from skimline.own_words import in_own_words, own_words

__all__ = [
    "Values",
    "arrow_lists",
    "arrow_struct",
    "arrow_table",
    "arrow_values",
    "awkward_content",
    "by_output",
    "check_exact",
    "in_parts",
    "iterate",
    "joined",
    "numbers_of_awkward",
    "read",
    "stream",
]

_PACKAGES = {
    "ak": "awkward",
    "np": "numpy",
    "pa": "pyarrow",
    "pd": "pandas",
    "pl": "polars",
    "flat": "numpy",
    "parts": "numpy",
}
Told = Callable[[int, int], None]
_MOST = 2**63 - 1
_LARGEST_EXACT = 2**53
"""Of the integers up to which a double holds all."""
_UNITS = {
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "TIB": 2**40,
}


def read(
    config: _core.Config,
    outputs: Mapping[str, str],
    *,
    sample: int = 0,
    library: str = "ak",
    threads: int = 0,
    progress: Told | None = None,
    entries: ChosenEntries | None = None,
) -> Any:
    """Returns the values of columns or expressions for all events of a sample that pass the cuts.

    `outputs` has an expression, which may be the name of a column, for each name in the result. `sample` is
    the number of the sample in the config, from 0. `threads` is 0 for one per core. `progress` is called a few times
    per second with the entries that are done, and all. `entries` are those that the config was made with, if it was
    made with some: what is given is in their order. What comes back depends on `library`:

    - "ak": an `ak.Array` of records with a field for each output. Lists keep their own lengths: fields are not zipped.
    - "np": a dict of NumPy arrays with one value per event, or a row where all lists have one length; strings are
      Python texts in an array of objects.
    - "flat": the same with all elements of lists, one behind the other.
    - "parts": the number of events, and `Values` of each column.
    - "pa": a `pyarrow.Table` with columns of numbers, bool, large_string and large_list. Booleans are copied, as Arrow
      packs them into bits.
    - "pl": a `polars.DataFrame`.
    - "pd": a `pandas.DataFrame`; numbers and bools are NumPy columns, lists and strings are Arrow's.

    Numbers keep their types, also where no event is left. A Lorentz vector becomes a record of pt, eta, phi
    and mass in "ak" ("Momentum4D" to the package vector), a struct in "pa" and "pd".

    Raises ExpressionError for a mistake in an output, ConfigError for one in the config or the arguments,
    SchemaError if the library cannot hold an output, EvaluationError and FileError for what is met in the
    files, and ImportError if the library is not installed.
    """
    make = _maker(library)
    if not outputs:
        raise SchemaError("no columns are asked for")
    number = next(name for name in chain([""], map(str, count())) if name not in outputs)
    reader = _open(config, {**outputs, number: "entry_"} if entries else outputs, sample, threads)
    columns = _columns_of(reader, library)
    num_events, values = _next(reader, columns, {"progress": progress})
    _warn(reader, set())
    if entries is None:
        return make(num_events, values)
    found = values.pop()
    return reordered(make(num_events, values), entries.order(found.values), library)


def stream(schema: Any, parts: Iterator[Any]) -> Any:
    """Returns a pyarrow.RecordBatchReader of tables that come one after the other."""
    pa: Any = importlib.import_module("pyarrow")
    batches = (batch for part in parts for batch in part.cast(schema).to_batches())
    return pa.RecordBatchReader.from_batches(schema, batches)


def joined(parts: list[Any], library: str) -> Any:
    """Puts what `read` has returned for several samples one behind the other. Throws SchemaError where values would change."""
    if library in ("np", "flat"):
        return {name: _rows_joined(name, [part[name] for part in parts]) for name in parts[0]}
    if library == "pa":
        pa: Any = importlib.import_module("pyarrow")
        try:
            return pa.concat_tables(parts, promote_options="permissive")
        except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
            raise SchemaError(f"samples have other types of a column: {error}") from None
    if library == "ak":
        names, numbers = parts[0].fields, numbers_of_awkward
    elif library == "pd":
        names, numbers = list(parts[0].columns), _numbers_of_pandas
    else:
        names, numbers = parts[0].columns, _numbers_of_polars
    for name in names:
        check_exact(name, [numbers(part, name) for part in parts])
    if library == "pd":
        return importlib.import_module("pandas").concat(parts, ignore_index=True)
    module: Any = importlib.import_module(_PACKAGES[library])
    return module.concat(parts, how="vertical_relaxed") if library == "pl" else module.concatenate(parts)


def check_exact(name: str, arrays: list[Any]) -> None:
    """Throws SchemaError for integers beyond 53 bits among arrays of numbers that are put together as real ones. None is what
    has no numbers."""
    known = [array for array in arrays if array is not None]
    if not any(array.dtype.kind == "f" for array in known):
        return
    for array in known:
        if array.dtype.kind not in "iu" or array.dtype.itemsize < 8 or not array.size:
            continue
        wrong = next((each for each in (array.max(), array.min()) if abs(int(each)) > _LARGEST_EXACT), None)
        if wrong is not None:
            raise SchemaError(
                f'"{name}" has no type that holds the values of all samples: some have real numbers, as which {wrong} of another '
                "is not exact"
            )


def numbers_of_awkward(part: Any, name: str) -> Any:
    """The numbers of a field, or in its lists; None if it has others."""
    layout = part.layout.content(name)
    while layout.is_list:
        layout = layout.content
    return layout.data if layout.is_numpy else None


def _numbers_of_pandas(part: Any, name: str) -> Any:
    values = part[name]
    return values.to_numpy() if values.dtype.kind in "iuf" and hasattr(values.dtype, "itemsize") else None


def _numbers_of_polars(part: Any, name: str) -> Any:
    values = part[name]
    while values.dtype.is_nested() and hasattr(values.dtype, "inner"):
        values = values.explode()
    return values.drop_nulls().to_numpy() if values.dtype.is_numeric() else None


def _rows_joined(name: str, arrays: list[Any]) -> Any:
    np: Any = importlib.import_module("numpy")
    shapes = {array.shape[1:] for array in arrays if len(array)}
    if len(shapes) > 1:
        raise SchemaError(
            f'"{name}" is a list for each event, of another length in each sample, which a NumPy array cannot hold; '
            'library="ak" takes it as it is'
        )
    check_exact(name, arrays)
    # No event says how long its lists would be.
    shape = next(iter(shapes), arrays[0].shape[1:])
    return np.concatenate([array if len(array) else array.reshape(0, *shape) for array in arrays])


def iterate(
    config: _core.Config,
    outputs: Mapping[str, str],
    *,
    step: int | str = "100 MB",
    sample: int = 0,
    library: str = "ak",
    threads: int = 0,
    progress: Told | None = None,
) -> Iterator[Any]:
    """Returns an iterator over the same events part by part, each as `read` gives the whole.

    `step` is how many events a part has, exactly, but for the last one; or, as a text such as "100 MB" or "1
    GiB", how many bytes its values and offsets take in memory at most, unless a single event takes more. No
    part is empty, so that there is none if no event is left. The next part is read when it is asked for:
    memory does not grow with the number of parts, and files are closed once the iterator is exhausted, closed
    or forgotten.

    Raises what `read` raises; mistakes in arguments, config and outputs at once.
    """
    limits: dict[str, Any] = {**_limits(step), "progress": progress}
    make = _maker(library)
    reader = _open(config, outputs, sample, threads)
    columns = _columns_of(reader, library)
    told: set[str] = set()
    _warn(reader, told)
    return _parts(reader, make, columns, limits, told)


def in_parts(config: _core.Config, outputs: Mapping[str, str], sizes: list[int]) -> Iterator[list[Values]]:
    """Returns an iterator over the values of the first sample in parts of these sizes; one without events if there are none.

    The sizes have to add up to the events that there are.
    """
    reader = _open(config, outputs, 0, 0)
    columns = _columns_of(reader, "pa")
    for limits in [{"events": size} for size in sizes] or [{}]:
        yield _next(reader, columns, limits)[1]


@dataclass(frozen=True)
class _Column:
    """One of the columns that a reader gives: `scalar` is the name of a C++ type or "string"."""

    name: str
    member: str
    scalar: str
    depth: int


@dataclass(frozen=True)
class Values:
    """A column of a part, with its levels of offsets, the outermost first. Strings have one more level, of bytes."""

    column: _Column
    offsets: list[Any]
    values: Any


_Make = Callable[[int, "list[Values]"], Any]


def _parts(
    reader: _core.EventReader,
    make: _Make,
    columns: list[_Column],
    limits: dict[str, Any],
    told: set[str],
) -> Iterator[Any]:
    while True:
        num_events, values = _next(reader, columns, limits)
        _warn(reader, told)
        if num_events == 0:
            return
        part = [make(num_events, values)]
        del values
        yield part.pop()  # what the caller has forgotten does not live on here


def _next(
    reader: _core.EventReader, columns: list[_Column], limits: dict[str, Any]
) -> tuple[int, list[Values]]:
    with in_own_words():
        num_events, buffers = reader.read(**limits)
    return num_events, [Values(columns[i], *each) for i, each in enumerate(buffers)]


def _open(config: _core.Config, outputs: Mapping[str, str], sample: int, threads: int) -> _core.EventReader:
    if not 0 <= sample < len(config.sample_names):
        raise ConfigError(f"there is no sample number {sample}: the config has {len(config.sample_names)}")
    with in_own_words():
        return _core.EventReader(
            config, list(outputs.items()), sample=sample, threads=checked_threads(threads)
        )


def _warn(reader: _core.EventReader, told: set[str]) -> None:
    """Of what was not told before: that a file is damaged may show when it is read."""
    for text in reader.warnings:
        if text not in told:
            told.add(text)
            is_incomplete = text.startswith(("left out: ", "missing: "))
            warn(own_words(text), IncompleteWarning if is_incomplete else RunWarning)


def _columns_of(reader: _core.EventReader, library: str) -> list[_Column]:
    columns = [_Column(*column) for column in reader.columns]
    for column in columns:
        problem = _problem(column) if library == "np" else ""
        if problem:
            raise SchemaError(f'"{column.name}" is {problem}; library="ak" takes it as it is')
    return columns


def _problem(column: _Column) -> str:
    """Says why a NumPy array with one value per event cannot hold a column."""
    if column.depth > 1:
        return "a list of lists for each event, which a NumPy array cannot hold"
    return "a Lorentz vector: take its pt(), eta(), phi() and mass() instead" if column.member else ""


def _limits(step: int | str) -> dict[str, int]:
    if isinstance(step, str):
        return {"bytes": _bytes_of(step)}
    events = checked_whole(step, "step")
    if events < 1:
        raise ConfigError(f"step: {events} is no number of events")
    return {"events": min(events, _MOST)}


def _bytes_of(text: str) -> int:
    """Returns the number of bytes that a text says.

    >>> _bytes_of("100 MB"), _bytes_of("1.5KiB")
    (100000000, 1536)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([A-Za-z]+)\s*", text)
    factor = _UNITS.get(found.group(2).upper()) if found else None
    if found is None or factor is None or float(found.group(1)) * factor < 1:
        raise ConfigError(f'step: "{text}" is no number of bytes, such as "100 MB" or "1 GiB"')
    return int(min(float(found.group(1)) * factor, _MOST))


def _maker(library: str) -> _Make:
    """Returns what makes the result; fails at once if the library is not there."""
    package = _PACKAGES.get(library)
    if package is None:
        raise ConfigError(f'library: "{library}" is none of "ak", "np", "pa", "pd" and "pl"')
    for needed in ("numpy", "pyarrow", package) if library in ("pd", "pl") else ("numpy", package):
        require(needed, f'library="{library}"')
    makers: dict[str, _Make] = {
        "ak": _to_awkward,
        "np": _to_numpy,
        "pa": _to_arrow,
        "pd": _to_pandas,
        "pl": _to_polars,
        "flat": _to_flat,
        "parts": lambda num_events, columns: (num_events, columns),
    }
    return makers[library]


def by_output(columns: list[Values]) -> dict[str, list[Values]]:
    """Puts the columns of each output together: one, or the members of a Lorentz vector."""
    outputs: dict[str, list[Values]] = {}
    for each in columns:
        outputs.setdefault(each.column.name, []).append(each)
    return outputs


def _to_awkward(num_events: int, columns: list[Values]) -> Any:
    ak: Any = importlib.import_module("awkward")
    outputs = by_output(columns)
    contents = [awkward_content(ak, parts) for parts in outputs.values()]
    return ak.Array(ak.contents.RecordArray(contents, list(outputs), length=num_events))


def awkward_content(ak: Any, parts: list[Values]) -> Any:
    """The layout of an output; `ak` is the module."""
    first = parts[0]
    content = _awkward_values(ak, first)
    if first.column.member:
        content = ak.contents.RecordArray(
            [_awkward_values(ak, part) for part in parts],
            [part.column.member for part in parts],
            parameters={"__record__": "Momentum4D"},
        )
    for level in reversed(first.offsets[: first.column.depth]):
        content = ak.contents.ListOffsetArray(ak.index.Index64(level), content)
    return content


def _awkward_values(ak: Any, each: Values) -> Any:
    if each.column.scalar != "string":
        return ak.contents.NumpyArray(each.values)
    characters = ak.contents.NumpyArray(each.values, parameters={"__array__": "char"})
    ends = ak.index.Index64(each.offsets[-1])
    return ak.contents.ListOffsetArray(ends, characters, parameters={"__array__": "string"})


def _to_numpy(num_events: int, columns: list[Values]) -> Any:
    return {each.column.name: _numpy_array(num_events, each) for each in columns}


def _numpy_array(num_events: int, each: Values) -> Any:
    """One value per event, or one row where all lists have one length."""
    if each.column.depth == 0:
        return _texts(each) if each.column.scalar == "string" else each.values
    np: Any = importlib.import_module("numpy")
    lengths = np.diff(each.offsets[0])
    if each.column.scalar == "string" or (len(lengths) and (lengths != lengths[0]).any()):
        raise SchemaError(
            f'"{each.column.name}" is a list for each event, which a NumPy array cannot hold unless all have one length; '
            'library="ak" takes it as it is'
        )
    return each.values.reshape(num_events, int(lengths[0]) if len(lengths) else 0)


def _to_flat(num_events: int, columns: list[Values]) -> Any:
    return {each.column.name: each.values for each in columns}


def _to_polars(num_events: int, columns: list[Values]) -> Any:
    pl: Any = importlib.import_module("polars")
    return pl.from_arrow(_to_arrow(num_events, columns))


def _texts(each: Values) -> Any:
    """Returns an array of Python texts; bytes that are no UTF-8 become surrogates, as in names of files."""
    np: Any = importlib.import_module("numpy")
    ends = each.offsets[0].tolist()
    characters = each.values.tobytes()
    texts = np.empty(len(ends) - 1, dtype=object)
    for i in range(len(texts)):
        texts[i] = characters[ends[i] : ends[i + 1]].decode("utf-8", "surrogateescape")
    return texts


def _to_arrow(num_events: int, columns: list[Values]) -> Any:
    pa: Any = importlib.import_module("pyarrow")
    return arrow_table(pa, {name: _arrow_array(pa, parts) for name, parts in by_output(columns).items()})


def arrow_table(pa: Any, columns: Mapping[str, Any]) -> Any:
    """A table in which no value is missing, and which says so."""
    return pa.table(list(columns.values()), schema=pa.schema(_whole_fields(pa, columns)))


def arrow_struct(pa: Any, members: Mapping[str, Any]) -> Any:
    """The same as an array of structs."""
    return pa.StructArray.from_arrays(list(members.values()), fields=_whole_fields(pa, members))


def _whole_fields(pa: Any, arrays: Mapping[str, Any]) -> list[Any]:
    return [pa.field(name, array.type, nullable=False) for name, array in arrays.items()]


def _arrow_array(pa: Any, parts: list[Values]) -> Any:
    first = parts[0]
    array = arrow_values(pa, first)
    if first.column.member:
        array = arrow_struct(pa, {part.column.member: arrow_values(pa, part) for part in parts})
    return arrow_lists(pa, array, first.offsets[: first.column.depth])


def arrow_lists(pa: Any, array: Any, offsets: list[Any]) -> Any:
    """The array as items of lists, the outermost first."""
    for level in reversed(offsets):
        kind = pa.large_list(pa.field("item", array.type, nullable=False))
        array = pa.Array.from_buffers(kind, len(level) - 1, [None, pa.py_buffer(level)], children=[array])
    return array


def arrow_values(pa: Any, each: Values) -> Any:
    """The values alone, without lists around them."""
    if each.column.scalar == "bool":
        return pa.array(each.values)
    values = pa.py_buffer(each.values)
    if each.column.scalar == "string":
        ends = each.offsets[-1]
        return pa.LargeStringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(each.values.dtype), len(each.values), [None, values])


def _to_pandas(num_events: int, columns: list[Values]) -> Any:
    pa: Any = importlib.import_module("pyarrow")
    pd: Any = importlib.import_module("pandas")
    series: dict[str, Any] = {}
    for name, parts in by_output(columns).items():
        column = parts[0].column
        if column.depth > 0 or column.scalar == "string" or column.member:
            series[name] = pd.Series(pd.arrays.ArrowExtensionArray(_arrow_array(pa, parts)), copy=False)
        else:
            series[name] = parts[0].values
    return pd.DataFrame(series, copy=False)

# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of NumPy, awkward, pyarrow and pandas, and plain lists, as the flat buffers that a file is made of."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Union

from skimline.column_type import ListType, RecordType, ScalarType, StringType, Type
from skimline.errors import SchemaError
from skimline.optional import require

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Offsets = NDArray[np.int64]

__all__ = ["Layout", "Lists", "Records", "Scalars", "Strings", "Unknown", "layout_of", "layouts_of"]

ACCEPTED = "accepted are bool, integers, float32, float64, strings, and lists and records of them"
_HINTS = {
    "float16": 'convert it with .astype("float32")',
    "longdouble": 'convert it with .astype("float64")',
    "c": "write .real and .imag as two columns",
    "M": 'convert it with .astype("int64")',
    "m": 'convert it with .astype("int64")',
}


class Scalars:
    """Numbers or bools, contiguous and in the machine's byte order."""

    def __init__(self, values: NDArray[Any], is_typed: bool = True) -> None:
        self.values = values
        self.is_typed = is_typed
        """Whether somebody chose the type; Python's own numbers have none."""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def type(self) -> Type:
        return ScalarType.of(self.values.dtype)

    def buffers(self) -> tuple[Any, ...]:
        """What the C++ side takes."""
        return (self.values,)


class Strings:
    """Texts: UTF-8 one after the other, and where each begins."""

    def __init__(self, offsets: Offsets, characters: NDArray[np.uint8]) -> None:
        self.offsets = offsets
        self.characters = characters

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def type(self) -> Type:
        return StringType()

    def buffers(self) -> tuple[Any, ...]:
        """What the C++ side takes."""
        return (self.offsets, self.characters)


class Lists:
    """Lists: their items one after the other, and where each list begins."""

    def __init__(self, offsets: Offsets, item: Layout) -> None:
        self.offsets = offsets
        self.item = item

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def type(self) -> Type:
        return ListType(self.item.type)

    def buffers(self) -> tuple[Any, ...]:
        """What the C++ side takes."""
        return (self.offsets, self.item.buffers())


class Records:
    """Records: a column for each member."""

    def __init__(self, members: Mapping[str, Layout], length: int) -> None:
        self.members = dict(members)
        self._length = length

    def __len__(self) -> int:
        return self._length

    @property
    def type(self) -> Type:
        return RecordType({name: member.type for name, member in self.members.items()})

    def buffers(self) -> tuple[Any, ...]:
        """What the C++ side takes."""
        return tuple(member.buffers() for member in self.members.values())


class Unknown:
    """Nothing, of which nobody knows what it would be."""

    def __len__(self) -> int:
        return 0

    @property
    def type(self) -> Type:
        return None

    def buffers(self) -> tuple[Any, ...]:
        """Nothing can be written of it."""
        raise SchemaError("nothing is known about a column")


Layout = Union[Scalars, Strings, Lists, Records, Unknown]


def layouts_of(data: Any) -> dict[str, Layout]:
    """The columns of a mapping, a table or an array of records. Throws SchemaError, naming the column at fault."""
    columns = list(_columns_of(data))
    _check_rows(columns)
    layouts: dict[str, Layout] = {}
    for name, column in columns:
        if not isinstance(name, str):
            raise SchemaError(f"{name!r} is no text, and cannot be the name of a column")
        if name in layouts:
            raise SchemaError(f'two columns are called "{name}"')
        layouts[name] = layout_of(column, name)
    _check_lengths(layouts)
    return layouts


def layout_of(value: Any, name: str) -> Layout:
    """One column as buffers, without a copy where possible. Throws SchemaError, naming the column."""
    import numpy as np

    if isinstance(value, (Scalars, Strings, Lists, Records, Unknown)):
        return value
    awkward, arrow, pandas = (sys.modules.get(module) for module in ("awkward", "pyarrow", "pandas"))
    if awkward is not None and isinstance(value, awkward.Array):
        return _from_awkward(value.layout, name)
    if arrow is not None and isinstance(value, (arrow.Array, arrow.ChunkedArray)):
        return _from_arrow(value, name)
    if pandas is not None and isinstance(value, (pandas.Series, pandas.Index)):
        return _from_series(value, name)
    if isinstance(value, (list, tuple, range)):
        return _from_items(value, name)
    if hasattr(value, "__arrow_c_stream__"):  # as arrays of numpy, columns of polars forget what is missing
        kind = type(value).__name__
        return _from_arrow(require("pyarrow", f"writing a {kind}").chunked_array(value), name)
    if hasattr(value, "__array__") and not isinstance(value, np.generic):
        return _from_numpy(value if isinstance(value, np.ndarray) else np.asarray(value), name)
    raise _refusal(name, f"a {type(value).__name__}")


def _columns_of(data: Any) -> Iterable[tuple[Any, Any]]:
    import numpy as np

    awkward, arrow, pandas = (sys.modules.get(module) for module in ("awkward", "pyarrow", "pandas"))
    if isinstance(data, Mapping):
        return data.items()
    if arrow is not None and isinstance(data, (arrow.Table, arrow.RecordBatch)):
        return zip(data.schema.names, data.columns)
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return data.items()  # type: ignore[no-any-return]
    if (awkward is not None and isinstance(data, awkward.Array)) or isinstance(data, np.ndarray):
        records = layout_of(data, "records")
        if isinstance(records, Records):
            return records.members.items()
    if hasattr(data, "__arrow_c_stream__"):
        table = require("pyarrow", f"writing a {type(data).__name__}").table(data)
        return zip(table.schema.names, table.columns)
    raise SchemaError(
        f"columns cannot be found in a {type(data).__name__}: a mapping of names to arrays was expected, an "
        "awkward array of records, a pyarrow table, a DataFrame of pandas or polars, or another stream of Arrow"
    )


def _check_rows(columns: Iterable[tuple[Any, Any]]) -> None:
    """Throws SchemaError for Series of the same rows in another order, which pandas would put into one."""
    pandas = sys.modules.get("pandas")
    series = [each for each in columns if pandas is not None and isinstance(each[1], pandas.Series)]
    for name, column in series[1:]:
        first, index = series[0][1].index, column.index
        if (
            len(index) == len(first)
            and not index.equals(first)
            and not len(index.symmetric_difference(first, sort=False))
        ):
            raise SchemaError(
                f'columns "{series[0][0]}" and "{name}" are Series with the same index in another order: put them into a '
                "DataFrame, or write their values, to_numpy()"
            )


def _check_lengths(layouts: Mapping[str, Layout]) -> None:
    lengths = {len(layout) for layout in layouts.values()}
    if len(lengths) > 1:
        counts = ", ".join(f'"{name}" {len(layout)}' for name, layout in layouts.items())
        raise SchemaError(f"columns have different numbers of entries: {counts}")


def _refusal(name: str, what: str, hint: str = "") -> SchemaError:
    return SchemaError(f'column "{name}" is {what}, which cannot be written: {hint or ACCEPTED}')


def _missing(name: str, count: int) -> SchemaError:
    values = "a missing value" if count == 1 else f"{count} missing values"
    return SchemaError(f'column "{name}" has {values}, which cannot be written: fill or drop them')


# NumPy


def _from_numpy(array: NDArray[Any], name: str, is_typed: bool = True) -> Layout:
    import numpy as np

    if array.ndim == 0:
        raise SchemaError(
            f'column "{name}" is a single value: an array with a value for each entry was expected'
        )
    if isinstance(array, np.ma.MaskedArray):
        _check_unmasked([array], name)
        array = array.data
    array = array.view(np.ndarray)  # classes made of it, such as np.matrix, have shapes of their own
    if array.dtype.names is not None:
        flat = array.reshape(-1)
        members = {member: layout_of(flat[member], f"{name}.{member}") for member in array.dtype.names}
        records: Layout = Records(members, array.size)
        return _nested(records, array.shape)
    if array.dtype.kind in "SU":
        return _nested(_from_texts(array.reshape(-1).tolist(), name), array.shape)
    if array.dtype.kind in "OT":
        return _nested(_from_items(array.reshape(-1).tolist(), name), array.shape)
    _check_dtype(array.dtype, name)
    native = array.dtype.newbyteorder("=")
    values = np.require(array.reshape(-1), dtype=native, requirements=["C", "A"])
    # Bytes that came from elsewhere need not be 0 or 1.
    if native.kind == "b" and values.size > 0 and values.view(np.uint8).max() > 1:
        values = values.view(np.uint8) != 0
    return _nested(Scalars(values, is_typed), array.shape)


def _check_unmasked(items: Iterable[Any], name: str) -> None:
    """Throws SchemaError if a value of an array is masked, of which NumPy has forgotten in most of what it makes of them."""
    import numpy as np

    masks = [np.ma.getmaskarray(item) for item in items if isinstance(item, np.ma.MaskedArray)]
    count = sum(map(_num_masked, masks))
    if count > 0:
        raise _missing(name, count)


def _num_masked(mask: NDArray[Any]) -> int:
    if mask.dtype.names is None:
        return int(mask.sum())
    return sum(_num_masked(mask[member]) for member in mask.dtype.names)


def _check_dtype(dtype: np.dtype[Any], name: str) -> None:
    import numpy as np

    if dtype.kind in "biu" or (
        dtype.kind == "f" and dtype.itemsize in (4, 8) and dtype.type is not np.longdouble
    ):
        return
    key = "longdouble" if dtype.type is np.longdouble else dtype.kind if dtype.kind != "f" else dtype.name
    raise _refusal(name, dtype.name, _HINTS.get(key, ""))


def _nested(layout: Layout, shape: tuple[int, ...]) -> Layout:
    """Lists of the lengths that an array of several dimensions has."""
    import numpy as np

    for dimension in range(len(shape) - 1, 0, -1):
        count = int(np.prod(shape[:dimension], dtype=np.int64))
        layout = Lists(np.arange(count + 1, dtype=np.int64) * shape[dimension], layout)
    return layout


# awkward


def _from_awkward(layout: Any, name: str) -> Layout:
    if layout.backend.name != "cpu":
        raise _refusal(name, f'on the backend "{layout.backend.name}"', 'ak.to_backend(array, "cpu") helps')
    if layout.is_unknown:
        return Unknown()
    if layout.is_option:
        return _from_awkward(_without_missing(layout, name), name)
    if layout.is_indexed:
        return _from_awkward(layout.project(), name)
    if layout.is_list:
        return _from_awkward_lists(layout, name)
    if layout.is_record:
        return _from_awkward_records(layout, name)
    if layout.is_numpy:
        return _from_numpy(layout.data, name)
    raise _refusal(name, f"a {layout.form.type}")


def _without_missing(layout: Any, name: str) -> Any:
    import numpy as np

    is_missing = np.asarray(layout.mask_as_bool(valid_when=False))
    if is_missing.any():
        raise _missing(name, int(is_missing.sum()))
    return layout.content if type(layout).__name__ == "UnmaskedArray" else layout.project()


def _from_awkward_lists(layout: Any, name: str) -> Layout:
    import numpy as np

    meaning = layout.parameter("__array__")
    if meaning == "bytestring":
        raise _refusal(name, "made of bytes", 'ak.enforce_type(array, "string") makes texts of them')
    lists = layout.to_ListOffsetArray64(False)
    offsets = np.require(lists.offsets.data, dtype=np.int64, requirements=["C", "A"])
    first, last = int(offsets[0]), int(offsets[-1])
    content = lists.content[first:last]
    if first != 0:
        offsets = offsets - first
    if meaning == "string":
        return Strings(offsets, np.require(content.data, dtype=np.uint8, requirements=["C"]))
    return Lists(offsets, _from_awkward(content, name))


def _from_awkward_records(layout: Any, name: str) -> Layout:
    members = {}
    for field, content in zip(layout.fields, layout.contents):
        # RNTuple's own name of the members of a tuple.
        member = f"_{field}" if layout.is_tuple else field
        members[member] = _from_awkward(content[: layout.length], f"{name}.{member}")
    return Records(members, layout.length)


# pyarrow


def _from_arrow(array: Any, name: str) -> Layout:
    import numpy as np
    import pyarrow as pa  # type: ignore[import-not-found, import-untyped, unused-ignore]

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        if isinstance(array, pa.ChunkedArray):
            array = pa.concat_arrays(array.chunks)
    if array.null_count > 0:
        if pa.types.is_null(array.type) and len(array) == 0:
            return Unknown()
        raise _missing(name, array.null_count)
    kind = array.type
    if pa.types.is_null(kind):
        return Unknown()
    if pa.types.is_dictionary(kind):
        if str(kind.value_type) == "string_view":  # of which pyarrow takes no elements
            array = pa.DictionaryArray.from_arrays(array.indices, array.dictionary.cast(pa.large_string()))
        return _from_arrow(array.dictionary_decode(), name)
    if isinstance(array, pa.ExtensionArray):
        return _from_arrow(array.storage, name)
    if pa.types.is_struct(kind):
        members = [kind.field(i).name for i in range(kind.num_fields)]
        parts = zip(members, array.flatten())
        return Records({member: _from_arrow(part, f"{name}.{member}") for member, part in parts}, len(array))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        offsets = np.asarray(array.offsets, dtype=np.int64)
        items = array.values.slice(offsets[0], offsets[-1] - offsets[0])
        return Lists(offsets - offsets[0], _from_arrow(items, name))
    if pa.types.is_fixed_size_list(kind):
        offsets = np.arange(len(array) + 1, dtype=np.int64) * kind.list_size
        return Lists(offsets, _from_arrow(array.flatten(), name))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view":
        return _from_arrow_strings(array.cast(pa.large_string()))
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _from_numpy(array.to_numpy(zero_copy_only=False), name)
    raise _refusal(name, f"of pyarrow's type {kind}")


def _from_arrow_strings(array: Any) -> Layout:
    import numpy as np

    _, offset_buffer, characters = array.buffers()
    if offset_buffer is None or len(array) == 0:
        return Strings(np.zeros(len(array) + 1, dtype=np.int64), np.zeros(0, dtype=np.uint8))
    offsets = np.frombuffer(offset_buffer, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    if characters is None:
        return Strings(offsets, np.zeros(0, dtype=np.uint8))
    return Strings(offsets, np.frombuffer(characters, dtype=np.uint8))


# pandas


def _from_series(series: Any, name: str) -> Layout:
    import numpy as np

    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return _from_numpy(series.to_numpy(), name)
    num_missing = int(series.isna().sum())
    if num_missing > 0:
        raise _missing(name, num_missing)
    if dtype.name == "category":
        return _from_series(series.astype(dtype.categories.dtype), name)
    if hasattr(dtype, "pyarrow_dtype"):
        return _from_arrow(series.array.__arrow_array__(), name)
    if getattr(dtype, "kind", "O") in "biufcmM":
        return _from_numpy(series.to_numpy(dtype=getattr(dtype, "numpy_dtype", None)), name)
    return _from_items(series.tolist(), name)


# Plain lists


def _from_items(items: Sequence[Any], name: str) -> Layout:
    kinds = {kind: _kind_of(kind) for kind in set(map(type, items))}
    found = sorted(set(kinds.values()))
    if not found:
        return Unknown()
    if "missing" in found:
        raise _missing(name, sum(item is None for item in items))
    if len(found) > 1:
        raise SchemaError(f'column "{name}" holds {" and ".join(found)}: values of one kind were expected')
    if found == ["texts"]:
        return _from_texts(items, name)
    if found == ["numbers"]:
        return _from_numbers(items, name)
    if found == ["lists"]:
        return _from_lists(items, name)
    if found == ["records"]:
        return _from_dicts(items, name)
    raise _refusal(name, f"made of {next(iter(kinds)).__name__}")


def _kind_of(kind: type) -> str:
    import numpy as np

    if issubclass(kind, (str, bytes)):
        return "texts"
    if issubclass(kind, (bool, int, float, complex, np.generic)):
        return "numbers"
    if issubclass(kind, Mapping):
        return "records"
    if issubclass(kind, (list, tuple)) or hasattr(kind, "tolist"):
        return "lists"
    return "missing" if kind is type(None) else "other"


def _from_texts(items: Iterable[str | bytes], name: str) -> Layout:
    import numpy as np

    encoded: list[bytes] = []
    for number, item in enumerate(items):
        try:
            encoded.append(item.encode() if isinstance(item, str) else item.decode().encode())
        except UnicodeError:
            raise SchemaError(f'column "{name}", entry {number}: {item!r} is no text in UTF-8') from None
    characters = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    return Strings(_offsets_of(map(len, encoded), len(encoded)), characters)


def _from_numbers(items: Sequence[Any], name: str) -> Layout:
    import numpy as np

    try:
        values = np.asarray(items)
    except (OverflowError, ValueError):
        values = np.asarray(None)
    if values.dtype.kind == "O":
        raise _refusal(name, "made of numbers that no type holds")
    is_whole = values.dtype.kind == "f" and all(isinstance(item, (int, np.integer)) for item in items)
    if is_whole and min(map(int, items)) >= 0:  # of large integers beside small ones numpy makes real numbers
        values = np.array([int(item) for item in items], dtype=np.uint64)
    if values.dtype.kind == "f":
        for number, item in enumerate(items):
            if isinstance(item, (int, np.integer)) and int(values[number]) != int(item):
                raise SchemaError(
                    f'column "{name}", entry {number}: {item} is not exact as {values.dtype.name}'
                )
    return _from_numpy(values, name, is_typed=all(isinstance(item, np.generic) for item in items))


def _from_lists(items: Sequence[Any], name: str) -> Layout:
    import numpy as np

    _check_unmasked(items, name)
    for item in items:
        if isinstance(item, np.ndarray) and item.dtype.kind in "mM":  # tolist() would make integers of some
            _check_dtype(item.dtype, name)
    if all(isinstance(item, np.ndarray) for item in items):
        if any(item.ndim == 0 for item in items):
            return _from_items([item.item() if item.ndim == 0 else item for item in items], name)
        if len({item.dtype for item in items}) == 1 and {item.ndim for item in items} == {1}:
            return Lists(_offsets_of(map(len, items), len(items)), _from_numpy(np.concatenate(items), name))
    plain = [item if isinstance(item, (list, tuple)) else item.tolist() for item in items]
    flat = list(chain.from_iterable(plain))
    return Lists(_offsets_of(map(len, plain), len(plain)), _from_items(flat, name))


def _from_dicts(items: Sequence[Mapping[Any, Any]], name: str) -> Layout:
    names = items[0].keys()
    for number, item in enumerate(items):
        if item.keys() != names:
            raise SchemaError(f'column "{name}": records 0 and {number} have different members')
    members: dict[str, Layout] = {}
    for member in names:
        if not isinstance(member, str):
            raise SchemaError(f'column "{name}": {member!r} is no text, and cannot be the name of a member')
        members[member] = _from_items([item[member] for item in items], f"{name}.{member}")
    return Records(members, len(items))


def _offsets_of(lengths: Iterable[int], count: int) -> Offsets:
    import numpy as np

    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.fromiter(lengths, dtype=np.int64, count=count), out=offsets[1:])
    return offsets

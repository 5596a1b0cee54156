# SPDX-License-Identifier: BSD-3-Clause
"""Arrays, lists and tables of all libraries as columns of an RNTuple: written as they are, or refused by name."""

import awkward as ak
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import skimline as sk
from skimline import writing
from skimline.errors import SchemaError
from written_ntuples import TEXTS, check, read


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out.root"


BASE = np.arange(24, dtype="i4")
LISTS = ak.Array([[1, 2], [], [3], [4, 5, 6], []])
LAYOUTS = {
    "swapped": (BASE.astype(">i4"), BASE),
    "strided": (BASE[::3], BASE[::3]),
    "reversed": (BASE[::-1], BASE[::-1]),
    "unaligned": (np.frombuffer(b"\0" + BASE.tobytes(), dtype="i4", offset=1), BASE),
    "read_only": (np.frombuffer(BASE.tobytes(), dtype="i4"), BASE),
    "broadcast": (np.broadcast_to(np.float32(2), 5), np.full(5, 2, "f4")),
    "column_of_table": (BASE.reshape(6, 4)[:, 1], BASE.reshape(6, 4)[:, 1]),
    "bytes_as_bools": (np.array([0, 1, 2, 255], "u1").view("?"), np.array([0, 1, 1, 1], "?")),
    "matrix": (BASE.reshape(6, 4), BASE.reshape(6, 4)),
    "class_of_matrices": (BASE.reshape(6, 4).view(np.matrix), BASE.reshape(6, 4)),
    "fortran": (np.asfortranarray(BASE.reshape(2, 3, 4)), BASE.reshape(2, 3, 4)),
    "empty_rows": (np.zeros((3, 0), "f4"), np.zeros((3, 0), "f4")),
    "sliced_lists": (LISTS[1:4], LISTS[1:4]),
    "picked_lists": (LISTS[[3, 0, 0]], LISTS[[3, 0, 0]]),
    "masked_lists": (LISTS[LISTS > 2], LISTS[LISTS > 2]),
    "firsts_of_lists": (LISTS[:, :1], LISTS[:, :1]),
    "regular": (ak.to_regular(ak.Array([[1, 2], [3, 4]])), [[1, 2], [3, 4]]),
    "small_offsets": (
        ak.Array(ak.contents.ListOffsetArray(ak.index.Index32([2, 4, 4]), ak.contents.NumpyArray(BASE))),
        ak.unflatten(BASE[2:4], [2, 0]),
    ),
    "strided_lists": (
        ak.Array(ak.contents.ListOffsetArray(ak.index.Index64([1, 3]), ak.contents.NumpyArray(BASE[::2]))),
        ak.unflatten(BASE[2:6:2], [2]),
    ),
    "option_without_missing": (ak.mask(LISTS, [True] * 5), LISTS),
    "texts": (np.array(["a", "größer"]), ["a", "größer"]),
    "fixed_bytes": (np.array([b"a", "ö".encode()]), ["a", "ö"]),
    "objects": (np.array(["a", "b"], dtype=object), ["a", "b"]),
    "no_texts": (np.array([], dtype="U3"), ak.Array(["a"])[:0]),
    "picked_texts": (ak.Array(TEXTS)[[2, 0, 5]], [TEXTS[2], TEXTS[0], TEXTS[5]]),
    "categories": (ak.str.to_categorical(ak.Array(["b", "a", "b"])), ["b", "a", "b"]),
    "masked_items": ([np.ma.array([1, 2], mask=[False, False])], [[1, 2]]),
    "masked_array": (np.ma.array([1, 2], mask=[False, False]), np.array([1, 2])),
    "range": (range(3), np.array([0, 1, 2])),
    "deep": ([[[[1.5]]], []], ak.Array([[[[1.5]]], []])),
    "numbers": ([1, 2, 3], np.array([1, 2, 3])),
    "mixed_numbers": ([1, 2.5], np.array([1, 2.5])),
    "list_of_lists": ([[1.5], [], [2.5, 3.5]], ak.Array([[1.5], [], [2.5, 3.5]])),
    "list_of_arrays": (
        [np.ones(2, "f4"), np.zeros(0, "f4")],
        ak.unflatten(np.ones(2, "f4"), [2, 0]),
    ),
    "arrow": (pa.array([1, 2, 3], pa.int16())[1:], np.array([2, 3], "i2")),
    "arrow_bools": (pa.array([True, False, True])[1:], np.array([False, True])),
    "arrow_lists": (pa.array([[1.0], [], [2.0, 3.0]])[1:], ak.Array([[1.0], [], [2.0, 3.0]])[1:]),
    "arrow_fixed_lists": (
        pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.int64(), 2))[1:],
        np.array([[3, 4], [5, 6]]),
    ),
    "arrow_texts": (pa.array(TEXTS)[2:], TEXTS[2:]),
    "arrow_dictionary": (pa.array(["b", "a", "b"]).dictionary_encode(), ["b", "a", "b"]),
    "arrow_chunks": (pa.chunked_array([[1, 2], [3]]), np.array([1, 2, 3])),
    "arrow_no_chunks": (pa.chunked_array([], pa.float32()), np.zeros(0, "f4")),
    "arrow_categories_of_views": (
        pa.DictionaryArray.from_arrays([1, 0, 1], pa.array(["b", "a"], pa.string_view())),
        ["a", "b", "a"],
    ),
    "large_integers": ([2**63 + 1, 1], np.array([2**63 + 1, 1], "u8")),
    "pandas": (pd.Series([1.5, np.nan]), np.array([1.5, np.nan])),
    "pandas_nullable": (pd.Series([1, 2], dtype="Int16"), np.array([1, 2], "i2")),
    "pandas_bools": (pd.Series([True, False], dtype="boolean"), np.array([True, False])),
    "pandas_texts": (pd.Series(["a", "größer"]), ["a", "größer"]),
    "pandas_categories": (pd.Series(["b", "a", "b"], dtype="category"), ["b", "a", "b"]),
    "pandas_arrow": (pd.Series([1, 2], dtype=pd.ArrowDtype(pa.int32())), np.array([1, 2], "i4")),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_shapes_of_input(path, name):
    column, expected = LAYOUTS[name]
    writing.write(path, {"x": column})
    if isinstance(expected, np.ndarray) and expected.ndim > 1:
        expected = ak.from_regular(expected, axis=None)
    check(path, "x", ak.Array(expected))


def test_records_in_lists_and_lists_in_records(path):
    records = ak.Array(
        [
            [{"pt": 1.5, "hits": [1, 2], "vertex": {"x": 1.0}}],
            [],
            [{"pt": 2.5, "hits": [], "vertex": {"x": 2.0}}, {"pt": 3.5, "hits": [3], "vertex": {"x": 3.0}}],
        ]
    )
    writing.write(path, {"Muon": records, "plain": records.to_list(), "picked": records[[2, 0, 1]]})
    found = read(path)
    assert found["Muon"].to_list() == found["plain"].to_list() == records.to_list()
    assert found["picked"].to_list() == records[[2, 0, 1]].to_list()


@pytest.mark.parametrize("shape", [(6,), (6, 1), (3, 2), (1, 2, 3)])
def test_arrays_of_records_of_several_dimensions(path, shape):
    records = np.zeros(shape, dtype=[("a", "i4"), ("b", "f8", (2,))])
    records["a"] = np.arange(6).reshape(shape)
    records["b"] = np.arange(12).reshape((*shape, 2))
    writing.write(path, {"x": records})

    def plain(part):
        return [plain(each) for each in part] if part.ndim else {"a": int(part["a"]), "b": part["b"].tolist()}

    assert read(path)["x"].to_list() == plain(records)


@pytest.mark.parametrize("kind", ["awkward", "arrow", "batch", "pandas", "numpy", "dict"])
def test_tables_as_a_whole(path, kind):
    columns = {"x": np.arange(5.0), "n": np.arange(5, dtype="i2")}
    rows = np.zeros(5, dtype=[("x", "f8"), ("n", "i2")])
    rows["x"], rows["n"] = columns["x"], columns["n"]
    data = {
        "awkward": ak.Array(columns)[1:],
        "arrow": pa.table(columns).slice(1),
        "batch": pa.RecordBatch.from_pydict(columns).slice(1),
        "pandas": pd.DataFrame(columns).iloc[1:],
        "numpy": rows[1:],
        "dict": {name: column[1:] for name, column in columns.items()},
    }[kind]
    writing.write(path, data)
    check(path, "x", columns["x"][1:])
    check(path, "n", columns["n"][1:])


def test_arrow_structs(path):
    structs = pa.array([[{"x": 1.5, "n": 1}], [], [{"x": 2.5, "n": 2}, {"x": 3.5, "n": 3}]])
    writing.write(path, {"s": structs[1:], "flat": pa.array([{"x": 1}, {"x": 2}, {"x": 3}])[1:]})
    found = read(path)
    assert found["s"].to_list() == structs[1:].to_pylist()
    assert found["flat"].to_list() == [{"x": 2}, {"x": 3}]


def test_writes_what_is_a_stream_of_arrow(tmp_path):
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"x": [1, 2], "s": ["a", "b"], "l": [[1.5], []], "b": [True, False]})
    with sk.create(tmp_path / "twice.root") as out:
        out.extend(table)
        out.extend(table)
    read = sk.open(tmp_path / "twice.root")
    assert read.arrays().to_list() == table.to_dicts() * 2
    sk.write(tmp_path / "again.root", read)
    assert sk.open(tmp_path / "again.root").arrays().to_list() == table.to_dicts() * 2
    with pytest.raises(sk.SchemaError, match='"x" has a missing value'):
        sk.write(tmp_path / "missing.root", polars.DataFrame({"x": [1, None]}))


def test_columns_of_polars_keep_what_they_hold(path):
    polars = pytest.importorskip("polars")
    columns = {
        "number": polars.Series([2**53 + 1, 0, 3])[::2],
        "bool": polars.Series([True, False]),
        "text": polars.Series(["a", "größer"]),
        "category": polars.Series(["b", "a"], dtype=polars.Categorical),
        "list": polars.Series([[1.5], []], dtype=polars.List(polars.Float32)),
    }
    writing.write(path, columns)
    found = read(path)
    for name, column in columns.items():
        assert found[name].to_list() == column.to_list()
    assert found["list"].layout.content.dtype == np.float32
    for missing in ([1, None, 2**53 + 1], [0.5, None], ["a", None], [[1], [None]]):
        with pytest.raises(SchemaError, match='"x" has a missing value'):
            writing.write(path, {"x": polars.Series(missing)}, force=True)


REFUSED = {
    "float16": (np.zeros(2, "f2"), r'column "x" is float16, .* \.astype\("float32"\)'),
    "longdouble": (np.zeros(2, np.longdouble), r'column "x" is .*128, .*\.astype\("float64"\)'),
    "complex": (np.zeros(2, "c8"), r'column "x" is complex64, .*\.real and \.imag'),
    "date": (np.zeros(2, "M8[s]"), r'column "x" is datetime64\[s\], which cannot be written'),
    "dates_in_lists": ([np.zeros((1, 2), "M8[ns]"), np.zeros((2, 2), "M8[ns]")], 'column "x" is datetime64'),
    "durations_in_lists": ([np.zeros(1, "m8[ns]"), np.zeros(1, "m8[s]")], 'column "x" is timedelta64'),
    "single_dates": ([np.array(5, "M8[ns]")], 'column "x" is datetime64'),
    "duration": (np.zeros(2, "m8[s]"), r'column "x" is timedelta64\[s\], which'),
    "missing": (ak.Array([1, None, None]), 'column "x" has 2 missing values, .*fill or drop them'),
    "missing_inside": (ak.Array([[1], [None]]), 'column "x" has a missing value'),
    "missing_lists": (ak.Array([[1], None]), 'column "x" has a missing value'),
    "missing_member": (ak.Array([{"a": 1}, {"a": None}]), 'column "x.a" has a missing value'),
    "missing_in_list": ([1, None], 'column "x" has a missing value'),
    "masked": (np.ma.array([1, 2], mask=[True, False]), 'column "x" has a missing value'),
    "masked_items": (
        [np.ma.array([1.0, 2.0], mask=[False, True]), np.ma.array([3.0], mask=[True])],
        'column "x" has 2 missing values',
    ),
    "masked_objects": (
        pd.Series([np.ma.array([1.0, 2.0], mask=[False, True]), np.ma.array([3.0])]),
        'column "x" has a missing value',
    ),
    "masked_numbers": ([np.ma.masked, np.ma.masked], 'column "x" has 2 missing values'),
    "masked_number_inside": ([[np.ma.masked]], 'column "x" has a missing value'),
    "masked_member": ([{"a": np.ma.masked}], 'column "x.a" has a missing value'),
    "masked_records": (
        np.ma.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f8")], mask=[(0, 1), (0, 0)]),
        'column "x" has a missing value',
    ),
    "arrow_null": (pa.array([1, None]), 'column "x" has a missing value'),
    "arrow_date": (
        pa.array([0], pa.timestamp("s")),
        r'column "x" is of pyarrow\'s type timestamp\[s\], which',
    ),
    "pandas_missing": (pd.Series([1, None], dtype="Int64"), 'column "x" has a missing value'),
    "pandas_none": (pd.Series(["a", None]), 'column "x" has a missing value'),
    "pandas_date": (pd.Series(pd.to_datetime(["2026-01-01"])), 'column "x" is datetime64'),
    "union": (ak.Array([1, "a"]), 'column "x" is a union'),
    "bytes": (ak.Array([b"a"]), 'column "x" is made of bytes'),
    "mixed": ([1, "a"], 'column "x" holds numbers and texts: values of one kind'),
    "ragged": ([[1], 2], 'column "x" holds lists and numbers'),
    "objects": ([object()], 'column "x" is made of object, which'),
    "large": ([2**70], 'column "x" is made of numbers that no type holds'),
    "inexact": ([2**60 + 1, 0.5], 'column "x", entry 0: 1152921504606846977 is not exact as float64'),
    "surrogate": (["a", "\ud800"], 'column "x", entry 1: .* is no text in UTF-8'),
    "not_text": (np.array([b"\xff"]), 'column "x", entry 0: .* is no text in UTF-8'),
    "single": (np.float64(1), 'column "x" is a float64, which cannot be written: accepted are bool'),
    "number": (1.5, 'column "x" is a float, which'),
    "zero_dimensions": (np.array(1.5), 'column "x" is a single value'),
    "nothing": (None, 'column "x" is a NoneType, which'),
    "unknown": ([], 'column "x" is empty and has no type'),
    "unknown_items": (ak.Array([[], []]), 'column "x" is empty and has no type'),
    "no_members": (ak.Array([{}, {}]), "a record must have members"),
    "different_dicts": ([{"a": 1}, {"b": 1}], 'column "x": records 0 and 1 have different members'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_written_is_said_and_leaves_nothing(tmp_path, name):
    column, message = REFUSED[name]
    with pytest.raises(SchemaError, match=message):
        writing.write(tmp_path / "out.root", {"x": column})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"x": [1], "y": [1, 2]}, 'different numbers of entries: "x" 1, "y" 2'),
        ({}, "an RNTuple must have fields"),
        ({1: [1]}, "1 is no text, and cannot be the name of a column"),
        ({"a.b": [1]}, "a.b"),
        ({"": [1]}, "name"),
        ({"a b": [1]}, "a b"),
        ({"\udcff": [1]}, "is no text in UTF-8"),
        ({"x": [{"\udcff": 1}]}, "is no text in UTF-8"),
        ({"x": [{"a.b": 1}]}, "a.b"),
        ({"x": [[{"a": 1}]], "x.a": [1]}, "x.a"),
        ([1, 2], "columns cannot be found in a list: a mapping"),
        (ak.Array([1, 2]), "columns cannot be found in a Array"),
        (pa.table([[1], [2]], names=["x", "x"]), 'two columns are called "x"'),
    ],
)
def test_wrong_tables(tmp_path, data, message):
    with pytest.raises(SchemaError, match=message):
        writing.write(tmp_path / "out.root", data)
    assert list(tmp_path.iterdir()) == []


def test_series_are_written_row_by_row(path):
    numbers, other = pd.Series([1, 2, 3]), pd.Series([30, 10, 20], index=[2, 0, 1])
    with pytest.raises(SchemaError, match='"x" and "y" are Series with the same index in another order'):
        writing.write(path, {"x": numbers, "n": np.zeros(3), "y": other})
    assert not path.exists()
    writing.write(path, pd.DataFrame({"x": numbers, "y": other}))
    assert read(path)["y"].to_list() == [10, 20, 30]
    chosen = numbers[numbers > 1].set_axis([7, 8])
    writing.write(path, {"x": numbers[:2], "y": other.to_numpy()[:2], "z": chosen}, force=True)
    assert read(path)["z"].to_list() == [2, 3]

# SPDX-License-Identifier: BSD-3-Clause
"""RNTuples written from arrays: the same values and types for uproot and ROOT, whole or not there at all."""

import gc
import signal
import subprocess
import sys
import threading
import time

import awkward as ak
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import skimline as sk
import uproot
from skimline import files, writing
from skimline.errors import ConfigError, Error, FileError, SchemaError

DTYPES = ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")
CPP_NAMES = (
    "bool",
    *(f"std::{sign}int{bits}_t" for bits in (8, 16, 32, 64) for sign in ("", "u")),
    "float",
    "double",
)
TEXTS = ["", "pt", "größer", "日本語 🎉", "a\0b", "x" * 300]


def random_values(generator, dtype, count):
    """Any bits but those of NaN, with the extremes of the type."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return generator.integers(0, 2, count).astype("?")
    if kind.kind == "f":
        values = generator.normal(0, 1e3, count).astype(kind)
        values[:4] = [np.inf, -0.0, np.finfo(kind).tiny, np.finfo(kind).max][:count]
        return values
    limits = np.iinfo(kind)
    values = generator.integers(limits.min, limits.max, count, dtype=kind, endpoint=True)
    values[:2] = [limits.min, limits.max][:count]
    return values


def jagged(generator, values):
    """The values in lists of random lengths, many of them empty."""
    cuts = np.sort(generator.integers(0, len(values) + 1, 999))
    offsets = np.concatenate([[0], cuts, [len(values)]])
    return ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(offsets), ak.contents.NumpyArray(values)))


def read(path, name="Events"):
    with uproot.open(path) as file:
        return file[name].arrays()


def check(path, name, expected):
    """uproot reads the values of a column, of the same types."""
    found = read(path)[name]
    assert len(found) == len(expected)
    assert ak.array_equal(found, expected, dtype_exact=True, equal_nan=True, check_parameters=False), name


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out.root"


@pytest.mark.parametrize("compression", ["none", "zstd:5", "lz4"])
def test_all_types_at_all_depths(path, compression):
    generator = np.random.default_rng(1)
    columns = {}
    for dtype in DTYPES:
        columns[f"flat_{dtype.strip('?') or 'b'}"] = random_values(generator, dtype, 1000)
        columns[f"list_{dtype.strip('?') or 'b'}"] = jagged(generator, random_values(generator, dtype, 3000))
    inner = jagged(generator, np.arange(5000, dtype="f4"))
    columns["deep"] = ak.unflatten(inner, np.bincount(generator.integers(0, 1000, 1000), minlength=1000))
    columns["text"] = ak.Array([TEXTS[i % len(TEXTS)] for i in range(1000)])
    columns["texts"] = ak.Array([[TEXTS[j % len(TEXTS)] for j in range(i % 4)] for i in range(1000)])
    report = writing.write(f"{path}:Events", columns, compression=compression, cluster_size="64 KiB")
    assert (report.entries, report.path, report.name) == (1000, str(path), "Events")
    assert report.bytes == path.stat().st_size
    assert report.clusters > 1
    for name, column in columns.items():
        check(path, name, column)
    types = {field.name: field.type for field in files.inspect(path).ntuples[0].fields}
    for dtype, cpp_name in zip(DTYPES, CPP_NAMES, strict=True):
        assert types[f"flat_{dtype.strip('?') or 'b'}"] == cpp_name
        assert types[f"list_{dtype.strip('?') or 'b'}"] == f"std::vector<{cpp_name}>"
    assert files.verify(path).sound


ROOT_CHECK = """
import sys, ROOT
frame = ROOT.RDataFrame("dir/Tuple", sys.argv[1])
names = {str(name) for name in frame.GetColumnNames()}
assert {"x", "hits", "Muon.pt", "Muon.charge", "text", "vertex.x", "deep"} <= names, names
count, x, pt, z = frame.Count(), frame.Sum("x"), frame.Sum("Muon.pt"), frame.Sum("vertex.x")
hits = frame.Define("sum", "Sum(hits)").Sum("sum")
texts = frame.Filter('text == "größer"').Count()
# One event loop for all, since each is compiled.
assert (count.GetValue(), x.GetValue(), z.GetValue(), texts.GetValue()) == (1000, 499500, -499500, 500)
assert pt.GetValue() == sum(i * (i % 3) for i in range(1000))
assert hits.GetValue() == sum(i * (i % 5) for i in range(1000))
reader = ROOT.RNTupleReader.Open("dir/Tuple", sys.argv[1])
assert reader.GetNEntries() == 1000
assert str(reader.GetDescriptor().GetDescription()) == "of the test"
"""


def test_root_reads_it(path):
    numbers = np.arange(1000)
    lengths = numbers % 3
    pt = ak.unflatten(np.repeat(numbers, lengths).astype("f4"), lengths)
    columns = {
        "x": numbers.astype("f8"),
        "hits": ak.unflatten(np.repeat(numbers, numbers % 5).astype("i4"), numbers % 5),
        "Muon": ak.zip({"pt": pt, "charge": ak.ones_like(pt) > 0}),
        "text": ["größer", "kleiner"] * 500,
        "vertex": ak.zip({"x": -numbers.astype("f4"), "y": numbers}),
        "deep": ak.Array([[[1.5], []]] * 1000),
    }
    writing.write(f"{path}:dir/Tuple", columns, description="of the test", page_size=1024)
    done = subprocess.run(
        [sys.executable, "-c", ROOT_CHECK, path], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr


def test_the_program_reads_it(path, program, tmp_path):
    muons = ak.zip({"pt": ak.Array([[1.5, 2.5], [], [4.0]]), "charge": ak.Array([[1, -1], [], [1]])})
    writing.write(path, {"Muon": muons, "x": [1.0, 2.0, 3.0]})
    converted = tmp_path / "converted.root"
    subprocess.run([program, "convert", path, "-o", converted], check=True, capture_output=True)
    assert read(converted)["x"].tolist() == [1, 2, 3]
    assert read(converted)["Muon"].to_list() == muons.to_list()


def sample(generator, count):
    lengths = generator.poisson(3, count)
    pt = ak.unflatten(generator.exponential(30, lengths.sum()).astype("f4"), lengths)
    return ak.Array(
        {
            "run": np.full(count, 7, dtype="u4"),
            "x": generator.normal(size=count),
            "Jet": ak.zip({"pt": pt, "ids": ak.local_index(pt)}),
            "text": ak.Array([TEXTS[i % len(TEXTS)] for i in range(count)]),
        }
    )


def test_bytes_depend_neither_on_threads_nor_on_chunks(tmp_path):
    data = sample(np.random.default_rng(2), 30_000)
    options = {"cluster_size": 256 << 10, "page_size": 16 << 10}
    written = []
    for threads in (1, 2, 5):
        written.append(tmp_path / f"threads{threads}.root")
        report = writing.write(written[-1], data, threads=threads, **options)
        assert report.clusters > 8
    for chunk in (97, 4_000, 29_999):
        written.append(tmp_path / f"chunks{chunk}.root")
        with writing.create(written[-1], threads=2, **options) as out:
            for start in range(0, len(data), chunk):
                out.extend(data[start : start + chunk])
        assert out.report.clusters == report.clusters
    contents = {path.read_bytes() for path in written}
    assert len(contents) == 1
    clusters = files.inspect(written[0]).ntuples[0].clusters
    assert all(cluster.entries > 1000 for cluster in clusters[:-1])
    for name in data.fields:
        check(written[0], name, data[name])


def test_chunks_may_change_afterwards(path):
    chunk = np.zeros(1000)
    with writing.create(path, cluster_size="64 KiB", threads=2) as out:
        for number in range(100):
            chunk[:] = number
            out.extend({"x": chunk})
        chunk[:] = -1
    assert np.array_equal(read(path)["x"].to_numpy(), np.repeat(np.arange(100), 1000))


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


REFUSED = {
    "float16": (np.zeros(2, "f2"), r'column "x" is float16, .* \.astype\("float32"\)'),
    "longdouble": (np.zeros(2, np.longdouble), r'column "x" is .*128, .*\.astype\("float64"\)'),
    "complex": (np.zeros(2, "c8"), r'column "x" is complex64, .*\.real and \.imag'),
    "date": (np.zeros(2, "M8[s]"), r'column "x" is datetime64\[s\], which cannot be written'),
    "duration": (np.zeros(2, "m8[s]"), r'column "x" is timedelta64\[s\], which'),
    "missing": (ak.Array([1, None, None]), 'column "x" has 2 missing values, .*fill or drop them'),
    "missing_inside": (ak.Array([[1], [None]]), 'column "x" has a missing value'),
    "missing_lists": (ak.Array([[1], None]), 'column "x" has a missing value'),
    "missing_member": (ak.Array([{"a": 1}, {"a": None}]), 'column "x.a" has a missing value'),
    "missing_in_list": ([1, None], 'column "x" has a missing value'),
    "masked": (np.ma.array([1, 2], mask=[True, False]), 'column "x" has a missing value'),
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"compression": "zip"}, "zip"),
        ({"cluster_size": 5}, "cluster_size: 5 is not from 64 KiB"),
        ({"cluster_size": "a lot"}, "cluster_size: 'a lot' is not"),
        ({"cluster_size": 1e6}, "cluster_size"),
        ({"page_size": "1 GiB"}, "page_size: '1 GiB' is not from 1 KiB to 256 MiB"),
        ({"threads": -1}, "threads: -1"),
        ({"fields": {"x": "int"}}, "column \"x\": 'int' is no type"),
        ({"fields": {"x": {}}}, 'column "x": a record must have members'),
    ],
)
def test_wrong_options(tmp_path, options, message):
    with pytest.raises(ConfigError, match=message):
        writing.write(tmp_path / "out.root", {"x": [1]}, **options)
    assert list(tmp_path.iterdir()) == []


def test_names_of_the_ntuple(tmp_path):
    for location, name in ((":a/b/c", "a/b/c"), ("", "Events"), (":", "Events")):
        path = tmp_path / "x.root"
        assert writing.write(f"{path}{location}", {"x": [1]}, force=True).name == name
        assert read(path, name)["x"].tolist() == [1]
    with pytest.raises(SchemaError, match=r"a\.b"):
        writing.write(f"{tmp_path / 'y.root'}:a.b", {"x": [1]})
    with pytest.raises(FileError) as caught:
        writing.write(tmp_path / "x.root" / "x.root", {"x": [1]})
    assert caught.value.fault == "unwritable"


def test_no_entries(path):
    columns = {
        "x": np.zeros(0, "f4"),
        "lists": ak.values_astype(ak.Array([[1]])[:0], "i2"),
        "t": ak.Array(["a"])[:0],
    }
    report = writing.write(path, columns)
    assert (report.entries, report.clusters) == (0, 0)
    types = {field.name: field.type for field in files.inspect(path).ntuples[0].fields}
    assert types["x"] == "float"
    assert types["lists"] == "std::vector<std::int16_t>"
    assert types["t"] == "std::string"
    assert len(read(path)) == 0


def test_fields_give_types(path):
    fields = {
        "x": "float",
        "lists": "list of lists of float",
        "n": np.uint8,
        "Muon": [{"pt": "float", "charge": "int8"}],
        "vertex": {"z": "double"},
        "names": "list of string",
    }
    with writing.create(path, fields=fields) as out:
        out.extend({name: [] for name in fields})
        out.extend(
            {
                "names": [["a"], []],
                "x": [0.1, 2],
                "lists": [[], [[], [1]]],
                "n": [True, 255],
                "Muon": [[], [{"charge": -1, "pt": 2.5}]],
                "vertex": [{"z": 1}, {"z": np.float32(0.1)}],
            }
        )
    found = read(path)
    check(path, "x", np.array([0.1, 2], "f4"))
    check(path, "n", np.array([1, 255], "u1"))
    assert found["lists"].to_list() == [[], [[], [1]]]
    assert found["Muon"].to_list() == [[], [{"pt": 2.5, "charge": -1}]]
    assert found["vertex"].to_list() == [{"z": 1}, {"z": np.float32(0.1)}]
    assert found["names"].to_list() == [["a"], []]


CONVERSIONS = [
    ("i4", np.array([1, -5], "i8"), True),
    ("i4", np.array([2**31], "i8"), False),
    ("u8", np.array([-1], "i8"), False),
    ("i8", np.array([2**63], "u8"), False),
    ("i8", np.array([2**63 - 1], "u8"), True),
    ("i8", np.array([True]), True),
    ("?", np.array([1]), False),
    ("i8", np.array([1.0]), False),
    ("f4", np.array([0.5, np.nan, np.inf]), True),
    ("f4", np.array([0.1]), False),
    ("f4", np.array([1e300]), False),
    ("f4", [1e300], False),
    ("f4", [0.1], True),
    ("f4", np.array([2**24]), True),
    ("f4", np.array([2**24 + 1]), False),
    ("f8", np.array([2**53 + 1]), False),
    ("f8", np.array([-(2**63)]), False),
    ("f8", np.array([0.1], "f4"), True),
]


@pytest.mark.parametrize(("dtype", "chunk", "fits"), CONVERSIONS)
def test_later_chunks_are_converted_if_no_value_changes(path, dtype, chunk, fits):
    first = np.array([1], dtype)
    with writing.create(path) as out:
        out.extend({"x": first, "lists": [first]})
        if fits:
            out.extend({"x": chunk, "lists": [chunk] * len(chunk)})
        else:
            with pytest.raises(SchemaError, match=r'column "x" has the type .*would change'):
                out.extend({"x": chunk, "lists": [chunk] * len(chunk)})
        out.extend({"lists": [first], "x": first})
    converted = np.asarray(chunk).astype(dtype) if fits else np.zeros(0, dtype)
    check(path, "x", np.concatenate([first, converted, first]))


@pytest.mark.parametrize(
    ("chunk", "message"),
    [
        ({"x": [1.0]}, 'column "y" is missing: the columns are "x", "y"'),
        ({"x": [1.0], "y": [[1]], "z": [1]}, 'column "z" is new'),
        ({"x": ["a"], "y": [[1]]}, 'column "x" has the type string, but double was expected'),
        (
            {"x": [1.0], "y": [1]},
            'column "y" has the type std::int64_t, but list of std::int64_t was expected',
        ),
    ],
)
def test_chunks_that_do_not_fit_leave_the_writer_as_it_was(path, chunk, message):
    with writing.create(path) as out:
        out.extend({"x": [1.0], "y": [[1]]})
        with pytest.raises(SchemaError, match=message):
            out.extend(chunk)
        out.extend({"x": [2.0], "y": [[]]})
    assert read(path).to_list() == [{"x": 1, "y": [1]}, {"x": 2, "y": []}]


def test_an_exception_leaves_what_was_there(tmp_path):
    path = tmp_path / "out.root"
    path.write_text("old")
    with (
        pytest.raises(ZeroDivisionError),
        writing.create(path, threads=2, cluster_size="64 KiB", force=True) as out,
    ):
        out.extend({"x": np.random.default_rng(1).normal(size=100_000)})
        raise ZeroDivisionError
    assert [each.name for each in tmp_path.iterdir()] == ["out.root"]
    assert path.read_text() == "old"
    with pytest.raises(Error, match="the writer is closed"):
        out.extend({"x": [1.0]})
    with pytest.raises(Error, match="not complete"):
        out.report  # noqa: B018
    with pytest.raises(Error, match="there is no file"):
        out.close()


def test_a_forgotten_writer_leaves_nothing(tmp_path):
    out = writing.create(tmp_path / "out.root")
    out.extend({"x": [1.0]})
    del out
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_closing_twice_and_nothing_written(tmp_path):
    out = writing.create(tmp_path / "a.root")
    out.extend({"x": [1.0]})
    assert out.close() is out.close() is out.report
    with pytest.raises(SchemaError, match="nothing was written"), writing.create(tmp_path / "b.root"):
        pass
    with writing.create(tmp_path / "c.root", fields={"x": "float"}):
        pass
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.root", "c.root"]


def test_a_full_disk_is_an_error(tmp_path):
    with pytest.raises(FileError) as caught, writing.create("/dev/full", cluster_size="64 KiB") as out:
        for _ in range(100):
            out.extend({"x": np.random.default_rng(1).normal(size=100_000)})
    assert caught.value.path == "/dev/full"


def test_threads_may_share_a_writer(path):
    def work(number):
        for _ in range(20):
            out.extend({"x": np.full(500, number), "texts": [str(number)] * 500})

    with writing.create(path, threads=2, cluster_size="64 KiB") as out:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = read(path)
    assert np.array_equal(np.bincount(found["x"]), [10_000] * 4)
    assert ak.all(found["texts"] == ak.Array(["0", "1", "2", "3"])[found["x"]])


LEFT_OPEN = """
import sys, numpy as np
from skimline import writing
out = writing.create(sys.argv[1], cluster_size="64 KiB", threads=2)
for _ in range(50):
    out.extend({"x": np.random.default_rng(1).normal(size=20_000)})
if len(sys.argv) > 2:
    raise ZeroDivisionError
"""


@pytest.mark.parametrize("arguments", [(), ("raise",)])
def test_a_program_that_ends_with_an_open_writer_leaves_nothing(tmp_path, program, arguments):
    environment = {"PYTHONPATH": str(program.parent / "python")}
    command = [sys.executable, "-c", LEFT_OPEN, tmp_path / "out.root", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=100, check=False)
    assert (done.returncode, "ZeroDivisionError" in done.stderr) == (len(arguments), bool(arguments))
    assert list(tmp_path.iterdir()) == []


INTERRUPTED = """
import sys, numpy as np
from skimline import writing
data = {"x": np.random.default_rng(1).normal(size=30_000_000)}
print("begin", flush=True)
try:
    writing.write(sys.argv[1], data, compression="lzma:9", threads=2, cluster_size="1 MiB")
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_control_c_ends_it(tmp_path, program):
    environment = {"PYTHONPATH": str(program.parent / "python")}
    command = [sys.executable, "-c", INTERRUPTED, tmp_path / "out.root"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout.readline() == "begin\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    assert process.communicate(timeout=90)[0] == "interrupted\n"
    assert time.monotonic() - start < 60
    assert list(tmp_path.iterdir()) == []


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

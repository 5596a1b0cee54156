# SPDX-License-Identifier: BSD-3-Clause
"""RNTuples written from arrays: the same values and types for uproot and ROOT."""

import subprocess
import sys

import awkward as ak
import numpy as np
import pytest
from skimline import files, writing
from skimline.errors import ConfigError, FileError, SchemaError
from written_ntuples import TEXTS, check, read

DTYPES = ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")
CPP_NAMES = (
    "bool",
    *(f"std::{sign}int{bits}_t" for bits in (8, 16, 32, 64) for sign in ("", "u")),
    "float",
    "double",
)


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

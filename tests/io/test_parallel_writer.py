# SPDX-License-Identifier: BSD-3-Clause
"""RNTuples that several threads wrote: the same values, types and clusters for ROOT and uproot as numpy computes."""

import json
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

np = pytest.importorskip("numpy")
ak = pytest.importorskip("awkward")
uproot = pytest.importorskip("uproot")

# The types of flat0, flat1 ..., and of jagged0, jagged1 ...
SCALARS = (bool, "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")
SCALAR_NAMES = (
    "bool",
    *(f"std::{sign}int{bits}_t" for bits in (8, 16, 32, 64) for sign in ("", "u")),
    "float",
    "double",
)
# What may be wrong with a value of the range from -1 to 1: none of them is changed by the forms that are not named.
ERRORS = {
    "quantized": 2 / (2**12 - 1) / 2,
    "quantized_list": 2 / (2**20 - 1) / 2,
    "truncated_double": 2**-2,
}


class Layout(NamedTuple):
    """How parallel_writer_samples.cc is called."""

    compression: str = "zstd:1"
    mode: str = "mixed"
    threads: int = 3
    entries: int = 700
    cluster_bytes: int = 60_000
    page_bytes: int = 1000


LAYOUTS = [
    *(
        Layout(compression, mode)
        for compression in ("none", "zstd:5", "lz4", "zlib", "lzma:1")
        for mode in ("rows", "spans")
    ),
    Layout(),
    Layout("none", threads=1, cluster_bytes=1, entries=30),
    Layout(page_bytes=1, entries=30),
    Layout("none", page_bytes=10, threads=8),
    Layout(cluster_bytes=10**8, page_bytes=10**6, threads=2),
    Layout(entries=1),
    Layout(entries=0),
    Layout("none", entries=0),
]


def make(build_folder: Path, path: Path, layout: Layout) -> Path:
    program = build_folder / "tests" / "io" / "io_parallel_writer_samples"
    if not program.is_file():
        pytest.fail(f"no program {program}: build the tests")
    subprocess.run([program, path, *map(str, layout)], check=True)
    return path


# The values, as the program computes them


def scrambled(numbers: "np.ndarray") -> "np.ndarray":
    return numbers * np.uint64(0x9E3779B97F4A7C15)


def scalars(numbers: "np.ndarray", kind: object) -> "np.ndarray":
    kind = np.dtype(kind)
    bits = scrambled(numbers)
    if kind.kind == "b":
        return (bits >> np.uint64(63)).astype(bool)
    if kind.kind == "f":
        return ((bits >> np.uint64(40)).astype("i4") / 8).astype(kind)
    return (bits >> np.uint64(64 - 8 * kind.itemsize)).astype(kind)


def fractions(numbers: "np.ndarray") -> "np.ndarray":
    return (scrambled(numbers) >> np.uint64(53)).astype("f8") / 1024 - 1


def list_sizes(numbers: "np.ndarray") -> "np.ndarray":
    return (scrambled(numbers) >> np.uint64(60)).astype("i8") % 4


def listed(numbers: "np.ndarray", make) -> "ak.Array":
    """A list for each number; `make` gets the numbers of all items."""
    sizes = list_sizes(numbers)
    places = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    items = np.repeat(numbers, sizes) * np.uint64(4) + places.astype("u8") + np.uint64(1)
    return ak.unflatten(make(items), sizes)


def strings(numbers: "np.ndarray") -> "ak.Array":
    texts = ["a" * size + str(number) for size, number in zip(list_sizes(numbers), numbers, strict=True)]
    return ak.Array(texts) if texts else ak.from_iter(["x"])[:0]


def records(numbers: "np.ndarray", depth: int) -> "ak.Array":
    members = {
        "pt": scalars(numbers, "f4"),
        "charge": scalars(numbers, "i2"),
        "hits": listed(numbers, lambda items: scalars(items, "f8")),
        "label": strings(numbers),
    }
    if depth > 0:
        members["inner"] = records(numbers, depth - 1)
    return ak.zip(members, depth_limit=1)


def expected(num_entries: int) -> dict[str, "ak.Array"]:
    entries = np.arange(num_entries, dtype="u8")
    fields = {}
    for i, kind in enumerate(SCALARS):
        fields[f"flat{i}"] = ak.Array(scalars(entries, kind))
        fields[f"jagged{i}"] = listed(entries, lambda items, kind=kind: scalars(items, kind))
    fields["twice"] = listed(entries, lambda items: listed(items, lambda inner: scalars(inner, "i4")))
    fields["name"] = strings(entries)
    fields["names"] = listed(entries, strings)
    fields["vertex"] = records(entries, 1)
    fields["Muon"] = listed(entries, lambda items: records(items, 1))
    fields["jets"] = listed(entries, lambda items: listed(items, lambda inner: records(inner, 0)))
    for name in ("half", "truncated", "quantized", "half_double", "truncated_double"):
        fields[name] = ak.Array(fractions(entries))
    fields["quantized_list"] = listed(entries, fractions)
    for algorithm in ("none", "zstd", "zlib", "lzma", "lz4"):
        fields[f"as_{algorithm}"] = listed(entries, lambda items: scalars(items, "f4"))
    return fields


def assert_equal(found: object, wanted: object, name: str) -> None:
    """Compares plain data, numbers with the error that the field's form may have."""
    if name not in ERRORS:
        assert found == wanted, name
        return
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        if isinstance(one, list):
            assert len(one) == len(other)
        assert np.all(np.abs(np.subtract(one, other)) <= ERRORS[name] * (1 + 1e-6)), name


# uproot


@pytest.mark.thorough(quick=4)
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: "-".join(map(str, layout)))
def test_uproot_reads_the_values_of_numpy(build_folder: Path, tmp_path: Path, layout: Layout) -> None:
    path = make(build_folder, tmp_path / "sample.root", layout)
    wanted = expected(layout.entries)
    with uproot.open(path) as file:
        ntuple = file["Events"]
        assert ntuple.num_entries == layout.entries
        found = ntuple.arrays()
    assert found.fields == list(wanted)
    for name, values in wanted.items():
        assert_equal(found[name].to_list(), values.to_list(), name)
    if layout.entries > 1:
        for i in range(len(SCALARS)):
            for name in (f"flat{i}", f"jagged{i}"):
                assert ak.type(found[name]) == ak.type(wanted[name])


def test_clusters_and_pages_keep_their_limits(build_folder: Path, tmp_path: Path) -> None:
    layout = Layout("none", "rows", threads=1, entries=970)
    path = make(build_folder, tmp_path / "sample.root", layout)
    with uproot.open(path) as file:
        ntuple = file["Events"]
        columns = ntuple.column_records
        clusters = [(summary.num_first_entry, summary.num_entries) for summary in ntuple.cluster_summaries]
        pages = [
            [ntuple.page_link_list[cluster][column].pages for column in range(len(columns))]
            for cluster in range(len(clusters))
        ]
        sizes = [element_size(ntuple, column) for column in columns]
    end_of_ticket = 0
    for (first, count), columns_of_cluster in zip(clusters, pages, strict=True):
        bytes_in_memory = sum(
            size * sum(abs(page.num_elements) for page in column)
            for size, column in zip(sizes, columns_of_cluster, strict=True)
        )
        is_last_of_ticket = (first + count) % 97 == 0
        assert bytes_in_memory >= layout.cluster_bytes or is_last_of_ticket
        assert bytes_in_memory < layout.cluster_bytes + 4000, "no entry of the sample is larger"
        end_of_ticket += is_last_of_ticket
        for size, column in zip(sizes, columns_of_cluster, strict=True):
            assert all(abs(page.num_elements) * size <= layout.page_bytes for page in column)
            assert all(abs(page.num_elements) == layout.page_bytes // size for page in column[:-1])
    assert end_of_ticket == 10 and len(clusters) == 20


def element_size(ntuple: object, column: object) -> int:
    """Bytes in memory: one for a bool, those of the type for numbers, however they are stored."""
    names = dict(zip(SCALAR_NAMES, (np.dtype(kind).itemsize for kind in SCALARS), strict=True))
    names["std::string"] = column.nbits // 8  # its ends, its characters
    return names.get(ntuple.field_records[column.field_id].type_name, 8)


def test_bytes_do_not_depend_on_threads(build_folder: Path, tmp_path: Path) -> None:
    one, many = (
        make(build_folder, tmp_path / f"{threads}.root", Layout(threads=threads)).read_bytes()
        for threads in (1, 6)
    )
    assert one == many


# ROOT

# Rows as JSON: numbers with all their digits, lists, and strings, which are plain in the sample.
TEXT = """
namespace parallel_writer {
inline std::string text(bool value) { return value ? "true" : "false"; }
template <typename T> std::enable_if_t<std::is_integral_v<T>, std::string> text(T value) {
  return std::to_string(value);
}
template <typename T> std::enable_if_t<std::is_floating_point_v<T>, std::string> text(T value) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.17g", static_cast<double>(value));
  return digits;
}
inline std::string text(const std::string& value) { return '"' + value + '"'; }
template <typename T> std::string text(const ROOT::RVec<T>& values) {
  std::string all;
  for (std::size_t i = 0; i < values.size(); ++i) all += (i == 0 ? "" : ",") + text(static_cast<const T&>(values[i]));
  return '[' + all + ']';
}
}
"""


def leaves(name: str, values: "ak.Array") -> dict[str, "ak.Array"]:
    """The columns of RDataFrame that a field becomes."""
    if not values.fields:
        return {name: values}
    return {
        path: column
        for member in values.fields
        for path, column in leaves(f"{name}.{member}", values[member]).items()
    }


def rdataframe_type(name: str) -> str:
    """The type that a column of the sample has in RDataFrame."""
    leaf = name.split(".")[-1]
    if leaf.startswith(("flat", "jagged")):
        kind = SCALAR_NAMES[int(leaf.removeprefix("flat").removeprefix("jagged"))]
    elif leaf in ("label", "name", "names"):
        kind = "std::string"
    else:
        special = {"charge": "std::int16_t", "twice": "std::int32_t"}
        is_double = leaf in ("hits", "half_double", "truncated_double", "quantized_list")
        kind = special.get(leaf, "double" if is_double else "float")
    depth = {"twice": 2, "jets": 2, "Muon": 1, "names": 1, "quantized_list": 1}.get(name.split(".")[0], 0)
    depth += leaf.startswith(("jagged", "as_")) + (leaf == "hits")
    return "ROOT::VecOps::RVec<" * depth + kind + ">" * depth


@pytest.mark.parametrize(
    "layout",
    [Layout(), Layout("none", "rows"), Layout("lz4", "spans"), Layout(entries=1)],
    ids=lambda layout: "-".join(map(str, layout)),
)
def test_rdataframe_reads_the_values_of_numpy(build_folder: Path, tmp_path: Path, layout: Layout) -> None:
    root = pytest.importorskip("ROOT")
    if not hasattr(root, "parallel_writer"):
        assert root.gInterpreter.Declare(TEXT)
    path = make(build_folder, tmp_path / "sample.root", layout)
    columns = {
        column: values
        for name, field in expected(layout.entries).items()
        for column, values in leaves(name, field).items()
    }
    frame = root.RDataFrame("Events", str(path))
    names = {str(name) for name in frame.GetColumnNames()}
    assert set(columns) <= names
    for name in columns:
        assert str(frame.GetColumnType(name)) == rdataframe_type(name)
    for number, name in enumerate(columns):
        frame = frame.Define(f"text{number}", f"parallel_writer::text({name})")
    texts = [frame.Take["std::string"](f"text{number}") for number in range(len(columns))]
    for (name, values), column in zip(columns.items(), texts, strict=True):
        found = [json.loads(str(text)) for text in column.GetValue()]
        assert_equal(found, values.to_list(), name)


def test_root_finds_everything_in_the_file(build_folder: Path, tmp_path: Path) -> None:
    root = pytest.importorskip("ROOT")
    path = make(build_folder, tmp_path / "sample.root", Layout())
    file = root.TFile.Open(str(path))
    assert file.Get("deep/h").GetEntries() == 7
    other = root.RDataFrame("deep/down/Other", str(path)).AsNumpy(["x"])["x"]
    assert np.array_equal(other, np.arange(1000))
    reader = root.RNTupleReader.Open("Events", str(path))
    descriptor = reader.GetDescriptor()
    assert str(descriptor.GetDescription()) == "a sample"
    assert descriptor.GetNEntries() == 700
    described = {str(field.GetFieldName()): field for field in descriptor.GetTopLevelFields()}
    assert str(described["Muon"].GetTypeName()) == ""
    assert described["Muon"].GetStructure() == root.ENTupleStructure.kCollection
    assert str(described["twice"].GetTypeName()) == "std::vector<std::vector<std::int32_t>>"
    assert str(described["flat3"].GetFieldDescription()) == "flat number 3"


def test_root_opens_an_rntuple_without_entries(build_folder: Path, tmp_path: Path) -> None:
    root = pytest.importorskip("ROOT")
    path = make(build_folder, tmp_path / "sample.root", Layout(entries=0))
    # RDataFrame of ROOT 6.40 crashes on any empty RNTuple, ROOT's own too.
    reader = root.RNTupleReader.Open("Events", str(path))
    assert reader.GetNEntries() == 0
    assert [str(field.GetFieldName()) for field in reader.GetDescriptor().GetTopLevelFields()] == list(
        expected(0)
    )


def test_fields_have_their_own_compression(build_folder: Path, tmp_path: Path) -> None:
    path = make(build_folder, tmp_path / "sample.root", Layout("zstd:1"))
    wanted = {
        "as_none": 0,
        "as_zstd": 505,
        "as_zlib": 101,
        "as_lzma": 207,
        "as_lz4": 404,
        "flat1": 501,
        "charge": 404,
    }
    seen = set()
    with uproot.open(path) as file:
        ntuple = file["Events"]
        for number, column in enumerate(ntuple.column_records):
            field = ntuple.field_records[column.field_id]
            name = (
                ntuple.field_records[field.parent_field_id].field_name if field.field_name == "_0" else None
            )
            name = name or field.field_name
            if name in wanted:
                for cluster in ntuple.page_link_list:
                    assert cluster[number].compression_settings == wanted[name], name
                seen.add(name)
    assert seen == set(wanted)

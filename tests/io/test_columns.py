# SPDX-License-Identifier: BSD-3-Clause
"""Lists of lists, arrays and strings, read as columns: the values that uproot reads from files that ROOT wrote."""

import json
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import uproot
from root_types import KINDS, ROOT, SAMPLES, UNREADABLE_BY_UPROOT, Sample, field_name
from uproot_values import ExpectedValues, events_by_uproot


def written_columns(build_folder: Path, path: Path, ntuple: str, *sizes: int | str) -> bytes:
    """All columns by name as JSON, as Skimline reads them in slices and batches of these sizes; of the columns only one
    may be announced.
    """
    program = build_folder / "tests" / "io" / "io_column_values"
    done = subprocess.run([program, path, ntuple, *map(str, sizes)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def read_columns(build_folder: Path, path: Path, ntuple: str, *sizes: int | str) -> dict[str, Any]:
    """The same as Python's values."""
    return json.loads(written_columns(build_folder, path, ntuple, *sizes))


@pytest.mark.thorough(quick=8)
@pytest.mark.parametrize("sizes", [(65536, 4096), (7, 3)])
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_columns_have_the_values_that_uproot_reads(sample_file, build_folder, sample, sizes):
    path = sample_file(sample)
    columns = read_columns(build_folder, path, "Events", *sizes)
    unreadable = UNREADABLE_BY_UPROOT.get(sample.kinds, {})
    expected = events_by_uproot(path)
    different = [
        name
        for name, column in columns.items()
        if name.split(".")[0] not in unreadable
        and "double_quantized"
        not in name  # uproot gives the nearest floats; test_reduced_reals.py judges them
        and repr(column["values"]) != repr(expected.of(name))
    ]
    assert different == []


@pytest.mark.parametrize(
    "name",
    [
        "ntpl001_staff_rntuple_v1-0-0-0.root",
        "test_stl_containers_rntuple_v1-0-0-0.root",
        "uproot-physlite-rntuple_v1-0-0-0.root",
    ],
)
def test_files_made_by_others_have_the_values_that_uproot_reads(shared_data, build_folder, name):
    most = 60
    with uproot.open(shared_data / name) as file:
        ntuple = next(key for key, kind in file.classnames().items() if kind.endswith("RNTuple")).split(";")[
            0
        ]
        columns = read_columns(build_folder, shared_data / name, ntuple, 7, 5)
        nested = [
            key for key, column in columns.items() if "lists" in column["type"] or "string" in column["type"]
        ]
        assert nested
        expected = ExpectedValues(file[ntuple])
        for column in nested[:most]:
            assert columns[column]["values"] == expected.of(column), column


def copy_columns(build_folder: Path, source: Path, ntuple: str, target: Path, *options: object) -> None:
    """Writes all columns of `source`, as they are in memory."""
    program = build_folder / "tests" / "io" / "io_copy_columns"
    done = subprocess.run(
        [program, source, ntuple, target, *map(str, options)], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


# Clusters and pages: of the default size, small ones, and ones that part lists and strings.
CUTS = [("zstd:5",), ("none", 20_000, 4096), ("lz4", 3000, 64)]
COPIED = [
    Sample(kinds, {"compression": 505})
    for kinds in ("sequences", "nested", "wrappers", "classes", "associative")
]


@pytest.mark.thorough(quick=3)
@pytest.mark.parametrize("cut", CUTS, ids=str)
@pytest.mark.parametrize("sample", COPIED, ids=str)
def test_uproot_reads_the_columns_that_were_written(sample_file, build_folder, tmp_path, sample, cut):
    source, target = sample_file(sample), tmp_path / "target.root"
    copy_columns(build_folder, source, "Events", target, *cut)
    columns = read_columns(build_folder, source, "Events")
    expected = events_by_uproot(source)
    with uproot.open(target) as after:
        written = {name.replace(".", "_"): name for name in columns}
        assert after["Events"].keys(recursive=False) == list(written)
        found = ExpectedValues(after["Events"])
        different = [
            name for field, name in written.items() if repr(found.of(field)) != repr(expected.of(name))
        ]
    assert different == []


def python_value(value: Any) -> Any:
    """Lists of numbers and Latin-1 text for what ROOT holds."""
    if isinstance(value, (bool, int, float)):
        return value
    if type(value).__name__ in ("string", "str", "std::string"):
        return bytes(value).decode("latin-1")
    return [python_value(item) for item in value]


def taken(path: Path, kind: str, field: str) -> str:
    """The values of a field as RDataFrame takes them."""
    events = ROOT.RDataFrame("Events", str(path))
    assert events.GetColumnType(field).replace("ROOT::VecOps::RVec", "std::vector") == kind
    return repr([python_value(value) for value in events.Take[kind](field).GetValue()])


# Of a file that stays as it is, once for the tests that follow each other.
taken_before = lru_cache(maxsize=1)(taken)


@pytest.mark.thorough(quick=3)
@pytest.mark.parametrize("cut", CUTS, ids=str)
@pytest.mark.parametrize(
    "kind",
    [
        "std::vector<std::vector<float>>",
        "std::vector<std::vector<bool>>",
        "std::vector<std::vector<std::string>>",
        "std::vector<std::string>",
        "std::string",
    ],
)
def test_root_reads_the_columns_that_were_written(sample_file, build_folder, tmp_path, kind, cut):
    kinds = "sequences" if kind in KINDS["sequences"] else "nested"
    field = f"{KINDS[kinds].index(kind):02}_{field_name(kind)}"
    source, target = sample_file(Sample(kinds, {"compression": 505})), tmp_path / "target.root"
    copy_columns(build_folder, source, "Events", target, *cut)
    before = taken_before(source, kind, field)
    assert len(before) > 1000
    assert taken(target, kind, field) == before


def test_written_columns_are_whole(sample_file, build_folder, skimline, tmp_path):
    target = tmp_path / "target.root"
    copy_columns(
        build_folder,
        sample_file(Sample("nested", {"compression": 505})),
        "Events",
        target,
        "zstd:5",
        3000,
        64,
    )
    assert subprocess.run([skimline, "verify", target], capture_output=True, check=False).returncode == 0
    inspected = subprocess.run([skimline, "inspect", "--json", target], capture_output=True, check=False)
    ntuple = json.loads(inspected.stdout)["ntuples"][0]
    types = {field["name"]: field["type"] for field in ntuple["fields"]}
    assert types["02_vector_vector_string"] == "std::vector<std::vector<std::string>>"
    assert types["02_vector_vector_string._0._0"] == "std::string"
    assert ntuple["unsupported_fields"] == []

# SPDX-License-Identifier: BSD-3-Clause
"""Lists of lists, arrays and strings, read as columns: the values that uproot reads from files that ROOT wrote."""

import json
import subprocess
from pathlib import Path
from typing import Any

import awkward as ak
import numpy as np
import pytest
import uproot
from root_types import SAMPLES, UNREADABLE_BY_UPROOT, Sample, write_sample

def read_columns(build_folder: Path, path: Path, ntuple: str, *sizes: int) -> dict[str, Any]:
    """All columns by name, as Skimline reads them in slices and batches of these sizes."""
    program = build_folder / "tests" / "io" / "io_column_values"
    done = subprocess.run([program, path, ntuple, *map(str, sizes)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def member(value: Any, names: list[str]) -> Any:
    """What the records in lists have under these names; text as Latin-1, of which every byte is a character."""
    if isinstance(value, list):
        return [member(item, names) for item in value]
    if isinstance(value, tuple):
        return member(value[int(names[0].removeprefix("_"))], names[1:])
    if isinstance(value, dict):
        return member(value[names[0]], names[1:])
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("latin-1")
    return value


def expected_values(ntuple: Any, column: str) -> list[Any]:
    """The values of a column as uproot reads them."""
    field, *members = column.split(".")
    array = ntuple[field].array()
    return member(uproot_list(array), members)


def uproot_list(array: Any) -> list[Any]:
    """Lists and records of Python values; text that is no UTF-8 keeps its bytes."""

    def plain(layout: Any, **_: Any) -> Any:
        if layout.is_option:  # a list of no or one value
            offsets = np.concatenate([[0], np.cumsum(layout.mask_as_bool(valid_when=True))])
            content = ak.transform(plain, layout.project(), highlevel=False)
            return ak.contents.ListOffsetArray(ak.index.Index64(offsets), content)
        if layout.parameter("__array__") != "string":
            return None
        content = layout.content.copy(parameters={"__array__": "byte"})
        return layout.copy(content=content, parameters={"__array__": "bytestring"})

    as_lists = ak.transform(plain, array)

    def decoded(value: Any) -> Any:
        if isinstance(value, bytes):
            return value.decode("utf-8", "surrogateescape")
        if isinstance(value, dict):
            return {name: decoded(item) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(decoded(item) for item in value)
        return value

    return decoded(ak.to_list(as_lists))


@pytest.fixture(scope="module")
def sample_file(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Makes the file of a sample, once."""
    folder = tmp_path_factory.mktemp("columns")

    def make(sample: Sample) -> Path:
        path = folder / f"{sample}.root"
        if not path.exists():
            write_sample(sample, path)
        return path

    return make


@pytest.mark.parametrize("sizes", [(65536, 4096), (7, 3)])
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_columns_have_the_values_that_uproot_reads(sample_file, build_folder, sample, sizes):
    path = sample_file(sample)
    columns = read_columns(build_folder, path, "Events", *sizes)
    unreadable = UNREADABLE_BY_UPROOT.get(sample.kinds, {})
    with uproot.open(path) as file:
        different = [
            name
            for name, column in columns.items()
            if name.split(".")[0] not in unreadable
            and "double_quantized" not in name  # uproot gives the nearest floats; test_reduced_reals.py judges them
            and repr(column["values"]) != repr(expected_values(file["Events"], name))
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
        for column in nested[:most]:
            assert columns[column]["values"] == expected_values(file[ntuple], column), column

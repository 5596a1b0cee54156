# SPDX-License-Identifier: BSD-3-Clause
"""Enumerations as members of objects in TTrees: read as ROOT stores them, or listed with the reason."""

import json

import pytest
import uproot
from exit_codes import DONE, INCOMPLETE
from whole_and_split import write_whole_and_split

NUM_EVENTS = 20
KINDS = {"OfInt": "int", "OfUnsigned": "unsigned", "OfChar": "char"}
CLASSES = "".join(
    f"""
enum class {name}Kind : {kind} {{ a = 1, b = 2, c = 3 }};
struct {name} {{
   int before = 0; {name}Kind one; {name}Kind many[3]; int after = 0;
   void set(int x) {{
      before = x; one = {name}Kind(x % 3 + 1); after = -x;
      for (int k = 0; k < 3; ++k) many[k] = {name}Kind((x + k) % 3 + 1);
   }}
}};
"""
    for name, kind in KINDS.items()
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("enumerations")
    write_whole_and_split(folder, CLASSES, KINDS, NUM_EVENTS)
    return folder


def columns_of(call, folder, tmp_path, name):
    done = call("convert", folder / f"{name}.root", "-o", "c.root", "--force", cwd=tmp_path)
    assert done.returncode in (DONE, INCOMPLETE), done.stderr
    columns = uproot.open(tmp_path / "c.root")["t"].arrays()
    return {column: columns[column].to_list() for column in columns.fields}


def test_those_of_int_are_numbers(call, folder, tmp_path):
    columns = columns_of(call, folder, tmp_path, "OfInt")
    for branch in ("whole", "split"):
        assert columns[f"{branch}_one"] == [x % 3 + 1 for x in range(NUM_EVENTS)]
        assert columns[f"{branch}_many"] == [[(x + k) % 3 + 1 for k in range(3)] for x in range(NUM_EVENTS)]
        assert columns[f"{branch}_after"] == [-x for x in range(NUM_EVENTS)]


@pytest.mark.parametrize("name", ["OfUnsigned", "OfChar"])
def test_arrays_that_root_did_not_write_are_listed(call, folder, tmp_path, name):
    shown = json.loads(call("inspect", "--json", folder / f"{name}.root").stdout)["trees"][0]
    reasons = {each["name"]: each["reason"] for each in shown["unsupported"]}
    assert set(reasons) == {"whole", "split.many"}
    assert all("its entries are not what the file says of" in reason for reason in reasons.values())
    columns = columns_of(call, folder, tmp_path, name)
    assert set(columns) == {"split_before", "split_one", "split_after"}
    assert columns["split_before"] == list(range(NUM_EVENTS))
    assert columns["split_after"] == [-x for x in range(NUM_EVENTS)]
    if name == "OfUnsigned":
        assert columns["split_one"] == [x % 3 + 1 for x in range(NUM_EVENTS)]

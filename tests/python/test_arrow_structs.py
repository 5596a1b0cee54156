# SPDX-License-Identifier: BSD-3-Clause
"""Tuples, structs and objects in files of Parquet and Arrow IPC: each member as it was, written and read again."""

import awkward as ak
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import skimline as sk
import uproot
from arrow_files import written

pytestmark = pytest.mark.usefixtures("arrow_cache")


@pytest.mark.parametrize("end", [".parquet", ".arrow"])
def test_tuples_keep_all_members(tmp_path, end):
    """Their members are called as the items of a list are."""
    pairs = [[(1, 2.5), (3, 4.5)], [], [(5, 6.5)]]
    columns = {
        "pair": [(1, 2.5), (3, 4.5), (5, 6.5)],
        "pairs": pairs,
        "nested": [pairs, [], [[(7, 8.5)], []]],
        "inner": [([1, 2], 1.5), ([], 2.5), ([3], 3.5)],
        "inners": [[([1, 2], [1.5])], [], [([], []), ([3], [3.5])]],
        "single": [(1,), (2,), (3,)],
        "singles": [[(1,), (2,)], [], [(3,)]],
        "single_list": [([1, 2],), ([],), ([3],)],
    }
    with uproot.recreate("tuples.root") as file:
        file.mkrntuple("Events", {name: ak.Array(values) for name, values in columns.items()})
    with pytest.warns(sk.RunWarning, match="without checksums"):
        sk.run(sk.open("tuples.root").skim(f"s{end}"))
    found = pq.read_table(f"s{end}") if end == ".parquet" else pa.ipc.open_file(f"s{end}").read_all()

    def as_tuples(value):
        if isinstance(value, dict):
            return tuple(map(as_tuples, value.values()))
        return list(map(as_tuples, value)) if isinstance(value, list) else value

    assert {name: as_tuples(found[name].to_pylist()) for name in columns} == columns
    sk.run(sk.open(f"s{end}").skim(f"again{end}"))
    again = pq.read_table(f"again{end}") if end == ".parquet" else pa.ipc.open_file(f"again{end}").read_all()
    assert again.to_pylist() == found.to_pylist()


def with_bases(value):
    """Members of base classes as those of the class, the first of each name."""
    if isinstance(value, list):
        return list(map(with_bases, value))
    if not isinstance(value, dict):
        return value
    members = {}
    for name, member in value.items():
        found = with_bases(member)
        for each in (found if name.startswith(":_") else {name: found}).items():
            members.setdefault(*each)
    return members


@pytest.mark.parametrize(
    ("name", "drop"),
    [
        ("Run2012BC_DoubleMuParked_Muons_1000evts_rntuple_v1-0-0-0.root", None),
        ("test_class_inheritance_rntuple_v1-0-0-1.root", ["multi_grandparent.*"]),
    ],
)
def test_projections_and_members_of_bases_are_written(shared_data, name, drop):
    """As ROOT's importer writes NanoAOD, and objects of derived classes."""
    with uproot.open(shared_data / name) as file:
        (ntuple,) = file.keys(filter_classname="ROOT::RNTuple", cycle=False)
        expected = with_bases(file[ntuple].arrays().to_list())
    sk.run(sk.open(str(shared_data / name)).skim("s.arrow", drop=drop))
    found = pa.ipc.open_file("s.arrow").read_all()
    assert found.num_columns >= 3
    for column in found.column_names:
        assert found[column].to_pylist() == [entry[column] for entry in expected], column


@pytest.mark.parametrize("thin", [None, {"Muon": "Muon_pt > 20"}])
def test_projections_of_members_are_not_written(tmp_path, thin):
    muons = ak.zip({"pt": [[10.0, 30.0], [], [25.0]], "charge": [[1, -1], [], [1]]})
    with uproot.recreate("tree.root") as file:
        file.mktree("Events", {"event": "int32", "Muon": muons.type.content})
        file["Events"].extend({"event": np.arange(3, dtype="int32"), "Muon": muons})
    sk.convert("tree.root", "in.root")
    assert {"Muon.pt", "Muon_pt"} <= set(uproot.open("in.root")["Events"].keys())
    sk.run(sk.open("in.root").skim("s.parquet", thin=thin))
    found = pq.read_table("s.parquet")
    assert sorted(found.column_names) == ["Muon", "event", "nMuon"]
    kept = muons[muons.pt > 20] if thin else muons
    assert found["Muon"].to_pylist() == kept.to_list()
    assert found["nMuon"].to_pylist() == ak.num(kept).to_list()
    sk.run(sk.open("s.parquet").skim("again.parquet"))
    assert pq.read_table("again.parquet").to_pylist() == found.to_pylist()


def structs_of_one_member():
    """Types of structs with a member that is called as the items of a list are, in each other."""
    number, text = pa.float32(), pa.string()

    def struct(inner):
        return pa.struct([("_0", inner)])

    leaves = [number, text, pa.list_(number)]
    once = [struct(each) for each in leaves]
    twice = [made for each in once for made in (struct(each), struct(pa.list_(each)))]
    both = [pa.struct([("_0", pa.list_(number)), ("_1", struct(number))])]
    return [made for each in (*once, *twice, *both) for made in (each, pa.list_(each))]


def filled(kind, number):
    """A value of a type, with lists of 0 to 2 items."""
    if pa.types.is_list(kind):
        return [filled(kind.value_type, number * 3 + i) for i in range(number % 3)]
    if pa.types.is_struct(kind):
        return {each.name: filled(each.type, number + i) for i, each in enumerate(kind)}
    return f"t{number}" if pa.types.is_string(kind) else float(number)


@pytest.mark.parametrize("end", [".parquet", ".arrow"])
def test_structs_whose_only_member_is_called_as_an_item(tmp_path, end):
    kinds = structs_of_one_member()
    columns = {
        f"c{i}": pa.array([filled(kind, row) for row in range(12)], kind) for i, kind in enumerate(kinds)
    }
    written(pa.table(columns), tmp_path / f"in{end}")
    sk.run(sk.open(str(tmp_path / f"in{end}")).skim(f"s{end}"))
    sk.run(sk.open(f"s{end}").skim(f"again{end}"))
    for name in ("s", "again"):
        path = f"{name}{end}"
        found = pq.read_table(path) if end == ".parquet" else pa.ipc.open_file(path).read_all()
        assert {each: found[each].to_pylist() for each in columns} == {
            each: values.to_pylist() for each, values in columns.items()
        }

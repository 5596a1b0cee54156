# SPDX-License-Identifier: BSD-3-Clause
"""Skims that keep parts of collections and records: structure and values as ROOT and uproot see them, and nothing unneeded."""

import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import awkward as ak
import numpy as np
import pytest
import uproot
from prepared_root import PreparedRoot, prepared_root

ROOT = pytest.importorskip("ROOT", reason="ROOT is the oracle of these tests")

ENTRIES = 500

WRITE_SOURCE = """
namespace keep_fields {
using namespace field_kinds;

inline std::unique_ptr<RFieldBase> record(const std::string& name, Fields fields) {
  return std::make_unique<ROOT::RRecordField>(name, std::move(fields));
}

inline Fields hit_fields(const std::string& prefix) {
  Fields fields;
  fields.push_back(make_field(prefix + "energy", "float"));
  fields.push_back(make_field(prefix + "channel", "std::int64_t"));
  fields.push_back(make_field(prefix + "layer", "std::uint8_t"));
  return fields;
}

struct Plain {
  bool flag = false;
};
struct Special : Plain {
  float own = 0;
};

inline void write_source(const std::string& path, int entries) {
  Table table;
  table.add_filled<std::int32_t>(make_field("number", "std::int32_t"), make_small<std::int32_t>);
  table.add_field<std::vector<Hit>>(ROOT::RVectorField::CreateUntyped("Muon", record("_0", hit_fields(""))));
  table.add<std::vector<Point>>("points", "std::vector<field_kinds::Point>");
  const auto fill_derived = [](std::vector<Special>& values, Random& random) {
    values.resize(Below(random, 4));
    for (auto& value : values) {
      fill(value.flag, random);
      fill(value.own, random);
    }
  };
  table.add_filled<std::vector<Special>>(make_field("derived", "std::vector<keep_fields::Special>"), fill_derived);
  table.add<std::pair<float, std::int32_t>>("pair", "std::pair<float,std::int32_t>");
  struct Outer {
    Hit inner{};
    float weight = 0;
  };
  Fields nested;
  nested.push_back(record("inner", hit_fields("")));
  nested.push_back(make_field("weight", "float"));
  table.add_filled<Outer>(record("outer", std::move(nested)), [](Outer& value, Random& random) {
    fill(value.inner, random);
    fill(value.weight, random);
  });
  table.add_field<std::vector<Hit>>(
      ROOT::RVectorField::CreateUntyped("_collection0", record("_0", hit_fields("Jet_"))));
  table.project("nJet", "ROOT::RNTupleCardinality<std::uint32_t>", "_collection0", "");
  table.project("Jet_energy", "ROOT::RVec<float>", "_collection0", "_collection0._0.Jet_energy");
  table.project("Jet_channel", "ROOT::RVec<std::int64_t>", "_collection0", "_collection0._0.Jet_channel");
  table.project("Jet_layer", "ROOT::RVec<std::uint8_t>", "_collection0", "_collection0._0.Jet_layer");
  Layout layout;
  layout.entries = entries;
  layout.cluster_entries = 120;
  table.open("Events", path, layout);
  table.write(entries);
  table.close();
}
}  // namespace keep_fields
"""

# Reads all entries as a user of ROOT would, classes without a dictionary included.
# What the functions call is compiled at their first call: here, not again for each file.
READ_ALL = """
import tempfile
assert ROOT.gInterpreter.Declare('''
void write_one(const char* path) {
  auto model = ROOT::RNTupleModel::Create();
  model->MakeField<float>("x");
  ROOT::RNTupleWriter::Recreate(std::move(model), "Events", path)->Fill();
}
int read_all(const char* path) {
  auto plain = ROOT::RNTupleReader::Open("Events", path);
  ROOT::RCreateFieldOptions options;
  options.SetEmulateUnknownTypes(true);
  auto model = ROOT::RNTupleModel::CreateBare();
  for (const auto& field : plain->GetDescriptor().GetTopLevelFields())
    model->AddField(field.CreateField(plain->GetDescriptor(), options));
  auto reader = ROOT::RNTupleReader::Open(std::move(model), "Events", path);
  auto entry = reader->GetModel().CreateEntry();
  for (auto row : *reader) reader->LoadEntry(row, *entry);
  return reader->GetNEntries();
}
''')
with tempfile.NamedTemporaryFile(suffix=".root") as place:
    ROOT.write_one(place.name)
    assert ROOT.read_all(place.name) == 1
"""

MUON = ["Muon ", "Muon._0 "]
MUON_INDEX = "Muon SplitIndex64"
JETS = ["_collection0 ", "_collection0._0 "]
JETS_INDEX = "_collection0 SplitIndex64"
ENERGY = ["Jet_energy ROOT::VecOps::RVec<float>", "Jet_energy._0 float"]
LAYER = ["Jet_layer ROOT::VecOps::RVec<std::uint8_t>", "Jet_layer._0 std::uint8_t"]
COUNT = ["nJet ROOT::RNTupleCardinality<std::uint32_t>"]
POINTS = [
    "points std::vector<field_kinds::Point>",
    "points._0 field_kinds::Point",
    "points._0.x float",
    "points._0.y double",
    "points._0.number std::int16_t",
]
POINTS_COLUMNS = [
    "points SplitIndex64",
    "points._0.x SplitReal32",
    "points._0.y SplitReal64",
    "points._0.number SplitInt16",
]


@dataclass
class Case:
    patterns: dict[str, list[str]]
    fields: list[str]  # of the skim, in their order, with their types
    columns: list[str]


# "name*" stands for all of the source that begins so, "!name" for what is not there after all.
CASES = {
    "member of an untyped collection": Case(
        {"keep": ["Muon.energy"]},
        [*MUON, "Muon._0.energy float"],
        [MUON_INDEX, "Muon._0.energy SplitReal32"],
    ),
    "all members but one": Case(
        {"keep": ["Muon.*"], "drop": ["Muon.energy"]},
        [*MUON, "Muon._0.channel std::int64_t", "Muon._0.layer std::uint8_t"],
        [MUON_INDEX, "Muon._0.channel SplitInt64", "Muon._0.layer UInt8"],
    ),
    "member of classes": Case(
        {"keep": ["points.x"]},
        ["points ", "points._0 ", "points._0.x float"],
        ["points SplitIndex64", "points._0.x SplitReal32"],
    ),
    "all members of classes": Case({"keep": ["points.*"]}, POINTS, POINTS_COLUMNS),
    "member of classes with a base": Case({"keep": ["derived.own"]}, ["derived*"], ["derived*"]),
    "half of a pair": Case(
        {"keep": ["pair._0"]},
        ["pair std::pair<float,std::int32_t>", "pair._0 float", "pair._1 std::int32_t"],
        ["pair._0 SplitReal32", "pair._1 SplitInt32"],
    ),
    "member of a record in a record": Case(
        {"keep": ["outer.inner.channel"]},
        ["outer ", "outer.inner ", "outer.inner.channel std::int64_t"],
        ["outer.inner.channel SplitInt64"],
    ),
    "members of both records": Case(
        {"keep": ["outer.weight", "outer.inner.layer"]},
        ["outer ", "outer.inner ", "outer.inner.layer std::uint8_t", "outer.weight float"],
        ["outer.inner.layer UInt8", "outer.weight SplitReal32"],
    ),
    "one projection": Case(
        {"keep": ["Jet_energy"]},
        [*JETS, "_collection0._0.Jet_energy float", *ENERGY],
        [JETS_INDEX, "_collection0._0.Jet_energy SplitReal32"],
    ),
    "a count alone": Case({"keep": ["nJet"]}, ["nJet std::uint32_t"], ["nJet SplitUInt32"]),
    "a count and a projection": Case(
        {"keep": ["nJet", "Jet_layer"]},
        [*JETS, "_collection0._0.Jet_layer std::uint8_t", *COUNT, *LAYER],
        [JETS_INDEX, "_collection0._0.Jet_layer UInt8"],
    ),
    "two projections": Case(
        {"keep": ["Jet_layer", "Jet_energy"]},
        [
            *JETS,
            "_collection0._0.Jet_energy float",
            "_collection0._0.Jet_layer std::uint8_t",
            *ENERGY,
            *LAYER,
        ],
        [JETS_INDEX, "_collection0._0.Jet_energy SplitReal32", "_collection0._0.Jet_layer UInt8"],
    ),
    "all but a count": Case({"drop": ["nJet"]}, ["*", "!nJet"], ["*"]),
    "all": Case({}, ["*"], ["*"]),
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that ROOT writes."""
    header = Path(__file__).parents[2] / "io" / "field_kind_files.h"
    if not hasattr(ROOT, "keep_fields"):
        assert ROOT.gInterpreter.Declare(f'#include "{header}"\n{WRITE_SOURCE}')
    path = tmp_path_factory.mktemp("keep") / "source.root"
    level, ROOT.gErrorIgnoreLevel = ROOT.gErrorIgnoreLevel, ROOT.kError
    try:
        ROOT.keep_fields.write_source(str(path), ENTRIES)
    finally:
        ROOT.gErrorIgnoreLevel = level
    return path


def inspected(skimline: Path, path: Path, part: str) -> list[str]:
    """The fields with their types, or the columns with their encodings, in their order."""
    done = subprocess.run([skimline, "inspect", "--json", path], capture_output=True, text=True, check=True)
    names = {"fields": ("name", "type"), "columns": ("field", "encoding")}[part]
    return [" ".join(each[name] for name in names) for each in json.loads(done.stdout)["ntuples"][0][part]]


def fields_by_root(path: Path) -> list[str]:
    """The fields with their types as ROOT's descriptor has them."""

    def below(descriptor, field):
        for child in descriptor.GetFieldIterable(field):
            yield f"{descriptor.GetQualifiedFieldName(child.GetId())} {child.GetTypeName()}"
            yield from below(descriptor, child)

    descriptor = ROOT.RNTupleReader.Open("Events", str(path)).GetDescriptor()
    return list(below(descriptor, descriptor.GetFieldZero()))


def expanded(wanted: list[str], of_source: list[str]) -> list[str]:
    """`wanted`, where "name*" is everything of the source that begins so, and "!name" is left out."""
    out = [
        each
        for item in wanted
        for each in (
            [one for one in of_source if one.startswith(item[:-1])] if item.endswith("*") else [item]
        )
    ]
    left_out = {item[1:] for item in wanted if item.startswith("!")}
    return [each for each in out if not each.startswith("!") and each.split(" ")[0] not in left_out]


def skim(call: Callable, folder: Path, source: Path, where: str, patterns: dict[str, list[str]]) -> Path:
    config = {
        "schema_version": 1,
        "samples": {"sample": {"files": [str(source)]}},
        "select": [{"name": "selected", "where": where}],
        "skims": {"skim": {"file": str(folder / "skim.root"), **patterns}},
    }
    (folder / "config.json").write_text(json.dumps(config))
    done = call("run", folder / "config.json")
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.root")
    return path


def leaves(array: ak.Array, name: str = "") -> dict[str, list]:
    """The numbers of an array by the names of the fields that lead to them."""
    if not array.fields:
        return {name: array.to_list()}
    found = {}
    for field in array.fields:
        found |= leaves(array[field], f"{name}.{field}" if name else field)
    return found


def values(path: Path) -> dict[str, list]:
    """All values as uproot reads them. It gives pairs and classes whose members have no names as tuples."""
    with uproot.open(path) as file:
        return leaves(file["Events"].arrays())


@pytest.mark.thorough(quick=6)
@pytest.mark.parametrize("where", ["number < 40", "number >= 0"])
@pytest.mark.parametrize("name", CASES)
def test_keeps_what_is_named_and_no_more(
    name: str, where: str, call: Callable, skimline: Path, source: Path, tmp_path: Path
) -> None:
    case = CASES[name]
    path = skim(call, tmp_path, source, where, case.patterns)
    expected_fields = expanded(case.fields, inspected(skimline, source, "fields"))
    assert inspected(skimline, path, "fields") == expected_fields
    assert fields_by_root(path) == expected_fields
    assert inspected(skimline, path, "columns") == expanded(
        case.columns, inspected(skimline, source, "columns")
    )

    with uproot.open(source) as file:
        number = file["Events"]["number"].array()
    mask = number < 40 if where == "number < 40" else number >= 0
    assert ak.sum(mask) > 0 and (ak.all(mask) == (where == "number >= 0"))
    with uproot.open(source) as file:
        all_values = leaves(file["Events"].arrays()[mask])
    found = values(path)
    assert found
    for leaf, numbers in found.items():
        np.testing.assert_equal(numbers, all_values[leaf], err_msg=leaf)


@pytest.fixture(scope="module")
def reader() -> Iterator[PreparedRoot]:
    with prepared_root(READ_ALL) as root:
        yield root


@pytest.mark.thorough(quick=2)
@pytest.mark.parametrize("name", CASES)
def test_root_reads_it_silently(
    reader: PreparedRoot, name: str, call: Callable, source: Path, tmp_path: Path
) -> None:
    path = skim(call, tmp_path, source, "number < 40", CASES[name].patterns)
    assert int(reader.run("print(ROOT.read_all(sys.argv[1]))", path)) == len(
        next(iter(values(path).values()))
    )

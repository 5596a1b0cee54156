# SPDX-License-Identifier: BSD-3-Clause
"""Files with all kinds of fields, written by ROOT, and RNTuples as ROOT reads them."""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

ROOT = pytest.importorskip("ROOT", reason="ROOT is the oracle of these tests")

INTEGERS = [f"std::{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FUNDAMENTALS = ["bool", "char", *INTEGERS, "float", "double", "std::byte"]

# Types of fields by kind. Sets and maps are of types that ROOT has a compiled dictionary for: without one it cannot write
# them, and the rest (map of vectors ...) is in files made by others.
KINDS = {
    "fundamental": [*FUNDAMENTALS, "Double32_t", "size_t", "long long"],
    "sequences": [
        *(f"std::vector<{kind}>" for kind in [*FUNDAMENTALS, "Double32_t", "std::string"]),
        *(f"ROOT::RVec<{kind}>" for kind in ["bool", "std::int8_t", "float", "double", "std::string"]),
        "std::string",
    ],
    "nested": [
        "std::vector<std::vector<float>>",
        "std::vector<std::vector<bool>>",
        "std::vector<std::vector<std::string>>",
        "std::vector<std::vector<std::vector<float>>>",
        "ROOT::RVec<ROOT::RVec<std::int16_t>>",
        "std::vector<ROOT::RVec<double>>",
        "std::array<float,3>",
        "std::array<bool,9>",
        "std::array<std::array<std::int32_t,2>,3>",
        "std::array<std::string,2>",
        "std::array<std::vector<float>,2>",
        "std::array<std::vector<std::string>,2>",
        "std::vector<std::array<double,4>>",
        "std::vector<std::array<std::string,2>>",
        "std::vector<std::array<std::vector<std::int8_t>,2>>",
    ],
    "wrappers": [
        "std::pair<float,std::string>",
        "std::pair<std::vector<int>,std::pair<bool,double>>",
        "std::tuple<std::int8_t,double,std::vector<float>>",
        "std::tuple<std::string,std::tuple<bool,char>>",
        "std::vector<std::pair<int,float>>",
        "std::vector<std::tuple<std::string,std::vector<double>>>",
        "std::variant<int,float>",
        "std::variant<int,std::string,std::vector<float>>",
        "std::vector<std::variant<float,std::string>>",
        "std::array<std::variant<std::int8_t,double>,2>",
        "std::variant<double,std::vector<std::variant<int,std::string>>>",
        "std::optional<float>",
        "std::optional<std::string>",
        "std::optional<std::vector<int>>",
        "std::optional<std::array<float,3>>",
        "std::vector<std::optional<double>>",
        "std::array<std::optional<int>,3>",
        "std::unique_ptr<float>",
        "std::unique_ptr<std::vector<float>>",
        "std::vector<std::unique_ptr<field_kinds::Point>>",
        "std::atomic<int>",
        "std::atomic<bool>",
        "std::atomic<double>",
        *(f"std::bitset<{size}>" for size in (1, 8, 20, 64, 100)),
        *(f"std::vector<std::bitset<{size}>>" for size in (1, 8, 20, 100)),
        "std::array<std::bitset<3>,5>",
    ],
    "associative": [
        "std::set<int>",
        "std::set<std::string>",
        "std::set<float>",
        "std::multiset<int>",
        "std::multiset<std::string>",
        "std::unordered_set<int>",
        "std::unordered_set<std::string>",
        "std::unordered_multiset<int>",
        "std::map<std::string,int>",
        "std::map<std::string,std::string>",
        "std::map<int,int>",
        "std::unordered_map<std::string,double>",
        "std::unordered_map<int,int>",
        "std::multimap<std::string,int>",
        "std::vector<std::map<std::string,double>>",
    ],
    "classes": [
        "field_kinds::Colour",
        "field_kinds::Flavour",
        "std::vector<field_kinds::Colour>",
        "std::vector<field_kinds::Flavour>",
        "std::array<field_kinds::Flavour,2>",
        "std::optional<field_kinds::Colour>",
        "field_kinds::Empty",
        "std::vector<field_kinds::Empty>",
        "field_kinds::Point",
        "field_kinds::Base",
        "field_kinds::Middle",
        "field_kinds::Derived",
        "field_kinds::Event",
        "std::vector<field_kinds::Track>",
        "std::vector<field_kinds::Derived>",
        "std::array<field_kinds::Point,3>",
        "std::variant<field_kinds::Point,std::vector<field_kinds::Track>>",
    ],
}


# Fields that uproot cannot read: ROOT alone judges them.
UNREADABLE_BY_UPROOT = {
    "changing": {
        "text": "a string whose columns have several representations: an assertion fails",
        "real": "several representations of other widths: wrong values",
        "list": "several representations of other widths: wrong values",
    },
    "streamed": {
        "vector": "objects that ROOT streams into bytes: not implemented",
        "named": "objects that ROOT streams into bytes: not implemented",
    },
}


@dataclass(frozen=True)
class Sample:
    """A file of one RNTuple `Events`: what kinds of fields, and how it is cut."""

    kinds: str
    layout: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return "-".join([self.kinds, *(f"{name}={value}" for name, value in self.layout.items())])


# Each kind compressed and not, as the types of columns depend on it.
SAMPLES = [
    *(Sample(kinds, {"compression": how}) for kinds in KINDS for how in (505, 0)),
    *(Sample("sequences", {"compression": how}) for how in (101, 207, 404, 509)),
    Sample("representations"),
    Sample("representations", {"compression": 0}),
    Sample("untyped"),
    Sample("untyped", {"compression": 0, "cluster_entries": 7}),
    Sample("streamed"),
    Sample("streamed", {"compression": 0, "cluster_entries": 50}),
    *(Sample("extended", {"cluster_entries": entries}) for entries in (50, 70, 1000)),
    Sample("extended", {"compression": 0, "cluster_entries": 110, "group_clusters": 1}),
    Sample("same"),
    Sample("same", {"compression": 0}),
    Sample("changing", {"cluster_entries": 40}),
    Sample("changing", {"cluster_entries": 1, "entries": 12}),
    *(
        Sample(kinds, {"cluster_entries": 10, "group_clusters": 3, "page_bytes": 1024})
        for kinds in ("fundamental", "nested", "wrappers")
    ),
    *(Sample(kinds, {"cluster_entries": 1000}) for kinds in ("wrappers", "classes")),
    *(Sample(kinds, {"cluster_entries": 1, "entries": 20}) for kinds in ("wrappers", "classes")),
    *(
        Sample(kinds, {"entries": entries})
        for kinds in ("nested", "wrappers", "classes")
        for entries in (0, 1)
    ),
]


@cache
def oracle():
    """What the headers beside this file declare, compiled by ROOT's interpreter."""
    for header in ("field_kind_files.h", "field_rows.h"):
        assert ROOT.gInterpreter.Declare(f'#include "{Path(__file__).with_name(header)}"')
    return ROOT.field_kinds


@cache
def declare_writer(kinds: str) -> None:
    """Declares write_<kinds>: one field of each type in KINDS[kinds], with a name made of the type's."""
    adds = "".join(
        f'table.add<{kind}>("{number:02}_{field_name(kind)}", "{kind}", "made of {kind}");\n'
        for number, kind in enumerate(KINDS[kinds])
    )
    assert ROOT.gInterpreter.Declare(
        f"namespace field_kinds {{ void write_{kinds}(const std::string& path, const Layout& layout) {{"
        f'Table table;\n{adds} table.open("Events", path, layout); table.write(layout.entries); table.close(); }} }}'
    )


def field_name(kind: str) -> str:
    """The type's name in letters that a field's name may have."""
    plain = kind.replace("std::", "").replace("ROOT::", "").replace("field_kinds::", "")
    return "".join(letter if letter.isalnum() else "_" for letter in plain).strip("_")


def write_sample(sample: Sample, path: Path) -> None:
    kinds = oracle()
    if sample.kinds in KINDS:
        declare_writer(sample.kinds)
    layout = kinds.Layout()
    for name, value in sample.layout.items():
        setattr(layout, name, value)
    level, ROOT.gErrorIgnoreLevel = ROOT.gErrorIgnoreLevel, ROOT.kError
    try:
        # ROOT warns that TTree could not hold members of classes without a dictionary; RNTuple does.
        getattr(kinds, f"write_{sample.kinds}")(str(path), layout)
    finally:
        ROOT.gErrorIgnoreLevel = level


class Rows:
    """All entries of an RNTuple as ROOT reads them."""

    def __init__(self, path: Path, ntuple: str) -> None:
        self.rows = oracle().Rows(ntuple, str(path))
        self.names = [str(name) for name in self.rows.names]
        self.unreadable = [str(each) for each in self.rows.unreadable]
        self.num_entries = int(self.rows.columns[0].size()) if self.names else 0

    def differences(self, carried: "Rows", modulo: int) -> list[str]:
        """For each field of which `carried` is not every `modulo`-th of these entries, where it first differs."""
        return [str(each) for each in oracle().differences(self.rows, carried.rows, modulo)]

    def differences_from(self, parts: "list[Rows]") -> list[str]:
        """The fields of which these entries are not those of all parts, one part after the other."""
        found: list[str] = []
        begin = 0
        for number, part in enumerate(parts, 1):
            is_last = number == len(parts)
            found += map(str, oracle().differences_from(self.rows, part.rows, begin, is_last))
            begin += part.num_entries
        return found


def described_fields(path: Path, ntuple: str) -> list[str]:
    """All that ROOT knows of each field and sub-field, one line for each."""
    return [str(line) for line in oracle().described_fields(ntuple, str(path))]


def cluster_count(path: Path, ntuple: str) -> int:
    return int(oracle().cluster_count(ntuple, str(path)))


def described_columns(path: Path, ntuple: str) -> list[str]:
    """Type and width of each column, one line for each."""
    return [str(line) for line in oracle().described_columns(ntuple, str(path))]

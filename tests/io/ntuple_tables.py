# SPDX-License-Identifier: BSD-3-Clause
"""RNTuples as ROOT and uproot read them, and where two of them differ, bit for bit."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import awkward as ak
import numpy as np
import uproot
from root_types import UNREADABLE_BY_UPROOT, Rows, cluster_count, described_fields

# Files made by others that hold RNTuples.
SHARED = [
    "Run2012BC_DoubleMuParked_Muons_1000evts_rntuple_v1-0-0-0.root",
    "cmsopendata2015_ttbar_19980_NANOAOD_RNTupleImporter_rntuple_v1-0-0-1.root",
    "ntpl001_staff_rntuple_v1-0-0-0.root",
    "ntpl001_staff_rntuple_v1-0-1-0.root",
    "rntviewer-testfile-multiple-rntuples-v1-0-0-0.root",
    "test_1jag_int_float_rntuple_v1-0-0-0.root",
    "test_atomic_bitset_rntuple_v1-0-0-0.root",
    "test_bit_rntuple_v1-0-0-0.root",
    "test_class_inheritance_rntuple_v1-0-0-1.root",
    "test_extension_columns_rntuple_v1-0-0-0.root",
    "test_float_types_rntuple_v1-0-0-0.root",
    "test_index_multicluster_rntuple_v1-0-0-0.root",
    "test_int_float_rntuple_v1-0-0-0.root",
    "test_int_vfloat_tlv_vtlv_rntuple_v1-0-0-0.root",
    "test_multiple_cluster_groups_rntuple_v1-0-0-0.root",
    "test_nested_structs_rntuple_v1-0-0-0.root",
    "test_stl_containers_rntuple_v1-0-0-0.root",
    "uproot-physlite-rntuple_v1-0-0-0.root",
]

# Files of so many fields that uproot, whose time grows with their square, takes seconds: it judges one copy of each.
WIDE = {
    "cmsopendata2015_ttbar_19980_NANOAOD_RNTupleImporter_rntuple_v1-0-0-1.root": 2,
    "uproot-physlite-rntuple_v1-0-0-0.root": 2,
}

# Files with fields that ROOT cannot read: uproot alone judges those.
UNREADABLE_BY_ROOT = {
    "uproot-physlite-rntuple_v1-0-0-0.root": "types spelled `A<B<C> >`, at which ROOT 6.40 aborts unless it has the class"
}


@dataclass
class Table:
    """An RNTuple in a file, read once by each of ROOT and uproot."""

    path: Path
    ntuple: str
    kinds: str = ""

    @cached_property
    def by_root(self) -> Rows:
        rows = Rows(self.path, self.ntuple)
        assert not rows.unreadable or self.kinds in UNREADABLE_BY_ROOT
        return rows

    @cached_property
    def by_uproot(self) -> dict[str, ak.Array]:
        with uproot.open(self.path) as file:
            ntuple = file[self.ntuple]
            unreadable = UNREADABLE_BY_UPROOT.get(self.kinds, {})
            if not unreadable:
                arrays = ntuple.arrays()
                return {name: arrays[name] for name in ntuple.keys(recursive=False)}
            return {
                name: ntuple[name].array() for name in ntuple.keys(recursive=False) if name not in unreadable
            }

    @cached_property
    def bits_by_uproot(self) -> dict[str, list[bytes]]:
        return {name: list(bits_of(array.layout)) for name, array in self.by_uproot.items()}

    @cached_property
    def misread_by_uproot(self) -> set[str]:
        """Fields with variants, of several clusters: uproot takes an index within a cluster for one within the file."""
        if cluster_count(self.path, self.ntuple) < 2:
            return set()
        return {line.split(" ")[0].split(".")[0] for line in self.fields if " type=std::variant<" in line}

    @cached_property
    def fields(self) -> list[str]:
        return described_fields(self.path, self.ntuple)


def bits_of(layout: ak.contents.Content) -> Iterator[bytes]:
    """All that the values are made of, in the order of the entries, however the array stores them."""
    if layout.is_record:
        for content in layout.contents:
            yield from bits_of(content[: layout.length])
    elif layout.is_union:
        yield layout.tags.data.tobytes()
        for alternative in range(len(layout.contents)):
            yield from bits_of(layout.project(alternative))
    elif layout.is_option:
        yield layout.mask_as_bool().tobytes()
        yield from bits_of(layout.project())
    elif layout.is_indexed:
        yield from bits_of(layout.project())
    elif layout.is_list:
        lists = layout.to_ListOffsetArray64(start_at_zero=True)
        yield lists.offsets.data.tobytes()
        yield from bits_of(lists.content[: lists.offsets[-1]])
    elif layout.is_numpy:
        yield np.ascontiguousarray(layout.data).tobytes()
    else:
        assert layout.is_unknown


def is_other(expected: ak.Array, found: ak.Array, end: int) -> bool:
    return list(bits_of(expected[:end].layout)) != list(bits_of(found[:end].layout))


def shown(array: ak.Array, entry: int) -> str:
    return str(array[entry : entry + 1].to_list()[0])[:500]


def first_difference(name: str, expected: ak.Array, found: ak.Array, modulo: int) -> str:
    """Where `found` is another array than `expected`, or nothing."""
    if len(expected) != len(found):
        return f"field {name}: {len(found)} entries instead of {len(expected)}"
    if expected.type != found.type:
        return f"field {name}: {found.type} instead of {expected.type}"
    if not is_other(expected, found, len(expected)):
        return ""
    entry = bisect_left(range(len(expected)), True, key=lambda last: is_other(expected, found, last + 1))
    return (
        f"field {name}: entry {entry} ({entry * modulo} of the source) is "
        f"{shown(found, entry)} instead of {shown(expected, entry)}"
    )


def uproot_differences(source: Table, carried: Table, modulo: int) -> list[str]:
    if list(source.by_uproot) != list(carried.by_uproot):
        return ["other fields"]
    misread = source.misread_by_uproot | carried.misread_by_uproot
    found = [
        first_difference(name, array[::modulo], carried.by_uproot[name], modulo)
        for name, array in source.by_uproot.items()
        if name not in misread
    ]
    return [each for each in found if each]

# SPDX-License-Identifier: BSD-3-Clause
"""What inspect() finds in a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "AxisSummary",
    "Branch",
    "Cluster",
    "Column",
    "Field",
    "HistogramSummary",
    "Inspection",
    "ListedTree",
    "NTuple",
    "Object",
    "Shown",
    "Tree",
    "UnsupportedField",
    "object_of",
]


class Shown:
    """Shown as the program shows it."""

    _text: str

    def __str__(self) -> str:
        return self._text


@dataclass(frozen=True)
class Field:
    """A field of an RNTuple."""

    name: str
    """With the names of its parents, "Muon.pt"."""
    type: str
    """The C++ type, empty for untyped collections and records."""
    role: str
    """ "plain", "collection", "record", "variant" or "streamer"."""
    description: str


@dataclass(frozen=True)
class UnsupportedField:
    """A field or branch that expressions cannot use."""

    name: str
    type: str
    reason: str


@dataclass(frozen=True)
class Column:
    """A physical column of an RNTuple, summed over all clusters."""

    field: str
    encoding: str
    bits: int
    compression: str
    pages: int
    elements: int
    bytes_unpacked: int
    """Encoded, before compression."""
    bytes_stored: int
    """Pages that columns share count in the first of them."""


@dataclass(frozen=True)
class Cluster:
    """A cluster of an RNTuple."""

    first_entry: int
    entries: int
    pages: int
    bytes_unpacked: int
    bytes_stored: int


@dataclass(frozen=True)
class NTuple:
    """An RNTuple."""

    name: str
    description: str
    writer: str
    format_version: str
    entries: int
    cluster_groups: int
    fields: tuple[Field, ...]
    """Parents before their members."""
    columns: tuple[Column, ...]
    clusters: tuple[Cluster, ...]
    unsupported_fields: tuple[UnsupportedField, ...]
    notes: tuple[str, ...]
    """What is unusual."""


@dataclass(frozen=True)
class Branch:
    """One column of a TTree; several columns of a branch share its baskets."""

    name: str
    type: str
    compression: str
    baskets: int
    bytes_unpacked: int
    bytes_stored: int
    description: str


@dataclass(frozen=True)
class Tree:
    """A TTree."""

    name: str
    title: str
    entries: int
    clusters: int
    branches: int
    columns: tuple[Branch, ...]
    collections: tuple[dict[str, Any], ...]
    """Branches with a common counter: "name", "count", "description" and "columns"."""
    unsupported: tuple[UnsupportedField, ...]
    friends: tuple[dict[str, str], ...]
    """"name", "file", "tree", and "problem": why it cannot be read, or ""."""
    aliases: tuple[dict[str, str], ...]
    """"name", "expression", and "problem": why it cannot be used, or ""."""
    notes: tuple[str, ...]


@dataclass(frozen=True)
class AxisSummary:
    """An axis of a histogram, and what was filled along it."""

    title: str
    """ "label [unit]"."""
    kind: str
    """ "regular", "variable", "integer" or "category"."""
    bins: int
    low: float
    high: float
    mean: float | None
    """None of categories, and of nothing; so is `rms`."""
    rms: float | None


@dataclass(frozen=True)
class HistogramSummary:
    """A histogram in a few numbers."""

    name: str
    class_name: str
    title: str
    entries: int
    integral: float | None
    """Of all bins but the flow cells; None of a profile."""
    underflow: float | None
    """None if there are several axes; so is `overflow`."""
    overflow: float | None
    axes: tuple[AxisSummary, ...]
    sparkline: str
    """A drawing of the contents, empty if there are several axes."""


@dataclass(frozen=True)
class ListedTree:
    """A tree that a `TChain`, a `TEntryList` or a `TEventList` names."""

    file: str
    """Empty, as is `tree`, if the list does not say."""
    tree: str
    entries: int | None
    """Of a chain, how many entries it has, None if the chain does not know; of a list, how many are chosen."""


@dataclass(frozen=True)
class Object:
    """Another object of a file."""

    name: str
    class_name: str
    title: str
    bytes: int
    problem: str
    """Why it cannot be read although it holds events or a histogram, or names trees; empty for all others."""
    listed: tuple[ListedTree, ...]
    """Of a `TChain`, `TEntryList` or `TEventList` the trees that it names."""


def object_of(found: dict[str, Any]) -> Object:
    """An object as the JSON of an inspection has it."""
    listed = tuple(ListedTree(**tree) for tree in found["listed"])
    return Object(found["name"], found["class"], found["title"], found["bytes"], found["problem"], listed)


@dataclass(frozen=True)
class Inspection(Shown):
    """What a file holds; str() is the text of `skimline inspect`."""

    path: str
    size: int
    """In bytes."""
    ntuples: tuple[NTuple, ...]
    trees: tuple[Tree, ...]
    histograms: tuple[HistogramSummary, ...]
    objects: tuple[Object, ...]
    """All others."""
    _text: str = field(repr=False)

    def _repr_html_(self) -> str:
        from skimline.inspection_html import inspection_as_html

        return inspection_as_html(self)

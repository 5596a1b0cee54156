# SPDX-License-Identifier: BSD-3-Clause
"""Which bytes of a file hold the values of columns, as other readers see them where there are some."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

Extent = tuple[Path, int, int]
"""A file, the first byte, and how many."""


def files_of(path: Path) -> list[Path]:
    """The file, or all files of a folder."""
    return [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())


def whole(path: Path) -> list[Extent]:
    return [(each, 0, each.stat().st_size) for each in files_of(path)]


def pages(path: Path, columns: Sequence[str]) -> list[Extent]:
    """Pages of an RNTuple with their checksums; of nested fields "Kaons.PX" and what counts the lists."""
    import uproot

    with uproot.open(path) as file:
        ntuple = file["Events"]
        fields = ntuple.field_records

        def is_needed(number: int) -> bool:
            names = path_of(fields, number)
            return names[-1] in columns or names == ["Kaons"]

        return [
            (path, page.locator.offset, page.locator.num_bytes + 8 * page.has_checksum)
            for cluster in ntuple.page_link_list
            for column, stored in zip(ntuple.column_records, cluster, strict=True)
            if is_needed(column.field_id)
            for page in stored.pages
        ]


def path_of(fields: Sequence[Any], number: int) -> list[str]:
    """The names of a field of an RNTuple and of those around it, but for items of lists."""
    names = []
    while True:
        name, parent = fields[number].field_name, fields[number].parent_field_id
        if name != "_0":
            names.insert(0, name)
        if parent == number:
            return names
        number = parent


def baskets(path: Path, columns: Sequence[str]) -> list[Extent]:
    """Baskets of a TTree."""
    import uproot

    with uproot.open(path) as file:
        tree, extents = file["Events"], []
        for name in columns:
            branch = tree[name]
            # A branch may come as a folder of one.
            for part in [branch, *branch.branches]:
                count = part.num_baskets
                seeks, sizes = part.member("fBasketSeek")[:count], part.member("fBasketBytes")[:count]
                stored = zip(seeks, sizes, strict=True)
                extents += [(path, int(seek), int(size)) for seek, size in stored if seek]
    return extents


def chunks_of_parquet(path: Path, columns: Sequence[str]) -> list[Extent]:
    """Column chunks with their dictionaries; of nested fields the last part of the name counts."""
    import pyarrow.parquet

    metadata, extents = pyarrow.parquet.read_metadata(path), []
    for group in range(metadata.num_row_groups):
        for index in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(index)
            if chunk.path_in_schema.split(".")[-1] in columns:
                first = chunk.data_page_offset
                if chunk.has_dictionary_page:
                    first = min(first, chunk.dictionary_page_offset)
                extents.append((path, first, chunk.total_compressed_size))
    return extents


class RecordedFile:
    """A file that notes what is read of it."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file, self._path = file, path
        self.extents: list[Extent] = []

    def read(self, size: int = -1) -> bytes:
        place = self._file.tell()
        content = self._file.read(size)
        if content:
            self.extents.append((self._path, place, len(content)))
        return content

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

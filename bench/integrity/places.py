# SPDX-License-Identifier: BSD-3-Clause
"""Which bytes of a file the analysis needs: metadata and the stored data of its columns, as other readers see them."""

from collections.abc import Iterator
from pathlib import Path

COLUMNS = ("nMuon", "Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass", "Muon_charge", "MET_pt", "genWeight")

Extent = tuple[int, int]  # first byte, size


def rntuple_places(path: Path) -> tuple[list[Extent], list[Extent]]:
    """Returns metadata (anchor, header, footer, page lists) and the needed pages with their checksums."""
    import uproot

    file = uproot.open(path)
    ntuple, key = file["Events"], file.key("Events")
    metadata = [(key.fSeekKey, key.fNbytes)]
    metadata += [
        (ntuple.member(f"fSeek{part}"), ntuple.member(f"fNBytes{part}")) for part in ("Header", "Footer")
    ]
    for group in ntuple.footer.cluster_group_records:
        metadata.append((group.page_list_link.locator.offset, group.page_list_link.locator.num_bytes))
    fields = ntuple.field_records

    def top_field(identity: int) -> str:
        parent = fields[identity].parent_field_id
        return fields[identity].field_name if parent == identity else top_field(parent)

    pages = [
        (page.locator.offset, page.locator.num_bytes + 8 * page.has_checksum)
        for cluster in ntuple.page_link_list
        for column, stored in zip(ntuple.column_records, cluster, strict=True)
        if top_field(column.field_id) in COLUMNS
        for page in stored.pages
    ]
    return metadata, pages


def tree_places(path: Path) -> tuple[list[Extent], list[Extent]]:
    """Returns metadata (the TTree's record) and the needed baskets."""
    import uproot

    file = uproot.open(path)
    key, tree = file.key("Events"), file["Events"]
    baskets = []
    for name in COLUMNS:
        branch = tree[name]
        # A branch may come as a folder of one.
        for part in [branch, *branch.branches]:
            count = part.num_baskets
            seeks, sizes = part.member("fBasketSeek")[:count], part.member("fBasketBytes")[:count]
            baskets += [(int(seek), int(size)) for seek, size in zip(seeks, sizes, strict=True) if seek]
    return [(key.fSeekKey, key.fNbytes)], baskets


def parquet_places(path: Path) -> tuple[list[Extent], list[Extent]]:
    """Returns metadata (the footer with its length and magic) and the needed column chunks."""
    import pyarrow.parquet

    metadata = pyarrow.parquet.read_metadata(path)
    size = path.stat().st_size
    footer = metadata.serialized_size + 8
    return [(size - footer, footer)], list(_chunks(metadata))


def _chunks(metadata) -> Iterator[Extent]:
    for group in range(metadata.num_row_groups):
        for index in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(index)
            if chunk.path_in_schema.split(".")[0] in COLUMNS:
                first = chunk.data_page_offset
                if chunk.has_dictionary_page:
                    first = min(first, chunk.dictionary_page_offset)
                yield first, chunk.total_compressed_size


PLACES = {"RNTuple": rntuple_places, "TTree": tree_places, "Parquet": parquet_places}


class ReadBytes:
    """The bytes of a file that the analysis needs."""

    def __init__(self, form: str, path: Path):
        metadata, data = PLACES[form](path)
        self._kinds = {"metadata": sorted(set(metadata)), "data": sorted(set(data))}

    def kind(self, place: int) -> str:
        """Returns "data", "metadata", or "unread" for all others."""
        for kind, extents in self._kinds.items():
            if any(first <= place < first + size for first, size in extents):
                return kind
        return "unread"

    def place(self, index: int) -> int:
        """Returns where the byte number `index` of those needed lies."""
        for first, size in sorted({extent for extents in self._kinds.values() for extent in extents}):
            if index < size:
                return first + index
            index -= size
        raise IndexError(index)

    @property
    def size(self) -> int:
        return sum(size for extents in self._kinds.values() for _, size in extents)

# SPDX-License-Identifier: BSD-3-Clause
"""RNTuples laid out by hand: fields, columns and pages, and those that have every type and every kind of field."""

import lzma
import random
import struct
import zlib

# Column types by number: bits, and the type of a field that they are stored for.
COLUMN_TYPES = {
    0x00: (1, "bool"),
    0x01: (8, "std::byte"),
    0x02: (8, "char"),
    0x03: (8, "std::int8_t"),
    0x04: (8, "std::uint8_t"),
    0x05: (16, "std::int16_t"),
    0x06: (16, "std::uint16_t"),
    0x07: (32, "std::int32_t"),
    0x08: (32, "std::uint32_t"),
    0x09: (64, "std::int64_t"),
    0x0A: (64, "std::uint64_t"),
    0x0B: (16, "float"),
    0x0C: (32, "float"),
    0x0D: (64, "double"),
    0x0E: (32, "index"),
    0x0F: (64, "index"),
    0x10: (96, "switch"),
    0x11: (16, "std::int16_t"),
    0x12: (16, "std::uint16_t"),
    0x13: (32, "std::int32_t"),
    0x14: (32, "std::uint32_t"),
    0x15: (64, "std::int64_t"),
    0x16: (64, "std::uint64_t"),
    0x17: (16, "float"),
    0x18: (32, "float"),
    0x19: (64, "double"),
    0x1A: (32, "index"),
    0x1B: (64, "index"),
    0x1C: (20, "float"),
    0x1D: (11, "float"),
}
REAL32_QUANT = 0x1D
INDEX32, INDEX64, SPLIT_INDEX32, SPLIT_INDEX64 = 0x0E, 0x0F, 0x1A, 0x1B


def record(content: bytes) -> bytes:
    return struct.pack("<q", len(content) + 8) + content


def items(contents: list[bytes], after: bytes = b"") -> bytes:
    """A list frame."""
    joined = b"".join(contents) + after
    return struct.pack("<qI", -(len(joined) + 12), len(contents)) + joined


def text(string: str) -> bytes:
    return struct.pack("<I", len(string)) + string.encode()


def locator(offset: int, size: int) -> bytes:
    return struct.pack("<iQ", size, offset)


def large_locator(offset: int, size: int) -> bytes:
    return struct.pack("<iQQ", -(20 | 1 << 24), size, offset)


def split_bytes(words: list[int], size: int) -> bytes:
    joined = b"".join(word.to_bytes(size, "little") for word in words)
    return b"".join(joined[plane::size] for plane in range(size))


def ends_page(column_type: int, ends: list[int]) -> bytes:
    """A page of collection ends."""
    size = 4 if column_type in (INDEX32, SPLIT_INDEX32) else 8
    if column_type in (INDEX32, INDEX64):
        return b"".join(end.to_bytes(size, "little") for end in ends)
    return split_bytes([end - before for before, end in zip([0, *ends], ends, strict=False)], size)


def chunk(magic: bytes, raw: bytes) -> bytes:
    """A compressed block of one chunk."""
    if magic == b"ZL\x08":
        body = zlib.compress(raw)
    elif magic == b"CS\x08":
        deflate = zlib.compressobj(wbits=-15)
        body = deflate.compress(raw) + deflate.flush()
    else:
        body = lzma.compress(raw, check=lzma.CHECK_CRC32, preset=0)
    return magic + len(body).to_bytes(3, "little") + len(raw).to_bytes(3, "little") + body


class NTuple:
    """Fields, columns and pages of an RNTuple, laid out by hand."""

    def __init__(self, pages_offset: int):
        self.fields, self.columns, self.aliases = [], [], []
        self.late_fields, self.late_columns = [], []
        self.column_types = []
        self.pages = b""
        self.pages_offset = pages_offset
        self.clusters = []
        self.num_elements = {}

    def field(self, name, type_name="", parent=None, role=0, flags=0, extra=b"", late=False) -> int:
        number = len(self.fields) + len(self.late_fields)
        (self.late_fields if late else self.fields).append(
            record(
                struct.pack("<IIIHH", 0, 0, number if parent is None else parent, role, flags)
                + text(name)
                + text(type_name)
                + text("")
                + text("about " + name)
                + extra
            )
        )
        return number

    def column(self, column_type, field, representation=0, first=None, late=False) -> int:
        has_range = column_type == REAL32_QUANT
        flags = (0 if first is None else 1) | (2 if has_range else 0)
        (self.late_columns if late else self.columns).append(
            record(
                struct.pack("<HHIHH", column_type, COLUMN_TYPES[column_type][0], field, flags, representation)
                + (b"" if first is None else struct.pack("<q", first))
                + (struct.pack("<dd", -2.5, 10) if has_range else b"")
            )
        )
        self.column_types.append(column_type)
        return len(self.column_types) - 1

    def page(self, num_elements: int, raw: bytes, checksum=True, make_locator=locator, magic=None) -> bytes:
        """Stores a page and returns its entry in the page list."""
        stored = raw
        if magic and len(chunk(magic, raw)) < len(raw):
            stored = chunk(magic, raw)
        place = self.pages_offset + len(self.pages)
        self.pages += stored + (bytes(8) if checksum else b"")
        return struct.pack("<i", -num_elements if checksum else num_elements) + make_locator(
            place, len(stored)
        )

    def cluster(self, first_entry: int, num_entries: int, ranges: dict[int, list[tuple[int, bytes]] | None]):
        """Adds a cluster: by column the pages with their numbers of elements, None where suppressed."""
        listed = []
        for column in range(max(ranges, default=-1) + 1):
            pages = ranges.get(column)
            if pages is None:
                listed.append(items([], struct.pack("<q", -(1 << 63))))
                continue
            first = self.num_elements.get(column, 0)
            self.num_elements[column] = first + sum(count for count, _ in pages)
            listed.append(items([page for _, page in pages], struct.pack("<qI", first, 505)))
        self.clusters.append((record(struct.pack("<QQ", first_entry, num_entries)), items(listed)))

    def header(self) -> bytes:
        return (
            struct.pack("<Q", 0)
            + text("E")
            + text("by hand")
            + text("make_corpus")
            + items(self.fields)
            + items(self.columns)
            + items(self.aliases)
            + items([])
        )

    def footer(self, groups: list[tuple[int, int, int, int, int]]) -> bytes:
        """Groups are first entry, entries, clusters, offset and size of the page list."""
        extension = items(self.late_fields) + items(self.late_columns) + items([]) + items([])
        return (
            struct.pack("<QQ", 0, 0)
            + record(extension if self.late_fields else b"")
            + items(
                [
                    record(struct.pack("<QQIQ", first, entries, clusters, size) + locator(offset, size))
                    for first, entries, clusters, offset, size in groups
                ]
            )
            + items([])
        )

    def page_list(self) -> bytes:
        return (
            bytes(8)
            + items([summary for summary, _ in self.clusters])
            + items([ranges for _, ranges in self.clusters])
        )


def page_bytes(source: random.Random, column_type: int, count: int) -> bytes:
    if COLUMN_TYPES[column_type][1] == "index":
        return ends_page(column_type, [2 * (entry + 1) for entry in range(count)])
    return source.randbytes((count * COLUMN_TYPES[column_type][0] + 7) // 8)


def all_types(pages_offset: int, num_clusters: int, entries: int, magic=None) -> NTuple:
    """One field for each column type, in clusters of two pages."""
    ntuple = NTuple(pages_offset)
    source = random.Random(1)
    for column_type, (_, name) in COLUMN_TYPES.items():
        if name == "index":
            owner = ntuple.field(f"l{column_type:x}", "std::vector<float>", role=1)
            ntuple.column(column_type, owner)
            ntuple.column(0x18, ntuple.field("_0", "float", owner))
        elif name == "switch":
            ntuple.column(column_type, ntuple.field("v", "std::variant<float,bool>", role=3))
        else:
            ntuple.column(column_type, ntuple.field(f"x{column_type:x}", name))
    for number in range(num_clusters):
        ranges = {}
        for column, column_type in enumerate(ntuple.column_types):
            before = ntuple.column_types[column - 1] if column else None
            is_item = before is not None and COLUMN_TYPES[before][1] == "index"
            total = 2 * entries if is_item else entries
            sizes = (total // 2, total - total // 2)
            if COLUMN_TYPES[column_type][1] == "index":
                sizes = (total,)
            ranges[column] = [
                (
                    count,
                    ntuple.page(count, page_bytes(source, column_type, count), column % 3 != 0, magic=magic),
                )
                for count in sizes
            ]
        ntuple.cluster(number * entries, entries, ranges)
    return ntuple


def all_kinds(pages_offset: int) -> NTuple:
    """Records, collections of records, projections, representations, deferred and suppressed columns."""
    ntuple = NTuple(pages_offset)
    muons = ntuple.field("muons", "", role=1)
    item = ntuple.field("_0", "Muon", muons, role=2, flags=4, extra=struct.pack("<I", 7))
    pt = ntuple.field("pt", "float", item)
    charge = ntuple.field("charge", "std::int32_t", item)
    met = ntuple.field("met", "MET", role=2)
    met_pt = ntuple.field("pt", "double", met)
    ntuple.field("none", "std::array<float,0>", flags=1, extra=struct.pack("<Q", 0))
    array = ntuple.field("array", "std::array<float,3>", flags=1, extra=struct.pack("<Q", 3))
    array_item = ntuple.field("_0", "float", array)
    name = ntuple.field("name", "std::string")
    atomic = ntuple.field("atomic", "std::atomic<bool>")
    flag = ntuple.field("_0", "bool", atomic)
    lists = ntuple.field("Muon_pt", "std::vector<float>", role=1, flags=2, extra=struct.pack("<I", muons))
    list_item = ntuple.field("_0", "float", lists, flags=2, extra=struct.pack("<I", pt))
    count = ntuple.field(
        "nMuon", "ROOT::RNTupleCardinality<std::uint32_t>", flags=2, extra=struct.pack("<I", muons)
    )
    late = ntuple.field("late", "std::int16_t", late=True)

    c_muons = ntuple.column(SPLIT_INDEX64, muons)
    c_pt = ntuple.column(0x18, pt)
    c_pt_half = ntuple.column(0x0B, pt, representation=1)
    c_charge = ntuple.column(0x13, charge)
    c_met = ntuple.column(0x0D, met_pt)
    c_array = ntuple.column(0x0C, array_item)
    c_ends = ntuple.column(INDEX32, name)
    c_name = ntuple.column(0x02, name)
    c_flag = ntuple.column(0x00, flag)
    c_late = ntuple.column(0x05, late, first=14, late=True)
    for column, field in ((c_muons, lists), (c_pt, list_item), (c_pt_half, list_item), (c_muons, count)):
        ntuple.aliases.append(record(struct.pack("<II", column, field)))
    ntuple.num_elements[c_late] = 14

    for number in range(3):
        ends = [3 * (entry + 1) for entry in range(10)]
        reals = [struct.pack("<f", value / 4) for value in range(30)]
        half = number == 1
        raw = {
            c_muons: (10, ends_page(SPLIT_INDEX64, ends)),
            c_pt: (30, split_bytes([int.from_bytes(real, "little") for real in reals], 4)),
            c_pt_half: (30, struct.pack("<30e", *range(30))),
            c_charge: (30, split_bytes([2] * 30, 4)),
            c_met: (10, struct.pack("<10d", *range(10))),
            c_array: (30, b"".join(reals)),
            c_ends: (10, ends_page(INDEX32, ends)),
            c_name: (30, b"abc" * 10),
            c_flag: (10, b"\x55\x01"),
        }
        if number:
            late_entries = 6 if number == 1 else 10
            raw[c_late] = (late_entries, struct.pack(f"<{late_entries}h", *range(late_entries)))
        ranges = {
            column: [(elements, ntuple.page(elements, data, make_locator=large_locator if half else locator))]
            for column, (elements, data) in raw.items()
            if column != (c_pt if half else c_pt_half)
        }
        ranges[c_pt if half else c_pt_half] = None
        # The representations of a field count their elements together.
        for column in (c_pt, c_pt_half):
            ntuple.num_elements[column] = 30 * number
        fixed = ranges.pop(c_pt_half if half else c_pt)
        ntuple.num_elements[c_pt_half if half else c_pt] = 30 * number
        ranges[c_pt_half if half else c_pt] = fixed
        ntuple.cluster(10 * number, 10, ranges)
    return ntuple

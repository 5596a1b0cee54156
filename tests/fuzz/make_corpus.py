#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the inputs that fuzzing begins with: files of the program, and files and parts built here by hand.

    tests/fuzz/make_corpus.py build/release/skimline

Inputs that are there already and have other names, such as those of mended faults, stay. Checksums are left 0
where the targets make them right.
"""

import json
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from ntuple_bytes import (
    COLUMN_TYPES,
    NTuple,
    all_kinds,
    all_types,
    chunk,
    locator,
    page_bytes,
    record,
    text,
)

CORPUS = Path(__file__).resolve().parent / "corpus"

# Where the targets of metadata place the page list, and after it the pages (wrapped_ntuple.h).
PAGE_LIST = (512, 16384)
PAGES = PAGE_LIST[0] + PAGE_LIST[1]


# ---- ROOT files


def root_string(string: str) -> bytes:
    length = len(string)
    return (bytes([length]) if length < 255 else b"\xff" + struct.pack(">I", length)) + string.encode()


def key(stored: int, length: int, place: int, class_name: str, name: str, title="", cycle=1, long=False):
    names = root_string(class_name) + root_string(name) + root_string(title)
    size = (34 if long else 26) + len(names)
    version, seek = (1004, ">QQ") if long else (4, ">II")
    return (
        struct.pack(">iHIIHH", size + stored, version, length, 0, size, cycle)
        + struct.pack(seek, place, 100)
        + names
    )


class RootFile:
    """Records one after the other; directories are written after what they list."""

    def __init__(self, large=False):
        self.large = large
        self.content = bytearray(100 + 100)

    def object(self, class_name, name, payload, length=None, **options) -> bytes:
        """Appends a record; returns its key for a key list."""
        own = key(len(payload), length or len(payload), len(self.content), class_name, name, **options)
        self.content += own + payload
        return own

    def _directory(self, place: int, name: str, keys: list[bytes]):
        payload = struct.pack(">I", len(keys)) + b"".join(keys)
        own = key(len(payload), len(payload), len(self.content), "TDirectory", name)
        version, seeks = (1005, ">QQQ") if self.large else (5, ">III")
        record_bytes = struct.pack(">HIIII", version, 0, 0, len(own) + len(payload), 0)
        record_bytes += struct.pack(seeks, place, 100, len(self.content))
        self.content[place : place + len(record_bytes)] = record_bytes
        self.content += own + payload

    def directory(self, name: str, keys: list[bytes]) -> bytes:
        own = key(60, 60, len(self.content), "TDirectory", name)
        self.content += own + bytes(60)
        self._directory(len(self.content) - 60, name, keys)
        return own

    def finish(self, keys: list[bytes]) -> bytes:
        self._directory(130, "top", keys)
        end = len(self.content)
        if self.large:
            head = struct.pack(">4sIIQQIII", b"root", 1064000, 100, end, 0, 0, 1, 30)
        else:
            head = struct.pack(">4sIIIIIII", b"root", 64000, 100, end, 0, 0, 1, 30)
        self.content[: len(head)] = head
        return bytes(self.content)


def nested_file(large: bool) -> bytes:
    file = RootFile(large)
    raw = bytes(range(64)) * 4
    inner = [file.object("TNamed", "deep", b"0123456789", long=large)]
    for magic in (b"ZL\x08", b"XZ\x00", b"CS\x08"):
        inner.append(
            file.object("TObjString", f"s{magic[0]:x}", chunk(magic, raw), len(raw), title="t" * 300)
        )
    outer = [file.directory("inner", inner), file.directory("empty", [])]
    top = [file.object("TNamed", "twice", b"old"), file.object("TNamed", "twice", b"new", cycle=2)]
    return file.finish([file.directory("outer", outer), *top])


def ntuple_file(make) -> bytes:
    """A whole file with the RNTuple that `make` builds for an offset of the pages."""
    file = RootFile()
    file.object("RBlob", "", b"")
    ntuple = make(len(file.content))
    file.content += ntuple.pages
    ends = ntuple.clusters
    last = struct.unpack_from("<QQ", ends[-1][0], 8)

    def envelope(kind: int, payload: bytes) -> tuple[int, int]:
        place, size = len(file.content), len(payload) + 16
        file.content += struct.pack("<Q", kind | size << 16) + payload + bytes(8)
        return place, size

    header = envelope(1, ntuple.header())
    page_list = envelope(3, ntuple.page_list())
    footer = envelope(2, ntuple.footer([(0, sum(last), len(ends), *page_list)]))
    links = struct.pack(">6Q", *header, header[1], *footer, footer[1])
    anchor = struct.pack(">IH4H", 0x40000042, 2, 1, 0, 2, 0) + links + struct.pack(">QQ", 1 << 30, 0)
    return file.finish([file.object("ROOT::RNTuple", "E", anchor)])


# ---- inputs by target


def metadata_input(ntuple: NTuple, entries: int) -> bytes:
    header = ntuple.header()
    footer = ntuple.footer([(0, entries, len(ntuple.clusters), *PAGE_LIST)])
    return struct.pack("<HH", len(header), len(footer)) + header + footer + ntuple.page_list()


def metadata_inputs():
    small = all_types(PAGES, 1, 4)
    yield "all_types", metadata_input(small, 4)
    yield "all_kinds", metadata_input(all_kinds(PAGES), 30)
    yield "several_clusters", metadata_input(all_types(PAGES, 2, 2), 4)
    empty = NTuple(PAGES)
    yield "empty", metadata_input(empty, 0)
    empty.cluster(0, 1000, {})
    yield "no_columns", metadata_input(empty, 1000)
    yield "hostile_zero_bits", metadata_input(*one_column(0x1E, 0, 0))
    yield "hostile_entries", metadata_input(*one_column(0x00, 1, 8192))
    stray = NTuple(PAGES)
    stray.column(0x00, stray.field("x", "bool") + 1)
    yield "hostile_field_past_end", metadata_input(stray, 0)
    yield "hostile_shared_page_list", shared_page_list()
    yield "hostile_long_field", metadata_input(long_record("p" * 16000, ""), 0)
    yield "hostile_long_description", metadata_input(long_record("p", "d" * 9000), 0)


def one_column(column_type: int, bits: int, stored: int) -> tuple[NTuple, int]:
    """As many full pages as fit, which are the same bytes of the file."""
    ntuple = NTuple(PAGES)
    field = ntuple.field("x", "bool")
    ntuple.columns.append(record(struct.pack("<HHIHH", column_type, bits, field, 0, 0)))
    count, pages = 0x7FFFFFFF, 900
    ntuple.cluster(0, count * pages, {0: [(count, struct.pack("<i", count) + locator(0, stored))] * pages})
    return ntuple, count * pages


def shared_page_list() -> bytes:
    """Cluster groups that all name the same page list, of clusters without entries."""
    ntuple = NTuple(PAGES)
    for _ in range(100):
        ntuple.cluster(0, 0, {})
    header = ntuple.header()
    footer = ntuple.footer([(0, 0, 100, *PAGE_LIST)] * 100)
    return struct.pack("<HH", len(header), len(footer)) + header + footer + ntuple.page_list()


def long_record(name: str, description: str) -> NTuple:
    """A record with much text of its own and many members."""
    ntuple = NTuple(PAGES)
    ntuple.fields.append(
        record(struct.pack("<IIIHH", 0, 0, 0, 2, 0) + text(name) + text("") + text("") + text(description))
    )
    for number in range(150):
        names = text(f"m{number}") + text("float") + text("") + text("")
        ntuple.fields.append(record(struct.pack("<IIIHH", 0, 0, 0, 0, 0) + names))
        ntuple.columns.append(record(struct.pack("<HHIHH", 0x0C, 32, number + 1, 0, 0)))
    return ntuple


def program_files(program: str, folder: Path):
    """Files the program writes: two models, compressions, and lists with several clusters' worth of pages."""
    for model, compression in (("dimuon", "none"), ("dijet", "zstd:5"), ("dimuon", "lz4:4")):
        name = f"{model}_{compression.split(':')[0]}"
        path = folder / f"{name}.root"
        command = [program, "generate", model, "--events", "12", "--compression", compression, "-o", path]
        subprocess.run(command, check=True, capture_output=True)
        yield name, path.read_bytes()
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": ["dimuon_none.root"]}},
        "select": [{"name": "muons", "where": "nMuon > 0"}],
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 4, "range": [0, 100]}}},
        "output": {"histograms": "histograms.root"},
    }
    (folder / "job.json").write_text(json.dumps(config))
    subprocess.run([program, "run", folder / "job.json"], check=True, cwd=folder, capture_output=True)
    yield "histograms", (folder / "histograms.root").read_bytes()


def shared_key_list() -> bytes:
    """Directories that all name the key list of the first."""
    file = RootFile()
    keys = [file.directory("first", [file.object("TNamed", "x", b"") for _ in range(100)])]
    first = bytes(file.content[file.content.index(keys[0]) + len(keys[0]) :][:60])
    for number in range(100):
        keys.append(key(60, 60, len(file.content), "TDirectory", f"d{number}"))
        file.content += keys[-1] + first
    return file.finish(keys)


def root_file_inputs(files: dict[str, bytes]):
    yield "nested", nested_file(large=False)
    yield "nested_large", nested_file(large=True)
    yield "histograms", files["histograms"]
    yield "ntuple", files["dijet_zstd"]
    yield "hostile_shared_key_list", shared_key_list()
    file = RootFile()
    keys = [key(0, 0, 0, "", "")] * 400
    yield "hostile_long_directory", file.finish([file.directory("d" * 4000, keys)])


def ntuple_inputs(files: dict[str, bytes]):
    yield "all_kinds", ntuple_file(all_kinds)
    yield "all_types", ntuple_file(lambda offset: all_types(offset, 3, 8))
    yield "zlib", ntuple_file(lambda offset: all_types(offset, 2, 64, b"ZL\x08"))
    for name in ("dimuon_none", "dijet_zstd", "dimuon_lz4"):
        yield name, files[name]


def page_list_inputs():
    yield "one_cluster", page_list_input(list(COLUMN_TYPES), 1, 8)
    yield "two_clusters", page_list_input(list(COLUMN_TYPES), 2, 4)
    # The schema has one column of an unknown type and two more.
    yield "hostile_column_past_end", page_list_input([*COLUMN_TYPES, 0, 0x0C, 0x07, 0x07], 1, 1)


def page_list_input(column_types: list[int], num_clusters: int, entries: int) -> bytes:
    ntuple = NTuple(PAGES)
    source = random.Random(2)
    for number in range(num_clusters):
        ranges = {
            column: [
                (entries, ntuple.page(entries, page_bytes(source, column_type, entries), column % 2 == 0))
            ]
            for column, column_type in enumerate(column_types)
        }
        ntuple.cluster(number * entries, entries, ranges)
    return struct.pack("<QQI", 0, entries * num_clusters, num_clusters) + ntuple.page_list()


def page_inputs():
    """Every column type in its own type and in another one."""
    scalars = [
        *("bool", "std::int8_t", "std::uint8_t", "std::int16_t", "std::uint16_t", "std::int32_t"),
        *("std::uint32_t", "std::int64_t", "std::uint64_t", "float", "double"),
    ]
    source = random.Random(3)
    for column_type, (bits, name) in COLUMN_TYPES.items():
        own = {"index": "std::uint64_t", "char": "std::int8_t", "std::byte": "std::uint8_t"}.get(name, name)
        for target in (target for target in dict.fromkeys((own, "double")) if target in scalars):
            head = struct.pack("<HHHBdd", column_type, bits, 19, scalars.index(target), -1, 1)
            suffix = "" if target == own else "_as_double"
            yield f"type_{column_type:02x}{suffix}", head + page_bytes(source, column_type, 19)


def chunks(content: bytes, magic: bytes):
    """The compressed chunks in a file that are shorter than 300 bytes."""
    place = content.find(magic)
    while place >= 0:
        stored = int.from_bytes(content[place + 3 : place + 6], "little")
        raw = int.from_bytes(content[place + 6 : place + 9], "little")
        if stored < 300 and place + 9 + stored <= len(content):
            yield raw, content[place : place + 9 + stored]
        place = content.find(magic, place + 1)


def compression_inputs(files: dict[str, bytes]):
    raw = bytes(range(40)) * 3
    for magic in (b"ZL\x08", b"CS\x08", b"XZ\x00"):
        block = chunk(magic, raw)
        yield magic[:2].decode(), struct.pack("<I", len(raw)) + block
        yield f"two_{magic[:2].decode()}", struct.pack("<I", 2 * len(raw)) + block * 2
    for magic, name in ((b"ZS\x01", "dijet_zstd"), (b"L4\x01", "dimuon_lz4")):
        for number, (size, block) in enumerate(list(chunks(files[name], magic))[:4]):
            yield f"{magic[:2].decode()}_{number}", struct.pack("<I", size) + block
    yield "stored", struct.pack("<I", 5) + b"bytes"


def write(target: str, inputs):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in inputs:
        (folder / name).write_bytes(content)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        files = dict(program_files(str(Path(sys.argv[1]).resolve()), Path(folder)))
    write("root_file", root_file_inputs(files))
    write("metadata", metadata_inputs())
    write("page_list", page_list_inputs())
    write("page", page_inputs())
    write("compression", compression_inputs(files))
    write("ntuple", ntuple_inputs(files))


if __name__ == "__main__":
    main()

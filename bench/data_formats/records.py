# SPDX-License-Identifier: BSD-3-Clause
"""The formats of records, which Python reads one by one: Avro and Protocol Buffers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from events import SKIMMED, Columns, type_of
from formats import LEVELS, Format


class Avro(Format):
    """Avro by fastavro: records, one by one."""

    suffix = ".avro"
    is_slow = True
    has_random_access = False
    compressions = ("none", "zlib", "zstd")
    codecs: ClassVar = {"none": "null", "zlib": "deflate", "zstd": "zstandard"}

    def fields(self) -> list[dict]:
        """Those of the record, as Avro's schema has them."""
        kinds = {np.int32: "int", np.float64: "double"}
        return [{"name": name, "type": kinds[type_of(name)]} for name in self.all_names()]

    def records(self, columns: Columns) -> Iterator[dict]:
        names = list(columns)
        rows = zip(*(columns[name].tolist() for name in names), strict=True)
        return (dict(zip(names, row, strict=True)) for row in rows)

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        self.store(path, self.records(columns), compression)

    def store(self, path: Path, records: Iterator[dict], compression: str) -> None:
        import fastavro

        schema = fastavro.parse_schema({"type": "record", "name": "Event", "fields": self.fields()})
        options = {"codec": self.codecs[compression], "codec_compression_level": LEVELS.get(compression)}
        with path.open("wb") as file:
            fastavro.writer(file, schema, records, **options)

    def row(self, record: dict, names: Sequence[str]) -> tuple:
        return tuple(record[name] for name in names)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import fastavro

        with path.open("rb") as file:
            rows = [self.row(record, names) for record in fastavro.reader(file)]
        values = zip(*rows, strict=True)
        return {name: np.array(each, type_of(name)) for name, each in zip(names, values, strict=True)}

    def skim(self, path: Path, target: Path, cut: float, compression: str) -> None:
        import fastavro

        with path.open("rb") as file:
            chosen = (record for record in fastavro.reader(file) if record[SKIMMED] > cut)
            self.store(target, chosen, compression)


class Protobuf(Format):
    """Protocol Buffers by Google's Python package: messages with their lengths, the whole stream compressed."""

    suffix = ".pb"
    is_slow = True
    has_random_access = False

    def message(self) -> Any:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

        file = descriptor_pb2.FileDescriptorProto(name="event.proto", syntax="proto3")
        self.add_fields(file)
        pool = descriptor_pool.DescriptorPool()
        pool.Add(file)
        return message_factory.GetMessageClass(pool.FindMessageTypeByName("Event"))

    def add_fields(self, file: Any) -> None:
        self.describe(file.message_type.add(name="Event"), self.all_names())

    @staticmethod
    def describe(kind: Any, names: Sequence[str]) -> None:
        for number, name in enumerate(names, 1):
            # The types of the wire: double is 1, sint32 17.
            kind.field.add(name=name, number=number, label=1, type=17 if type_of(name) is np.int32 else 1)

    def opened(self, path: Path, mode: str, compression: str) -> Any:
        import gzip

        import lz4.frame
        import zstandard

        if compression == "none":
            return path.open(mode)
        if compression == "zlib":
            return gzip.open(path, mode, LEVELS["zlib"])
        if compression == "lz4":
            return lz4.frame.open(path, mode, compression_level=LEVELS["lz4"])
        return zstandard.open(
            path, mode, cctx=zstandard.ZstdCompressor(LEVELS["zstd"]) if "w" in mode else None
        )

    def messages(self, columns: Columns) -> Iterator[bytes]:
        make, names = self.message(), list(columns)
        for row in zip(*(columns[name].tolist() for name in names), strict=True):
            yield make(**dict(zip(names, row, strict=True))).SerializeToString()

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        self.store(path, self.messages(columns), compression)

    def store(self, path: Path, messages: Iterator[bytes], compression: str) -> None:
        with self.opened(path, "wb", compression) as file:
            for text in messages:
                file.write(len(text).to_bytes(2, "little") + text)

    def stored(self, path: Path) -> Iterator[bytes]:
        with path.open("rb") as file:
            magic = file.read(4)
        known = {b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}
        compression = "zlib" if magic[:2] == b"\x1f\x8b" else known.get(magic, "none")
        with self.opened(path, "rb", compression) as file:
            content, place = file.read(), 0
        while place < len(content):
            end = place + 2 + int.from_bytes(content[place : place + 2], "little")
            if end > len(content):
                raise ValueError("the last message is cut off")
            yield content[place + 2 : end]
            place = end

    def row(self, event: Any, names: Sequence[str]) -> list:
        return [getattr(event, name) for name in names]

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        parse = self.message().FromString
        rows = [self.row(parse(text), names) for text in self.stored(path)]
        values = zip(*rows, strict=True)
        return {name: np.array(each, type_of(name)) for name, each in zip(names, values, strict=True)}

    def skim(self, path: Path, target: Path, cut: float, compression: str) -> None:
        parse = self.message().FromString
        chosen = (text for text in self.stored(path) if getattr(parse(text), SKIMMED) > cut)
        self.store(target, chosen, compression)

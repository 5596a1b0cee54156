# SPDX-License-Identifier: BSD-3-Clause
"""The formats of arrays: HDF5 and Zarr."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from events import ANALYSED, FLAGS, Columns, type_of
from formats import CHUNK, LEVELS, Format
from needed_bytes import Extent, whole


class Hdf5Columns(Format):
    """HDF5 by h5py: a chunked dataset for each column, with the shuffle filter."""

    suffix = ".h5"
    fletcher = False

    def filters(self, compression: str) -> dict[str, Any]:
        import hdf5plugin

        if compression == "zlib":
            return {"compression": "gzip", "compression_opts": LEVELS["zlib"], "shuffle": True}
        if compression == "lz4":
            return {"compression": hdf5plugin.LZ4(), "shuffle": True}
        if compression == "zstd":
            return {"compression": hdf5plugin.Zstd(clevel=LEVELS["zstd"]), "shuffle": True}
        return {}

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        import h5py

        options = {**self.filters(compression), "fletcher32": self.fletcher}
        with h5py.File(path, "w") as file:
            for name, values in columns.items():
                file.create_dataset(name, data=values, chunks=(min(CHUNK, len(values)),), **options)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import h5py
        import hdf5plugin

        assert hdf5plugin and threads == 1
        with h5py.File(path) as file:
            return {name: file[name][:] for name in names}

    def needed(self, path: Path) -> list[Extent]:
        import h5py

        with h5py.File(path) as file:
            sets = [file[name].id for name in ANALYSED]
            chunks = [each.get_chunk_info(i) for each in sets for i in range(each.get_num_chunks())]
        return [(path, chunk.byte_offset, chunk.size) for chunk in chunks]


class CheckedHdf5(Hdf5Columns):
    """The same with Fletcher32."""

    fletcher = True
    checksums = "Fletcher32 per chunk, checked"


class Hdf5Rows(Hdf5Columns):
    """HDF5 by h5py: one chunked dataset of structs, as whole events are read and written."""

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        import h5py

        rows = np.empty(len(columns[FLAGS[0]]), [(name, type_of(name)) for name in columns])
        for name, values in columns.items():
            rows[name] = values
        with h5py.File(path, "w") as file:
            options = self.filters(compression)
            file.create_dataset("Events", data=rows, chunks=(min(CHUNK // 16, len(rows)),), **options)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        import h5py
        import hdf5plugin

        assert hdf5plugin and threads == 1
        with h5py.File(path) as file:
            rows = file["Events"][:]
        return {name: rows[name] for name in names}

    def needed(self, path: Path) -> list[Extent]:
        return whole(path)


class Zarr(Format):
    """Zarr version 3: an array in chunks for each column, with Blosc and its shuffle; a folder."""

    suffix = ".zarr"

    def compressors(self, compression: str) -> list[Any]:
        from zarr.codecs import BloscCodec, BloscShuffle

        made = []
        if compression != "none":
            # Blosc makes level 5 of zstd of its own level 3.
            level = {"zstd": 3, "zlib": LEVELS["zlib"], "lz4": LEVELS["lz4"]}[compression]
            made.append(BloscCodec(cname=compression, clevel=level, shuffle=BloscShuffle.shuffle))
        return [*made, *self.checks()]

    @staticmethod
    def checks() -> list[Any]:
        return []

    @staticmethod
    def opened(path: Path, mode: str) -> Any:
        import numcodecs.blosc
        import zarr

        numcodecs.blosc.use_threads = False
        zarr.config.set({"threading.max_workers": 1, "async.concurrency": 1})
        return zarr.open_group(str(path), mode=mode)

    def write(self, path: Path, columns: Columns, compression: str) -> None:
        group = self.opened(path, "w")
        for name, values in columns.items():
            chunks, compressors = (min(CHUNK, len(values)),), self.compressors(compression)
            group.create_array(name, data=values, chunks=chunks, compressors=compressors or None)

    def read(self, path: Path, names: Sequence[str], threads: int) -> dict[str, np.ndarray]:
        assert threads == 1
        group = self.opened(path, "r")
        return {name: group[name][:] for name in names}

    def take(self, path: Path, entries: np.ndarray) -> dict[str, np.ndarray]:
        group = self.opened(path, "r")
        return {name: group[name].oindex[entries] for name in self.all_names()}

    def needed(self, path: Path) -> list[Extent]:
        return [each for name in ANALYSED for each in whole(path / name / "c")]


class CheckedZarr(Zarr):
    """The same with CRC32C."""

    checksums = "CRC32C per chunk, checked"

    @staticmethod
    def checks() -> list[Any]:
        from zarr.codecs import Crc32cCodec

        return [Crc32cCodec()]

# SPDX-License-Identifier: BSD-3-Clause
"""All formats by their names."""

import nested
from array_formats import CheckedHdf5, CheckedZarr, Hdf5Columns, Hdf5Rows, Zarr
from arrow_formats import Arrow, CheckedParquet, Lance, Parquet, Vortex
from databases import DuckDb, Sqlite
from formats import Format, Root, RootTree, Skimline, SkimlineTree
from records import Avro, Protobuf

FORMATS: dict[str, type[Format]] = {
    "RNTuple": Skimline,
    "RNTuple, ROOT": Root,
    "TTree": SkimlineTree,
    "TTree, ROOT": RootTree,
    "Parquet": Parquet,
    "Parquet, CRC": CheckedParquet,
    "Arrow IPC": Arrow,
    "HDF5 columns": Hdf5Columns,
    "HDF5 columns, Fletcher32": CheckedHdf5,
    "HDF5 rows": Hdf5Rows,
    "Zarr": Zarr,
    "Zarr, CRC": CheckedZarr,
    "SQLite": Sqlite,
    "DuckDB": DuckDb,
    "Lance": Lance,
    "Vortex": Vortex,
    "Avro": Avro,
    "Protocol Buffers": Protobuf,
    "RNTuple, nested": nested.Skimline,
    "RNTuple, nested, ROOT": nested.Root,
    "TTree, nested": nested.SkimlineTree,
    "TTree, nested, ROOT": nested.RootTree,
    "Parquet, nested": nested.Parquet,
    "Arrow IPC, nested": nested.Arrow,
    "HDF5 rows, nested": nested.Hdf5Rows,
    "DuckDB, nested": nested.DuckDb,
    "Lance, nested": nested.Lance,
    "Vortex, nested": nested.Vortex,
    "Avro, nested": nested.Avro,
    "Protocol Buffers, nested": nested.Protobuf,
}

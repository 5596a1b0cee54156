# SPDX-License-Identifier: BSD-3-Clause
"""All formats by their names."""

import nested
from formats import (
    Arrow,
    Avro,
    CheckedHdf5,
    CheckedParquet,
    DuckDb,
    Format,
    Hdf5Columns,
    Hdf5Rows,
    Lance,
    Parquet,
    Protobuf,
    Root,
    RootTree,
    Skimline,
    SkimlineTree,
    Sqlite,
)

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
    "SQLite": Sqlite,
    "DuckDB": DuckDb,
    "Avro": Avro,
    "Protocol Buffers": Protobuf,
    "Lance": Lance,
    "RNTuple, nested": nested.Skimline,
    "Parquet, nested": nested.Parquet,
    "Arrow IPC, nested": nested.Arrow,
    "HDF5 rows, nested": nested.Hdf5Rows,
    "DuckDB, nested": nested.DuckDb,
    "Avro, nested": nested.Avro,
    "Protocol Buffers, nested": nested.Protobuf,
    "Lance, nested": nested.Lance,
}

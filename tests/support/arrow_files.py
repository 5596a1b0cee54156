# SPDX-License-Identifier: BSD-3-Clause
"""Events as files of Parquet and Arrow IPC, and a config that makes skims of them."""

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq


def events():
    """Events with columns of all kinds."""
    random = np.random.default_rng(7)
    count = 5000
    sizes = random.poisson(2, count)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype("int32")
    pt = pa.array(random.exponential(30, offsets[-1]).astype("float32"))
    hits = [list(range(i % 3)) for i in range(offsets[-1])]
    muons = pa.StructArray.from_arrays([pt, pa.array(hits, pa.list_(pa.int16()))], ["pt", "hits"])
    return pa.table(
        {
            "met": random.exponential(20, count),
            "run": pa.array(np.arange(count) % 7, pa.uint32()),
            "is_good": random.random(count) < 0.5,
            "trigger": pa.array([f"HLT_{i % 3}" for i in range(count)]).dictionary_encode(),
            "Muon": pa.ListArray.from_arrays(offsets, muons),
            "vertex": pa.StructArray.from_arrays([pa.array(random.normal(size=count))], ["z"]),
            "pair": pa.array([[i, -i] for i in range(count)], pa.list_(pa.int64(), 2)),
        }
    )


def written(table, path):
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=1234)
    elif path.suffix == ".feather":
        pyarrow.feather.write_feather(table, path, chunksize=1234)
    else:
        with pa.ipc.new_file(path, table.schema) as out:
            out.write_table(table, max_chunksize=1234)
    return path


def reader(path):
    return pq.read_table(path) if path.suffix == ".parquet" else pyarrow.feather.read_table(path)


def config_of(source, **skim):
    return {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(source)]}},
        "define": {"lead": "Max(Muon.pt)", "n": "Muon.pt.size()"},
        "select": [{"name": "muons", "where": "n > 1 && is_good"}],
        "skims": {"s": {"file": "s.parquet", "format": "parquet", "keep": ["*", "lead"]} | skim},
        "histograms": {"met": {"x": {"value": "met", "bins": 20, "range": [0, 100]}}},
        "output": {"histograms": "h.root"},
    }

# SPDX-License-Identifier: BSD-3-Clause
"""Reads columns as arrays: once for each line on its standard input, or part by part.

    worker.py read READER FILE COLUMNS THREADS    prints {"seconds": ..., "values": ..., "sum": ...} for each line
    worker.py iterate FILE COLUMNS THREADS STEP   prints {"seconds": ..., "parts": ..., "largest": ..., "values": ...}

Seconds begin before the file is opened, when all packages are imported. A line "check" also sums up the values.
"""

import json
import sys
import time


def ours(path, columns, threads):
    from skimline import _core, arrays

    text = json.dumps({"schema_version": 1, "samples": {"a": {"files": [f"{path}:Events"]}}, "select": []})
    outputs = {name: name for name in columns}

    def read():
        return arrays.read(_core.Config("<bench>", text), outputs, threads=threads)

    return read, awkward_values


def with_uproot(path, columns, threads):
    import uproot

    executor = uproot.ThreadPoolExecutor(threads) if threads > 1 else uproot.TrivialExecutor()

    def read():
        with uproot.open(path, object_cache=None, array_cache=None) as file:
            return file["Events"].arrays(
                columns, decompression_executor=executor, interpretation_executor=executor
            )

    return read, awkward_values


def with_rdataframe(path, columns, threads):
    import ROOT

    ROOT.gROOT.SetBatch(True)
    if threads > 1:
        ROOT.EnableImplicitMT(threads)

    def read():
        return ROOT.RDataFrame("Events", str(path)).AsNumpy(columns)

    return read, numpy_values


READERS = {"ours": ours, "uproot": with_uproot, "RDF": with_rdataframe}


def sum_of_bits(values):
    """The sum of the values as unsigned integers, which does not depend on their order."""
    import numpy as np

    return int(np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}").sum(dtype=np.uint64))


def awkward_values(array):
    import awkward as ak

    return [ak.to_numpy(ak.flatten(array[name], axis=None)) for name in array.fields]


def numpy_values(arrays):
    import numpy as np

    return [np.concatenate(each) if each.dtype == object else each for each in arrays.values()]


def read(reader, path, columns, threads):
    once, values_of = READERS[reader](path, columns.split(","), int(threads))
    for line in sys.stdin:
        start = time.perf_counter()
        result = once()
        answer = {"seconds": time.perf_counter() - start}
        if line.strip() == "check":
            values = values_of(result)
            answer["values"] = sum(len(each) for each in values)
            answer["sum"] = sum(sum_of_bits(each) for each in values) % 2**64
        del result
        print(json.dumps(answer), flush=True)


def iterate(path, columns, threads, step):
    import awkward as ak
    from skimline import _core, arrays

    text = json.dumps({"schema_version": 1, "samples": {"a": {"files": [f"{path}:Events"]}}, "select": []})
    outputs = {name: name for name in columns.split(",")}
    start = time.perf_counter()
    num_parts = largest = num_values = 0
    for part in arrays.iterate(_core.Config("<bench>", text), outputs, step=step, threads=int(threads)):
        num_parts += 1
        largest = max(largest, part.nbytes)
        num_values += sum(int(ak.count(part[name], axis=None)) for name in part.fields)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "parts": num_parts, "largest": largest, "values": num_values}))


if __name__ == "__main__":
    {"read": read, "iterate": iterate}[sys.argv[1]](*sys.argv[2:])

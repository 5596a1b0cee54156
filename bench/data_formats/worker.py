# SPDX-License-Identifier: BSD-3-Clause
"""Does one thing with one format in a process of its own: worker.py '{"format": ..., "task": ...}'.

Prints one line of JSON: seconds, processor seconds, bytes read, peak memory, and the answer.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import time
from pathlib import Path

import events
import formats
import numpy as np
from registry import FORMATS


def forget(path: Path) -> None:
    """Drops the file's pages from the page cache."""
    for part in [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]:
        descriptor = os.open(part, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def bytes_read() -> dict[str, int]:
    """What the process has asked the kernel for, and what came from the disk."""
    lines = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return {name: int(lines[name]) for name in ("rchar", "read_bytes")}


def digest(columns: events.Columns) -> str:
    found = hashlib.sha256()
    for name in sorted(columns):
        found.update(name.encode() + np.ascontiguousarray(columns[name]).tobytes())
    return found.hexdigest()


def do(request: dict, made: formats.Format, source: events.Columns | None):
    path, threads = Path(request["file"]), request["threads"]
    if request["task"] == "write":
        return made.write(path, source, request["compression"])
    if request["task"] == "analysis":
        return made.sums(path, threads)
    if request["task"] == "plot":
        return made.plot(path, threads)
    if request["task"] == "skim":
        return made.skim(path, Path(request["target"]), request["cut"], request["compression"])
    if request["task"] == "take":
        return digest(made.take(path, events.taken_entries(request["events"])))
    return digest(made.read(path, request["names"], threads))


def measured(request: dict) -> dict:
    made = FORMATS[request["format"]]()
    writes = request["task"] == "write"
    source = dict(np.load(request["source"])) if writes else None
    if not writes:
        # Loads and compiles what the library needs, on a file of few events.
        do({**request, "file": request["small"], "events": request["small_events"]}, made, source)
        if request["cold"]:
            forget(Path(request["file"]))
    before, start, spent = bytes_read(), time.perf_counter(), time.process_time()
    answer = do(request, made, source)
    seconds = {"seconds": time.perf_counter() - start, "processor": time.process_time() - spent}
    after = bytes_read()
    read = {name: after[name] - before[name] for name in before}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if request["task"] == "skim":
        answer = digest(made.read(Path(request["target"]), made.all_names(), 1))
    return {**seconds, **read, "peak": peak, "answer": answer}


if __name__ == "__main__":
    print(json.dumps(measured(json.loads(sys.argv[1]))))

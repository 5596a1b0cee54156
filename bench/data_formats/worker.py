# SPDX-License-Identifier: BSD-3-Clause
"""Does some things with one format in a process of its own: worker.py '[{"format": ..., "task": ...}, ...]'.

Prints one line of JSON for each: seconds, processor seconds, bytes read, peak memory of the process so far, and the
answer. What takes less than a second is done three times, and the times are medians.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import events
import formats
import numpy as np
from needed_bytes import files_of
from registry import FORMATS

REPEATS = 3


def forget(path: Path) -> None:
    """Drops the file's pages from the page cache."""
    for part in files_of(path):
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


def timed(request: dict, made: formats.Format, source: events.Columns | None) -> tuple[Any, dict[str, float]]:
    start, spent = time.perf_counter(), time.process_time()
    answer = do(request, made, source)
    return answer, {"seconds": time.perf_counter() - start, "processor": time.process_time() - spent}


def put_in_place(part: Path, written: Path) -> None:
    """So that a file that is there is whole."""
    if written.is_dir():
        shutil.rmtree(written)
    part.replace(written)


def measured(request: dict) -> dict:
    made = FORMATS[request["format"]]()
    writes = request["task"] == "write"
    source = dict(np.load(request["source"])) if writes else None
    written = Path(request["file"])
    if writes:
        request = {**request, "file": str(written.with_name("part_" + written.name))}
    if not writes:
        # Loads and compiles what the library needs, on a file of few events.
        do({**request, "file": request["small"], "events": request["small_events"]}, made, source)
        if request["cold"]:
            forget(Path(request["file"]))
    before = bytes_read()
    answer, first = timed(request, made, source)
    after = bytes_read()
    read = {name: after[name] - before[name] for name in before}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    times = [first]
    while first["processor"] < 1 and len(times) < REPEATS and not request.get("cold"):
        times.append(timed(request, made, source)[1])
    seconds = {name: statistics.median(each[name] for each in times) for name in first}
    if writes:
        put_in_place(Path(request["file"]), written)
    if request["task"] == "skim":
        answer = digest(made.read(Path(request["target"]), made.all_names(), 1))
    return {**seconds, **read, "peak": peak, "answer": answer}


if __name__ == "__main__":
    for each in json.loads(sys.argv[1]):
        print(json.dumps(measured(each)))

# SPDX-License-Identifier: BSD-3-Clause
"""The ttbar analysis of the AGC as with coffea: uproot and awkward, a chunk of events at a time, on several processes.

awkward_agc.py v1|v2 PROCESSES INPUTS OUTPUT [EVENTS]

The reference of tests/agc. EVENTS is the size of a chunk. Writes the histograms as JSON and prints the seconds without
those of the imports, and the sum of the peak memory of all processes, of which each has pages of its own.
"""

import os
import resource
import sys
import time
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "agc"))
import agc_awkward
import agc_definition as agc
from answers import write_histograms

CHUNK = 200_000


class Task(NamedTuple):
    """Some events of a file."""

    sample: agc.Sample
    selection: agc.Selection
    path: str
    start: int
    step: int


class Done(NamedTuple):
    """What a task has filled, and the peak memory of its process so far."""

    histograms: agc.Histograms
    process: int
    peak_bytes: int


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def work(task: Task) -> Done:
    part = agc_awkward.chunk(task.path, task.selection, task.start, task.step)
    filled = agc_awkward.histograms_of_events(part, task.sample, task.selection)
    return Done(filled, os.getpid(), peak_bytes())


def tasks_of(inputs: Path, selection: agc.Selection, step: int) -> list[Task]:
    """All chunks, those of the largest samples first."""
    samples = sorted(agc.read_samples(inputs), key=lambda sample: -sample.num_events)
    return [
        Task(sample, selection, path, start, step)
        for sample in samples
        for path in sample.paths
        for start in range(0, agc_awkward.count_events(path), step)
    ]


def results(tasks: list[Task], num_processes: int):
    if num_processes == 1:
        yield from map(work, tasks)
        return
    with get_context("fork").Pool(num_processes) as pool:
        yield from pool.imap_unordered(work, tasks)


def main() -> None:
    version, num_processes, inputs, output = sys.argv[1:5]
    step = int(sys.argv[5]) if len(sys.argv) > 5 else CHUNK
    start = time.perf_counter()
    totals: agc.Histograms = {}
    peaks = {}
    for done in results(tasks_of(Path(inputs), agc.VERSIONS[version], step), int(num_processes)):
        peaks[done.process] = max(done.peak_bytes, peaks.get(done.process, 0))
        for name, contents in done.histograms.items():
            totals[name] = totals[name] + contents if name in totals else contents
    write_histograms(Path(output), totals)
    peaks[os.getpid()] = peak_bytes()
    print(time.perf_counter() - start, sum(peaks.values()))


if __name__ == "__main__":
    main()

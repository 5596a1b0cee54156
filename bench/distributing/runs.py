# SPDX-License-Identifier: BSD-3-Clause
"""Runs in parts beside runs on one machine: what a part costs, workers of Dask, and one more histogram.

Times are processor seconds of all processes of a run, in turns, medians: other programs of the machine do not count.
"""

import json
import multiprocessing
import os
import shutil
import statistics
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import skimline as sk

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "end_to_end"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "agc_analysis"))
from answers import assert_same, read_root
from data_frames import DataFrames
from programs import BUILD, WORK, Programs
from samples import CONFIGS, make_samples

WORKERS = 2


def seconds_of(process):
    """Processor seconds that a process has taken, as the system counts them."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def place():
    """The process that a task runs in."""
    time.sleep(0.05)  # so that the next one goes to another
    return os.getpid()


class Workers:
    """Processes that compute parts: those of Dask, or a pool."""

    def __init__(self, executor, processes):
        self.executor = executor
        self.processes = [os.getpid(), *processes]

    def seconds(self):
        return sum(map(seconds_of, self.processes))


def pool_of(count):
    pool = ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"))
    found = set()
    while len(found) < count:
        found |= {each.result() for each in [pool.submit(place) for _ in range(2 * count)]}
    return pool, Workers(pool, found)


def dask_of(count):
    import distributed

    cluster = distributed.LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None)
    client = distributed.Client(cluster)
    return client, Workers(client, client.run(os.getpid).values())


def measured(workers, run):
    before, start = workers.seconds(), time.monotonic()
    run()
    return workers.seconds() - before, time.monotonic() - start


def in_turns(repeat, runs):
    """Medians of processor seconds and of the clock's, by name; the first round does not count."""
    taken = {name: [] for name in runs}
    for number in range(repeat + 1):
        for name, run in runs.items():
            done = run()
            if number > 0:
                taken[name].append(done)
    return {name: tuple(map(statistics.median, zip(*each, strict=True))) for name, each in taken.items()}


class Here:
    """A folder for the outputs of a run, in which they replace those of the one before."""

    def __enter__(self):
        self.before = Path.cwd()
        self.folder = tempfile.mkdtemp(prefix="skimline-bench-")
        os.chdir(self.folder)
        return self

    def __exit__(self, *_):
        os.chdir(self.before)
        shutil.rmtree(self.folder)


def overhead(options):
    """What a part costs beside its events: files that are nearly empty, one part each."""
    folder = WORK / "parts"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(options.files):
        path = folder / f"{number}.root"
        if not path.exists():
            sk.generate("dimuon", path, events=1000, seed=number)
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": [str(folder / f"{number}.root") for number in range(options.files)]}},
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 50, "range": [0, 200]}}},
        "output": {"histograms": "h.root"},
    }
    made = {}
    with Here():
        for name, workers_of in {"processes": pool_of, "dask": dask_of}.items():
            made[name] = overhead_of(workers_of(WORKERS), config, options)
            print(
                f"a part by {name}: {1e3 * made[name]:.1f} ms of the processor more ({options.files} parts)"
            )
    return made


def overhead_of(started, config, options):
    """Of one way to compute parts: what each takes more than in a run here, with one thread."""
    executor, workers = started
    with executor:
        runs = {
            "here": lambda: measured(workers, lambda: sk.run_config(config, threads=1, force=True)),
            "there": lambda: measured(workers, lambda: sk.run_config(config, executor=executor, force=True)),
        }
        taken = in_turns(options.repeat, runs)
    return (taken["there"][0] - taken["here"][0]) / options.files


def agc_config(options):
    """The config of the AGC, and the settings that name its samples, which are made."""
    programs = Programs(BUILD / "skimline", Path(sys.executable), {})
    samples = make_samples(programs, options.events, True, "rntuple")
    listed = json.dumps({"file": str(samples.inputs), "tree": "Events"})
    return CONFIGS / "ttbar_v1.json", [f"samples_from={listed}"]


def agc(options):
    """The AGC on two workers of Dask beside two threads of one process, and beside RDataFrame on the same workers."""
    config, sets = agc_config(options)
    client, workers = dask_of(WORKERS)
    with Here() as here, client:
        made = Path(here.folder) / "h.root"
        run = {"sets": [*sets, f"output.histograms.file={made}"], "force": True}
        frames = DataFrames(client, json.loads(sets[0].partition("=")[2])["file"])
        runs = {
            "threads": lambda: measured(workers, lambda: sk.run_config(config, threads=WORKERS, **run)),
            "workers of Dask": lambda: measured(
                workers, lambda: sk.run_config(config, executor=client, **run)
            ),
            "workers with RDataFrame": lambda: measured(workers, frames.run),
        }
        # Workers that have never seen the analysis compile it.
        first = {f"new {name}": runs[name]() for name in list(runs)[1:]}
        taken = first | in_turns(options.repeat, runs)
        assert_same(read_root(made), frames.histograms)
    share = taken["threads"][0] / taken["workers of Dask"][0]
    for name, (own, clock) in taken.items():
        print(f"AGC, {options.events} events, {WORKERS} {name}: {own:.2f} s of the processor, {clock:.2f} s")
    print(f"of the processor time on Dask {100 * share:.0f} % is that of threads")
    return {name: {"processor": own, "clock": clock} for name, (own, clock) in taken.items()}


def rerun(options):
    """More for the AGC, with a store that has its 124 histograms: two of one sample, and as many again."""
    config, sets = agc_config(options)

    def varied(sample):
        more = {"weights": {"matrix_element_scale": {"up": "1.01"}}, "samples": [sample]}
        return [f"variations.more={json.dumps(more)}"]

    drawn = {"x": {"value": "Sum(Jet_pt)", "bins": 50, "range": [0, 1000]}}
    edits = {
        "nothing new": [],
        "a systematic of single_top_t_chan": varied("single_top_t_chan__nominal"),
        "a systematic of ttbar": varied("ttbar__nominal"),
        "a histogram with all systematics": [f"histograms.more={json.dumps(drawn)}"],
    }
    workers = Workers(None, [])
    with Here() as here:
        sets = [*sets, f"output.histograms.file={here.folder}/h.root"]

        def run(store, *more):
            def once():
                # Of each edit there is nothing in the store, whatever came before.
                kept = Path(here.folder) / "copy"
                shutil.rmtree(kept, ignore_errors=True)
                if store is not None and store.exists():
                    shutil.copytree(store, kept)
                options = {"sets": [*sets, *more], "force": True, "threads": 1}
                return measured(
                    workers, lambda: sk.run_config(config, store=kept if store else None, **options)
                )

            return once

        full = Path(here.folder) / "full"
        sk.run_config(config, store=full, sets=sets, force=True)
        runs = {"without a store": run(None), "first": run(Path("nowhere"))}
        taken = in_turns(options.repeat, runs | {name: run(full, *edit) for name, edit in edits.items()})
    whole = taken["without a store"][0]
    for name, (own, _) in taken.items():
        print(
            f"AGC, {options.events} events, {name}: {own:.2f} s of the processor, {100 * own / whole:.1f} %"
        )
    return {name: own for name, (own, _) in taken.items()}

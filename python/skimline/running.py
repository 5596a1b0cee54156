# SPDX-License-Identifier: BSD-3-Clause
"""Runs what is booked, or a config, and holds what came of it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from skimline import _core
from skimline.arguments import checked_threads
from skimline.booking import BookedHistogram, Booking
from skimline.composition import booked_frames, compose, external_functions, filters_of_regions
from skimline.config import core_config
from skimline.cutflow import Cutflow
from skimline.errors import ConfigError, IncompleteWarning, RunWarning
from skimline.events import Events
from skimline.histogram import Histogram
from skimline.progress import Listener, ProgressLine, listener_of

__all__ = ["IncompleteWarning", "RunResult", "RunWarning", "run", "run_config"]


class RunResult:
    """What a run has made: `histograms`, `cutflow`, `report` and `files`."""

    def __init__(self, report: dict[str, Any], text: str, filled: Iterable[_core.FilledHistogram]) -> None:
        self._report = report
        self._filters_of_regions: dict[str, tuple[str, str]] = {}
        self._text = text
        self._filled = {
            (sample, name, region, variation): Histogram(core)
            for sample, name, region, variation, core in filled
        }
        for (sample, name, region, variation), histogram in self._filled.items():
            if variation:
                self._filled[sample, name, region, ""]._variations[variation] = histogram
        self._histograms = {histogram.name: histogram for histogram in self._filled.values()}

    @property
    def histograms(self) -> dict[str, Histogram]:
        """The histograms by the names that they have in a file: "mass", "2j__mass__up", "mc__mass".

        Those of variations and of sums of samples are among them.
        """
        return self._histograms

    def histogram(
        self, name: str, *, sample: str | None = None, region: str = "", variation: str = ""
    ) -> Histogram:
        """Returns a histogram by what the config calls it, of the only sample unless one is given.

        `sample` may be a sum of samples, `variation` one of values or of the weight.
        """
        chosen = sample if sample is not None else self._only_sample()
        key = (chosen, name, region, variation)
        if key not in self._filled:
            known = [" ".join(part for part in each if part) for each in self._filled]
            wanted = " ".join(part for part in key if part)
            raise ConfigError(f'there is no histogram "{wanted}"' + _core.did_you_mean(wanted, known))
        return self._filled[key]

    @property
    def cutflow(self) -> Cutflow:
        """The events after each step and in each region, by sample.

        Each filter of a frame counts what passes it of what passes those before it, also behind a fork.
        """
        return Cutflow.of_report(self._report, self._filters_of_regions)

    @property
    def report(self) -> dict[str, Any]:
        """The report, as the program writes it to a file: see "Report" in the manual of the command line."""
        return self._report

    @property
    def files(self) -> list[str]:
        """The files that were written."""
        return [output["path"] for output in self._report["outputs"]]

    @property
    def is_complete(self) -> bool:
        """Whether all that the inputs promised was processed, and skims have all columns that they should."""
        return bool(self._report["complete"])

    @property
    def warnings(self) -> list[str]:
        """What is allowed but seldom meant, each with its place."""
        return list(self._report["warnings"])

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return (
            f"<RunResult: {self._report['events']} events, {len(self._filled)} histograms, "
            f"{len(self.files)} files>"
        )

    def _repr_html_(self) -> str:
        return self.cutflow._repr_html_()

    def _only_sample(self) -> str:
        samples = [sample["name"] for sample in self._report["samples"]]
        if len(samples) != 1:
            raise ConfigError(f"say which sample is meant: {', '.join(samples)}")
        return str(samples[0])


def run(
    *booked: Booking | Iterable[Booking],
    threads: int = 0,
    progress: bool | Listener = False,
    histograms: str | PathLike[str] | dict[str, Any] | None = None,
    cutflow: str | PathLike[str] | None = None,
    limit_events: int | None = None,
    limit_files: int | None = None,
    shard: tuple[int, int] | None = None,
    force: bool = False,
) -> RunResult:
    """Fills histograms and writes skims of one `open()` in one pass over its events.

    `threads` is their number, 0 for one per core that the process may use; results are the same for any.
    `progress=True` shows a line; a function is called a few times per second with a mapping: `sample`,
    `events`, `all_events`, `files`, `all_files`, `bytes`, `all_bytes`. Histograms are handed to what was
    booked; `histograms` is a file for them, too (UHI JSON if it ends with ".json"), `cutflow` one for the
    cutflow (CSV if it ends with ".csv"). `limit_events`, `limit_files` and `shard=(i, n)`, counted from 1,
    leave a part of the events of each sample.

    A file that is there is replaced if it is an older output of these samples, or with `force`. All files appear,
    or none. Python's lock is released, several runs may go on in several threads, and
    Ctrl-C ends a run. Throws ConfigError listing all mistakes before any event is read; FileError,
    SchemaError and EvaluationError for what is met in the files. What is seldom meant is a RunWarning, a run that has not
    processed all that its inputs promised an IncompleteWarning.

    >>> events = sk.open("dimuon.root:Events")
    >>> pairs = events.filter("nMuon == 2", name="two muons")
    >>> mass = pairs.hist(
    ...     "InvariantMass(Muon_pt, Muon_eta, Muon_phi, Muon_mass)", bins=120, range=(60, 120), name="mass"
    ... )
    >>> result = sk.run(mass, pairs.skim("pairs.root", keep=["Muon_*"]))
    >>> print(result.cutflow)
    step        events  of previous    of all
    all events  10 000     100.00 %  100.00 %
    two muons    5 234      52.34 %   52.34 %
    >>> result.files
    ['pairs.root']
    >>> mass.result.entries
    5234
    """
    bookings = _flat(booked)
    frames = booked_frames(bookings)
    described = compose(
        bookings,
        histograms=fspath(histograms) if isinstance(histograms, PathLike) else histograms,
        cutflow=fspath(cutflow) if cutflow is not None else None,
    )
    config = core_config(
        described, external_functions(frames), limit_events=limit_events, limit_files=limit_files, shard=shard
    )
    result = _run(config, threads, progress, writes_histograms=histograms is not None, force=force)
    result._filters_of_regions = filters_of_regions(frames)
    filled: dict[str, dict[tuple[str, str], Histogram]] = {}
    for (sample, name, _, variation), histogram in result._filled.items():
        filled.setdefault(name, {})[sample, variation] = histogram
    for booking in bookings:
        if isinstance(booking, BookedHistogram):
            booking._filled = filled.get(booking.name, {})
    return result


def run_config(
    config: str | PathLike[str] | Mapping[str, Any],
    *,
    threads: int = 0,
    progress: bool | Listener = False,
    sets: Sequence[str] = (),
    inputs: Sequence[str] = (),
    samples: Sequence[str] = (),
    limit_events: int | None = None,
    limit_files: int | None = None,
    shard: tuple[int, int] | None = None,
    force: bool = False,
) -> RunResult:
    """Runs a config, as `skimline run` does: a file, or an object whose paths are relative to the working folder.

    Files of histograms, skims and cutflow are written as the config says; a config given as an object needs
    none for histograms. The report is in the result, and in a file only if the config names one. `sets`
    ("path.to.key=value"), `inputs` ("sample=file"), `samples` (patterns), `limit_events`, `limit_files`,
    `shard` and `force` are the options of the program. Throws and warns as `run`.

    >>> result = sk.run_config({
    ...     "schema_version": 1,
    ...     "samples": {"dimuon": {"files": ["dimuon.root"]}},
    ...     "histograms": {"met": {"x": {"value": "MET_pt", "bins": 50, "range": [0, 200]}}},
    ... })
    >>> result.histograms["met"].entries
    10000
    """
    options: dict[str, Any] = {
        "sets": list(sets),
        "inputs": list(inputs),
        "samples": list(samples),
        "limit_events": limit_events,
        "limit_files": limit_files,
        "shard": shard,
    }
    if not isinstance(config, Mapping):
        return _run(
            _core.Config(fspath(config), **options), threads, progress, writes_report=True, force=force
        )
    writes_histograms = "histograms" in config.get("output", {}) or "histograms" not in config
    described = dict(config)
    if not writes_histograms:
        described["output"] = {**config.get("output", {}), "histograms": "histograms.root"}
    read = core_config(described, **options)
    return _run(read, threads, progress, writes_histograms=writes_histograms, writes_report=True, force=force)


def run_frame(frame: Events, *, threads: int = 0) -> RunResult:
    """Counts the events of a frame after each of its filters."""
    config = core_config(compose((), frames=(frame,)), external_functions([frame]))
    return _run(config, threads, False)


def _flat(booked: Iterable[Booking | Iterable[Booking]]) -> list[Booking]:
    flat: list[Booking] = []
    for each in booked:
        if isinstance(each, Booking):
            flat.append(each)
        elif isinstance(each, Mapping):
            flat += _flat(each.values())
        elif isinstance(each, Iterable) and not isinstance(each, str):
            flat += _flat(each)
        else:
            raise ConfigError(f"run() takes what hist() and skim() have booked, not {each!r}")
    return list(dict.fromkeys(flat))


def _run(
    config: _core.Config,
    threads: int,
    progress: bool | Listener,
    *,
    writes_histograms: bool = True,
    writes_report: bool = False,
    force: bool = False,
) -> RunResult:
    listener = listener_of(progress)
    known: list[str] = []
    try:
        report, text, filled = _core.run(
            config,
            threads=checked_threads(threads),
            writes_histograms=writes_histograms,
            writes_report=writes_report,
            force=force,
            progress=listener,
            warn=known.append,
        )
    except BaseException:
        for each in known:  # one of them may explain why
            warnings.warn(each, RunWarning, stacklevel=3)
        raise
    finally:
        if isinstance(listener, ProgressLine):
            listener.close()
    result = RunResult(json.loads(report), text, filled)
    _warn(result)
    return result


def _warn(result: RunResult) -> None:
    for text in result.warnings:
        warnings.warn(text, RunWarning, stacklevel=4)
    if result.is_complete:
        return
    lines = []
    for sample in result.report["samples"]:
        lines += [f"{each['file']}: {each['problem']}" for each in sample["skipped"]]
        lines += sample["missing"]
        for each in sample["left_out"]:
            number = sum(column["kind"] != "namesake" for column in each["columns"])
            lines += [f'{number} columns are missing in the skim "{each["skim"]}"'] if number else []
    warnings.warn("the run is incomplete: " + "; ".join(lines), IncompleteWarning, stacklevel=4)

# SPDX-License-Identifier: BSD-3-Clause
"""Runs what is booked, or a config, and holds what came of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

from skimline import _core
from skimline.argument_types import checked, shown, without_secrets
from skimline.arguments import checked_limits, checked_threads
from skimline.booking import BookedHistogram, Booking
from skimline.branches import ShownFilters
from skimline.composition import Composed, compose
from skimline.config import ConfigSource, checked_utf_8, core_config, own_copy, seen_from_root
from skimline.cutflow import Cutflow
from skimline.entry_ranges import ranges_beyond
from skimline.errors import ConfigError, Error, IncompleteWarning, RunWarning, warn
from skimline.events import Events, Request, Samples
from skimline.hints import first_few
from skimline.histogram import Histogram
from skimline.own_words import in_own_words, own_words
from skimline.progress import Progress, listening

if TYPE_CHECKING:
    from skimline.distribution import Executor

__all__ = ["IncompleteWarning", "Plan", "RunResult", "RunWarning", "plan", "run", "run_config", "validate"]


class RunResult:
    """What a run has made: `histograms`, `cutflow`, `report` and `files`."""

    def __init__(self, report: dict[str, Any], text: str, filled: Iterable[_core.FilledHistogram]) -> None:
        self._report = report
        self._shown: ShownFilters | None = None
        self._parts: tuple[RunResult, ...] = ()
        self._text = text
        self._filled = {
            (sample, name, region, variation): Histogram(core)
            for sample, name, region, variation, core in filled
        }
        for (sample, name, region, variation), histogram in self._filled.items():
            if variation:
                self._filled[sample, name, region, ""]._variations[variation] = histogram
        self._histograms = {histogram.name: histogram for histogram in self._filled.values()}

    @classmethod
    def _of_parts(cls, parts: Sequence[RunResult]) -> RunResult:
        """What several passes have made, as one."""
        reports = [each._report for each in parts]
        joined: dict[str, Any] = {
            "parts": reports,
            "events": sum(each["events"] for each in reports),
            "complete": all(each["complete"] for each in reports),
        }
        for key in ("samples", "outputs", "warnings"):
            joined[key] = [item for each in reports for item in each[key]]
        made = cls(joined, "\n".join(each._text for each in parts), ())
        made._parts = tuple(parts)
        names = [name for each in parts for name in each._histograms]
        for each in parts:
            made._filled.update(each._filled)
            only = each._report["samples"][0]["name"]
            for name, histogram in each._histograms.items():
                made._histograms[name if names.count(name) == 1 else f"{only}__{name}"] = histogram
        return made

    @property
    def histograms(self) -> dict[str, Histogram]:
        """The histograms by the names that they have in a file: "mass", "2j__mass__up", "mc__mass".

        Those of variations and of sums of samples are among them. Of several open(), the name of the sample is in
        front of names that more than one has.
        """
        return self._histograms

    @checked
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
            regions = [each[2] for each in self._filled if each == (chosen, name, each[2], variation)]
            hint = f": give region={regions[0]!r}" if regions else _core.did_you_mean(wanted, known)
            raise ConfigError(f'there is no histogram "{wanted}"' + hint)
        return self._filled[key]

    @property
    def cutflow(self) -> Cutflow:
        """The events after each step and in each region, by sample.

        Each filter of a frame counts what passes it of what passes those before it, also behind a fork.
        """
        if self._parts:
            return Cutflow.joined([each.cutflow for each in self._parts])
        return Cutflow.of_report(self._report, self._shown)

    @property
    def report(self) -> dict[str, Any]:
        """The report, as the program writes it to a file: see "Report" in the manual of the command line.

        Of several open(), its `parts` are the reports of each.
        """
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
        import html

        said = "".join(f"<div>{html.escape(each)}</div>" for each in (*self.files, *self.warnings))
        whole = f"<details><summary>report</summary><pre>{html.escape(self._text)}</pre></details>"
        return f"{self.cutflow._repr_html_()}{said}{whole}"

    def _only_sample(self) -> str:
        samples = [sample["name"] for sample in self._report["samples"]]
        if len(samples) != 1:
            raise ConfigError(f"say which sample is meant: {first_few(samples)}")
        return str(samples[0])


@checked
def run(
    *booked: Booking | Iterable[Booking],
    threads: int = 0,
    progress: Progress = False,
    histograms: str | PathLike[str] | dict[str, Any] | None = None,
    cutflow: str | PathLike[str] | None = None,
    limit_events: int | None = None,
    limit_files: int | None = None,
    shard: tuple[int, int] | None = None,
    n_minus_1: bool = False,
    histogram_memory: int | str | None = None,
    force: bool = False,
    store: str | PathLike[str] | None = None,
    executor: Executor | None = None,
    reduce: str | None = None,
) -> RunResult:
    """Fills histograms and writes skims in one pass over the events of each `open()`.

    `threads` is their number, 0 for one per core that the process may use; results are the same for any.
    `progress=True` shows a bar of tqdm or rich if they are installed ("tqdm", "rich"), else a line ("line"); a
    function is called a few times per second with a mapping: `sample`, `events`, `all_events`, `files`, `all_files`, `bytes`, `all_bytes`.
    What it raises ends the run and is raised there: files are then missing, or whole if all was done. Histograms are handed to what was
    booked; `histograms` is a file for them, too (UHI JSON if it ends with ".json"), `cutflow` one for the
    cutflow (CSV if it ends with ".csv"). `limit_events`, `limit_files` and `shard=(i, n)`, counted from 1,
    leave a part of the events of each sample: `limit_events` its first entries, also where frames have a `range`. `n_minus_1` counts the events that pass all filters but one, too;
    `histogram_memory` is the most that cells of histograms may take. What comes from several `open()`, whose samples have
    different names, is run one after the other; the files of `histograms` and `cutflow` are for one of them only, and
    a skim of one is no file of another.

    `store` is a folder of results, or its URL, by what they are computed from: what is there is taken, what is computed is kept.
    `executor`, a `dask.distributed.Client` or an executor of `concurrent.futures`, computes what the store lacks, part
    by part, with `threads` each (1 unless given); the result is the same. Skims are put together here.
    `reduce` says where their results are added up: "star", here; "tree" or "shuffle", on the workers of Dask; a URL
    such as "redis://host:6379", in a store in memory of one server or more. Without it the size of the results decides,
    and the report's `reduction` says how and why.

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
    every = _flat(booked)
    bookings = [each for each in every if each._section != "values"]
    opened: dict[Samples, list[Booking]] = {}
    for booking in bookings:
        opened.setdefault(booking.frame.samples, []).append(booking)
    frames = [] if bookings else [each.frame for each in every]
    for frame in frames:
        opened.setdefault(frame.samples, [])
    if len(opened) > 1:
        _check_several(list(opened), histograms, cutflow)
    composed = [
        compose(
            some,
            histograms=fspath(histograms) if isinstance(histograms, PathLike) else histograms,
            output={
                "cutflow": fspath(cutflow) if cutflow is not None else None,
                "n_minus_1": n_minus_1 or None,
            },
            histogram_memory=histogram_memory,
            frames=[frame for frame in frames if frame.samples is samples],
        )
        for samples, some in (opened.items() if opened else [(None, ())])
    ]
    limits = checked_limits(limit_events, limit_files, shard)
    _warn_of_ranges([each.frame for each in every], limit_events)
    configs = [each.core(**limits) for each in composed]  # what is wrong in any is said before the first runs
    _check_skims_of_several(composed, configs)
    for each in every:
        each.read(threads=threads, **limits)  # before there are files, which come together or not at all
    results = []
    for config, made, some in zip(configs, composed, opened.values()):
        source = made.source(**limits) if executor is not None else None
        if executor is not None:  # before others compute for nothing
            _core.check_outputs(config, writes_histograms=histograms is not None, force=force)
        with in_own_words(), _filled_store(store, executor, reduce, source, threads) as filled:
            result = _run(
                config,
                threads,
                progress,
                writes_histograms=histograms is not None,
                force=force,
                filled=filled,
                is_of_frames=True,
            )
        result._shown = made.shown
        _hand_out(result, some, made.names, limits)
        results.append(_warned(result, is_of_frames=True))  # which may be made an exception
    return results[0] if len(results) == 1 else RunResult._of_parts(results)


def _warn_of_ranges(frames: Iterable[Events], limit: int | None) -> None:
    for text in dict.fromkeys(text for frame in frames for text in ranges_beyond(frame, limit)):
        warn(
            f'no event passes "{text}": limit_events={limit} leaves the first entries of each sample, whatever ranges '
            "there are",
            RunWarning,
        )


def _check_several(opened: Sequence[Samples], histograms: object, cutflow: object) -> None:
    """Throws ConfigError for what only a run of one open() can have."""
    for key, file in (("histograms", histograms), ("cutflow", cutflow)):
        if file is not None:
            raise ConfigError(
                f"what is run comes from {len(opened)} open(), each of which would write the file of {key}: open all files "
                'as samples of one frame, open({"data": "data.root", "mc": "mc.root"}), or run them one after the other'
            )
    sums = {name for samples in opened for name in samples.described.get("sums", {})}
    names = [name for samples in opened for name in (*samples.names, *samples.described.get("sums", {}))]
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        what = f'sum of samples "{twice}"' if twice in sums else f'sample "{twice}"'
        names_of = "another name" if twice in sums else 'names, open(..., sample="data")'
        raise ConfigError(
            f"two open() have a {what}: give them {names_of}, so that results can be told apart"
        )


def _check_skims_of_several(composed: Sequence[Composed], configs: Iterable[_core.Config]) -> None:
    """Throws ConfigError for skims in the place of what another open() reads or writes."""
    taken: dict[str, dict[int, str]] = {}
    for number, made in enumerate(composed if len(composed) > 1 else ()):
        for path in (file[0] for files in made.samples.known_files.values() for file in files):
            taken.setdefault(os.path.realpath(path), {})[number] = "an input"
    for number, config in enumerate(configs):
        for path in [
            file.replace("{sample}", each) for _, file in config.skim_files for each in config.sample_names
        ]:
            others = taken.setdefault(os.path.realpath(path), {})
            if what := next((each for other, each in others.items() if other != number), ""):
                raise ConfigError(f'the skim "{without_secrets(path)}" is also {what} of another open()')
            others[number] = "a skim"


def _hand_out(
    result: RunResult, bookings: Iterable[Booking], names: Mapping[Request, str], limits: Mapping[str, Any]
) -> None:
    """Gives bookings their histograms, each with the variations that it has itself."""
    filled: dict[str, dict[tuple[str, str], Histogram]] = {}
    for (sample, name, _, variation), histogram in result._filled.items():
        filled.setdefault(name, {})[sample, variation] = histogram
    all_variations = {name for booking in bookings for name in booking.frame.variations}
    for booking in bookings:
        if isinstance(booking, BookedHistogram):
            foreign = all_variations.difference(booking.frame.variations) if all_variations else ()
            if foreign:
                for histogram in filled.get(names[booking], {}).values():
                    for name in foreign:
                        histogram._variations.pop(name, None)
            booking._limits = dict(limits)
            booking._filled = {
                (sample, variation): histogram
                for (sample, variation), histogram in filled.get(names[booking], {}).items()
                if variation not in foreign
            }


@checked
def run_config(
    config: str | PathLike[str] | Mapping[str, Any],
    *,
    threads: int = 0,
    progress: Progress = False,
    sets: Sequence[str] = (),
    inputs: Sequence[str] = (),
    samples: Sequence[str] = (),
    limit_events: int | None = None,
    limit_files: int | None = None,
    shard: tuple[int, int] | None = None,
    force: bool = False,
    store: str | PathLike[str] | None = None,
    executor: Executor | None = None,
    reduce: str | None = None,
) -> RunResult:
    """Runs a config, as `skimline run` does: a file, or an object whose paths are relative to the working folder.

    Files of histograms, skims and cutflow are written as the config says; a config given as an object needs
    none for histograms. The report is in the result, and in a file only if the config names one. `sets`
    ("path.to.key=value"), `inputs` ("sample=file"), `samples` (patterns), `limit_events`, `limit_files`,
    `shard`, `force` and `store` are the options of the program, `executor` and `reduce` are those of `run`. Throws and warns as `run`.

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
        **checked_limits(limit_events, limit_files, shard),
    }
    if not isinstance(config, Mapping):
        read = _core.Config(checked_utf_8(fspath(config), "the name of a config"), **options)
        source = ConfigSource.of(fspath(config), read, options)
        if executor is not None:
            _core.check_outputs(read, writes_report=True, force=force)
        with _filled_store(store, executor, reduce, source, threads) as filled:
            return _warned(_run(read, threads, progress, writes_report=True, force=force, filled=filled))
    described = own_copy(config)  # it is read more than once
    output = described.get("output") or {}
    writes_histograms = (
        "histograms" in output or "histograms" not in described or _is_complete(described, options)
    )
    if not writes_histograms:
        described["output"] = {**output, "histograms": "histograms.root"}
    read = core_config(described, **options)
    source = ConfigSource.made_here(described, **options)
    if executor is not None:
        _core.check_outputs(read, writes_histograms=writes_histograms, writes_report=True, force=force)
    with _filled_store(store, executor, reduce, source, threads) as filled:
        result = _run(
            read,
            threads,
            progress,
            writes_histograms=writes_histograms,
            writes_report=True,
            force=force,
            filled=filled,
        )
        return _warned(result)


def _is_complete(config: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    """Whether settings, or what a config includes, say where its histograms are written."""
    if not (options["sets"] or "include" in config or "override" in config):
        return False
    try:
        core_config(config, **options)
    except Error:
        return False
    return True


def _checked_store(store: str | PathLike[str] | None) -> str | None:
    """The name of a store, if there is one."""
    if store is None:
        return None
    name = checked_utf_8(os.fsdecode(store), "the name of a store")
    if not name:
        raise ConfigError("store is a folder or a URL: an empty text names none")
    return name


def _absolute(store: str) -> str:
    return store if "://" in store else seen_from_root(store)


class _Filled(NamedTuple):
    """A store that has all that was computed elsewhere."""

    folder: str
    """Empty if there is none."""
    reduction: dict[str, Any] | None = None


@contextmanager
def _filled_store(
    store: str | PathLike[str] | None,
    executor: Executor | None,
    reduce: str | None,
    source: ConfigSource | None,
    threads: int,
) -> Iterator[_Filled]:
    """The store, in which an executor, if there is one, has put all parts, or their sums."""
    if executor is None and reduce is not None:
        raise ConfigError("reduce= says how results of an executor are added up: give executor=, too")
    if executor is not None and (isinstance(executor, type) or not hasattr(executor, "submit")):
        raise ConfigError(
            f"executor is what has submit(), as those of concurrent.futures have, not {shown(executor)}"
        )
    store = _checked_store(store)
    if executor is None or source is None:
        yield _Filled(store or "")
        return
    from skimline.elsewhere import fill
    from skimline.own_folders import OwnFolder

    with ExitStack() as stack:
        folder = stack.enter_context(OwnFolder()) if store is None else _absolute(store)
        filled = stack.enter_context(
            fill(
                source,
                executor,
                store=folder,
                keeps=store is not None,
                reduce=reduce,
                threads=checked_threads(threads) or 1,
            )
        )
        for problem in filled.problems:
            warn(f"a part was computed again: {problem}", RunWarning)
        yield _Filled(folder, filled.reduction)


def run_frame(frame: Events, *, threads: int = 0) -> RunResult:
    """Counts the events of a frame after each of its filters."""
    composed: Composed = compose((), frames=(frame,))
    with in_own_words():
        result = _run(composed.core(), threads, False, is_of_frames=True)
    result._shown = composed.shown
    return _warned(result, is_of_frames=True)


class Plan(Mapping[str, Any]):
    """What a run would do, as the program's `skimline plan` says it: print it, or look into it by keys."""

    def __init__(self, described: dict[str, Any], text: str) -> None:
        self._described = described
        self._text = text

    def __getitem__(self, key: str) -> Any:
        return self._described[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._described)

    def __len__(self) -> int:
        return len(self._described)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Plan of {first_few([each['sample'] for each in self['samples']])}>"

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self._text)}</pre>"


@checked
def plan(*booked: Booking | Iterable[Booking], threads: int = 0) -> Plan:
    """Returns what a run of these would read and compute, from metadata alone: expressions by the events that they
    are for, bytes and memory. Throws what `run` throws before any event is read.

    >>> events = sk.open("dimuon.root:Events")
    >>> planned = sk.plan(events.filter("nMuon == 2").hist("MET_pt", bins=50, range=(0, 200)))
    >>> [each["sample"] for each in planned["samples"]]
    ['events']
    """
    config = compose(_flat(booked)).core()
    with in_own_words():
        described, text = _core.plan(config, threads=checked_threads(threads))
    return Plan(json.loads(described), text)


@checked
def validate(*booked: Booking | Iterable[Booking]) -> None:
    """Checks all that a run would before it reads events; throws ConfigError listing all mistakes.

    What is seldom meant is a RunWarning.
    """
    for text in plan(*booked)["warnings"]:
        warn(own_words(text), RunWarning)


def _flat(booked: Iterable[Booking | Iterable[Booking]]) -> list[Booking]:
    flat: list[Booking] = []
    for each in booked:
        if isinstance(each, Booking):
            flat.append(each)
        elif isinstance(each, Mapping):
            flat += _flat(each.values())
        elif isinstance(each, Iterable) and not isinstance(each, str) and getattr(each, "shape", None) != ():
            flat += _flat(each)
        else:
            raise ConfigError(f"run() takes what hist() and skim() have booked, not {shown(each)}")
    return list(dict.fromkeys(flat))


def _run(
    config: _core.Config,
    threads: int,
    progress: Progress,
    *,
    writes_histograms: bool = True,
    writes_report: bool = False,
    force: bool = False,
    filled: _Filled | None = None,
    is_of_frames: bool = False,
) -> RunResult:
    known: list[str] = []
    try:
        with listening(progress) as listener:
            report, text, histograms = _core.run(
                config,
                threads=checked_threads(threads),
                writes_histograms=writes_histograms,
                writes_report=writes_report,
                force=force,
                store=filled.folder if filled else "",
                progress=listener,
                warn=known.append,
            )
    except BaseException:
        for each in known:  # one of them may explain why
            warn(own_words(each) if is_of_frames else each, RunWarning)
        raise
    described = json.loads(report)
    if filled and filled.reduction:
        described["reduction"] = filled.reduction
    return RunResult(described, text, histograms)


def _warned(result: RunResult, is_of_frames: bool = False) -> RunResult:
    """The result, of which the warnings have been given."""
    for text in result.warnings:
        warn(own_words(text) if is_of_frames else text, RunWarning)
    if not result.is_complete:
        _warn_of_losses(result)
    return result


def _warn_of_losses(result: RunResult) -> None:
    lines = []
    for sample in result.report["samples"]:
        lines += [f"{each['file']}: {each['problem']}" for each in sample["skipped"]]
        lines += sample["missing"]
        for each in sample["left_out"]:
            number = sum(column["kind"] != "namesake" for column in each["columns"])
            lines += [f'{number} columns are missing in the skim "{each["skim"]}"'] if number else []
    warn("the run is incomplete: " + "; ".join(lines), IncompleteWarning)

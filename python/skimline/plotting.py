# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of histograms, of files or in memory."""

from __future__ import annotations

import dataclasses
import json
import math
import multiprocessing
import os
import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union

from skimline._core import did_you_mean
from skimline.argument_types import checked
from skimline.arguments import checked_texts
from skimline.booking import BookedHistogram
from skimline.errors import ConfigError, Error, FileError, IncompleteWarning, RunWarning, warn
from skimline.histogram import Histogram
from skimline.optional import require
from skimline.panels import (
    Panel,
    PlotFile,
    PlotOptions,
    cutflow_panels,
    is_wanted,
    matches,
    panels_of_files,
    panels_of_histograms,
)
from skimline.steps import Vary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Plots", "draw_requested", "plot"]

_MOST_PROCESSES = 4096
_GROUP_KEYS = ["samples", "label", "colour", "kind", "scale"]
Source = Union[str, "os.PathLike[str]", Histogram, BookedHistogram, Mapping[str, Histogram]]

# Nothing in a picture says when, or by which version, it was drawn.
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


class _OfConfig(dict[str, Any]):
    """What a config says of plots, which may have more samples than the files that are drawn."""


class Plots(Mapping[str, "Figure"]):
    """Pictures by name, drawn when they are asked for."""

    def __init__(self, panels: Sequence[Panel], options: PlotOptions) -> None:
        self._panels = _named(panels)
        self._options = options
        self._not_drawn: list[str] = []

    def __getitem__(self, name: str) -> Figure:
        from skimline.pictures import figure_of, style_of

        panel = self._panels[name]
        with require("matplotlib", "plot()").rc_context(style_of(self._options.style)):
            return figure_of(panel, self._options)

    def __iter__(self) -> Iterator[str]:
        return iter(self._panels)

    def __len__(self) -> int:
        return len(self._panels)

    def __repr__(self) -> str:
        return f"<Plots: {', '.join(self)}>"

    @checked
    def save(
        self,
        folder: str | os.PathLike[str] = "plots",
        formats: str | Sequence[str] = ("png",),
        *,
        processes: int = 1,
    ) -> list[str]:
        """Writes each picture as "folder/name.png", "svg" or "pdf", and returns the paths.

        Makes the folder; replaces pictures that exist. The same histograms give the same bytes of SVG and PDF with the
        same matplotlib. With several `processes`, which share the work, the script that calls must be one that can be
        imported, as for multiprocessing. Throws FileError if a picture cannot be written.
        """
        formats = checked_texts(formats, "a format")
        for each in formats:
            if each not in _METADATA:
                raise ConfigError(f"a picture is {', '.join(_METADATA)}, not {each!r}")
        if not 1 <= processes <= _MOST_PROCESSES:
            raise ConfigError(f"processes: {processes} is not from 1 to {_MOST_PROCESSES}")
        if processes == 1:
            return self._save(folder, formats)
        parts = [list(self)[start::processes] for start in range(processes)]
        # Threads of the engine do not survive a fork.
        with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
            work = [pool.submit(_save_part, self._part(names), folder, formats) for names in parts if names]
            paths = {path for each in work for path in each.result()}
        wanted = [str(Path(folder) / f"{name}.{each}") for name in self for each in formats]
        return [path for path in wanted if path in paths]

    def _part(self, names: Sequence[str]) -> Plots:
        part = Plots([], self._options)
        part._panels = {name: self._panels[name] for name in names}
        return part

    def _save(self, folder: str | os.PathLike[str], formats: Sequence[str]) -> list[str]:
        from skimline.pictures import style_of

        paths = []
        with require("matplotlib", "plot()").rc_context(style_of(self._options.style)):
            for name in self:
                figure = self[name]
                paths += [_write(figure, Path(folder) / f"{name}.{each}", each) for each in formats]
        return paths


def _save_part(part: Plots, folder: str | os.PathLike[str], formats: Sequence[str]) -> list[str]:
    return part._save(folder, formats)


def _write(figure: Figure, path: Path, form: str) -> str:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format=form, metadata=_METADATA[form])
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {error.strerror}") from error
    return str(path)


def _named(panels: Sequence[Panel]) -> dict[str, Panel]:
    """By names that files can have, each once."""
    named: dict[str, Panel] = {}
    for panel in panels:
        name = plain = re.sub(r"[^\w.+-]", "_", panel.name).lstrip(".") or "histogram"
        number = 1
        while name in named:
            number += 1
            name = f"{plain}_{number}"
        named[name] = panel
    return named


@checked
def plot(
    *sources: Source,
    include: str | Sequence[str] = (),
    plots: Mapping[str, Any] | None = None,
    style: str | None = None,
    text: str | None = None,
    ratio: bool | None = None,
    log_x: bool | str | Sequence[str] | None = None,
    log_y: bool | str | Sequence[str] | None = None,
    cutflow: bool = False,
) -> Plots:
    """Draws the histograms of files, or a histogram, or those of several samples by name. Needs matplotlib.

    Args:
        sources: files of histograms, as `skimline plot` takes them; or histograms.
        include: names of histograms, or patterns with * and ?; all by default.
        plots: the key "plots" of a config, instead of that in the record of the files.
        style: "plain", "CMS", "ATLAS" or "LHCb"; those of experiments need mplhep.
        text: behind the name of the experiment.
        ratio: whether data over background, or files over the first one, are drawn below.
        log_x: whether x is logarithmic, or the histograms for which it is.
        log_y: the same of the contents.
        cutflow: draws the cutflow of the samples too.

    Arguments that are None are as `plots` says. Throws ConfigError for what cannot be drawn together, FileError for
    files that cannot be read. Histograms that cannot, though no damage is known, are told in an IncompleteWarning.

    >>> events = sk.open("dimuon.root:Events")
    >>> met = events.hist("MET_pt", bins=50, range=(0, 200))
    >>> _ = sk.run(met)
    >>> sk.plot(met.result)
    <Plots: MET_pt>
    """
    changes = {
        "style": style,
        "text": text,
        "ratio": ratio,
        "log_x": _patterns("log_x", log_x),
        "log_y": _patterns("log_y", log_y),
    }
    booked = next((each for each in sources if isinstance(each, BookedHistogram)), None)
    about = _about_samples(booked) if booked else {}
    sources = tuple(_filled(each) for each in sources)
    given = {key: value for key, value in changes.items() if value is not None}
    in_memory = [each for each in sources if isinstance(each, (Histogram, Mapping))]
    if in_memory and len(sources) > 1:
        raise ConfigError(
            "several histograms are drawn together as one mapping by sample, and alone each by a plot() of its own"
        )
    if in_memory and (include or cutflow):
        raise ConfigError(f"{'include' if include else 'cutflow'} is about files of histograms")
    if in_memory:
        options = _options(plots or {}, given)
        named = _by_name(in_memory[0])
        for problem in _unmatched_groups(options, {*named, *about}):
            raise ConfigError(problem)
        if booked and not options.luminosity_pb:
            luminosity = booked.frame.samples.described.get("luminosity_pb")
            options = dataclasses.replace(options, luminosity_pb=luminosity)
        return Plots(
            _split(
                panels_of_histograms(
                    named,
                    options,
                    about,
                    booked.name if booked else "",
                    _systematics(booked) if booked else None,
                )
            ),
            options,
        )
    files = [_opened(each) for each in sources]
    if not files:
        raise ConfigError("there is nothing to draw")
    patterns = checked_texts(include, "a pattern of include")
    _check_patterns(files, patterns)
    options = _options_of_files(files, plots, given)
    panels = panels_of_files(files, options, patterns)
    if plots is not None and not isinstance(plots, _OfConfig):
        # The files may be some of those of a config.
        for problem in _unmatched_groups(
            options, {each["name"] for file in files for each in file.catalogue["samples"]}
        ):
            if not panels:
                raise ConfigError(problem)
            warn(problem, RunWarning)
    if cutflow:
        panels += cutflow_panels(files, options)
    unread = [why for file in files for name, why in file.unread.items() if is_wanted(name, patterns)]
    if not panels and not unread:
        raise ConfigError(_nothing_drawn(files))
    drawn = Plots(_split(panels), options)
    drawn._not_drawn = [f"not drawn: {why}" for why in unread]
    for each in drawn._not_drawn:
        warn(each, IncompleteWarning)
    return drawn


def _patterns(key: str, value: bool | str | Sequence[str] | None) -> bool | list[str] | None:
    return value if value is None or isinstance(value, bool) else checked_texts(value, f"a pattern of {key}")


def _opened(source: Any) -> PlotFile:
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"plot() takes histograms, booked or filled, and files of them, not {source!r:.80}")
    return PlotFile(source)


def _check_patterns(files: Sequence[PlotFile], patterns: Sequence[str]) -> None:
    """Each must match a histogram, by its name in a file or in the config."""
    names = dict.fromkeys(each["histogram"] for file in files for each in file.filled)
    names |= dict.fromkeys(name for file in files for name in [*file.histograms, *file.unread])
    if not names:
        return
    unmatched = [each for each in patterns if not any(matches(name, [each]) for name in names)]
    if unmatched:
        raise ConfigError(
            " and ".join(
                f'no histogram matches "{each}"' + did_you_mean(each, list(names)) for each in unmatched
            )
        )


def _unmatched_groups(options: PlotOptions, samples: Collection[str]) -> Iterator[str]:
    """A sentence for each pattern of a group that none of the samples matches: what is left out of a picture cannot be seen in
    it."""
    for name, group in options.groups.items():
        for pattern in group["samples"]:
            if samples and not any(matches(each, [pattern]) for each in samples):
                hint = did_you_mean(pattern, sorted(samples))
                yield f'no sample matches "{pattern}" of the group "{name}" of plots{hint}'


def _nothing_drawn(files: Sequence[PlotFile]) -> str:
    if not any(file.histograms for file in files):
        return "there are no histograms"
    return 'no histogram matches "histograms", "regions" and the samples of "groups" in plots'


def _filled(source: Any) -> Any:
    """What was booked, by sample."""
    if not isinstance(source, BookedHistogram):
        return source
    in_order = [*source.frame.samples.names, *source.samples]
    return {each: source[each] for each in dict.fromkeys(in_order) if each in source.samples}


def _about_samples(booked: BookedHistogram) -> dict[str, dict[str, Any]]:
    """Which are data, and which are sums of others."""
    described = booked.frame.samples.described
    about = {name: {"is_sum": True} for name in described.get("sums", {})}
    return about | {name: dict(each) for name, each in described.get("samples", {}).items()}


def _systematics(booked: BookedHistogram) -> dict[str, tuple[str, str]]:
    """By variation the systematic that it is of, and its direction."""
    return {
        variation: (step.name, variation[len(step.name) + 1 :])
        for step in booked.frame.steps
        if isinstance(step, Vary)
        for variation in step.directions
    }


def _by_name(source: Histogram | Mapping[str, Histogram]) -> Mapping[str, Histogram]:
    return {source.name: source} if isinstance(source, Histogram) else source


def _options(described: Mapping[str, Any], given: Mapping[str, Any]) -> PlotOptions:
    known = {each.name for each in dataclasses.fields(PlotOptions)}
    for key in described:
        if key not in known:
            raise ConfigError(f'unknown key "{key}" in plots; there are {", ".join(sorted(known))}')
    return plots(**{**described, **given})


@checked
def plots(
    *,
    histograms: str | Sequence[str] = (),
    regions: str | Sequence[str] = (),
    groups: Mapping[str, Mapping[str, Any]] | None = None,
    style: str = "plain",
    text: str = "",
    ratio: bool = True,
    log_x: bool | str | Sequence[str] = False,
    log_y: bool | str | Sequence[str] = False,
    luminosity_pb: float | None = None,
) -> PlotOptions:
    """What the keys of "plots" say. Its name is that of errors."""
    return PlotOptions(
        style=style,
        text=text,
        histograms=checked_texts(histograms, "a pattern of histograms"),
        regions=checked_texts(regions, "a pattern of regions"),
        groups={name: _group(name, group) for name, group in (groups or {}).items()},
        ratio=ratio,
        log_x=_patterns("log_x", log_x) or False,
        log_y=_patterns("log_y", log_y) or False,
        luminosity_pb=luminosity_pb,
    )


def _group(name: str, group: Mapping[str, Any]) -> dict[str, Any]:
    if "samples" not in group:
        raise ConfigError(f'the group "{name}" of plots needs the key "samples"')
    for key in group:
        if key not in _GROUP_KEYS:
            hint = did_you_mean(key, _GROUP_KEYS) or f"; there are {', '.join(_GROUP_KEYS)}"
            raise ConfigError(f'unknown key "{key}" of the group "{name}" in plots{hint}')
    return plots_group(**group)


@checked
def plots_group(
    *,
    samples: str | Sequence[str],
    label: str | None = None,
    colour: str | None = None,
    kind: Literal["background", "signal", "data"] = "background",
    scale: float = 1,
) -> dict[str, Any]:
    """The same of a group."""
    if not 0 < scale < math.inf:
        raise ConfigError(f'"scale" must be greater than 0, and finite, not {scale}')
    if scale != 1 and kind != "signal":
        raise ConfigError('only groups of the "kind" "signal" have a "scale"')
    given: dict[str, Any] = {"kind": kind, "scale": scale, "label": label, "colour": colour}
    shown = {key: value for key, value in given.items() if value is not None}
    return {"samples": checked_texts(samples, "a pattern of samples"), **shown}


def _options_of_files(
    files: Sequence[PlotFile], plots: Mapping[str, Any] | None, given: Mapping[str, Any]
) -> PlotOptions:
    recorded: Mapping[str, Any] = next(
        (file.catalogue["plots"] for file in files if file.catalogue["plots"]), {}
    )
    options = _options(recorded if plots is None else plots, given)
    luminosities = {each for file in files for each in _luminosities(file)}
    # Of several none is that of a picture.
    luminosity = luminosities.pop() if len(luminosities) == 1 else None
    return dataclasses.replace(options, luminosity_pb=options.luminosity_pb or luminosity)


def _luminosities(file: PlotFile) -> list[float]:
    record = file.record
    configs = record.configs if record else []
    return [config["luminosity_pb"] for config in configs if "luminosity_pb" in config]


def _split(panels: Sequence[Panel]) -> list[Panel]:
    """Maps show one thing each: the background, each signal, the data."""
    split = []
    for panel in panels:
        kinds = dict.fromkeys(group.kind for group in panel.groups)
        if len(panel.groups[0].members[0].nominal.axes) != 2 or (len(kinds) == 1 and not panel.is_comparison):
            split.append(panel)
            continue
        for key, groups in _parts_of_map(panel).items():
            split.append(dataclasses.replace(panel, name=f"{panel.name}__{key}", groups=groups))
    return split


def _parts_of_map(panel: Panel) -> dict[str, list[Any]]:
    parts: dict[str, list[Any]] = {}
    for group in panel.groups:
        is_alone = panel.is_comparison or group.kind == "signal"
        parts.setdefault(group.name if is_alone else group.kind, []).append(group)
    return parts


def draw_requested(request: str) -> tuple[bool, str, bool]:
    """Draws what `skimline plot` asks for. Returns whether that was possible, what to print, and whether all
    histograms could be read."""
    try:
        return True, *_draw(json.loads(request))
    except (Error, ImportError, OSError) as error:
        return False, str(error), False


def _draw(asked: Mapping[str, Any]) -> tuple[str, bool]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IncompleteWarning)
        pictures = plot(
            *asked["files"],
            include=asked["include"],
            plots=_OfConfig(json.loads(asked["plots"])) if asked["plots"] else None,
            style=asked["style"] or None,
            ratio=None if asked["ratio"] else False,
            log_x=True if asked["log_x"] else None,
            log_y=True if asked["log_y"] else None,
            cutflow=asked["cutflow"],
        )
    paths = pictures.save(asked["output"], asked["formats"] or ["png"], processes=_processes_for(pictures))
    return "".join(f"{line}\n" for line in [*paths, *pictures._not_drawn]), not pictures._not_drawn


def _processes_for(pictures: Plots) -> int:
    """Starting one takes as long as a few dozen pictures."""
    return max(1, min(len(os.sched_getaffinity(0)), len(pictures) // 24, 8))

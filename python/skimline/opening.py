# SPDX-License-Identifier: BSD-3-Clause
"""Files as frames."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Union

from skimline._core import did_you_mean
from skimline.argument_types import checked, shown
from skimline.chunks import Chunk, opened_chunk
from skimline.config import own_copy
from skimline.errors import ConfigError
from skimline.events import Samples
from skimline.filesets import check_source, check_steps, looks_like_files, with_trees
from skimline.frame import Frame
from skimline.hints import first_few
from skimline.histogram import Histogram
from skimline.running import run
from skimline.scope import plain_name
from skimline.steps import matches

if TYPE_CHECKING:
    from typing import TypeGuard

    from skimline._core import SampleColumns

__all__ = ["hist", "open"]

Files = Union[str, "PathLike[str]", Sequence[Union[str, "PathLike[str]"]]]
Default = Union[bool, int, float, str, Sequence[Union[bool, int, float, str]]]


@checked
def open(
    files: Files | Mapping[str, Files | Mapping[str, Any]] | Chunk | None = None,
    *,
    sample: str | None = None,
    friends: Mapping[str, Files | Mapping[str, Any]] | None = None,
    metadata: Mapping[str, bool | int | float | str] | None = None,
    is_data: bool | None = None,
    cross_section_pb: float | None = None,
    sum_weights: str | Mapping[str, Any] | None = None,
    lumi_mask: str | PathLike[str] | None = None,
    entry_list: str | PathLike[str] | None = None,
    define: Mapping[str, str] | None = None,
    weights: Mapping[str, str] | None = None,
    variations: bool | None = None,
    samples_from: str
    | PathLike[str]
    | Mapping[str, Any]
    | Sequence[str | PathLike[str] | Mapping[str, Any]]
    | None = None,
    sample_defaults: Mapping[str, Any] | None = None,
    luminosity_pb: float | None = None,
    sums: Mapping[str, Mapping[str, float]] | None = None,
    defaults: Mapping[str, Default] | None = None,
    aliases: Mapping[str, str] | None = None,
    collections: Mapping[str, str] | None = None,
    objects: Mapping[str, Mapping[str, str | Sequence[str]]] | None = None,
    on_bad_file: str | None = None,
    max_bad_fraction: float | None = None,
    allow_duplicates: bool | None = None,
    require_checksums: bool | None = None,
    checksum_folder: str | PathLike[str] | None = None,
    cache: str | PathLike[str] | None = None,
    memory_limit: int | str | None = None,
) -> Frame:
    """Opens files of RNTuples or TTrees, or of Parquet or Arrow IPC, as one sequence of events.

    `files` is a path, a pattern, "path:name" with the name of the RNTuple or TTree, or a list of these: one
    sample, called `sample` ("events" unless given), whose further keys in a config can be given: `friends`, `metadata`, `is_data`,
    `cross_section_pb`, `sum_weights`, `lumi_mask`, `entry_list`, `define`, `weights` and `variations`. A mapping from names to
    files, or to objects with these keys, is several samples; `samples_from` are files that list them. The `files` of a
    sample may be a mapping from paths to the trees in them, as coffea and uproot have it. `define` and `weights` of a
    sample have what stands there for the definitions and factors that frames make under these names.

    The events that coffea gives a processor are the entries of a file that they stand for, as a sample that is
    called like their dataset; coffea's own values of them are not read.

    All other keywords are those of the config: `sample_defaults`, `luminosity_pb`, `sums`, `defaults`, `on_bad_file`,
    `max_bad_fraction`, `allow_duplicates`, `require_checksums`, `checksum_folder`, `cache` and
    `memory_limit`.

    Only metadata are read. Throws ConfigError for a pattern that matches nothing and other mistakes,
    FileError for a file that cannot be read or trusted, SchemaError for files that do not go together.

    >>> events = sk.open("dimuon.root:Events")
    >>> events.num_entries
    10000
    >>> sk.open({"data": "dimuon.root", "mc": {"files": ["dimuon.root"], "metadata": {"is_data": False}}})
    <Frame of 2 samples: data, mc; 20 000 events, 25 columns>
    """
    described = {
        "friends": {name: _described_files(each) for name, each in friends.items()} if friends else None,
        "metadata": dict(metadata) if metadata else None,
        "is_data": is_data,
        "cross_section_pb": cross_section_pb,
        "sum_weights": sum_weights,
        "lumi_mask": fspath(lumi_mask) if lumi_mask is not None else None,
        "entry_list": fspath(entry_list) if entry_list is not None else None,
        "define": dict(define) if define else None,
        "weights": dict(weights) if weights else None,
        "variations": variations,
    }
    described = {key: value for key, value in described.items() if value is not None}
    samples: dict[str, Any] = {}
    entries = None
    if isinstance(files, Chunk):
        files, name, entries = opened_chunk(files)
        sample = (name or None) if sample is None else sample
    check_source(files)
    if isinstance(files, Mapping) or files is None:
        if described:
            raise ConfigError(f"give {', '.join(described)} to each of the samples")
        if sample is not None:
            raise ConfigError(
                f'sample="{sample}" is for files that have no name: samples are called as they are given'
            )
        if files and looks_like_files(files):
            raise ConfigError(
                'a mapping has samples by their names: the tree of a file is named as in "a.root:Events"'
            )
        for name, each in (files or {}).items():
            samples[name] = _described_sample(name, each)
    else:
        samples["events" if sample is None else sample] = {"files": _list_of(files), **described}
    if not samples and samples_from is None:
        raise ConfigError("say what is to be opened: files, or samples_from")
    config: dict[str, Any] = {"samples": own_copy(samples)} if samples else {}
    for key, value in (
        ("samples_from", samples_from),
        ("sample_defaults", dict(sample_defaults) if sample_defaults else None),
        ("on_bad_file", on_bad_file),
        ("max_bad_fraction", max_bad_fraction),
        ("allow_duplicates", allow_duplicates),
        ("require_checksums", require_checksums),
        ("checksum_folder", fspath(checksum_folder) if checksum_folder is not None else None),
        ("cache", fspath(cache) if cache is not None else None),
        ("memory_limit", memory_limit),
        ("defaults", dict(defaults) if defaults else None),
        ("aliases", dict(aliases) if aliases else None),
        ("collections", dict(collections) if collections else None),
        ("objects", {name: dict(each) for name, each in objects.items()} if objects else None),
        ("luminosity_pb", luminosity_pb),
        ("sums", {name: dict(each) for name, each in sums.items()} if sums else None),
    ):
        if value is not None:
            config[key] = own_copy(value)
    opened = Samples(config, entries)
    is_several = isinstance(files, Mapping)
    _check_steps(
        files if is_several else {name: {"files": files, "friends": friends} for name in samples}, opened
    )
    _check_names(aliases or {}, collections or {}, opened)
    return Frame(opened, ())


def _check_names(aliases: Mapping[str, str], collections: Mapping[str, str], opened: Samples) -> None:
    """Throws ConfigError for names that stand for nothing in any sample."""
    known = {plain_name(name) for each in opened.columns for name, _, _ in each.columns}
    resolved = {name for each in opened.columns for name, _ in each.aliases}
    for name, target in aliases.items():
        if not any(matches(each, plain_name(name)) for each in resolved):
            hint = did_you_mean(plain_name(target), sorted(known))
            raise ConfigError(f'the alias "{name}" stands for "{target}", which no column matches{hint}')
    for name, pattern in collections.items():
        if not any(matches(each, pattern) for each in known | resolved):
            raise ConfigError(f'no column matches "{pattern}" of the collection "{name}"')


def _check_steps(given: Any, opened: Samples) -> None:
    """Files are read as a whole: steps that coffea has cut them into must be all of them."""
    for name, columns in zip(opened.names, opened.columns):
        sample: Any = given.get(name)
        check_steps(sample, partial(_files_of, columns))
        has_keys = isinstance(sample, Mapping) and not looks_like_files(sample)
        for files in ((sample.get("friends") or {}) if has_keys else {}).values():
            check_steps(files, partial(_files_and_friends_of, columns))


def _files_of(columns: SampleColumns) -> list[tuple[str, int]]:
    return [(path, count) for path, _, _, count in columns.files]


def _files_and_friends_of(columns: SampleColumns) -> list[tuple[str, int]]:
    return [(path, count) for path, _, count, _, _ in columns.known_files]


@partial(checked, own=("files",))
def hist(
    files: Files,
    expression: str,
    *,
    where: str | None = None,
    weight: str | None = None,
    bins: int | None = None,
    range: tuple[float, float] | None = None,
    edges: Sequence[float] | None = None,
    integers: tuple[int, int] | None = None,
    categories: Sequence[str] | Sequence[int] | None = None,
    label: str = "",
    unit: str = "",
    threads: int = 0,
) -> Histogram:
    """Fills one histogram of an expression of files, at once: a look at them.

    Without bins there are 50 from the least to the greatest value, for which the values are read twice.

    >>> sk.hist("dimuon.root", "MET_pt", where="nMuon == 2", bins=20, range=(0, 100)).entries
    5234
    >>> round(float(sk.hist("dimuon.root", "MET_pt").axes[0].edges[-1]), 3)
    80.375
    """
    events = open(files)
    if where is not None:
        events = events.filter(where)
    if len(events.samples.names) > 1:
        raise ConfigError(
            f"hist() is of one sample, not of {first_few(events.samples.names)}: open() takes several"
        )
    others = [each for each in (edges, integers, categories) if each is not None]
    if range is None and not others:
        range = _range_of(events, expression)
    if bins is None and not others:
        bins = 50
    booked = events.hist(
        expression,
        weight=weight,
        bins=bins,
        range=range,
        edges=edges,
        integers=integers,
        categories=categories,
        label=label,
        unit=unit,
    )
    run(booked, threads=threads)
    return booked.result


def _range_of(events: Frame, expression: str) -> tuple[float, float]:
    """From the least value to just above the greatest one, which is in the last bin."""
    least, greatest = float(events.min(expression)), float(events.max(expression))
    if not (math.isfinite(least) and math.isfinite(greatest)):
        raise ConfigError(f'the values of "{expression}" have no range: give bins and range')
    width = greatest - least
    if width > 0:
        return least, max(greatest + width * 1e-6, math.nextafter(greatest, math.inf))
    half = max(0.5, math.ulp(least))
    return least - half, least + half


_KEYS = (
    "files",
    "friends",
    "metadata",
    "is_data",
    "cross_section_pb",
    "sum_weights",
    "lumi_mask",
    "entry_list",
    "define",
    "weights",
    "variations",
)


def _described_sample(name: str, files: Files | Mapping[str, Any]) -> dict[str, Any]:
    described = _described_files(files)
    for key in described:
        if key not in _KEYS:
            raise ConfigError(f'the sample "{name}" has the unknown key "{key}"' + did_you_mean(key, _KEYS))
    if "friends" in described:
        described["friends"] = {name: _described_files(each) for name, each in described["friends"].items()}
    return described


def _described_files(files: Files | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(files, Mapping) and not looks_like_files(files):
        described = dict(files)
        if "files" in described:
            described["files"] = _list_of(described["files"])
        return described
    return {"files": _list_of(files)}


def _list_of(files: Files | Mapping[str, Any]) -> list[str]:
    if _is_path(files):
        return [fspath(files)]
    if isinstance(files, Mapping):
        return with_trees(files)
    is_one = isinstance(files, (bytes, bytearray, PathLike)) or getattr(files, "shape", (0,)) == ()
    if is_one or not isinstance(files, Iterable):
        raise TypeError(f"files must be a path or several, not {shown(files)}")
    listed = list(files)
    for each in listed:
        if not _is_path(each):
            raise TypeError(f"files must be a path or several: {shown(each)} is none")
    paths = [fspath(each) for each in listed]
    return sorted(paths) if isinstance(files, Set) else paths  # a set has another order in each process


def _is_path(value: Any) -> TypeGuard[str | PathLike[str]]:
    """Whether it is a text, or stands for one; paths of bytes are none."""
    return isinstance(value, str) or (isinstance(value, PathLike) and isinstance(fspath(value), str))

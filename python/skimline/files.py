# SPDX-License-Identifier: BSD-3-Clause
"""What files hold, whether they are sound, and files made of others."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Union

from skimline import _core
from skimline.argument_types import checked, checked_path
from skimline.arguments import checked_threads
from skimline.errors import ConfigError
from skimline.file_inspection import (
    AxisSummary,
    Branch,
    Cluster,
    Column,
    Field,
    HistogramSummary,
    Inspection,
    ListedTree,
    NTuple,
    Object,
    Shown,
    Tree,
    UnsupportedField,
    object_of,
)
from skimline.merging import MergeReport, merge

if TYPE_CHECKING:
    from skimline.histogram import Histogram

__all__ = [
    "AxisSummary",
    "Branch",
    "Cluster",
    "Column",
    "ConvertReport",
    "Fault",
    "Field",
    "GenerateReport",
    "HistogramSummary",
    "Inspection",
    "ListedTree",
    "MergeReport",
    "NTuple",
    "Object",
    "RunRecord",
    "Tree",
    "UnsupportedField",
    "Verified",
    "VerifyReport",
    "convert",
    "generate",
    "inspect",
    "merge",
    "read_histogram",
    "read_histograms",
    "show",
    "verify",
]

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Fault:
    """A page, basket or object that is not what was written."""

    problem: str
    column: str | None = None
    """None for baskets of a TTree and for objects, about which `problem` says all."""
    cluster: int | None = None
    first_entry: int | None = None
    entries: int | None = None
    """First entry and entries are those of the cluster."""
    offset: int | None = None
    """Of the page in the file."""


@dataclass(frozen=True)
class Verified:
    """What was found about one RNTuple or TTree, the other objects of a file, or a file that cannot be opened."""

    path: str
    name: str
    """Empty for the objects of a file, and if it cannot be opened or holds nothing to verify."""
    format: str
    """"RNTuple", "TTree", "objects", or empty if the file cannot be opened or holds nothing to verify."""
    sound: bool
    """Whether nothing is wrong with it. Only what is not `unverified` is known to be as it was written."""
    problem: str
    """Of the file or the metadata; empty if pages, baskets or objects could be read."""
    parts: int
    """Pages, baskets or objects that were read."""
    bytes: int
    unverified: int
    """Pages, baskets or objects that could be decoded, but have no checksum: nothing shows whether their bytes are right."""
    bytes_unverified: int
    """Of them."""
    unread: int
    """Branches that cannot be read."""
    faults: tuple[Fault, ...]


@dataclass(frozen=True)
class VerifyReport(Shown):
    """Whether files are what was written; str() is the text of `skimline verify`."""

    sound: bool
    """Whether nothing is wrong anywhere."""
    items: tuple[Verified, ...]
    checksums: tuple[tuple[str, int, str], ...]
    """With `write_checksums`, of each file: path, records, and the problem if it was not written."""
    _text: str = field(repr=False)

    def __bool__(self) -> bool:
        raise TypeError("a report is neither true nor false: ask for report.sound")


@dataclass(frozen=True)
class ConvertReport(Shown):
    """What was converted; str() is the text of `skimline convert`."""

    path: str
    name: str
    entries: int
    columns: int
    bytes_read: int
    bytes: int
    """Of the output."""
    seconds: float
    differences: tuple[str, ...]
    """Between the inputs, and what was made of them."""
    left_out: Mapping[str, str]
    """Columns that could not be written, and why."""
    warnings: tuple[str, ...]
    """Of these in short, and of columns with other names than in the input."""
    _text: str = field(repr=False)


@dataclass(frozen=True)
class GenerateReport(Shown):
    """What was generated; str() is the text of `skimline generate`."""

    path: str
    events: int
    bytes: int
    seconds: float
    threads: int
    _text: str = field(repr=False)


class RunRecord(Shown, Mapping[str, Any]):
    """The record of the run that made a file; str() is the text of `skimline show`.

    A mapping with the keys of `skimline show --json`: "version", "configs", "samples", "problems" and others.
    """

    def __init__(self, values: dict[str, Any], text: str) -> None:
        self._values = values
        self._text = text

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"RunRecord({self._values!r})"

    @property
    def samples(self) -> dict[str, dict[str, Any]]:
        """The samples by name: "cutflow", "entries", "sum_weights", "inputs" and others of each."""
        return {sample["name"]: sample for sample in self._values["samples"]}

    @property
    def configs(self) -> list[Any]:
        """The resolved configs; several if outputs of different ones were merged."""
        return list(self._values["configs"])

    @property
    def problems(self) -> list[str]:
        """What in the record does not fit together."""
        return list(self._values["problems"])


def _summary(found: dict[str, Any]) -> HistogramSummary:
    values = {("class_name" if key == "class" else key): value for key, value in found.items()}
    values["axes"] = tuple(AxisSummary(**axis) for axis in values["axes"])
    return HistogramSummary(**values)


@checked
def inspect(location: Path) -> Inspection:
    """Says what "file.root" holds, or one RNTuple or TTree of it with "file.root:name".

    Of events metadata are read; histograms are read whole. Histograms of UHI JSON ("file.json") are shown too.

    Throws FileError.

    >>> import skimline.files
    >>> inspection = skimline.files.inspect("dimuon.root")
    >>> inspection.ntuples[0].name, inspection.ntuples[0].entries
    ('Events', 10000)
    >>> print(str(inspection).splitlines()[0])  # doctest: +ELLIPSIS
    file    dimuon.root, ...
    """
    document, text = _core.inspect(os.fsencode(location))
    found = json.loads(document)
    return Inspection(
        path=found["path"],
        size=found["size"],
        ntuples=tuple(_ntuple(each) for each in found["ntuples"]),
        trees=tuple(_tree(each) for each in found["trees"]),
        histograms=tuple(_summary(each) for each in found["histograms"]),
        objects=tuple(map(object_of, found["objects"])),
        _text=text,
    )


@checked
def verify(
    *paths: Path, write_checksums: bool = False, checksum_folder: Path = "", threads: int = 0
) -> VerifyReport:
    """Compares every page of every RNTuple with its checksum, and reads every basket of every TTree.

    Histograms and other objects are compared with their checksums if skimline wrote them, and read if not. Goes on after damage. Throws nothing about a single file: one that cannot be read has a `problem`. `threads`
    0 means one per core. Ctrl-C ends it.

    `write_checksums` writes "data.root.checksums" beside each file in which nothing is wrong, or in `checksum_folder`.
    >>> import skimline.files
    >>> report = skimline.files.verify("dimuon.root")
    >>> report.sound
    True
    """
    if not paths:
        raise ConfigError("there is no file to verify")
    for path in paths:
        checked_path("verify", path)
    sound, text, items, checksums = _core.verify(
        [os.fsencode(path) for path in paths],
        write_checksums=write_checksums,
        checksum_folder=os.fsencode(checksum_folder),
        threads=checked_threads(threads),
    )
    for item in items:
        item["faults"] = tuple(Fault(*fault) for fault in item["faults"])
    return VerifyReport(sound, tuple(Verified(**item) for item in items), tuple(checksums), text)


@checked
def convert(
    inputs: Path | Sequence[Path],
    output: Path,
    *,
    name: str = "",
    keep: str | Sequence[str] = (),
    drop: str | Sequence[str] = (),
    columns_in_common: bool = False,
    collections: Literal["records", "vectors"] = "records",
    compression: str = "auto",
    allow_duplicates: bool = False,
    require_checksums: bool = False,
    force: bool = False,
    threads: int = 0,
) -> ConvertReport:
    """Writes all columns of TTrees, or of RNTuples, into one RNTuple of a new file.

    Args:
        inputs: "file.root" or "file.root:name", or several, whose entries follow one another.
        output: the file, which is complete or absent.
        name: of the RNTuple; that of the first input by default.
        keep: names of columns, or patterns with * and ?; all by default.
        drop: those of them that are not wanted.
        columns_in_common: leave out columns that not all inputs have, or not alike, without a warning.
        collections: "records" makes lists that belong together one of records; with "vectors" each is by itself.
        compression: "auto", for each column what is worth its time; or "none", "zstd", "lz4", "zlib" or "lzma", with a
            level: "zstd:5".
        allow_duplicates: writes also entries of inputs that are copies of each other.
        require_checksums: makes reading what has no checksum a FileError.
        force: replaces any file; without it, only one that convert() has made of the same inputs.
        threads: 0 means one per core. The file's bytes do not depend on it.

    Columns with a common counter, such as Jet_pt[nJet], become one collection "Jet" and keep their own names as
    well. What cannot be written is left out; the report's `left_out` and `warnings` say so. Throws FileError,
    SchemaError for inputs that do not fit together, ConfigError if the output is an input, inputs are copies of each
    other, a pattern matches nothing, or a column kept by its name cannot be written.

    >>> import skimline.files
    >>> skimline.files.convert("dimuon.root", "converted.root", compression="lz4").entries
    10000
    """
    several = [inputs] if isinstance(inputs, (str, os.PathLike)) else inputs
    values, text = _core.convert(
        [os.fsencode(path) for path in several],
        os.fsencode(output),
        name=name,
        keep=[keep] if isinstance(keep, str) else list(keep),
        drop=[drop] if isinstance(drop, str) else list(drop),
        columns_in_common=columns_in_common,
        collections=collections,
        compression=compression,
        allow_duplicates=allow_duplicates,
        require_checksums=require_checksums,
        force=force,
        threads=checked_threads(threads),
    )
    for key in ("differences", "warnings"):
        values[key] = tuple(values[key])
    return ConvertReport(**values, _text=text)


@checked
def generate(
    model: str,
    output: Path,
    *,
    events: float,
    seed: int = 1,
    sample: str = "",
    format: Literal["rntuple", "ttree"] = "rntuple",
    name: str = "Events",
    compression: str = "auto",
    force: bool = False,
    threads: int = 0,
) -> GenerateReport:
    """Writes invented events for trials into a new file, which is complete or absent.

    Args:
        model: "dimuon", "dijet", "adl" or "agc", columns of which are named and stored as in CMS's NanoAOD (GeV, rad, cm), or
            "lhcb", like LHCb's open data (MeV, mm).
        events: how many, a whole number, 1e6 for instance.
        seed: event n depends on the model, the seed and n only.
        sample: of model "agc", "ttbar__nominal" for instance; no other model has samples.
        format: "rntuple" or "ttree".
        name: of the RNTuple or TTree.
        compression: "auto", for each column what is worth its time; or "none", "zstd", "lz4", "zlib" or "lzma", with a
            level: "zstd:5".
        force: replaces any file; without it, only one of the same model, sample and seed.
        threads: 0 means one per core. The file's bytes do not depend on it.

    Throws ConfigError for an unknown model, with the nearest name, and FileError if the file cannot be written.

    >>> import skimline.files
    >>> skimline.files.generate("dijet", "dijet.root", events=1000, seed=7).events
    1000
    """
    if not (0 <= events <= 1e15 and events == int(events)):
        raise ConfigError(f"events: {events} is not a whole number from 0 to 1e15")
    if not 0 <= seed < 1 << 64:
        raise ConfigError(f"seed: {seed} is not from 0 to 2**64 - 1")
    if format not in ("rntuple", "ttree"):
        raise ConfigError(f'format must be "rntuple" or "ttree", got {format!r}')
    if sample and model != "agc":
        raise ConfigError(f'model "{model}" has no samples, only "agc" has')
    values, text = _core.generate(
        model,
        os.fsencode(output),
        events=int(events),
        seed=seed,
        sample=sample,
        format=format,
        name=name,
        compression=compression,
        force=force,
        threads=checked_threads(threads),
    )
    return GenerateReport(**values, _text=text)


@checked
def read_histograms(path: Path, *, allow_changed: bool = False) -> dict[str, Histogram]:
    """Reads all histograms of a file, by their path in it, "dir/name": TH1 to TH3, profiles, THnSparse and THn of ROOT.

    Of a file that ends with ".json", those in it by UHI's schema.

    Of several cycles the newest is read. The cutflows in the record of a run are left out: show() gives them.
    What skimline wrote and what no longer fits its checksum is damaged, or with `allow_changed` what another program
    made of it. Throws FileError if the file or a histogram is damaged.
    """
    read = _core.read_histograms(os.fsencode(path), allow_changed=allow_changed)
    return {name: _histogram(core) for name, core in read}


@checked
def read_histogram(path: Path, name: str, *, allow_changed: bool = False) -> Histogram:
    """Reads one histogram of a ROOT file or UHI JSON, "name", "dir/name" or "name;cycle"; `allow_changed` as for read_histograms().

    Throws FileError, with the nearest name, if there is none called so, and if it is damaged.
    """
    return _histogram(_core.read_histogram(os.fsencode(path), os.fsencode(name), allow_changed=allow_changed))


@checked
def show(path: Path) -> RunRecord:
    """Reads the record that skimline's output files carry: samples with cutflow and normalisation, inputs, configs.

    Throws FileError if the file has none, or if it is damaged.
    """
    document, text = _core.read_record(os.fsencode(path))
    return RunRecord(json.loads(document), text)


def _histogram(core: _core.Histogram) -> Histogram:
    from skimline.histogram import Histogram

    return Histogram(core)


def _ntuple(found: dict[str, Any]) -> NTuple:
    parts = {
        "fields": tuple(Field(**each) for each in found["fields"]),
        "columns": tuple(Column(**each) for each in found["columns"]),
        "clusters": tuple(Cluster(**each) for each in found["clusters"]),
        "unsupported_fields": tuple(UnsupportedField(**each) for each in found["unsupported_fields"]),
        "notes": tuple(found["notes"]),
    }
    return NTuple(**{**found, **parts})


def _tree(found: dict[str, Any]) -> Tree:
    parts = {
        "columns": tuple(Branch(**each) for each in found["columns"]),
        "unsupported": tuple(UnsupportedField(**each) for each in found["unsupported"]),
        **{key: tuple(found[key]) for key in ("collections", "friends", "aliases", "notes")},
    }
    return Tree(**{**found, **parts})

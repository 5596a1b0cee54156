# SPDX-License-Identifier: BSD-3-Clause
"""One file of many."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

from skimline import _core
from skimline.argument_types import checked
from skimline.arguments import checked_threads
from skimline.errors import IncompleteWarning, warn
from skimline.file_inspection import Shown

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class MergedNTuple:
    """An RNTuple of a merged file."""

    path: str
    files: int
    """That have it."""
    entries: int
    clusters: int
    pages: int
    joined: int
    """Clusters of the inputs that became parts of larger ones."""
    pages_verified: int
    """Whose checksums were compared."""
    pages_without_checksum: int
    """Of those that were read."""
    left_out: tuple[str, ...]
    """Why fields were left out."""
    other_bits: tuple[str, ...]
    """Which bits of fields files describe differently, a sentence for each field."""
    methods: Mapping[str, tuple[int, int]]
    """Clusters and bytes of pages that got into the file by "clone", "kernel", "copy" and "rewrite"."""


@dataclass(frozen=True)
class MergedTree:
    """A TTree of a merged file."""

    path: str
    files: int
    """That have it."""
    entries: int
    clusters: int
    baskets: int
    baskets_verified: int
    """That were decompressed and proven by a checksum of their compression."""
    baskets_without_checksum: int
    """That were decompressed and have none."""
    other_bits: tuple[str, ...]
    """Which bits of branches files describe differently, a sentence for each branch."""
    methods: Mapping[str, tuple[int, int]]
    """Baskets and their bytes that got into the file by "copy", as stored, and by "rewrite"."""


@dataclass(frozen=True)
class MergeReport(Shown):
    """What was merged; str() is the text of `skimline merge`."""

    output: str
    ntuples: tuple[MergedNTuple, ...]
    trees: tuple[MergedTree, ...]
    missing: tuple[str, ...]
    """Shards of runs, and files of skims that are split, that were not among the inputs, a sentence for each."""
    left_out: tuple[str, ...]
    """What the runs that made the inputs left out as it is damaged, a sentence for each."""
    differing_configs: tuple[str, ...]
    """What parts of one sample were made by configs that differ, a sentence for each."""
    histograms: int
    """In the output."""
    exact: int
    """Of them, those that are as one run over all events would have made them."""
    partial: int
    """Of them, those that some inputs lack."""
    changed: int
    """Of them, those that another program changed in an input."""
    files: int
    """That were merged."""
    records: int
    """Of them, those with a record of a run."""
    skipped: tuple[str, ...]
    """Why inputs were left out; each begins with the path."""
    bytes_read: int
    bytes_decompressed: int
    bytes_written: int
    compression: str
    threads: int
    seconds: float
    _text: str = field(repr=False)


def _merged_ntuple(values: dict[str, Any]) -> MergedNTuple:
    for key in ("left_out", "other_bits"):
        values[key] = tuple(values[key])
    methods = {name: (counts["clusters"], counts["bytes"]) for name, counts in values.pop("methods").items()}
    return MergedNTuple(**values, methods=methods)


def _merged_tree(values: dict[str, Any]) -> MergedTree:
    values["other_bits"] = tuple(values["other_bits"])
    methods = {name: (counts["baskets"], counts["bytes"]) for name, counts in values.pop("methods").items()}
    return MergedTree(**values, methods=methods)


@checked
def merge(
    output: Path,
    inputs: Sequence[Path],
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    skip_bad: bool = False,
    allow_overlap: bool = False,
    allow_changed: bool = False,
    require_checksums: bool = False,
    compression: str | None = None,
    method: str = "",
    missing_fields: str = "error",
    cluster_size: int | str = "",
    verify: bool | None = None,
    incomplete: bool = False,
    keep_order: bool = False,
    force: bool = False,
    threads: int = 0,
) -> MergeReport:
    """Merges the RNTuples, TTrees and histograms of many ROOT files into one file, which is complete or absent.

    The entries of RNTuples and TTrees of one name follow each other, pages and baskets as they are stored. Histograms
    that skimline wrote are added exactly: the result is that of one run over all events.

    Args:
        include: patterns of paths in the file, such as "muons/*"; only what matches takes part. All by default.
        exclude: patterns of what takes no part.
        skip_bad: leaves out inputs that cannot be read; the report's `skipped` says which.
        allow_overlap: merges also what was made from the same entries of an input.
        allow_changed: takes histograms of skimline that no longer fit their checksums as they are, without exact
            sums: another program changed them. Without it, they are damaged.
        require_checksums: refuses inputs whose histograms have no checksums: those that skimline did not write.
        compression: "zstd:5", "lz4", "none"; that of the inputs by default, zstd:1 if skimline did not write them.
            Pages and baskets stay as they are compressed, unless it is given.
        method: how RNTuples get into the file: "clone" shares clusters by the file system (XFS, Btrfs), "kernel" lets
            the system copy them, "copy" verifies pages and copies them as stored, "rewrite" encodes them anew. By
            default the first that is possible of clone and copy.
        missing_fields: what becomes of fields that some inputs lack: "error" lists them, "drop" leaves them out, and
            also those whose types differ, "default" gives the entries of the others zeros and empty lists.
        cluster_size: clusters that take no more in memory, as bytes or "64 MiB", are joined; 16 MiB by default. By
            "rewrite" larger ones are cut too; 128 MiB by default.
        verify: compares the checksums of all pages, or of none; by default of those that are read anyway. False also
            copies baskets of trees without decompressing them.
        incomplete: merges skims also if shards of their run, or files of one that was split, are missing, which the
            report's `missing` names. Histograms are added all the same, with a warning without it.
        keep_order: entries follow each other in the order of the inputs, not in that of the run.
        force: replaces any file; without it, only one that merge() has made of the same inputs.
        threads: 0 means one per core. The file's bytes do not depend on it.

    Throws ConfigError if an input is given twice or a pattern matches nothing, FileError for a damaged input,
    SchemaError for RNTuples whose fields and TTrees whose branches differ, Error for histograms that cannot be added
    and missing shards. Warns (IncompleteWarning) of what the runs that made the inputs left out.
    """
    document, text = _core.merge(
        os.fsencode(output),
        [os.fsencode(path) for path in inputs],
        include=list(include),
        exclude=list(exclude),
        skip_bad=skip_bad,
        allow_overlap=allow_overlap,
        allow_changed=allow_changed,
        require_checksums=require_checksums,
        compression=compression,
        method=method,
        missing_fields=missing_fields,
        cluster_size=str(cluster_size),
        verify=verify,
        incomplete=incomplete,
        keep_order=keep_order,
        force=force,
        threads=checked_threads(threads),
    )
    values = json.loads(document)
    for key in ("skipped", "missing", "left_out", "differing_configs"):
        values[key] = tuple(values[key])
    if lacking := (() if incomplete else values["missing"]) + values["left_out"]:
        warn(f"{values['output']} is incomplete: {'; '.join(lacking)}", IncompleteWarning)
    values["ntuples"] = tuple(_merged_ntuple(ntuple) for ntuple in values["ntuples"])
    values["trees"] = tuple(_merged_tree(tree) for tree in values["trees"])
    return MergeReport(**values, _text=text)

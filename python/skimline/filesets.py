# SPDX-License-Identifier: BSD-3-Clause
"""Files as coffea and uproot list them: a mapping from paths to the trees in them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from os import PathLike, fspath
from typing import Any

from skimline.arguments import checked_whole
from skimline.errors import ConfigError

__all__ = ["check_source", "check_steps", "looks_like_files", "with_trees"]

_ENDINGS = (".root", ".parquet", ".arrow", ".feather")


def check_source(files: Any) -> None:
    """Throws TypeError for what others have opened or read already, and what iterates as if it were paths."""
    kind = type(files)
    library = kind.__module__.partition(".")[0]
    if library == "uproot" and hasattr(files, "file_path"):
        raise TypeError(f'files are opened by their paths, "{files.file_path}", not as objects of uproot')
    if library == "uproot" and hasattr(files, "file"):
        raise TypeError(
            f'trees are opened by their paths, "{files.file.file_path}:{files.name}", not as objects of uproot'
        )
    if library in ("awkward", "pandas", "polars", "pyarrow") and kind.__name__ != "Series":
        raise TypeError(f"files are opened, not arrays: write() makes a file of a {kind.__name__}")


def with_trees(files: Mapping[Any, Any]) -> list[str]:
    """The paths, with the names of trees where they have any.

    >>> with_trees({"a.root": "Events", "b.root": {"object_path": "Events"}, "c.root": None})
    ['a.root:Events', 'b.root:Events', 'c.root']
    """
    return [_with_tree(path, tree) for path, tree in files.items()]


def _with_tree(path: str | PathLike[str], tree: Any) -> str:
    name = tree.get("object_path") if isinstance(tree, Mapping) else tree
    if name is None:
        return fspath(path)
    if not isinstance(name, str):
        raise ConfigError(f'"{fspath(path)}" needs the name of a tree, not {name!r}')
    return f"{fspath(path)}:{name}"


def check_steps(files: Any, opened: Callable[[], Iterable[tuple[str, int]]]) -> None:
    """Throws ConfigError for steps that leave out entries of files, which are read as a whole.

    `files` is what a sample or friend was opened with, `opened` gives path and entries of what was found.

    >>> found = lambda: [("a.root", 500)]
    >>> check_steps({"a.root": {"object_path": "Events", "steps": [[0, 300], [300, 500]]}}, found)
    >>> check_steps({"a.root": {"object_path": "Events", "steps": [[0, 300]]}}, found)
    Traceback (most recent call last):
    skimline.errors.ConfigError: the steps of "a.root" have 300 of its 500 entries: files are read as a whole; range() takes a part
    """
    listed = files
    if isinstance(files, Mapping) and not looks_like_files(files):
        listed = files.get("files")
    if not isinstance(listed, Mapping):
        return
    ends = {fspath(path): _end_of(path, tree) for path, tree in listed.items()}
    known = {path: end for path, end in ends.items() if end is not None}
    entries: dict[str, list[int]] = {}
    for path, count in opened() if known else ():
        entries.setdefault(_plain(path), []).append(count)
    for path, end in known.items():
        found = entries.get(_plain(path), [end])
        if end not in found:
            raise ConfigError(
                f'the steps of "{path}" have {end} of its {found[0]} entries: '
                "files are read as a whole; range() takes a part"
            )


def _plain(path: str) -> str:
    return path if "://" in path else os.path.normpath(path)


def _end_of(path: Any, tree: Any) -> int | None:
    steps = tree.get("steps") if isinstance(tree, Mapping) else None
    if steps is None:
        return None
    end = 0
    for first, last in steps:
        if checked_whole(first, "a step") != end:
            raise ConfigError(f'the steps of "{fspath(path)}" are not the whole file, one after the other')
        end = checked_whole(last, "a step")
    return end


def looks_like_files(samples: Mapping[str, Any]) -> bool:
    """Whether names of samples are paths: what uproot takes is a mapping from these to trees."""
    return any(str(name).endswith(_ENDINGS) or "/" in str(name) for name in samples)

# SPDX-License-Identifier: BSD-3-Clause
"""Files as coffea and uproot list them: a mapping from paths to the trees in them."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from skimline.arguments import checked_whole
from skimline.errors import ConfigError

__all__ = ["check_source", "entries_in_steps", "looks_like_files", "with_trees"]

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


def entries_in_steps(files: Mapping[Any, Any]) -> int | None:
    """How many entries the files have altogether by their steps; None if not all have steps.

    Throws ConfigError for steps that leave some out.

    >>> entries_in_steps({"a.root": {"object_path": "Events", "steps": [[0, 300], [300, 500]]}})
    500
    >>> entries_in_steps({"a.root": "Events"})
    """
    ends = [_end_of(path, tree) for path, tree in files.items()]
    known = [end for end in ends if end is not None]
    return sum(known) if known and len(known) == len(ends) else None


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

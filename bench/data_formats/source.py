# SPDX-License-Identifier: BSD-3-Clause
"""Puts the columns of a file into numpy's format: source.py FILE EVENTS TARGET

FILE is a ROOT file with an RNTuple or TTree that has the columns of LHCb's open data of B mesons that decay to three
hadrons; what else it has is left out. `FILE:NAME` says which, if there are several. Prints how many events there are,
EVENTS at most.
"""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import Any

import numpy as np
from events import PLOTTED, Columns, type_of
from formats import Format


def columns_of(path: str, most_events: int) -> Columns:
    """The columns of a file, in the types of the schema. Raises ValueError for other columns."""
    import uproot

    file, _, name = path.partition(".root:")
    with uproot.open(f"{file}.root" if name else path) as opened:
        found = opened[name or table_in(opened)]
        check_names(path, list(found.keys()))
        names = Format.all_names()
        arrays = found.arrays(names, library="np", entry_stop=most_events)
    return {each: converted(path, each, arrays[each]) for each in names}


def table_in(opened: Any) -> str:
    """The only RNTuple or TTree of a file."""
    kinds = opened.classnames(recursive=True, cycle=False)
    names = [name for name, kind in kinds.items() if kind in ("TTree", "ROOT::RNTuple")]
    if len(names) != 1:
        raise ValueError(f"{opened.file_path}: {len(names)} trees, say which: FILE:NAME ({', '.join(names)})")
    return names[0]


def check_names(path: str, found: list[str]) -> None:
    missing = [name for name in Format.all_names() if name not in found]
    if missing:
        near = difflib.get_close_matches(missing[0], found, 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise ValueError(f"{path}: {len(missing)} columns are missing, the first is {missing[0]}{hint}")


def converted(path: str, name: str, values: np.ndarray) -> np.ndarray:
    """The same numbers in the type that the schema has."""
    made = values.astype(type_of(name)) if values.dtype != object else values
    if made.dtype == object or not np.array_equal(made, values):
        raise ValueError(f"{path}: {name} is no column of {np.dtype(type_of(name))}, or has NaN")
    if name in PLOTTED and not np.isfinite(made).all():
        raise ValueError(f"{path}: {name} has values that are not finite")
    return np.ascontiguousarray(made)


def main() -> None:
    path, most_events, target = sys.argv[1:]
    try:
        columns = columns_of(path, int(most_events))
    except ValueError as error:
        sys.exit(str(error))
    np.savez(Path(target), **columns)
    print(len(columns[PLOTTED[0]]))


if __name__ == "__main__":
    main()

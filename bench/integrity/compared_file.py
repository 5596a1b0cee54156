# SPDX-License-Identifier: BSD-3-Clause
"""Compares what Skimline makes of one file with what uproot and ROOT do; a line of JSON for each column and histogram.

compared_file.py FILE SKIMLINE STEP...
"""

import json
import math
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import awkward as ak
import numpy as np
import skimline as sk
import uproot

MOST_ENTRIES = 2000
TREES = ("TTree", "TNtuple", "TNtupleD", "ROOT::RNTuple")


def tell(step: str, outcome: str, what: str) -> None:
    print(json.dumps({"step": step, "outcome": outcome, "what": what[:300]}), flush=True)


def is_equal(one: Any, other: Any) -> bool:
    """Whether two values of lists of lists are equal. uproot computes Float16_t and Double32_t a little otherwise."""
    if isinstance(one, list) or isinstance(other, list):
        return (
            isinstance(one, list)
            and isinstance(other, list)
            and len(one) == len(other)
            and all(map(is_equal, one, other))
        )
    if isinstance(one, float) or isinstance(other, float):
        return one == other or (one != one and other != other) or math.isclose(one, other, rel_tol=1e-6)
    return one == other


def column_of_uproot(tree: Any, name: str) -> Any:
    """The values of a column, or None where uproot has none, or other objects."""
    name = name.strip("`")
    try:
        values = tree[name].array()
    except Exception:  # whatever it cannot read
        if not type(tree).__name__.endswith("RNTuple"):
            return None
        first, *members = name.split(".")
        try:
            values = tree.arrays([first])[first]
            for member in members:
                values = values[member]
        except Exception:  # likewise
            return None
    return values if isinstance(values, ak.Array) and not ak.fields(values) else None


def trees_of(path: Path) -> Iterator[tuple[str, Any]]:
    with uproot.open(path) as file:
        for key, kind in file.classnames(cycle=False).items():
            if kind in TREES:
                try:
                    yield key, file[key]
                except Exception:  # uproot cannot read it
                    yield key, None


def read(path: Path, program: str) -> None:
    for name, tree in trees_of(path):
        try:
            events = sk.open(f"{path}:{name}")
        except sk.Error as error:
            tell("read", "refused", f"{name}: {error}")
            continue
        for column in events.columns:
            expected = None if tree is None else column_of_uproot(tree, column)
            try:
                found = ak.Array(events.arrays([column]))[column.strip("`")][:MOST_ENTRIES]
            except sk.Error as error:
                tell("read", "refused", f"{name}: {column}: {error}")
                continue
            if expected is None:
                tell("read", "not compared", f"{name}: {column}")
            else:
                same = is_equal(ak.to_list(found), ak.to_list(expected[:MOST_ENTRIES]))
                tell("read", "equal" if same else "differs", f"{name}: {column}")


def convert(path: Path, program: str) -> None:
    for name, _ in trees_of(path):
        done = run(program, "convert", "--force", f"{path}:{name}", "-o", "converted.root")
        if done.returncode not in (0, 3):
            tell("convert", outcome_of(done), f"{name}: {done.stderr}")
            continue
        checked = run(program, "verify", "converted.root")
        outcome = "equal" if checked.returncode == 0 else "differs"
        tell("convert", outcome, f"{name}: {checked.stdout}")


def merge(path: Path, program: str) -> None:
    """Of a file and its copy: histograms are twice the first, and trees have twice the entries."""
    import ROOT

    ROOT.gErrorIgnoreLevel = ROOT.kFatal
    copy = Path("copy.root")
    shutil.copyfile(path, copy)
    done = run(program, "merge", "--allow-overlap", "merged.root", path, copy)
    if done.returncode != 0:
        tell("merge", outcome_of(done), done.stderr)
        return
    one, merged = ROOT.TFile(str(path)), ROOT.TFile("merged.root")
    for name in names_in(one):
        first, sums = one.Get(name), merged.Get(name)
        if not first:
            continue
        if not sums:
            tell("merge", "differs", f"{name} is missing")
        elif first.InheritsFrom("TTree"):
            same = sums.GetEntries() == 2 * first.GetEntries()
            tell("merge", "equal" if same else "differs", f"{name}: {sums.GetEntries()} entries")
        else:
            tell("merge", "equal" if is_twice(sums, first) else "differs", name)


def names_in(folder: Any, front: str = "") -> Iterator[str]:
    names = dict.fromkeys(
        key.GetName()
        for key in folder.GetListOfKeys()
        if key.GetClassName().startswith(("TDirectory", "TH1", "TH2", "TH3", "TProfile", "TTree", "TNtuple"))
    )
    for name in names:
        key = folder.GetKey(name)
        if key.GetClassName().startswith("TDirectory"):
            yield from names_in(folder.Get(name), f"{front}{name}/")
        else:
            yield front + name


def is_twice(sums: Any, first: Any) -> bool:
    expected = first.Clone()
    expected.Add(first)
    cells = range(first.GetNcells())

    def numbers(histogram: Any) -> Any:
        return np.array([[histogram.GetBinContent(i), histogram.GetBinError(i)] for i in cells])

    return (
        np.allclose(numbers(expected), numbers(sums), rtol=1e-6, atol=0, equal_nan=True)
        and math.isclose(expected.GetEntries(), sums.GetEntries(), rel_tol=1e-9)
        and sums.GetTitle() == first.GetTitle()
    )


def run(*command: Any) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def outcome_of(done: subprocess.CompletedProcess) -> str:
    is_fault = done.returncode < 0 or "a fault of skimline itself" in done.stderr
    return "crash" if is_fault else "refused"


def main() -> None:
    path, program = Path(sys.argv[1]), sys.argv[2]
    for step in sys.argv[3:]:
        try:
            {"read": read, "convert": convert, "merge": merge}[step](path, program)
        except Exception as error:  # of uproot, on files that it does not know
            tell(step, "not compared", repr(error))


if __name__ == "__main__":
    main()

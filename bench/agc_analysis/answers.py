# SPDX-License-Identifier: BSD-3-Clause
"""Compares two answers to the AGC; exits with 4 and says what differs if they do.

answers.py OURS.root THEIRS.json

All 124 histograms, contents and variances of all bins, flow bins included. Pseudo-data is added to theirs.
"""

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "agc"))
import agc_definition as agc
from agc_comparison import assert_same


def write_histograms(path: Path, histograms: agc.Histograms) -> None:
    path.write_text(
        json.dumps(
            {
                name: {"sums": contents.sums.tolist(), "variances": contents.variances.tolist()}
                for name, contents in histograms.items()
            }
        )
    )


def read_json(path: Path) -> agc.Histograms:
    return {
        name: agc.Contents(np.array(contents["sums"]), np.array(contents["variances"]))
        for name, contents in json.loads(path.read_text()).items()
    }


def read_root(path: Path) -> agc.Histograms:
    """The histograms of a config, not of the record beside them."""
    import uproot

    with uproot.open(path) as file:
        names = [name for name in file.keys(cycle=False) if not name.startswith("skimline")]
        return {
            name: agc.Contents(file[name].values(flow=True), file[name].variances(flow=True))
            for name in names
        }


def main() -> int:
    ours, theirs = map(Path, sys.argv[1:])
    try:
        assert_same(read_root(ours), agc.with_pseudodata(read_json(theirs)))
    except AssertionError as error:
        print(str(error).strip())
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())

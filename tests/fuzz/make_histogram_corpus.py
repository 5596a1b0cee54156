#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the files of histograms that fuzzing begins with: those of a run, merged with two compressions.

tests/fuzz/make_histogram_corpus.py build/release/skimline
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

CORPUS = Path(__file__).resolve().parent / "corpus" / "histogram"

MET = {"value": "MET_pt", "bins": 3, "range": [0, 100]}
PT = {"value": "Muon_pt", "edges": [0, 20, 100]}
CHARGE = {"value": "Muon_charge", "categories": [-1, 1]}
NUMBER = {"value": "nMuon", "integers": [0, 3]}
CONFIG = {
    "schema_version": 1,
    "samples": {"data": {"files": ["events.root"]}},
    "histograms": {
        "count": {"x": MET},
        "floats": {"x": MET, "type": "float", "weight": "genWeight"},
        "ints": {"x": PT, "type": "int"},
        "two": {"x": PT, "y": CHARGE, "weight": "genWeight"},
        "three": {"x": PT, "y": CHARGE, "z": MET},
        "profile": {"x": PT, "profile": {"value": "Muon_eta"}},
        "profile2": {"x": PT, "y": CHARGE, "profile": {"value": "Muon_eta"}, "weight": "genWeight"},
    },
    "output": {"histograms": "dense.root"},
}
SPARSE = {"four": {"axes": [PT, CHARGE, MET, NUMBER], "weight": "genWeight"}}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = Path(sys.argv[1]).resolve()
    CORPUS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:

        def run(*arguments):
            subprocess.run([program, *arguments], check=True, cwd=folder, capture_output=True)

        run("generate", "dimuon", "--events", "12", "-o", "events.root")
        sparse = CONFIG | {"histograms": SPARSE, "output": {"histograms": "sparse.root"}}
        for name, config, compression in (("dense", CONFIG, "none"), ("sparse", sparse, "zlib")):
            (Path(folder) / "job.json").write_text(json.dumps(config))
            run("run", "job.json")
            run("merge", "--compression", compression, "merged.root", f"{name}.root")
            (CORPUS / name).write_bytes((Path(folder) / "merged.root").read_bytes())


if __name__ == "__main__":
    main()

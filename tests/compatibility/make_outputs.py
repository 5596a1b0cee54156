# SPDX-License-Identifier: BSD-3-Clause
"""Writes small outputs of all kinds with one version of Skimline: make_outputs.py PROGRAM PACKAGE FOLDER

PACKAGE is the folder with the Python package that was built with the program. What each version wrote is kept beside this
file, by its tag or by version and commit: `tar cJf 0.1.0-3174ccc.tar.xz -C FOLDER .`
"""

import json
import pickle
import subprocess
import sys
from pathlib import Path

EVENTS = 40
CONFIG = {
    "schema_version": 1,
    "samples": {"data": {"files": ["events.root:Events"]}},
    "define": {"leading": "nMuon > 0 ? Max(Muon_pt) : 0.0", "weight": "0.1 * nMuon"},
    "weights": {"per_event": "weight"},
    "select": [{"name": "muons", "where": "nMuon > 1"}],
    "histograms": {
        "muons": {"x": {"value": "nMuon", "bins": 8, "range": [0, 8]}},
        "leading": {"x": {"value": "leading", "edges": [0, 20, 30, 50, 200]}, "y": {"value": "nMuon", "bins": 8, "range": [0, 8]}},
        "mean": {"x": {"value": "nMuon", "bins": 8, "range": [0, 8]}, "profile": {"value": "leading"}},
    },
    "skims": {
        "skim": {"file": "skim.root", "keep": ["nMuon", "Muon_pt", "leading"], "compression": "zstd:5"},
        "tree": {"file": "tree.root", "keep": ["nMuon", "Muon_pt", "leading"], "format": "ttree"},
    },
    "output": {"histograms": "histograms.root"},
}  # fmt: skip


def pickled(package: Path, folder: Path) -> dict[str, bytes]:
    """What Python keeps between sessions: histograms, and events that are opened again."""
    sys.path.insert(0, str(package))
    import skimline

    histograms = skimline.read_histograms(folder / "histograms.root")
    events = skimline.open("events.root:Events").filter("nMuon > 1")
    return {"histogram": pickle.dumps(histograms["leading"]), "events": pickle.dumps(events)}


def make(program: Path, package: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)

    def call(*arguments: str) -> None:
        subprocess.run([program, *arguments], cwd=folder, check=True, capture_output=True)

    call("generate", "dimuon", "--events", str(EVENTS), "--seed", "3", "-o", "events.root")
    (folder / "analysis.json").write_text(json.dumps(CONFIG, indent=2) + "\n")
    call("run", "analysis.json", "--store", "results")
    for number in (1, 2):
        call("run", "analysis.json", "--shard", f"{number}/2", "--no-report")
        (folder / f"tree.shard{number}of2.root").unlink()
    call("verify", "tree.root", "--write-checksums")
    text = "import sys; sys.path.insert(0, sys.argv[1]); import make_outputs, pathlib, pickle;"
    text += "made = make_outputs.pickled(pathlib.Path(sys.argv[2]), pathlib.Path());"
    text += "[pathlib.Path(f'{name}.pickle').write_bytes(data) for name, data in made.items()]"
    here = Path(__file__).resolve().parent
    subprocess.run([sys.executable, "-c", text, here, package], cwd=folder, check=True)


if __name__ == "__main__":
    make(*(Path(argument).resolve() for argument in sys.argv[1:4]))

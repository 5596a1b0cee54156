# SPDX-License-Identifier: BSD-3-Clause
"""A run that batch systems are given, in a folder whose name wants quoting, and what it writes here."""

import json

from exit_codes import DONE
from skim_events import comparable

OPTIONS = ("--set", "variables.least=0", "--limit-events", "5500")
CONFIG = "a b.json"


def make_run(folder, generate):
    """Writes inputs of three parts and the config."""
    folder.mkdir()
    for number in range(3):
        generate("dimuon", folder / f"part{number}.root", 2000, "--seed", number)
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": ["part*.root"]}},
        "variables": {"least": 1},
        "select": [{"name": "muons", "where": "nMuon > ${least}"}],
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 20, "range": [0, 100]}, "weight": "MET_phi"}},
        "skims": {"s": {"file": "s.root", "keep": ["MET_*"]}},
        "output": {"histograms": "h.root"},
    }
    (folder / CONFIG).write_text(json.dumps(config))
    return folder


def run_here(folder, call):
    """The outputs of a run on this machine, which are then removed."""
    assert call("run", *OPTIONS, CONFIG, cwd=folder).returncode == DONE
    made = outputs_of(folder)
    for name in made:
        (folder / name).unlink()
    return made


def outputs_of(folder):
    return {name: comparable(folder / name) for name in ("h.root", "s.root")}

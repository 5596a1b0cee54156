# SPDX-License-Identifier: BSD-3-Clause
"""A run is killed at a random time, from its start to its end: outputs are whole, new or old, and tidied up."""

import json
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

from program import CODES, call, leftovers, must, name_of, table

OUTPUTS = ("h.root", "muons.root", "tree.root", "cutflow.json")
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
HEADINGS = [
    "signal",
    "kills",
    "old outputs",
    "new outputs",
    "some of each",
    "finished",
    "broken",
    "left behind",
    "late",
]


def config(threshold: int) -> dict:
    return {
        "schema_version": 1,
        "samples": {"d": {"files": ["in.root"]}},
        "select": [{"name": "met", "where": f"MET_pt > {threshold}"}],
        "histograms": {
            f"h{i}": {"x": {"value": f"MET_pt + {i}", "bins": 50, "range": [0, 200]}, "weight": "genWeight"}
            for i in range(20)
        },
        "skims": {
            "muons": {"file": "muons.root", "keep": ["Muon_*"]},
            "tree": {"file": "tree.root", "keep": ["MET_*"], "format": "ttree"},
        },
        "output": {"histograms": "h.root", "cutflow": "cutflow.json", "report": "report.json"},
    }


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in OUTPUTS}


def make(program: Path, folder: Path) -> tuple[list[dict[str, bytes]], float]:
    """The outputs of an old and of the new config, and how long a run takes."""
    must(program, folder, "generate", "dimuon", "-q", "-f", "--events", 100000, "-o", "in.root")
    made = []
    for threshold in (60, 20):
        (folder / "a.json").write_text(json.dumps(config(threshold)))
        for name in (*OUTPUTS, "report.json"):
            (folder / name).unlink(missing_ok=True)
        begin = time.monotonic()
        must(program, folder, "run", "-q", "a.json")
        made.append(contents(folder))
    return made, time.monotonic() - begin


def kill(program: Path, folder: Path, delay: float, number: int) -> tuple[int, float]:
    """Returns the exit code, and how long the process went on."""
    process = subprocess.Popen(
        [program, "run", "-q", "a.json"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(delay)
    process.send_signal(number)
    begin = time.monotonic()
    code = process.wait(timeout=60)
    return code, time.monotonic() - begin


def count(folder: Path, old: dict[str, bytes], new: dict[str, bytes], counts: Counter) -> None:
    found = contents(folder)
    if any(found[name] not in (old[name], new[name]) for name in OUTPUTS):
        counts["broken"] += 1
    elif found == old:
        counts["old outputs"] += 1
    else:
        counts["new outputs" if found == new else "some of each"] += 1


def attack(program: Path, folder: Path, number: int, seed: int) -> bool:
    """Returns whether outputs were whole, nothing was left behind where it can be helped, and ends came soon."""
    (old, new), seconds = make(program, folder)
    rng = random.Random(seed)
    rows: dict[str, Counter] = {name_of(each): Counter() for each in SIGNALS}
    for trial in range(number):
        which = SIGNALS[trial % len(SIGNALS)]
        counts = rows[name_of(which)]
        for name in OUTPUTS:
            (folder / name).write_bytes(old[name])
        code, after = kill(program, folder, rng.uniform(0, 1.1 * seconds), which)
        counts["kills"] += 1
        counts["finished"] += code == 0
        counts["late"] += after > 1
        counts["broken"] += code not in CODES and code != -which
        count(folder, old, new, counts)
        counts["left behind"] += bool(leftovers(folder)) and which != signal.SIGKILL
        if which == signal.SIGKILL and trial % 10 == 0:
            # The next run clears up behind the dead one.
            call(program, folder, "run", "-q", "a.json")
            counts["left behind"] += bool(leftovers(folder))
        for path in folder.glob(".*.part"):
            path.unlink()
    table(HEADINGS, rows)
    return not any(row["broken"] + row["left behind"] + row["late"] for row in rows.values())

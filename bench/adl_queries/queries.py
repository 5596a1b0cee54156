# SPDX-License-Identifier: BSD-3-Clause
"""The queries of bench/adl: their columns, who runs them, and whether the answers are the same."""

import re
import statistics
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "end_to_end"))
import tasks
from measure import Measurement, measure
from programs import REPOSITORY, WORK, Programs, run
from rounds import Runner
from tasks import Case, differences

CONFIGS = REPOSITORY / "configs" / "adl"
HERE = Path(__file__).resolve().parent

JETS = ("Jet_pt", "Jet_eta", "Jet_phi", "Jet_mass")
MUONS = ("Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass", "Muon_charge")
ELECTRONS = ("Electron_pt", "Electron_eta", "Electron_phi", "Electron_mass", "Electron_charge")
# The columns whose pages the floor unpacks.
NEEDED = {
    "q1": ("MET_pt",),
    "q2": JETS[:1],
    "q3": JETS[:2],
    "q4": (*JETS[:1], "MET_pt"),
    "q5": ("nMuon", *MUONS, "MET_pt"),
    "q6": ("nJet", *JETS, "Jet_btag"),
    "q7": (*JETS[:3], *MUONS[:3], *ELECTRONS[:3]),
    "q8": ("nMuon", "nElectron", *MUONS, *ELECTRONS, "MET_pt", "MET_phi"),
}
ALL = (*NEEDED, *tasks.NEEDED)
# awkward leaves out the mass, which the others compute in float, and the skim.
WITHOUT_AWKWARD = ("mass", "skim")


def model_of(query: str) -> str:
    """The model of the events that a query runs on."""
    return "adl" if query in NEEDED else "dimuon"


def config_of(query: str) -> Path:
    return CONFIGS / f"{query}.json"


def is_missing(query: str) -> bool:
    return query in NEEDED and not config_of(query).exists()


def place_config(config: Path, data: Path, histograms: Path) -> Path:
    """Writes the config with other files, the rest as it is, and returns its path."""
    text, inputs = re.subn(r'("files":\s*\[)[^\]]*\]', rf'\g<1>"{data}:Events"]', config.read_text())
    text, outputs = re.subn(r'("output":\s*\{\s*"histograms":\s*)"[^"]*"', rf'\g<1>"{histograms}"', text)
    if (inputs, outputs) != (1, 1):
        raise RuntimeError(f"{config}: one input and one histogram file expected")
    placed = WORK / f"config_{histograms.stem}.json"
    placed.write_text(text)
    return placed


def run_skimline(programs: Programs, case: Case) -> tuple[Measurement, float]:
    config = place_config(config_of(case.task), case.data, case.output("skimline"))
    done = measure([programs.skimline, "run", config, "--threads", case.threads])
    return done, programs.loop_seconds(done)


def run_rdataframe(programs: Programs, case: Case) -> tuple[Measurement, float]:
    words = [case.task, case.threads, case.data, case.output("rdataframe")]
    done = measure([programs["rdataframe_queries"], *words])
    return done, float(done.output.split()[-1])


def run_text(programs: Programs, case: Case) -> tuple[Measurement, float]:
    words = [case.task, case.threads, case.data, case.output("text")]
    done = measure([programs.python, HERE / "rdataframe_text.py", *words])
    return done, done.seconds


def run_awkward(programs: Programs, case: Case) -> tuple[Measurement, float]:
    done = measure(
        [programs.python, HERE / "awkward_chunks.py", case.task, case.data, case.output("awkward")]
    )
    return done, done.seconds


def run_floor(programs: Programs, case: Case) -> tuple[Measurement, float]:
    done = measure([programs["floor"], case.threads, case.data, ",".join(NEEDED[case.task])])
    return done, float(done.output.split()[0])


def runners_of(programs: Programs, case: Case) -> dict[str, Runner]:
    """Who runs the case, by name; awkward with one thread only, as it has no more."""
    runners: dict[str, Callable] = {
        "skimline": run_skimline,
        "rdataframe": run_rdataframe,
        "text": run_text,
        "awkward": run_awkward,
        "floor": run_floor,
    }
    if case.task in tasks.NEEDED:
        runners |= tasks.RUNNERS
    if case.threads > 1 or case.task in WITHOUT_AWKWARD:
        del runners["awkward"]
    return {name: partial(runner, programs, case) for name, runner in runners.items()}


def answer_faults(programs: Programs, case: Case, others: list[str]) -> list[str]:
    """What differs between our answer and those of others."""
    faults = []
    for other in others:
        kind = "skim" if case.task == "skim" else "histograms"
        if case.task in tasks.NEEDED and other == "rdataframe" and kind == "histograms":
            kind = "histogram"
        found = differences(programs, kind, case.output("skimline"), case.output(other))
        if found:
            faults.append(f"{case.task}, {case.threads} threads: {other} differs\n{found}")
    return faults


def startup_seconds(programs: Programs, repeat: int) -> float:
    """The median time of `skimline run` with query 1 on ten events."""
    data, histograms = WORK / "adl_10.root", WORK / "startup.root"
    run([programs.skimline, "generate", "adl", "--events", 10, "--seed", 1, "-o", data])
    config = place_config(config_of("q1"), data, histograms)
    runs = [measure([programs.skimline, "run", config]).seconds for _ in range(repeat + 1)]
    return statistics.median(runs[1:])

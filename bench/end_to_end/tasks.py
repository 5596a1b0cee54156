# SPDX-License-Identifier: BSD-3-Clause
"""The four tasks of bench/compare: who runs them and whether the answers are the same."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from measure import Measurement, measure
from programs import WORK, Programs, write_config

MUON_COLUMNS = ("Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass", "Muon_charge")
# The columns whose pages the floor unpacks; the skim's output is its own, made by Skimline.
NEEDED = {
    "flat": ("MET_pt",),
    "jagged": ("Muon_pt",),
    "mass": ("nMuon", *MUON_COLUMNS),
    "skim": ("*",),
}


@dataclass(frozen=True)
class Case:
    """One task at one number of threads on one file."""

    task: str
    threads: int
    data: Path

    def output(self, program: str) -> Path:
        is_json = program != "skimline" and self.task != "skim"
        return WORK / f"{program}_{self.task}_{self.threads}.{'json' if is_json else 'root'}"


def run_skimline(programs: Programs, case: Case) -> tuple[Measurement, float]:
    config = write_config(case.task, case.data, case.output("skimline"))
    run = measure([programs.skimline, "run", config, "--threads", case.threads])
    return run, programs.loop_seconds(run)


def run_rdataframe(programs: Programs, case: Case) -> tuple[Measurement, float]:
    run = measure(
        [programs["rdataframe_baseline"], case.task, case.threads, case.data, case.output("rdataframe")]
    )
    return run, float(run.output.split()[-1])


def run_floor(programs: Programs, case: Case) -> tuple[Measurement, float]:
    written = [case.output("skimline")] if case.task == "skim" else []
    run = measure([programs["floor"], case.threads, case.data, ",".join(NEEDED[case.task]), *written])
    return run, float(run.output.split()[0])


RUNNERS = {"skimline": run_skimline, "rdataframe": run_rdataframe, "floor": run_floor}


def differences(programs: Programs, kind: str, ours: Path, theirs: Path) -> str:
    """Returns what answers.py says differs between two outputs, or nothing."""
    script = Path(__file__).with_name("answers.py")
    command = [programs.python, script, kind, ours, theirs]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):
        raise RuntimeError(done.stdout + done.stderr)
    return done.stdout if done.returncode else ""


def answer_faults(programs: Programs, case: Case) -> str:
    """Returns what differs between the answers of Skimline and RDataFrame, or nothing."""
    kind = "skim" if case.task == "skim" else "histogram"
    return differences(programs, kind, case.output("skimline"), case.output("rdataframe"))

# SPDX-License-Identifier: BSD-3-Clause
"""The skim of bench/agc: who runs it, and whether the outputs are the same."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from analysis import NEEDED
from measure import Measurement, measure
from programs import WORK, Programs
from rounds import Column, Runner, Series, take_turns
from samples import CONFIGS, Samples

# ROOT doubles the level, so its setting 505 is level 10 of the library.
LEVEL_OF_ROOT, OUR_LEVEL = 10, 5
OURS, OURS_AT_5 = "ours, zstd:10", "ours, zstd:5"


@dataclass(frozen=True)
class Case:
    """The skim of all samples on some threads."""

    threads: int
    samples: Samples

    def folder(self, program: str) -> Path:
        name = "".join(letter if letter.isalnum() else "_" for letter in program)
        path = WORK / f"agc_skim_{name}_{self.threads}"
        path.mkdir(parents=True, exist_ok=True)
        return path

    def outputs(self, program: str) -> list[Path]:
        return [self.folder(program) / path.name for path in self.samples.paths]

    def bytes_written(self, program: str) -> int:
        return sum(path.stat().st_size for path in self.outputs(program))

    @property
    def report(self) -> Path:
        return self.folder(OURS) / "report.json"


def run_skimline(programs: Programs, case: Case, program: str, level: int) -> tuple[Measurement, float]:
    samples = json.dumps({"file": str(case.samples.inputs), "tree": "Events"})
    settings = [
        f"samples_from={samples}",
        f"skims.agc.file={case.folder(program) / '{sample}.root'}",
        f"skims.agc.compression=zstd:{level}",
        f"output.report={case.folder(program) / 'report.json'}",
    ]
    words = [word for setting in settings for word in ("--set", setting)]
    done = measure([programs.skimline, "run", CONFIGS / "skim.json", "--threads", case.threads, *words])
    return done, programs.loop_seconds(done)


def run_snapshot(programs: Programs, case: Case, program: str, format: str) -> tuple[Measurement, float]:
    words = [format, case.threads, case.samples.lines, case.folder(program)]
    done = measure([programs["snapshot_agc"], *words])
    return done, float(done.output.split()[-1])


def run_merger(programs: Programs, case: Case, program: str) -> tuple[Measurement, float]:
    done = measure([programs["merger_agc"], case.threads, case.samples.lines, case.folder(program)])
    return done, float(done.output.split()[-1])


def run_floor(programs: Programs, case: Case) -> tuple[Measurement, float]:
    """Reads what the skim needs and packs what our program has written in this round."""
    inputs, written = (",".join(map(str, paths)) for paths in (case.samples.paths, case.outputs(OURS)))
    done = measure([programs["floor"], case.threads, inputs, ",".join(NEEDED["v2"]), written, LEVEL_OF_ROOT])
    return done, float(done.output.split()[0])


def runners_of(programs: Programs, case: Case) -> dict[str, Runner]:
    runners = {
        OURS: partial(run_skimline, level=LEVEL_OF_ROOT),
        OURS_AT_5: partial(run_skimline, level=OUR_LEVEL),
        "Snapshot, RNTuple": partial(run_snapshot, format="rntuple"),
        "Snapshot, TTree": partial(run_snapshot, format="ttree"),
        "TBufferMerger": run_merger,
    }
    placed: dict[str, Runner] = {
        name: partial(runner, programs, case, name) for name, runner in runners.items()
    }
    return placed | {"floor": partial(run_floor, programs, case)}


def time_case(programs: Programs, case: Case, repeat: int) -> dict[str, Series]:
    return take_turns(runners_of(programs, case), repeat)


def compare(programs: Programs, case: Case, others: list[str]) -> tuple[int, list[str]]:
    """Returns how many events were kept, and what differs between our outputs and those of others."""
    script = Path(__file__).with_name("compare_skims.py")
    samples = [path.stem for path in case.samples.paths]
    num_events, faults = 0, []
    for other in others:
        command = [programs.python, script, case.folder(OURS), case.folder(other), *samples]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 4):
            raise RuntimeError(done.stdout + done.stderr)
        num_events = int(done.stdout.split()[-1])
        if done.returncode:
            faults.append(f"skim, {case.threads} threads: {other} differs\n{done.stdout}")
    return num_events, faults


def report(case: Case, series: dict[str, Series], num_kept: int) -> list[dict]:
    """A row for each program."""
    ours = series[OURS].process
    rows = []
    for name, one in series.items():
        is_floor = name == "floor"
        seconds = one.loop if is_floor else one.process
        row = {
            "threads": case.threads,
            "program": name,
            "seconds": seconds,
            "loop_s": one.loop,
            "over_ours": seconds / ours,
            "loop_over_ours": one.loop / ours,
            "events": case.samples.num_events,
            "events_kept": num_kept,
            "per_s": case.samples.num_events / seconds,
            "spread": one.spread,
        }
        if not is_floor:
            row |= {
                "cpu_s": one.cpu,
                "bytes_written": case.bytes_written(name),
                "peak_bytes": one.peak_bytes,
            }
        if name == OURS:
            row["stages"] = json.loads(case.report.read_text())["stages"]
        rows.append(row)
    return rows


def remove_outputs(case: Case, programs: list[str]) -> None:
    for name in programs:
        shutil.rmtree(case.folder(name))


COLUMNS = (
    Column("threads", "threads", "7"),
    Column("program", "program", "<17"),
    Column("s", "seconds", "7.3f"),
    Column("(loop)", "loop_s", "7.3f"),
    Column("CPU s", "cpu_s", "7.3f"),
    Column("/ours", "over_ours", "6.2f"),
    Column("loop/ours", "loop_over_ours", "9.2f"),
    Column("kHz", "per_s", "7.0f", 1e3),
    Column("MB out", "bytes_written", "7.2f", 1e6),
    Column("peak MB", "peak_bytes", "7.0f", 1e6),
    Column("spread", "spread", "6.0%"),
)

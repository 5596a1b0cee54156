# SPDX-License-Identifier: BSD-3-Clause
"""The analysis of bench/agc: who runs it, whether the answers are the same, and what the variations cost."""

import json
import subprocess
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from measure import Measurement, measure
from programs import WORK, Programs
from rounds import Column, Runner, Series, take_turns
from samples import CONFIGS, HERE, Samples, read_config

OTHERS = ("rdataframe", "text", "awkward")
PYTHON = ("text", "awkward")  # they take many times longer than the others

# The columns whose pages or baskets the floor unpacks.
COLUMNS_OF_V1 = (
    *("Electron_pt", "Muon_pt"),
    *("Jet_pt", "Jet_eta", "Jet_phi", "Jet_mass", "Jet_btagCSVV2"),
)
NEEDED = {
    "v1": COLUMNS_OF_V1,
    "v2": (
        *COLUMNS_OF_V1,
        *("Electron_eta", "Electron_sip3d", "Electron_cutBased"),
        *("Muon_eta", "Muon_sip3d", "Muon_tightId", "Muon_pfRelIso04_all"),
        "Jet_jetId",
    ),
}


@dataclass(frozen=True)
class Case:
    """One version of the analysis on all samples in one format."""

    version: str
    threads: int
    samples: Samples

    @property
    def name(self) -> str:
        return f"{self.version}, {self.samples.format}, {self.threads} threads"

    @property
    def config(self) -> Path:
        return CONFIGS / f"ttbar_{self.version}.json"

    def output(self, program: str) -> Path:
        kind = "json" if program in OTHERS else "root"
        return WORK / f"agc_{program}_{self.version}_{self.samples.format}_{self.threads}.{kind}"

    @property
    def report(self) -> Path:
        return self.output("skimline").with_suffix(".report.json")


def run_config(programs: Programs, case: Case, config: Path) -> tuple[Measurement, float]:
    samples = json.dumps({"file": str(case.samples.inputs), "tree": "Events"})
    settings = [
        f"samples_from={samples}",
        f"output.histograms.file={case.output('skimline')}",
        f"output.report={case.report}",
    ]
    words = [word for setting in settings for word in ("--set", setting)]
    done = measure([programs.skimline, "run", config, "--threads", case.threads, *words])
    return done, programs.loop_seconds(done)


def run_skimline(programs: Programs, case: Case) -> tuple[Measurement, float]:
    return run_config(programs, case, case.config)


def run_rdataframe(programs: Programs, case: Case, variations: str = "all") -> tuple[Measurement, float]:
    words = [case.version, variations, case.threads, case.samples.lines, case.output("rdataframe")]
    done = measure([programs["rdataframe_agc"], *words])
    return done, float(done.output.split()[-1])


def run_text(programs: Programs, case: Case) -> tuple[Measurement, float]:
    words = [case.version, case.threads, case.samples.inputs, case.output("text")]
    done = measure([programs.python, HERE / "rdataframe_agc.py", *words])
    return done, float(done.output.split()[-1])


def run_awkward(programs: Programs, case: Case) -> tuple[Measurement, float]:
    """A process for each thread; their memory is added."""
    words = [case.version, case.threads, case.samples.inputs, case.output("awkward")]
    done = measure([programs.python, HERE / "awkward_agc.py", *words])
    seconds, peak_bytes = done.output.split()[-2:]
    return replace(done, peak_bytes=int(peak_bytes)), float(seconds)


def run_floor(programs: Programs, case: Case) -> tuple[Measurement, float]:
    inputs = ",".join(map(str, case.samples.paths))
    done = measure([programs["floor"], case.threads, inputs, ",".join(NEEDED[case.version])])
    return done, float(done.output.split()[0])


RUNNERS = {
    "skimline": run_skimline,
    "rdataframe": run_rdataframe,
    "text": run_text,
    "awkward": run_awkward,
    "floor": run_floor,
}


def time_case(programs: Programs, case: Case, repeat: int, python_repeat: int) -> dict[str, Series]:
    runners = {name: partial(runner, programs, case) for name, runner in RUNNERS.items()}
    slow = {name: runners.pop(name) for name in PYTHON}
    series = take_turns(runners, repeat)
    if python_repeat > 0:
        series |= take_turns(slow, python_repeat, warm_up=False)
    return series


def answer_faults(programs: Programs, case: Case, others: list[str]) -> list[str]:
    """What differs between our histograms and those of others."""
    faults = []
    for other in others:
        command = [programs.python, HERE / "answers.py", case.output("skimline"), case.output(other)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 4):
            raise RuntimeError(done.stdout + done.stderr)
        if done.returncode:
            faults.append(f"{case.name}: {other} differs\n{done.stdout}")
    return faults


def report(case: Case, series: dict[str, Series]) -> dict:
    ours, floor = series["skimline"], series["floor"]
    bytes_stored = int(floor.runs[0].output.split()[1])
    row = {
        "version": case.version,
        "input": case.samples.format,
        "threads": case.threads,
        "events": case.samples.num_events,
        "bytes_stored": bytes_stored,
        "floor_s": floor.loop,
        "skimline_over_floor": ours.process / floor.loop,
        "skimline_bytes_per_s": bytes_stored / ours.process,
        "skimline_per_s_and_core": case.samples.num_events / ours.process / case.threads,
        "spread": max(one.spread for name, one in series.items() if name != "floor"),
        "stages": json.loads(case.report.read_text())["stages"],
    }
    for name in ("skimline", *OTHERS):
        if name not in series:
            continue
        one = series[name]
        row |= {
            f"{name}_s": one.process,
            f"{name}_loop_s": one.loop,
            f"{name}_cpu_s": one.cpu,
            f"{name}_per_s": case.samples.num_events / one.process,
            f"{name}_peak_bytes": one.peak_bytes,
            f"{name}_over_skimline": one.process / ours.process,
            f"{name}_loop_over_skimline": one.loop / ours.process,
        }
    return row


CASE_COLUMNS = (
    Column("AGC", "version", "<3"),
    Column("input", "input", "<7"),
    Column("threads", "threads", "7"),
)
TIMES = (
    *CASE_COLUMNS,
    Column("ours s", "skimline_s", "7.3f"),
    Column("RDF s", "rdataframe_s", "7.3f"),
    Column("(loop)", "rdataframe_loop_s", "7.3f"),
    Column("text s", "text_s", "7.3f"),
    Column("awkward s", "awkward_s", "9.3f"),
    Column("floor s", "floor_s", "7.3f"),
    Column("RDF/ours", "rdataframe_over_skimline", "8.1f"),
    Column("loop/ours", "rdataframe_loop_over_skimline", "9.1f"),
    Column("text/ours", "text_over_skimline", "9.1f"),
    Column("awkward/ours", "awkward_over_skimline", "12.1f"),
    Column("ours/floor", "skimline_over_floor", "10.2f"),
    Column("spread", "spread", "6.0%"),
)
RATES = (
    *CASE_COLUMNS,
    Column("ours kHz", "skimline_per_s", "8.0f", 1e3),
    Column("per core", "skimline_per_s_and_core", "8.0f", 1e3),
    Column("RDF kHz", "rdataframe_per_s", "7.0f", 1e3),
    Column("text kHz", "text_per_s", "8.1f", 1e3),
    Column("awkward kHz", "awkward_per_s", "11.1f", 1e3),
    Column("MB read", "bytes_stored", "7.1f", 1e6),
    Column("ours MB/s", "skimline_bytes_per_s", "9.1f", 1e6),
    Column("ours MB", "skimline_peak_bytes", "7.0f", 1e6),
    Column("RDF MB", "rdataframe_peak_bytes", "6.0f", 1e6),
    Column("text MB", "text_peak_bytes", "7.0f", 1e6),
    Column("awkward MB", "awkward_peak_bytes", "10.0f", 1e6),
)


def write_override(case: Case, name: str, override: dict) -> Path:
    """A config that changes that of the case."""
    path = WORK / f"config_agc_{case.version}_{name}.json"
    path.write_text(
        json.dumps({"schema_version": 1, "include": str(case.config), "override": override}, indent=2)
    )
    return path


def nominal_config(case: Case) -> Path:
    nominal = [path.stem for path in case.samples.paths if path.stem.endswith("__nominal")]
    return write_override(case, "nominal", {f"samples.{name}.variations": False for name in nominal})


def configs_of_variations(case: Case) -> dict[str, tuple[Path, int]]:
    """A config with one variation each, and how many directions it has."""
    found = {}
    for name, variation in read_config(CONFIGS / "ttbar_v1.json")["variations"].items():
        replaced = next(iter((variation.get("columns") or variation["weights"]).values()))
        config = write_override(case, name, {"variations": {name: variation}})
        found[name] = (config, len(replaced))
    return found


def time_variations(programs: Programs, case: Case, repeat: int) -> list[dict]:
    """Times the nominal histograms alone, with each variation alone and with all."""
    single = configs_of_variations(case)
    configs = {"nominal": (nominal_config(case), 0), **single}
    configs["all"] = (case.config, sum(directions for _, directions in single.values()))
    runners: dict[str, Runner] = {
        name: partial(run_config, programs, case, config) for name, (config, _) in configs.items()
    }
    runners["RDF nominal"] = partial(run_rdataframe, programs, case, "nominal")
    runners["RDF all"] = partial(run_rdataframe, programs, case, "all")
    series = take_turns(runners, repeat)
    directions = {name: count for name, (_, count) in configs.items()}
    directions |= {"RDF nominal": 0, "RDF all": directions["all"]}
    return [
        variation_row(case, name, directions[name], one, nominal_of(series, name))
        for name, one in series.items()
    ]


def nominal_of(series: dict[str, Series], name: str) -> Series:
    return series["RDF nominal" if name.startswith("RDF") else "nominal"]


def variation_row(case: Case, name: str, directions: int, one: Series, nominal: Series) -> dict:
    """RDataFrame's ratios are of its event loop, as its start takes the same time with and without variations."""
    seconds, base = (one.loop, nominal.loop) if name.startswith("RDF") else (one.process, nominal.process)
    row = {
        "version": case.version,
        "input": case.samples.format,
        "threads": case.threads,
        "variations": name,
        "directions": directions,
        "seconds": seconds,
        "cpu_s": one.cpu,
        "over_nominal": seconds / base,
        "cpu_over_nominal": one.cpu / nominal.cpu,
        "spread": one.spread,
    }
    if directions:
        row["extra_each"] = (seconds / base - 1) / directions
        row["cpu_extra_each"] = (one.cpu / nominal.cpu - 1) / directions
    return row


COSTS = (
    *CASE_COLUMNS,
    Column("variations", "variations", "<11"),
    Column("number", "directions", "6"),
    Column("s", "seconds", "7.3f"),
    Column("CPU s", "cpu_s", "7.3f"),
    Column("/nominal", "over_nominal", "8.2f"),
    Column("CPU/nominal", "cpu_over_nominal", "11.2f"),
    Column("extra each", "extra_each", "10.1%"),
    Column("CPU extra each", "cpu_extra_each", "14.1%"),
    Column("spread", "spread", "6.0%"),
)

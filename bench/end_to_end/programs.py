# SPDX-License-Identifier: BSD-3-Clause
"""Builds the programs that are compared, makes their input, and adapts the configs to it."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from measure import Measurement

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("SKIMLINE_BUILD", REPOSITORY / "build" / "release")).resolve()
WORK = REPOSITORY / "build" / "bench"

ROOT_LIBRARIES = (
    "Core",
    "Imt",
    "RIO",
    "Hist",
    "MathCore",
    "ROOTVecOps",
    "ROOTDataFrame",
    "ROOTNTuple",
    "Tree",
)


@dataclass(frozen=True)
class Programs:
    """Paths of what is compared, and a Python with uproot."""

    skimline: Path
    floor: Path
    rdataframe: Path
    python: Path

    def loop_seconds(self, run: Measurement) -> float:
        """Returns the seconds Skimline says it took, or of the whole process where it says nothing."""
        found = re.findall(r"([0-9.]+) s with", run.output)
        return float(found[-1]) if found else run.seconds


def build_programs() -> Programs:
    """Builds what is out of date. Needs scripts/setup --check to have run."""
    python = find_python()
    build_targets("skimline", "floor")
    floor = next(BUILD.rglob("floor"))
    return Programs(BUILD / "skimline", floor, build_rdataframe(python), python)


def find_python() -> Path:
    """Returns a Python with ROOT and uproot."""
    python = Path(os.environ.get("SKIMLINE_PYTHON", REPOSITORY / ".venv" / "bin" / "python"))
    if not python.exists():
        raise RuntimeError("no .venv with ROOT and uproot: run scripts/setup --check")
    return python


def build_targets(*targets: str) -> None:
    """Builds those of the targets that are out of date."""
    WORK.mkdir(parents=True, exist_ok=True)
    configure = ["cmake", "-S", REPOSITORY, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    run([*configure, "-DSKIMLINE_BUILD_BENCHMARKS=ON"])
    run(["cmake", "--build", BUILD, "--target", *targets])


def build_rdataframe(python: Path) -> Path:
    """Compiles the RDataFrame program with the flags ROOT's wheel was built with: C++17, -O3."""
    source = Path(__file__).with_name("rdataframe_baseline.cc")
    program = WORK / "rdataframe_baseline"
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return program
    purelib = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(
        subprocess.run([python, "-c", purelib], capture_output=True, text=True, check=True).stdout.strip()
    )
    library = packages / "ROOT" / "lib"
    compiler = [shutil.which("g++"), "-O3", "-DNDEBUG", "-std=c++17", "-pthread"]
    headers = ["-isystem", packages / "ROOT" / "include"]
    libraries = [f"-L{library}", *(f"-l{name}" for name in ROOT_LIBRARIES)]
    # ROOT's libraries need others of the wheel, which the linker must find too.
    paths = [f"-Wl,-rpath,{library}", f"-Wl,-rpath-link,{packages / 'root.libs'}"]
    run([*compiler, *headers, source, "-o", program, *libraries, *paths])
    return program


def generate(programs: Programs, events: int) -> Path:
    """Returns the generated file, made where it is not there yet."""
    data = WORK / f"dimuon_{events}.root"
    if not data.exists():
        run([programs.skimline, "generate", "dimuon", "--events", events, "--seed", 1, "-o", data])
    return data


def write_config(task: str, data: Path, output: Path) -> Path:
    """Writes the task's config with the given input and output, and returns its path."""
    config = json.loads(Path(__file__).with_name(f"{task}.json").read_text())
    for sample in config["samples"].values():
        sample["files"] = [f"{data}:Events"]
    if "skims" in config:
        config["skims"]["skim"]["file"] = str(output)
    else:
        config["output"]["histograms"] = str(output)
    path = WORK / f"{output.stem}.json"
    path = path.with_name(f"config_{path.name}")
    path.write_text(json.dumps(config, indent=2))
    return path


def run(command: Iterable[object]) -> None:
    """Runs a command in silence; raises RuntimeError with its output if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}\n{done.stdout}{done.stderr}")

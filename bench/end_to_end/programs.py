# SPDX-License-Identifier: BSD-3-Clause
"""Builds the programs that are compared, makes their input, and adapts the configs to it."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import Measurement

BENCH = Path(__file__).resolve().parents[1]
REPOSITORY = BENCH.parent
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
    """Paths of what is compared, by name, and a Python with ROOT and uproot."""

    skimline: Path
    python: Path
    built: dict[str, Path]

    def __getitem__(self, name: str) -> Path:
        return self.built[name]

    @property
    def hadd(self) -> Path:
        return root_package(self.python) / "bin" / "hadd"

    def loop_seconds(self, run: Measurement) -> float:
        """Returns the seconds Skimline says it took, or of the whole process where it says nothing."""
        found = re.findall(r"([0-9.]+) s with", run.output)
        return float(found[-1]) if found else run.seconds


def find_python() -> Path:
    """Returns a Python with ROOT and uproot."""
    python = Path(os.environ.get("SKIMLINE_PYTHON", REPOSITORY / ".venv" / "bin" / "python"))
    if not python.exists():
        raise RuntimeError("no .venv with ROOT and uproot: run scripts/setup --check")
    return python


def build_targets(*targets: str, options: Sequence[str] = ()) -> None:
    """Builds those of the targets that are out of date; `options` are for CMake."""
    WORK.mkdir(parents=True, exist_ok=True)
    configure = ["cmake", "-S", REPOSITORY, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    run([*configure, "-DSKIMLINE_BUILD_BENCHMARKS=ON", *options])
    run(["cmake", "--build", BUILD, "--target", *targets])


def build_programs(targets: Sequence[str] = (), with_root: Sequence[str] = ()) -> Programs:
    """Builds what is out of date: targets of CMake, and sources in bench/ that need ROOT.

    Needs scripts/setup --check to have run.
    """
    python = find_python()
    build_targets("skimline", *targets)
    built = {name: next(path for path in BUILD.rglob(name) if path.is_file()) for name in targets}
    built |= {Path(name).stem: build_with_root(python, BENCH / name) for name in with_root}
    return Programs(BUILD / "skimline", python, built)


def root_package(python: Path) -> Path:
    """The folder of ROOT's wheel."""
    purelib = "import sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([python, "-c", purelib], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip()) / "ROOT"


def build_with_root(python: Path, source: Path) -> Path:
    """Compiles a program against ROOT's wheel with the flags that was built with: C++17, -O3."""
    program = WORK / source.stem
    newest = max(path.stat().st_mtime for path in (source, *source.parent.glob("*.h")))
    if program.exists() and program.stat().st_mtime > newest:
        return program
    package = root_package(python)
    library = package / "lib"
    compiler = [shutil.which("g++"), "-O3", "-DNDEBUG", "-std=c++17", "-pthread"]
    headers = ["-isystem", package / "include"]
    libraries = [f"-L{library}", *(f"-l{name}" for name in ROOT_LIBRARIES)]
    # ROOT's libraries need others of the wheel, which the linker must find too.
    paths = [f"-Wl,-rpath,{library}", f"-Wl,-rpath-link,{package.parent / 'root.libs'}"]
    run([*compiler, *headers, source, "-o", program, *libraries, *paths])
    return program


def generate(programs: Programs, events: int, model: str = "dimuon") -> Path:
    """Returns the generated file, made where it is not there yet."""
    data = WORK / f"{model}_{events}.root"
    if not data.exists():
        run([programs.skimline, "generate", model, "--events", events, "--seed", 1, "-o", data])
    return data


def write_tree(programs: Programs, data: Path) -> Path:
    """Returns the events of a generated file as a TTree, made where it is not there yet."""
    tree = data.with_name(f"{data.stem}_tree.root")
    if not tree.exists():
        run([programs["tree_events"], data, tree])
    return tree


def columns_of(programs: Programs, data: Path) -> list[str]:
    """The top-level fields of the RNTuple in a file."""
    fields = inspect(programs, data)["fields"]
    return [field["name"] for field in fields if "." not in field["name"]]


def inspect(programs: Programs, data: Path) -> dict:
    """What `skimline inspect` says of the RNTuple Events in a file."""
    command = [str(programs.skimline), "inspect", "--json", f"{data}:Events"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["ntuples"][0]


def write_skim_config(data: Path, output: Path, skim: dict, where: str = "") -> Path:
    """Writes a config with one skim and perhaps a selection, and returns its path."""
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": [f"{data}:Events"]}},
        "select": [{"name": "kept", "where": where}] if where else [],
        "skims": {"skim": {"file": str(output), **skim}},
    }
    path = WORK / f"config_{output.stem}.json"
    path.write_text(json.dumps(config, indent=2))
    return path


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

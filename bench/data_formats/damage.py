# SPDX-License-Identifier: BSD-3-Clause
"""Flips bits of a file, one at a time, cuts it off, and reads all of it: damage.py FORMAT FILE FLIPS

Each read is in a process of its own, with a limit of 20 seconds and 4 GB. Prints one line of JSON.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import formats
from registry import FORMATS
from worker import digest

SECONDS, BYTES = 20, 4 << 30


def read(made: formats.Format, path: Path) -> str:
    return digest(made.read(path, sorted(made.all_names()), 1))


def attempt(made: formats.Format, path: Path, right: str) -> str:
    """How a read in a child ends."""
    child = os.fork()
    if child == 0:
        end = 3
        try:
            for descriptor in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
            resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
            signal.alarm(SECONDS)
            end = 0 if read(made, path) == right else 1
        except BaseException:
            end = 2
        finally:
            os._exit(end)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return "hang" if os.WTERMSIG(status) == signal.SIGALRM else "crash"
    return ("unchanged", "silent", "reported", "reported")[os.WEXITSTATUS(status)]


def right_answer(name: str, path: Path) -> str:
    """What the sound file gives, read elsewhere: threads that a library starts would not survive a fork."""
    text = f"import damage, pathlib, registry; print(damage.read(registry.FORMATS[{name!r}](), pathlib.Path({str(path)!r})))"
    folder = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True, cwd=folder
    )
    return done.stdout.split()[-1]


def preload(name: str) -> None:
    """What all children need; imports alone start no threads of their own."""
    modules = {
        "RNTuple": "skimline",
        "TTree": "skimline",
        "Parquet": "pyarrow.parquet",
        "Arrow IPC": "pyarrow.feather",
    }
    modules |= {"HDF5": "h5py", "DuckDB": "duckdb", "Avro": "fastavro", "Protocol": "google.protobuf"}
    for start, module in modules.items():
        if name.startswith(start):
            __import__("ROOT" if name.endswith("ROOT") else module)
    if name.endswith("ROOT"):
        import ROOT

        ROOT.gEnv.SetValue("Root.Stacktrace", 0)
        ROOT.gSystem.ResetSignals()


def trials(name: str, sound: Path, flips: int) -> dict:
    made, right, content = FORMATS[name](), right_answer(name, sound), sound.read_bytes()
    preload(name)
    generator = random.Random(f"{sound.name} flips")
    found: dict[str, list[str]] = {"flips": [], "cuts": []}
    with tempfile.TemporaryDirectory(dir=sound.parent) as folder:
        damaged = Path(folder) / sound.name
        shutil.copyfile(sound, damaged)
        if attempt(made, damaged, right) != "unchanged":
            raise RuntimeError(f"{name}: the sound file gives no stable result")
        for _ in range(flips):
            bit = generator.randrange(8 * len(content))
            changed = bytearray(content)
            changed[bit // 8] ^= 1 << bit % 8
            damaged.write_bytes(changed)
            found["flips"].append(attempt(made, damaged, right))
        for _ in range(max(flips // 20, 1)):
            damaged.write_bytes(content[: generator.randrange(len(content))])
            found["cuts"].append(attempt(made, damaged, right))
    return found


if __name__ == "__main__":
    print(json.dumps(trials(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))

# SPDX-License-Identifier: BSD-3-Clause
"""Asks the compiler of a build whether code compiles as a source of one of the folders."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

FOLDERS = ("framework", "histograms", "io", "skims")


def options_of_folders(build: Path) -> dict[str, list[str]]:
    """Where the sources of each folder find headers, and how they are compiled."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        target = re.search(r"skimline_(\w+)\.dir/", entry["command"])
        if target and target[1] in FOLDERS:
            words = shlex.split(entry["command"])
            kept = [word for word in words if re.match(r"-(I|isystem|std|D)|/.*/include", word)]
            found.setdefault(target[1], kept)
    return found


def precompiled(options: list[str], code: str, folder: Path) -> list[str]:
    """The options with what stands before all that is compiled by them. It must compile."""
    header = folder / "before.h"
    header.write_text(code)
    command = ["g++", *options, "-x", "c++-header", header, "-o", f"{header}.gch"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # A compiler that cannot take it would read the header anew for each code, unless its text is gone.
    header.write_text("#error the precompiled header is not taken\n")
    return [*options, "-include", str(header)]


def faults_of(options: list[str], code: str) -> str:
    """What the compiler says of the code, nothing if it compiles."""
    command = ["g++", *options, "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(command, input=code, capture_output=True, text=True, check=False)
    assert done.returncode == 0 or "error: " in done.stderr, done.stderr
    return done.stderr if done.returncode else ""


def faults_of_what_compiled_before(options: list[str], code: str, folder: Path) -> str:
    """The same, of code that seldom changes: ccache, where it is there, knows what has compiled. It needs a file and an object."""
    ccache = shutil.which("ccache")
    if ccache is None:
        return faults_of(options, code)
    (folder / "code.cc").write_text(code)
    command = [ccache, "g++", *options, "-c", "code.cc", "-o", "code.o"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0 or "error: " in done.stderr, done.stderr
    return done.stderr if done.returncode else ""

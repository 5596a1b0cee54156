# SPDX-License-Identifier: BSD-3-Clause
"""Flips bits of a file, one at a time, and cuts it off: damage.py FORMAT FILE FLIPS

All is read after flips anywhere and cuts; after flips in what the sums need these are computed. Each read is in a process of its own, with a limit of 20 seconds and 4 GB. Prints one line of JSON.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import formats
from needed_bytes import Extent, files_of
from registry import FORMATS
from worker import digest

SECONDS, BYTES = 20, 4 << 30

Reading = Callable[[formats.Format, Path], str]


def read(made: formats.Format, path: Path) -> str:
    return digest(made.read(path, sorted(made.all_names()), 1))


def sums(made: formats.Format, path: Path) -> str:
    return repr(made.sums(path, 1))


READINGS: dict[str, Reading] = {"flips": read, "needed": sums, "cuts": read}
"""What is done with the file for each kind of damage."""


def attempt(made: formats.Format, path: Path, reading: Reading, right: str) -> str:
    """How a read in a child ends."""
    child = os.fork()
    if child == 0:
        end = 3
        try:
            for descriptor in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
            resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
            signal.alarm(SECONDS)
            end = 0 if reading(made, path) == right else 1
        except BaseException:
            end = 2
        finally:
            os._exit(end)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return "hang" if os.WTERMSIG(status) == signal.SIGALRM else "crash"
    return ("unchanged", "silent", "reported", "reported")[os.WEXITSTATUS(status)]


def known_elsewhere(name: str, path: Path) -> dict:
    """What the sound file gives, where the sums read, and what was imported: threads would not survive a fork."""
    text = f"import damage, pathlib, registry; print(damage.known(registry.FORMATS[{name!r}](), pathlib.Path({str(path)!r})))"
    folder = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True, cwd=folder
    )
    return json.loads(done.stdout.splitlines()[-1])


def known(made: formats.Format, path: Path) -> str:
    extents = [[str(file.relative_to(path)), first, size] for file, first, size in made.needed(path)]
    answers = {"read": read(made, path), "sums": sums(made, path)}
    return json.dumps({**answers, "needed": extents, "modules": sorted(set(sys.modules) - {"__main__"})})


class Damaged:
    """A copy of a file, or of a folder of files, that is damaged and mended again and again."""

    def __init__(self, sound: Path, folder: Path) -> None:
        self.path = folder / sound.name
        (shutil.copytree if sound.is_dir() else shutil.copyfile)(sound, self.path)
        self.contents = {each.relative_to(self.path): each.read_bytes() for each in files_of(self.path)}

    def all(self) -> list[Extent]:
        return [(name, 0, len(content)) for name, content in self.contents.items()]

    def flip(self, name: Path, bit: int) -> None:
        changed = bytearray(self.contents[name])
        changed[bit // 8] ^= 1 << bit % 8
        (self.path / name).write_bytes(changed)

    def cut(self, name: Path, size: int) -> None:
        (self.path / name).write_bytes(self.contents[name][:size])

    def mend(self, name: Path) -> None:
        (self.path / name).write_bytes(self.contents[name])


def chosen_byte(extents: Sequence[Extent], generator: random.Random) -> tuple[Path, int]:
    """A byte of what lies in the extents, each as likely as any other."""
    number = generator.randrange(sum(size for _, _, size in extents))
    for name, first, size in extents:
        if number < size:
            return name, first + number
        number -= size
    raise AssertionError("no byte")


def preload(name: str, modules: Sequence[str]) -> None:
    """Imports what all children need; imports alone start no threads of their own."""
    if name.endswith("ROOT"):
        import ROOT

        ROOT.gEnv.SetValue("Root.Stacktrace", 0)
        ROOT.gSystem.ResetSignals()
        return
    for module in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)


def trials(name: str, sound: Path, flips: int) -> dict:
    made, right = FORMATS[name](), known_elsewhere(name, sound)
    preload(name, right["modules"])
    generator = random.Random(f"{sound.name} flips")
    found: dict[str, list[str]] = {kind: [] for kind in READINGS}
    with tempfile.TemporaryDirectory(dir=sound.parent) as folder:
        damaged = Damaged(sound, Path(folder))
        needed = [(Path(file), first, size) for file, first, size in right["needed"]]

        def outcome(kind: str) -> str:
            return attempt(made, damaged.path, READINGS[kind], right[READINGS[kind].__name__])

        if {outcome(kind) for kind in READINGS} != {"unchanged"}:
            raise RuntimeError(f"{name}: the sound file gives no stable result")
        counts = {"flips": flips, "needed": flips if needed else 0, "cuts": max(flips // 20, 1)}
        for kind, count in counts.items():
            for _ in range(count):
                file, place = chosen_byte(needed if kind == "needed" else damaged.all(), generator)
                if kind == "cuts":
                    damaged.cut(file, place)
                else:
                    damaged.flip(file, 8 * place + generator.randrange(8))
                found[kind].append(outcome(kind))
                damaged.mend(file)
    return found


if __name__ == "__main__":
    print(json.dumps(trials(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))

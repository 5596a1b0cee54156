# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program where it may fail, and says how it ended."""

import signal
import subprocess
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

TIMEOUT = 30
CODES = (0, 1, 2, 3, 4, 130)


@dataclass(frozen=True)
class Ending:
    code: int | None  # None: it hung
    output: str

    @property
    def is_crash(self) -> bool:
        return self.code is not None and self.code not in CODES

    @property
    def has_controls(self) -> bool:
        """Whether something of others could control the terminal."""
        return any(
            letter not in "\n\t" and unicodedata.category(letter) in ("Cc", "Cf") for letter in self.output
        )


def call(program: Path, folder: Path, *arguments: object, limits=None) -> Ending:
    """Runs a command in a folder; `limits` is called in the process before it begins."""
    try:
        done = subprocess.run(
            [str(program), *map(str, arguments)],
            cwd=folder,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
            preexec_fn=limits,
        )
    except subprocess.TimeoutExpired:
        return Ending(None, "")
    return Ending(done.returncode, (done.stdout + done.stderr).decode("utf8", "replace"))


def must(program: Path, folder: Path, *arguments: object) -> Ending:
    ending = call(program, folder, *arguments)
    if ending.code != 0:
        raise RuntimeError(f"{arguments}: {ending.code}\n{ending.output}")
    return ending


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.glob(".*.part")]


def table(headings: list[str], rows: dict[str, Counter]) -> None:
    print("| " + " | ".join(headings) + " |")
    print("| " + " | ".join("---" for _ in headings) + " |")
    for name, counts in rows.items():
        print(
            "| " + " | ".join([name, *(str(counts[heading]) for heading in headings[1:])]) + " |", flush=True
        )


def name_of(number: int) -> str:
    return signal.Signals(number).name

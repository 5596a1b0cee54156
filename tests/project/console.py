# SPDX-License-Identifier: BSD-3-Clause
"""The commands that a page shows, run as a reader would: from the first to the last, in a folder of their own.

A block whose title is the name of a file becomes that file when its turn comes. A console block with the title
"exit code N" shows commands that end so, and what they say on standard error too.
"""

import dataclasses
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pages import BLOCK, README_CONFIG, ROOT, Block, blocks_of

UNITS = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
MEASURE = re.compile(r"([\d.]+) ([kMG]?B)\b|(\d+) pages\b")
# Pictures are drawn by the package, all else is done by the program as it was built.
PROGRAM = """#!/bin/sh
case " $* " in
  *" plot "*" --text "*) exec '{program}' "$@" ;;
  *" plot "*) PYTHONPATH='{package}' MPLCONFIGDIR='{cache}' exec '{python}' -c '{main}' "$@" ;;
  *) exec '{program}' "$@" ;;
esac
"""
MAIN = "import sys; from skimline._program import main; sys.exit(main())"


@dataclasses.dataclass(frozen=True)
class Command:
    """A line of a console block, with what the page shows below it and what it printed when it was run."""

    line: str
    shown: str
    printed: str

    def is_as_shown(self) -> bool:
        """Whether it prints what is shown, but for what changes from run to run; what shows nothing is not compared."""
        return not self.shown or is_same_output(self.printed, self.shown)


class Console:
    """A folder with the program in the path; `program` and the package are those of one build."""

    def __init__(self, folder: Path, program: Path, package: Path) -> None:
        self.folder = folder / "work"
        self._tools = folder / "bin"
        self.folder.mkdir(parents=True)
        self._tools.mkdir()
        script = self._tools / "skimline"
        script.write_text(
            PROGRAM.format(program=program, package=package, cache=folder, python=sys.executable, main=MAIN)
        )
        script.chmod(0o755)

    def call(self, line: str) -> subprocess.CompletedProcess:
        """Runs a line as a shell would."""
        path = f"{self._tools}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def play(self, page: str) -> Iterator[list[Command]]:
        """Runs all that a page shows and yields the commands of each console block; any other exit code is an error."""
        (self.folder / "analysis.json").write_text(README_CONFIG)
        shutil.copytree(ROOT / "configs", self.folder / "configs")
        for block in blocks_of(page):
            if block.language == "console":
                yield [self._run(command, block.title) for command in commands_of(block)]
            elif block.title:
                (self.folder / block.title).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / block.title).write_text(block.text)

    def _run(self, command: tuple[str, str], title: str | None) -> Command:
        line, shown = command
        done = self.call(line)
        expected = int(title.removeprefix("exit code ")) if title else 0
        if done.returncode != expected:
            raise AssertionError(f"{line}\nexit code {done.returncode}\n{done.stderr}")
        return Command(line, shown, done.stdout + (done.stderr if expected else ""))


def commands_of(block: Block) -> list[tuple[str, str]]:
    """The lines behind `$` with what is shown below each."""
    parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
    return [(line, shown) for line, _, shown in (part.partition("\n") for part in parts)]


def without_measures(text: str) -> str:
    """Output without what changes from run to run and with versions of libraries: times, sizes, numbers of threads."""
    text = re.sub(r"[\d.]+ [kMG]?B\b|\d+ (requests|pages|threads?)\b|[\d. ]+ (s|events/s)\b", "#", text)
    return re.sub(r" +$", "", re.sub(r" +", " ", text), flags=re.MULTILINE)


def measures(text: str) -> list[tuple[str, float]]:
    """The sizes and the numbers of pages in an output, which depend on versions of libraries at most."""
    return [
        ("pages", float(pages)) if pages else ("bytes", float(number) * UNITS[unit])
        for number, unit, pages in MEASURE.findall(text)
    ]


def is_near(found: tuple[str, float], said: tuple[str, float]) -> bool:
    """Compressed sizes differ a little between versions of the libraries; pages do not."""
    kind, number = found
    return kind == said[0] and (
        number == said[1] if kind == "pages" else math.isclose(number, said[1], rel_tol=0.1)
    )


def is_same_output(printed: str, shown: str) -> bool:
    """Whether two outputs are one but for times, threads and small differences in sizes."""
    if without_measures(printed) != without_measures(shown):
        return False
    found, said = measures(printed), measures(shown)
    return len(found) == len(said) and all(is_near(*pair) for pair in zip(found, said, strict=True))


def refreshed(page: str, console: Console) -> str:
    """The page with the outputs of its commands as they are now, where they differ from what is shown."""
    played = console.play(page)

    def anew(match: re.Match) -> str:
        if match[2] != "console":
            return match[0]
        parts = [
            f"$ {each.line}\n{each.shown if each.is_as_shown() else each.printed}" for each in next(played)
        ]
        indented = re.sub(r"^(?=.)", match[1], "".join(parts), flags=re.MULTILINE)
        return match[0].partition("\n")[0] + "\n" + indented + match[1] + "```"

    return BLOCK.sub(anew, page)

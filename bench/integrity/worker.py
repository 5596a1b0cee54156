# SPDX-License-Identifier: BSD-3-Clause
"""Runs the trials of one reader on one file: worker.py '{"reader": ...}'; see Case in bench/bit_rot.

Prints one line of JSON: what the sound file gives, and the outcome of each trial.
"""

import json
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from places import ReadBytes
from readers import Run, SkimlineReader, parquet_reader, rdataframe_reader


def make_reader(case: dict, folder: Path):
    if case["reader"] == "skimline":
        return SkimlineReader(Path(case["skimline"]), folder)
    return rdataframe_reader() if case["reader"] == "RDataFrame" else parquet_reader(case["checksums"])


@contextmanager
def flipped(path: Path, bit: int) -> Iterator[None]:
    """The file with one bit the other way around."""

    def flip() -> None:
        with path.open("r+b") as file:
            file.seek(bit // 8)
            byte = file.read(1)[0]
            file.seek(bit // 8)
            file.write(bytes([byte ^ (1 << bit % 8)]))

    flip()
    try:
        yield
    finally:
        flip()


def outcome(run: Run, right: str) -> str:
    if run.end == "result":
        return "no effect" if run.digest == right else "silent change"
    return {"error": "reported", "signal": "crash", "timeout": "hang"}[run.end]


def shortened(text: str) -> str:
    return text if len(text) <= 400 else f"{text[:200]} ... {text[-200:]}"


def choose_bits(case: dict, read: ReadBytes, size: int) -> list[int]:
    """The same bits for all readers of a file."""
    generator = random.Random(f"{case['seed']} {Path(case['file']).name} {case['flips']}")

    def whole() -> int:
        return generator.randrange(8 * size)

    def of_read() -> int:
        return 8 * read.place(generator.randrange(read.size)) + generator.randrange(8)

    choose: Callable[[], int] = whole if case["flips"] == "file" else of_read
    return [choose() for _ in range(case["trials"])]


def run_trials(case: dict, folder: Path) -> dict:
    """Returns what the sound file gives, and the outcome of each trial, on a copy of it in the folder."""
    sound = Path(case["file"])
    damaged = folder / f"damaged{sound.suffix}"
    shutil.copyfile(sound, damaged)
    reader = make_reader(case, folder)
    reader.prepare(damaged)
    histograms = reader.histograms(damaged)
    first = reader.run(damaged)
    if first.end != "result" or reader.run(damaged).digest != first.digest:
        raise RuntimeError(f"the sound file gives no stable result: {first}")
    read = ReadBytes(case["format"], sound)
    trials = []
    for bit in choose_bits(case, read, sound.stat().st_size):
        with flipped(damaged, bit):
            run = reader.run(damaged)
            checked = reader.verify(damaged) if case["reader"] == "skimline" else None
        trial = {"bit": bit, "in": read.kind(bit // 8), "outcome": outcome(run, first.digest)}
        trial["message"] = shortened(run.errors.strip())
        if checked is not None:
            trial["verify"] = "reported" if checked.end == "error" else checked.end
        trials.append(trial)
    if damaged.read_bytes() != sound.read_bytes():
        raise RuntimeError(f"{damaged}: not mended")
    entries = [values[0] for values in histograms]
    # Bins count by their number, so that fills in other bins show.
    sums = [sum(number * value for number, value in enumerate(values)) for values in histograms]
    return {"entries": entries, "sums": sums, "read_bytes": read.size, "trials": trials}


def main() -> None:
    case = json.loads(sys.argv[1])
    with tempfile.TemporaryDirectory(dir=case["folder"]) as folder:
        print(json.dumps(run_trials(case, Path(folder))))


if __name__ == "__main__":
    main()

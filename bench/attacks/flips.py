# SPDX-License-Identifier: BSD-3-Clause
"""One bit of a file is flipped anywhere, and all of the file is used: an output that differs must have been reported."""

import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import files
from program import call, must, table

HEADINGS = ["file", "flips", "reported", "no effect", "silent", "crash", "hang"]


@dataclass(frozen=True)
class Use:
    """A file that is damaged, and the command that makes `output` of it."""

    file: str
    command: tuple[str, ...]
    output: str
    may_be_silent: bool  # where nothing in the file could tell


def uses(program: Path, folder: Path) -> dict[str, Use]:
    """Makes the files. All events and columns of each are used."""
    made: dict[str, Use] = {}

    def add(name: str, file: str, command: tuple[str, ...], may_be_silent: bool = False) -> None:
        made[name] = Use(file, command, "out.root", may_be_silent)

    convert = ("convert", "-q", "x.root", "-o", "out.root", "-f")
    for compression in ("zstd:5", "lz4:4", "none"):
        file = f"rntuple_{compression.split(':')[0]}.root"
        must(program, folder, *files.generate(compression), "-o", file)
        add(f"RNTuple, {compression}", file, convert)
    files.write_with_uproot(folder / "rntuple_none.root", folder / "uproot.root")
    add("RNTuple of uproot, without checksums", "uproot.root", convert, True)
    for compression in ("zstd:5", "lz4:4", "zlib:1", "none"):
        file = f"tree_{compression.split(':')[0]}.root"
        files.write_tree(program, folder, "rntuple_none.root", file, compression)
        add(f"TTree of Skimline, {compression}", file, convert, compression == "none")
    merge = ("merge", "-q", "-f", "out.root", "x.root", "sound.root")
    files.write_histograms(program, folder, "rntuple_none.root", "histograms.root")
    add("histograms of Skimline", "histograms.root", merge)
    files.write_histograms_with_uproot(folder / "histograms.root", folder / "histograms_uproot.root")
    add("histograms of uproot", "histograms_uproot.root", merge, True)
    return made


def outcome(program: Path, folder: Path, use: Use, expected: object, said: str) -> str:
    """`said` is what the command says of the sound file."""
    output = folder / use.output
    output.unlink(missing_ok=True)
    ending = call(program, folder, *use.command)
    if ending.code is None:
        return "hang"
    if ending.is_crash:
        return "crash"
    if ending.code != 0 or ending.output != said:
        return "reported"
    return "no effect" if files.content(output) == expected else "silent"


def attack(program: Path, folder: Path, number: int, seed: int) -> bool:
    """Returns whether nothing crashed or hung, and nothing was silent that a checksum could have told."""
    rows: dict[str, Counter] = {}
    is_sound = True
    for name, use in uses(program, folder).items():
        sound = (folder / use.file).read_bytes()
        for copy in ("x.root", "sound.root"):
            (folder / copy).write_bytes(sound)
        if name == "histograms of Skimline":
            files.write_histograms(program, folder, "rntuple_none.root", "sound.root", shard="2/2")
        said = must(program, folder, *use.command).output
        expected = files.content(folder / use.output)
        rng = random.Random(seed)
        counts: Counter = Counter({"flips": number})
        for _ in range(number):
            damaged = bytearray(sound)
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
            (folder / "x.root").write_bytes(damaged)
            counts[outcome(program, folder, use, expected, said)] += 1
        rows[name] = counts
        is_sound &= counts["crash"] + counts["hang"] == 0 and (use.may_be_silent or counts["silent"] == 0)
    table(HEADINGS, rows)
    return is_sound

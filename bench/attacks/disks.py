# SPDX-License-Identifier: BSD-3-Clause
"""Outputs meet a file system that is full, or a limit of the size of files: old ones stay, nothing half-written."""

import json
import resource
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import kills
from program import call, leftovers, must, table

HEADINGS = ["disk", "runs", "failed, old outputs", "done", "broken", "left behind", "crash"]


@contextmanager
def full_disk(folder: Path, size: int) -> Iterator[Path]:
    """A file system in memory of so many bytes."""
    mounted = folder / "disk"
    mounted.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", mounted], check=True)
    try:
        yield mounted
    finally:
        subprocess.run(["umount", mounted], check=True)


@contextmanager
def plain(folder: Path, _: int) -> Iterator[Path]:
    mounted = folder / "limited"
    shutil.rmtree(mounted, ignore_errors=True)
    mounted.mkdir()
    yield mounted


def limit_files(size: int):
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def try_once(program: Path, disk: Path, source: Path, limits, counts: Counter) -> None:
    old = {name: b"old " + name.encode() for name in kills.OUTPUTS}
    for name, content in old.items():
        (disk / name).write_bytes(content)
    config = kills.config(20)
    config["samples"]["d"]["files"] = [str(source)]
    (source.parent / "disk.json").write_text(json.dumps(config))
    shutil.copy(source.parent / "disk.json", disk / "a.json")
    ending = call(program, disk, "run", "-q", "-f", "a.json", limits=limits)
    counts["runs"] += 1
    counts["crash"] += ending.is_crash or ending.code is None
    counts["left behind"] += bool(leftovers(disk))
    found = kills.contents(disk)
    if ending.code == 0:
        counts["done"] += 1
        counts["broken"] += call(program, disk, "verify", "-q", "muons.root").code != 0
    else:
        counts["failed, old outputs" if found == old else "broken"] += 1


def attack(program: Path, folder: Path, number: int, seed: int) -> bool:
    """Returns whether old outputs stayed and nothing was left behind. Mounting needs root."""
    source = folder / "in.root"
    must(program, folder, "generate", "dimuon", "-q", "-f", "--events", 30000, "--seed", seed, "-o", source)
    rows = {"full file system": Counter(), "limit of file sizes": Counter()}
    for trial in range(number):
        size = int(4096 * 1.35 ** (trial % 24)) + trial
        with full_disk(folder, 3 * size + 16384) as disk:
            try_once(program, disk, source, None, rows["full file system"])
        with plain(folder, size) as disk:
            try_once(program, disk, source, limit_files(size), rows["limit of file sizes"])
    table(HEADINGS, rows)
    return not any(row["broken"] + row["left behind"] + row["crash"] for row in rows.values())

# SPDX-License-Identifier: BSD-3-Clause
"""Tables in Markdown, and pictures, of what bench/formats --json has measured: report.py NUMBERS.json ... [FOLDER]

Numbers of several runs are put together. Pictures go into the folder.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

READS = ("analysis", "plot", "skim", "take")
ENDS = ("reported", "unchanged", "silent", "crash", "hang")
COLOURS = {
    "reported": "#009e73",
    "unchanged": "#bbbbbb",
    "silent": "#d55e00",
    "crash": "#000000",
    "hang": "#cc79a7",
}
TITLES = {"analysis": "sums", "plot": "plot", "skim": "skim", "take": "1,000 events"}
SHOWN = ("zstd", "own")
"""The compressions in pictures of times."""


class Measured:
    """What was measured of one file."""

    def __init__(self, name: str, compression: str, rows: Sequence[dict]) -> None:
        self.name, self.compression = name, compression
        own = [row for row in rows if (row["format"], row["compression"]) == (name, compression)]
        self.rows = [row for row in own if row["task"] != "damage"]
        self.damage = next((row for row in own if row["task"] == "damage"), None)

    def value(self, key: str, task: str, threads: int = 1, cold: bool = False) -> float:
        """A figure of a task, of the larger file where there are two; NaN if there is none."""
        for row in reversed(self.rows):
            if (row["task"], row["threads"], row.get("cold", False)) == (task, threads, cold):
                return row[key]
        return math.nan

    def cells(self) -> list[str]:
        """Those of the table of times."""
        times = [self.value("processor", task) for task in ("write", *READS)]
        times += [self.value("seconds", "analysis", cold=True), self.value("seconds", "analysis", threads=2)]
        sizes = [self.value("bytes", "analysis"), self.value("read_bytes", "analysis", cold=True)]
        size, read = (number_text(each / 1e6, 1) for each in sizes)
        peak = number_text(self.value("peak", "analysis") / 1e6, 0)
        return [self.name, self.compression, size, *(number_text(each, 3) for each in times), read, peak]


def number_text(number: float, digits: int) -> str:
    return "" if math.isnan(number) else f"{number:.{digits}f}"


def measured_in(rows: Sequence[dict]) -> list[Measured]:
    """All files, in the order in which they were measured."""
    asked = [row for row in rows if row["task"] in (*READS, "damage")]
    keys = dict.fromkeys((row["format"], row["compression"]) for row in asked)
    return [Measured(*key, rows) for key in keys]


HEADER = (
    "format",
    "compression",
    "MB",
    "write",
    "sums",
    "plot",
    "skim",
    "1000",
    "cold",
    "2 threads",
    "disk MB",
    "peak MB",
)


def table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


def times(rows: Sequence[dict], *, nested: bool) -> str:
    """The table of times of flat or of nested events."""
    chosen = [each for each in measured_in(rows) if each.rows and is_nested(each) == nested]
    return table(HEADER, [each.cells() for each in chosen])


def is_nested(each: Measured) -> bool:
    return ", nested" in each.name


def damage(rows: Sequence[dict]) -> str:
    """The table of flips and cuts."""
    header = ["format", "compression", "reported", "unchanged", "silent", "crash", "hang"]
    lines = []
    for each in measured_in(rows):
        if each.damage is None:
            continue
        cells = [each.name, each.compression]
        for kind in ("flips", "needed"):
            counts = Counter(each.damage[kind])
            cells += [str(counts[end]) if each.damage[kind] else "" for end in ENDS]
        cells.append(", ".join(f"{n} {end}" for end, n in sorted(Counter(each.damage["cuts"]).items())))
        lines.append(cells)
    return table([*header, *(f"sums: {end}" for end in ENDS), "cut off"], lines)


def draw(rows: Sequence[dict], folder: Path) -> list[Path]:
    """Draws times, sizes and ends of flips, as far as they were measured; returns the files."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "formats", "font.size": 8})
    folder.mkdir(parents=True, exist_ok=True)
    all_files = measured_in(rows)
    timed = [each for each in all_files if each.rows and each.compression in SHOWN]
    sized = [each for each in all_files if each.rows and each.compression in ("none", *SHOWN)]
    damaged = [each for each in all_files if each.damage is not None]
    drawn = []
    if timed:
        drawn.append(saved(folder / "formats-times.svg", times_figure(timed)))
    if sized:
        drawn.append(saved(folder / "formats-sizes.svg", sizes_figure(sized)))
    if damaged:
        drawn.append(saved(folder / "formats-flips.svg", flips_figure(damaged)))
    return drawn


def saved(path: Path, figure: Any) -> Path:
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    return path


def panels(labels: Sequence[str], count: int) -> tuple[Any, Any]:
    """A figure with panels beside each other that share lines of these labels."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2 + 2 * count, 0.8 + 0.17 * len(labels)), layout="constrained")
    axes = figure.subplots(1, count, sharey=True, squeeze=False)[0]
    axes[0].set_yticks(range(len(labels)), labels)
    axes[0].set_ylim(len(labels) + 0.2, -0.7)
    return figure, axes


def times_figure(files: Sequence[Measured]) -> Any:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    figure, axes = panels([each.name for each in files], len(READS))
    colours = ["#0072b2" if each.name.startswith("RNTuple") else "#777777" for each in files]
    for axis, task in zip(axes, READS, strict=True):
        values = [each.value("processor", task) for each in files]
        axis.scatter(values, range(len(files)), s=14, color=colours)
        axis.set_xscale("log")
        known = [math.log10(each) for each in values if each > 0]
        if known:
            axis.set_xlim(10 ** math.floor(min(known)), 10 ** math.ceil(max(known)))
        axis.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: f"{seconds:g}"))
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.set_title(TITLES[task])
        axis.set_xlabel("processor seconds")
        axis.grid(which="both", linewidth=0.2)
    return figure


def sizes_figure(files: Sequence[Measured]) -> Any:
    names = list(dict.fromkeys(each.name for each in files))
    figure, (axis,) = panels(names, 1)
    figure.set_figwidth(6)
    for compression, offset, colour in (
        ("none", -0.2, "#999999"),
        ("zstd", 0.2, "#0072b2"),
        ("own", 0, "#009e73"),
    ):
        chosen = [each for each in files if each.compression == compression]
        places = [names.index(each.name) + offset for each in chosen]
        sizes = [each.value("bytes", "analysis") / each.value("events", "analysis") for each in chosen]
        axis.barh(places, sizes, height=0.4, color=colour, label=compression)
    axis.set_xlabel("bytes for an event")
    axis.legend()
    axis.grid(axis="x", linewidth=0.3)
    return figure


def flips_figure(files: Sequence[Measured]) -> Any:
    figure, axes = panels([f"{each.name}, {each.compression}" for each in files], 2)
    for axis, kind, title in zip(
        axes, ("flips", "needed"), ("anywhere", "in what the sums read"), strict=True
    ):
        before = [0.0] * len(files)
        for end in ENDS:
            shares = [100 * each.damage[kind].count(end) / max(len(each.damage[kind]), 1) for each in files]
            axis.barh(range(len(files)), shares, left=before, color=COLOURS[end], label=end)
            before = [a + b for a, b in zip(before, shares, strict=True)]
        axis.set_title(title)
        axis.set_xlabel("% of flips")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(ENDS))
    return figure


def main() -> None:
    numbers = [Path(word) for word in sys.argv[1:] if word.endswith(".json")]
    rows = [row for path in numbers for row in json.loads(path.read_text())]
    print(times(rows, nested=False), times(rows, nested=True), damage(rows), sep="\n")
    for folder in sys.argv[1 + len(numbers) :]:
        draw(rows, Path(folder))


if __name__ == "__main__":
    main()

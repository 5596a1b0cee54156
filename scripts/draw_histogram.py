# SPDX-License-Identifier: BSD-3-Clause
"""Draws a one-dimensional histogram of a ROOT file in the terminal, content on a logarithmic scale.

draw_histogram.py FILE NAME           events
draw_histogram.py --log FILE NAME     events per unit of x, with a logarithmic x
"""

import argparse
import bisect
import itertools
import math
import re
import shutil
import sys

import uproot

HEIGHT = 18
MARGIN = 11
BLOCKS = " ▁▂▃▄▅▆▇█"
PLAIN_BLOCKS = "    ####"


def column_borders(edges: list[float], width: int, is_logarithmic: bool) -> list[int]:
    """Returns the indices of the edges between the columns of the drawing, which are `width` at most."""
    if is_logarithmic:
        low, high = math.log(edges[0]), math.log(edges[-1])
        wanted = [math.exp(low + (high - low) * column / width) for column in range(width + 1)]
        return sorted({min(bisect.bisect_left(edges, x), len(edges) - 1) for x in wanted} | {0})
    step = math.ceil((len(edges) - 1) / width)
    return [*range(0, len(edges) - 1, step), len(edges) - 1]


def merge_bins(
    contents: list[float], edges: list[float], borders: list[int], is_density: bool
) -> list[float]:
    """Returns the content of each column, divided by its width in x for a density."""
    pairs = list(itertools.pairwise(borders))
    sums = [sum(contents[start:end]) for start, end in pairs]
    widths = [edges[end] - edges[start] if is_density else 1.0 for start, end in pairs]
    return [total / width for total, width in zip(sums, widths, strict=True)]


def bar_heights(contents: list[float]) -> tuple[list[float], float, float]:
    """Returns heights in rows, and the decades of the lowest and the highest row."""
    positive = [content for content in contents if content > 0] or [1.0]
    low, high = math.floor(math.log10(min(positive))), math.log10(max(positive))
    scale = HEIGHT / max(high - low, 0.1)
    heights = [(math.log10(content) - low) * scale if content > 0 else 0.0 for content in contents]
    return heights, low, high


def draw_rows(heights: list[float], low: float, high: float, blocks: str) -> list[str]:
    rows = []
    steps = len(blocks) - 1
    for row in reversed(range(HEIGHT)):
        value = 10 ** (low + (high - low) * (row + 1) / HEIGHT)
        label = (
            f"{value:>{MARGIN - 2},.0f} |" if row % 3 == 2 or row == HEIGHT - 1 else " " * (MARGIN - 1) + "|"
        )
        rows.append(
            label + "".join(blocks[round(min(max(bar - row, 0), 1) * steps)] for bar in heights).rstrip()
        )
    return rows


def draw_axis(edges: list[float], title: str) -> list[str]:
    """Returns the horizontal line, the values under it, and the title."""
    width = len(edges) - 1
    values = [" "] * (width + 8)
    for column in range(0, width + 1, max(width // 6, 1)):
        values[column : column + 6] = f"{edges[column]:<6.4g}"
    return [
        " " * (MARGIN - 1) + "+" + "-" * width,
        " " * MARGIN + "".join(values).rstrip(),
        f"{title:>{MARGIN + width}}",
    ]


def plain_title(title: str) -> str:
    """Spells ROOT's TeX-like Greek letters and indices out."""
    return re.sub(r"_\{([^}]*)\}", r"_\1", title.replace("#mu", "mu"))


def read_histogram(path: str, name: str) -> tuple[list[float], list[float], str]:
    """Returns contents, edges and the title of the x axis."""
    with uproot.open(path) as file:
        histogram = file[name]
        contents, edges = histogram.to_numpy()
        title = histogram.axis().member("fTitle") or name
    return contents.tolist(), edges.tolist(), plain_title(title)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--log", action="store_true")
    parser.add_argument("file")
    parser.add_argument("name")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(errors="replace")
    blocks = BLOCKS if (sys.stdout.encoding or "").lower().startswith("utf") else PLAIN_BLOCKS

    contents, edges, title = read_histogram(arguments.file, arguments.name)
    width = max(min(shutil.get_terminal_size((100, 24)).columns, 132) - MARGIN - 1, 20)
    borders = column_borders(edges, width, arguments.log)
    heights, low, high = bar_heights(merge_bins(contents, edges, borders, arguments.log))
    print(f"{arguments.name}: {'events per unit of x' if arguments.log else 'events'}")
    for line in draw_rows(heights, low, high, blocks) + draw_axis(
        [edges[border] for border in borders], title
    ):
        print(line)


if __name__ == "__main__":
    main()

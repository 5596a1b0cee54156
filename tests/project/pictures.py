# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of pages: those that the commands of a page draw into a folder "pictures", made small for the source tree."""

import re
from pathlib import Path

from console import Console

SHOWN = re.compile(r"""(?:\]\(|src=")(?:\.\./)*(?:docs/)?(pictures/[^)"]+\.svg)[)"]""")
NUMBER = re.compile(r"-?\d+\.\d{3,}")


def shown_in(page: str) -> list[str]:
    """The pictures that a page shows."""
    return SHOWN.findall(page)


def compact(svg: str) -> str:
    """The same picture with positions to a hundredth of a point, without what is not drawn."""
    svg = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = NUMBER.sub(lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), svg)
    svg = re.sub(r'(?<= d=")[^"]*', lambda match: " ".join(match[0].split()), svg)
    return re.sub(r">\s+<", ">\n<", svg).strip() + "\n"


def drawn_by(page: str, console: Console) -> dict[str, str]:
    """The pictures that a page shows and its commands draw, by path."""
    for _ in console.play(page):
        pass
    return drawn_in(page, console)


def drawn_in(page: str, console: Console) -> dict[str, str]:
    """The same when the commands have run."""
    paths = {name: console.folder / name for name in shown_in(page)}
    return {name: compact(path.read_text(encoding="utf-8")) for name, path in paths.items() if path.is_file()}


def pages_that_draw(pages: list[Path]) -> list[Path]:
    """The pages with commands that draw what they show."""
    return [page for page in pages if "-o pictures" in page.read_text(encoding="utf-8")]

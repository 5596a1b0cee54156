# SPDX-License-Identifier: BSD-3-Clause
"""The pictures in docs/ are those that the commands beside them draw, and show what is in the files."""

import re
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest
import uproot
from console import Command, Console
from pages import PAGES, ROOT
from pictures import compact, drawn_in, pages_that_draw, shown_in
from svg_pictures import Picture

# Of pictures with samples and data: the file, the histograms that are stacked, and those of the data.
STACKS = {
    "4j2b__top_mass": (
        "out/agc_v1.root",
        [
            f"4j2b_{name}"
            for name in ("wjets", "single_top_s_chan", "single_top_t_chan", "single_top_tW", "ttbar")
        ],
        "4j2b_pseudodata",
    ),
    "4j1b__ht": (
        "out/agc_v1.root",
        [
            f"4j1b_{name}"
            for name in ("wjets", "single_top_s_chan", "single_top_t_chan", "single_top_tW", "ttbar")
        ],
        "4j1b_pseudodata",
    ),
    "pair_mass": ("histograms.root", ["zmumu__pair_mass"], "data__pair_mass"),
}


class PlayedPage(NamedTuple):
    """A page whose commands have run: in which folder, what they printed, and the pictures that they drew."""

    path: Path
    folder: Path
    commands: list[Command]
    pictures: dict[str, str]


@pytest.fixture(scope="module", params=pages_that_draw(PAGES), ids=lambda page: page.name)
def played(request, skimline, build_folder, tmp_path_factory):
    page = request.param.read_text()
    console = Console(
        tmp_path_factory.mktemp("page"), Path(skimline).resolve(), build_folder.resolve() / "python"
    )
    commands = [command for block in console.play(page) for command in block]
    pictures = drawn_in(page, console)
    assert pictures
    return PlayedPage(request.param, console.folder, commands, pictures)


def shapes(svg: str) -> list[tuple[str, np.ndarray]]:
    """What a picture says and where its shapes are, apart from names that depend on the library."""
    texts = re.findall(r"<(?:text|tspan)[^>]*>([^<]+)<", svg)
    paths = re.findall(r'<path d="([^"]*)"', svg)
    return [(text, np.empty(0)) for text in texts] + [
        ("path", np.array(re.findall(r"-?\d+(?:\.\d+)?", path), dtype=float)) for path in paths
    ]


def is_same_picture(found: str, shown: str) -> bool:
    pairs = [shapes(found), shapes(shown)]
    return len(pairs[0]) == len(pairs[1]) and all(
        a == b and x.shape == y.shape and np.allclose(x, y, rtol=0, atol=0.05)
        for (a, x), (b, y) in zip(*pairs, strict=True)
    )


@pytest.mark.thorough
def test_commands_print_what_is_shown(played):
    for command in played.commands:
        assert command.is_as_shown(), (
            f"{command.line}\n{command.printed}\nscripts/refresh-console {played.path}"
        )


@pytest.mark.thorough
def test_pictures_are_those_that_the_commands_draw(played):
    for name, found in played.pictures.items():
        shown = (ROOT / "docs" / name).read_text()
        assert is_same_picture(found, shown), f"{name} is not up to date: scripts/draw-pictures"


def test_a_bin_that_is_elsewhere_is_another_picture(played):
    svg = next(iter(played.pictures.values()))
    (first,) = re.search(r'<g id="stack-0">\s*<path d="M \S+ (\S+)', svg).groups()
    moved = svg.replace(f" {first}", f" {float(first) - 0.2:.2f}", 1)
    assert moved != svg
    assert not is_same_picture(moved, svg)


def test_pictures_show_the_numbers_of_the_files(played):
    shown = [name for name in STACKS if f"pictures/{name}.svg" in played.pictures]
    assert shown
    for name in shown:
        picture = Picture(ROOT / "docs" / "pictures" / f"{name}.svg")
        path, stacked, data = STACKS[name]
        file = uproot.open(played.folder / path)
        expected = sum(file[histogram].values() for histogram in stacked)
        # A tenth of a point in the height of a picture.
        tolerance = 0.002 * expected.max()
        layers = [key for key in picture.ids() if re.fullmatch(r"stack-\d+", key)]
        tops = np.max([picture.area(layer)[0] for layer in layers], axis=0)
        np.testing.assert_allclose(tops, expected, rtol=0, atol=tolerance)
        points = file[data].values()
        found = picture.points("data-0")
        assert len(found) in (len(points), np.count_nonzero(points))
        points = points if len(found) == len(points) else points[points != 0]
        np.testing.assert_allclose(found, points, rtol=0, atol=tolerance)


def test_every_picture_that_is_kept_is_shown_and_drawn():
    kept = {f"pictures/{path.name}" for path in (ROOT / "docs" / "pictures").glob("*.svg")}
    shown = {name for page in PAGES for name in shown_in(page.read_text())}
    by_commands = {name for page in pages_that_draw(PAGES) for name in shown_in(page.read_text())}
    assert kept == shown == by_commands


def test_pictures_are_small_and_fetch_nothing():
    for path in (ROOT / "docs" / "pictures").glob("*.svg"):
        assert path.stat().st_size < 100_000, path
        ElementTree.parse(path)
        assert not re.search(r'(?:href|src)="(?!#|data:image/png)', path.read_text())


def test_compact_keeps_what_is_drawn():
    svg = (
        '<?xml version="1.0"?>\n<svg>\n <metadata>x</metadata>\n <path d="M 1.23456 2\nL 3.9999 4"/>\n</svg>'
    )
    assert compact(svg) == '<svg>\n<path d="M 1.23 2 L 4 4"/>\n</svg>\n'

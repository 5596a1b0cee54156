# SPDX-License-Identifier: BSD-3-Clause
"""What pictures in SVG show: shapes by the id that they were drawn under, in the numbers of the axes beside them."""

import itertools
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"


class Picture:
    """One picture; `axes` counts them: the main one, then the ratio."""

    def __init__(self, path: Path) -> None:
        self.text = path.read_text(encoding="utf-8")
        self.root = ElementTree.fromstring(self.text)

    def texts(self) -> list[str]:
        return ["".join(each.itertext()) for each in self.root.iter(f"{SVG}text")]

    def ids(self) -> set[str]:
        return {each.get("id") for each in self.root.iter() if each.get("id")}

    def _axes(self, number: int):
        return next(each for each in self.root.iter(f"{SVG}g") if each.get("id") == f"axes_{number + 1}")

    def _scale(self, number: int, which: str, log: bool = False):
        """From a position on the page to a number of the axis: through the ticks that have a text."""
        places, numbers = [], []
        axis = next(
            each
            for each in self._axes(number).iter(f"{SVG}g")
            if (each.get("id") or "").startswith("matplotlib.axis_")
            and any((g.get("id") or "").startswith(f"{which}tick") for g in each.iter(f"{SVG}g"))
        )
        for tick in axis.iter(f"{SVG}g"):
            if not (tick.get("id") or "").startswith(f"{which}tick"):
                continue
            text = "".join(next(tick.iter(f"{SVG}text")).itertext()).replace("\N{MINUS SIGN}", "-").strip()
            places.append(float(next(tick.iter(f"{SVG}use")).get(which)))
            numbers.append(float(text))
        slope, offset = np.polyfit(places, np.log10(numbers) if log else numbers, 1)
        return lambda place: 10 ** (slope * place + offset) if log else slope * place + offset

    def _named(self, name: str):
        return next(each for each in self.root.iter(f"{SVG}g") if each.get("id") == name)

    def vertices(self, name: str, axes: int = 0) -> np.ndarray:
        """The corners of a shape, in numbers of linear axes."""
        shape = next(self._named(name).iter(f"{SVG}path")).get("d")
        pairs = re.findall(r"[ML] (\S+) (\S+)", shape)
        y = self._scale(axes, "y")
        return np.array([(float(left), y(float(up))) for left, up in pairs])

    def steps(self, name: str, axes: int = 0) -> np.ndarray:
        """The height of each bin of a line."""
        corners = self.vertices(name, axes)
        return np.array([a[1] for a, b in itertools.pairwise(corners) if a[0] < b[0]])

    def area(self, name: str, axes: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Top and bottom of each bin of an area."""
        corners = self.vertices(name, axes)
        pairs = list(itertools.pairwise(corners))
        top = np.array([a[1] for a, b in pairs if a[0] < b[0] - 1e-6])
        bottom = np.array([a[1] for a, b in pairs if a[0] > b[0] + 1e-6])[::-1]
        return top, bottom

    def points(self, name: str, axes: int = 0) -> np.ndarray:
        """The heights of points."""
        y = self._scale(axes, "y")
        return np.array([y(float(each.get("y"))) for each in self._named(name).iter(f"{SVG}use")])

    def bars(self, name: str, axes: int = 0) -> np.ndarray:
        """Lower and upper end of each error bar."""
        y = self._scale(axes, "y")
        ends = []
        for path in self._named(name).iter(f"{SVG}path"):
            heights = [y(float(up)) for _, up in re.findall(r"[ML] (\S+) (\S+)", path.get("d"))]
            ends.append((min(heights), max(heights)))
        return np.array(ends)

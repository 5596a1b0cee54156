# SPDX-License-Identifier: BSD-3-Clause
"""The bin of a value is the one that ROOT's TAxis::FindFixBin finds, for every double."""

import math
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = pytest.importorskip("ROOT")

REGULAR = [
    (1, 0.0, 1.0),
    (3, 0.0, 1.0),
    (90, 0.0, 10.0),
    (100, 0.0, 200.0),
    (120, 60.0, 120.0),
    (64, -3.2, 3.2),
    (63, -math.pi, math.pi),
    (1000, -0.1, 0.7),
    (7, -1e-300, 3e-300),
    (10, 0.0, 5e-323),
    (10, 0.0, 1e-310),
    (11, 1e15, 1e15 + 3),
    (50, 1e16, 1e16 + 10),
    (200, 1.0, 1.0 + 1e-14),
    (13, -1e306, 1e306),
    (99999, 0.0, 1.0),
]

VARIABLE = [
    [0.0, 1.0],
    [0.0, 0.1, 0.2, 0.30000000000000004, 5.0, 100.0],
    [-1e308, 0.0, 1e308],
    [-1e300, -1.0, -1e-300, 0.0, 5e-324, 1e-10, 1e300],
    [0.0, 5e-324, 1e-323],
    list(np.geomspace(1e-3, 1e6, 51)),
    list(np.nextafter(1.0, 2.0) + np.arange(20) * 2.0**-52),
    [0.0, *(1.0 + np.arange(40) * 1e-12), 1000.0],
]


def around(edges: np.ndarray) -> np.ndarray:
    """Every edge with the doubles one and two steps away from it."""
    below, above = np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)
    return np.concatenate([edges, below, above, np.nextafter(below, -np.inf), np.nextafter(above, np.inf)])


def values_for(edges: np.ndarray, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    low, high = edges[0], edges[-1]
    fraction = random.random(20000)
    inside = low * (1 - fraction) + high * fraction
    anywhere = random.normal(size=2000) * 10.0 ** random.integers(-300, 300, 2000)
    special = [0.0, -0.0, math.nan, -math.nan, math.inf, -math.inf, 5e-324, -5e-324, 1.7e308, -1.7e308]
    return np.concatenate([around(edges), inside, anywhere, special])


def assert_same_bins(build_folder: Path, words: list[str], axis: "ROOT.TAxis", values: np.ndarray) -> None:
    program = build_folder / "tests" / "histograms" / "histograms_bin_dump"
    run = subprocess.run([program, *words], input=values.tobytes(), capture_output=True, check=True)
    ours = np.frombuffer(run.stdout, np.int32)
    roots = np.array([axis.FindFixBin(float(value)) for value in values])
    differ = np.flatnonzero(ours != roots)
    shown = [(values[i].hex(), int(ours[i]), int(roots[i])) for i in differ[:5]]
    assert differ.size == 0, f"{differ.size} of {values.size} differ; value, ours, ROOT's: {shown}"


def assert_regular(build_folder: Path, bins: int, low: float, high: float, seed: int) -> None:
    numbers = np.arange(min(bins, 2000) + 1)
    # Edges as ROOT computes them, and the nearest doubles to where they should be.
    edges = np.concatenate(
        [low + numbers * ((high - low) / bins), low + numbers * (high - low) / bins, [high]]
    )
    words = ["regular", str(bins), low.hex(), high.hex()]
    values = np.concatenate([values_for(np.array([low, high]), seed), around(edges)])
    assert_same_bins(build_folder, words, ROOT.TAxis(bins, low, high), values)


@pytest.mark.parametrize("bins, low, high", REGULAR)
def test_regular_axis(build_folder: Path, bins: int, low: float, high: float) -> None:
    assert_regular(build_folder, bins, low, high, seed=1)


@pytest.mark.parametrize("seed", range(40))
def test_random_regular_axis(build_folder: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    low = float(random.normal() * 10.0 ** int(random.integers(-5, 6)))
    high = low + float((0.1 + random.random()) * 10.0 ** int(random.integers(-5, 6)))
    assert_regular(build_folder, int(random.integers(1, 500)), low, high, seed)


@pytest.mark.parametrize("edges", VARIABLE, ids=range(len(VARIABLE)))
def test_variable_axis(build_folder: Path, edges: list[float]) -> None:
    edges = np.array(edges)
    words = ["variable", *(float(edge).hex() for edge in edges)]
    axis = ROOT.TAxis(len(edges) - 1, edges)
    assert_same_bins(build_folder, words, axis, values_for(edges, seed=2))


@pytest.mark.parametrize("seed", range(20))
def test_random_variable_axis(build_folder: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    steps = random.random(int(random.integers(1, 200))) * 10.0 ** random.integers(-6, 4)
    edges = np.unique(np.concatenate([[-1.0], -1.0 + np.cumsum(steps)]))
    words = ["variable", *(float(edge).hex() for edge in edges)]
    axis = ROOT.TAxis(len(edges) - 1, edges)
    assert_same_bins(build_folder, words, axis, values_for(edges, seed))


@pytest.mark.parametrize(
    "words", [["regular", "0", "0", "1"], ["regular", "5", "1", "1"], ["variable", "1", "1"]]
)
def test_the_program_refuses_a_bad_axis(build_folder: Path, words: list[str]) -> None:
    program = build_folder / "tests" / "histograms" / "histograms_bin_dump"
    assert subprocess.run([program, *words], input=b"", capture_output=True, check=False).returncode == 2

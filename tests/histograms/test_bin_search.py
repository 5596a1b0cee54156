# SPDX-License-Identifier: BSD-3-Clause
"""The bin of a value is the one that ROOT's TAxis::FindFixBin finds, for every double.

boost-histogram is the judge of what ROOT does not have: circular axes and integer categories.
"""

import math
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = pytest.importorskip("ROOT")
bh = pytest.importorskip("boost_histogram")

ROOT.gInterpreter.Declare("""
namespace skimline_tests {
void find_bins(const TAxis& axis, const double* values, long size, int* bins) {
  for (long i = 0; i < size; ++i) bins[i] = axis.FindFixBin(values[i]);
}
}
""")

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


def find_ours(build_folder: Path, words: list[str], values: np.ndarray) -> np.ndarray:
    program = build_folder / "tests" / "histograms" / "histograms_bin_dump"
    run = subprocess.run([program, *words], input=values.tobytes(), capture_output=True, check=True)
    return np.frombuffer(run.stdout, np.int32)


def assert_equal_bins(values: np.ndarray, ours: np.ndarray, theirs: np.ndarray) -> None:
    differ = np.flatnonzero(ours != theirs)
    shown = [(float(values[i]).hex(), int(ours[i]), int(theirs[i])) for i in differ[:5]]
    assert differ.size == 0, f"{differ.size} of {values.size} differ; value, ours, theirs: {shown}"


def assert_same_bins(build_folder: Path, words: list[str], axis: "ROOT.TAxis", values: np.ndarray) -> None:
    roots = np.zeros(values.size, np.int32)
    ROOT.skimline_tests.find_bins(axis, values, values.size, roots)
    assert_equal_bins(values, find_ours(build_folder, words, values), roots)


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


@pytest.mark.thorough(quick=20)
@pytest.mark.parametrize("seed", range(200))
def test_random_regular_axis(build_folder: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    low = float(random.normal() * 10.0 ** int(random.integers(-5, 6)))
    high = low + float((0.1 + random.random()) * 10.0 ** int(random.integers(-5, 6)))
    assert_regular(build_folder, int(random.integers(1, 500)), low, high, seed)


def float_values_for(edges: np.ndarray, seed: int) -> np.ndarray:
    """Every edge as a float with the floats around it, values at all distances from it, and special ones."""
    random = np.random.default_rng(seed)
    with np.errstate(over="ignore"):
        nearest = edges.astype(np.float32)
        values = values_for(edges[[0, -1]], seed).astype(np.float32)
        width = (edges[-1] - edges[0]) / (len(edges) - 1)
        off = random.normal(size=edges.size) * width * 2.0 ** -random.integers(0, 25, edges.size)
        distant = (edges + off).astype(np.float32)
    steps = [np.nextafter(nearest, np.float32(far)) for far in (-np.inf, np.inf)]
    return np.concatenate([nearest, *steps, distant, values])


@pytest.mark.parametrize("seed", range(60))
def test_floats_on_a_regular_axis(build_folder: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    bins, low, high = REGULAR[seed] if seed < len(REGULAR) else (int(random.integers(1, 20000)), 0.0, 0.0)
    if low == high:
        low = float(np.float32(random.normal() * 10.0 ** int(random.integers(-5, 6))))
        high = low + float((0.1 + random.random()) * 10.0 ** int(random.integers(-5, 6)))
    values = float_values_for(low + np.arange(min(bins, 20000) + 1) * ((high - low) / bins), seed)
    roots = np.zeros(values.size, np.int32)
    axis = ROOT.TAxis(bins, low, high)
    ROOT.skimline_tests.find_bins(axis, values.astype(np.float64), values.size, roots)
    words = ["float", "regular", str(bins), low.hex(), high.hex()]
    assert_equal_bins(values, find_ours(build_folder, words, values), roots)


@pytest.mark.parametrize("edges", VARIABLE, ids=range(len(VARIABLE)))
def test_variable_axis(build_folder: Path, edges: list[float]) -> None:
    edges = np.array(edges)
    words = ["variable", *(float(edge).hex() for edge in edges)]
    axis = ROOT.TAxis(len(edges) - 1, edges)
    assert_same_bins(build_folder, words, axis, values_for(edges, seed=2))


@pytest.mark.parametrize("seed", range(100))
def test_random_variable_axis(build_folder: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    steps = random.random(int(random.integers(1, 200))) * 10.0 ** random.integers(-6, 4)
    edges = np.unique(np.concatenate([[-1.0], -1.0 + np.cumsum(steps)]))
    words = ["variable", *(float(edge).hex() for edge in edges)]
    axis = ROOT.TAxis(len(edges) - 1, edges)
    assert_same_bins(build_folder, words, axis, values_for(edges, seed))


INTEGER = [
    (0, 0),
    (-3, 5),
    (0, 99),
    (-(2**31), -(2**31) + 7),
    (2**31 - 9, 2**31 - 1),
    (-49_999_999, 50_000_000),
]


def assert_integer(build_folder: Path, first: int, last: int, seed: int) -> None:
    edges = np.linspace(first, last + 1, min(last + 2 - first, 3001)).round()
    values = np.concatenate([values_for(np.array([first, last + 1.0]), seed), around(edges), edges + 0.5])
    axis = ROOT.TAxis(last + 1 - first, first, last + 1)
    assert_same_bins(build_folder, ["integer", str(first), str(last)], axis, values)


@pytest.mark.parametrize("first, last", INTEGER)
def test_integer_axis(build_folder: Path, first: int, last: int) -> None:
    assert_integer(build_folder, first, last, seed=3)


@pytest.mark.parametrize("seed", range(60))
def test_random_integer_axis(build_folder: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    first = int(random.integers(-(10 ** int(random.integers(1, 9))), 10**8))
    assert_integer(build_folder, first, first + int(random.integers(0, 3000)), seed)


def boost_cells(axis: "bh.axis.Axis", values: np.ndarray) -> np.ndarray:
    """Cells numbered as ours; overflow is where boost-histogram finds no bin."""
    return np.array([axis.index(value) for value in values.tolist()]) + 1


@pytest.mark.parametrize("seed", range(30))
def test_circular_axis(build_folder: Path, seed: int) -> None:
    """Edges are exact, so that moving values into the range does not round."""
    random = np.random.default_rng(seed)
    low, bins = int(random.integers(-20, 20)), 2 ** int(random.integers(0, 7))
    high = low + 2 ** int(random.integers(0, 6))
    steps = random.integers(-5000, 5000, 3000)
    values = np.concatenate([low + steps * (high - low) / bins, low + steps / 1024])
    values = np.concatenate([values, [math.nan, math.inf, -math.inf, low, high]])
    axis = bh.axis.Regular(bins, low, high, circular=True)
    words = ["circular", str(bins), str(low), str(high)]
    assert_equal_bins(values, find_ours(build_folder, words, values), boost_cells(axis, values))


@pytest.mark.parametrize("seed", range(20))
def test_angles(build_folder: Path, seed: int) -> None:
    """A range that no double has exactly; rounding decides only beside the edges."""
    random = np.random.default_rng(seed)
    bins = int(random.integers(1, 200))
    turns = (random.integers(0, bins, 2000) + random.uniform(0.01, 0.99, 2000)) / bins
    values = -math.pi + 2 * math.pi * (turns + random.integers(-1000, 1000, 2000))
    axis = bh.axis.Regular(bins, -math.pi, math.pi, circular=True)
    words = ["circular", str(bins), (-math.pi).hex(), math.pi.hex()]
    assert_equal_bins(values, find_ours(build_folder, words, values), boost_cells(axis, values))


@pytest.mark.parametrize("seed", range(20))
def test_integer_categories(build_folder: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 40))
    categories = [int(number) for number in random.permutation(np.arange(-300, 300))[:size]]
    values = random.integers(-310, 310, 5000).astype(float)
    histogram = bh.Histogram(bh.axis.IntCategory(categories), storage=bh.storage.Int64())
    histogram.fill(values.astype(int))
    words = ["categories", *map(str, categories)]
    ours = np.bincount(find_ours(build_folder, words, values), minlength=size + 2)
    assert np.array_equal(ours[1:], histogram.view(flow=True))
    # What is no integer has no category.
    strange = np.array([math.nan, math.inf, -math.inf, 0.5, 1e300, categories[0] + 1e-9])
    assert set(find_ours(build_folder, words, strange)) == {size + 1}


@pytest.mark.parametrize(
    "words",
    [["regular", "0", "0", "1"], ["regular", "5", "1", "1"], ["variable", "1", "1"], ["integer", "3", "2"]],
)
def test_the_program_refuses_a_bad_axis(build_folder: Path, words: list[str]) -> None:
    program = build_folder / "tests" / "histograms" / "histograms_bin_dump"
    assert subprocess.run([program, *words], input=b"", capture_output=True, check=False).returncode == 2

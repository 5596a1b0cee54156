# SPDX-License-Identifier: BSD-3-Clause
"""Whole histograms, filled by us and by ROOT's Fill with the same values: contents, errors, statistics."""

import math
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

ROOT = pytest.importorskip("ROOT")

ROOT.gInterpreter.Declare("""
namespace skimline_tests {
// One fill after the other; columns follow each other in `values`, the weight last.
template <int N, bool kIsWeighted, typename H>
void fill(H& histogram, const double* values, long fills) {
  for (long i = 0; i < fills; ++i) {
    const double x = values[i], y = N > 1 ? values[fills + i] : 0, z = N > 2 ? values[2 * fills + i] : 0;
    const double w = kIsWeighted ? values[N * fills + i] : 1;
    if constexpr (N == 1 && !kIsWeighted) histogram.Fill(x);
    else if constexpr (N == 1) histogram.Fill(x, w);
    else if constexpr (N == 2 && !kIsWeighted) histogram.Fill(x, y);
    else if constexpr (N == 2) histogram.Fill(x, y, w);
    else if constexpr (!kIsWeighted) histogram.Fill(x, y, z);
    else histogram.Fill(x, y, z, w);
  }
}
// The same for four axes of equal bins; the cells go to `contents` and `squares`, the first axis fastest.
void fill_four(const double* values, long fills, const int* bins, const double* lows, const double* highs,
               double* contents, double* squares) {
  THnD histogram("", "", 4, bins, lows, highs);
  histogram.Sumw2();
  for (long i = 0; i < fills; ++i) {
    const double x[4] = {values[i], values[fills + i], values[2 * fills + i], values[3 * fills + i]};
    histogram.Fill(x, values[4 * fills + i]);
  }
  long cell = 0;
  for (int l = 0; l < bins[3] + 2; ++l)
    for (int k = 0; k < bins[2] + 2; ++k)
      for (int j = 0; j < bins[1] + 2; ++j)
        for (int i = 0; i < bins[0] + 2; ++i, ++cell) {
          const int cells[4] = {i, j, k, l};
          contents[cell] = histogram.GetBinContent(cells);
          squares[cell] = histogram.GetBinError2(histogram.GetBin(cells));
        }
}
}
""")


@dataclass
class Case:
    """Axes as lists of edges or (bins, low, high), and columns: one for each axis, then value and weight."""

    storage: str
    axes: list
    columns: list[np.ndarray]
    weights: np.ndarray | None = None
    edges: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.edges = [
            np.linspace(axis[1], axis[2], axis[0] + 1) if isinstance(axis, tuple) else np.array(axis)
            for axis in self.axes
        ]

    @property
    def values(self) -> np.ndarray:
        columns = self.columns if self.weights is None else [*self.columns, self.weights]
        return np.ascontiguousarray(np.concatenate(columns))

    @property
    def fills(self) -> int:
        return len(self.columns[0])

    @property
    def num_cells(self) -> int:
        return math.prod(len(edges) + 1 for edges in self.edges)


@dataclass
class Sums:
    """What a histogram holds, and the size of what was added to each number, for the judgement of rounding."""

    entries: float
    statistics: np.ndarray
    cells: list[np.ndarray]


def axis_words(axis: tuple | list[float]) -> list[str]:
    if isinstance(axis, tuple):
        return ["regular", str(axis[0]), float(axis[1]).hex(), float(axis[2]).hex()]
    return ["variable", *(float(edge).hex() for edge in axis)]


def fill_ours(build_folder: Path, case: Case) -> Sums:
    words = [word for axis in case.axes for word in (",", *axis_words(axis))][1:]
    program = build_folder / "tests" / "histograms" / "histograms_fill_dump"
    command = [program, case.storage, str(case.fills), *words]
    run = subprocess.run(command, input=case.values.tobytes(), capture_output=True, check=True)
    numbers = np.frombuffer(run.stdout)
    sums = {"count": 1, "weighted": 2, "profile": 4}[case.storage]
    cells = numbers[-sums * case.num_cells :].reshape(sums, case.num_cells)
    return Sums(numbers[0], numbers[1 : -sums * case.num_cells], list(cells))


def axis_arguments(axis: tuple | list[float]) -> tuple:
    return axis if isinstance(axis, tuple) else (len(axis) - 1, np.array(axis, dtype=float))


def array_of(numbers: "ROOT.TArrayD") -> np.ndarray:
    return np.frombuffer(numbers.GetArray(), np.float64, numbers.GetSize()).copy()


def fill_roots(case: Case, kind: str) -> Sums:
    arguments = [word for axis in case.axes for word in axis_arguments(axis)]
    histogram = getattr(ROOT, kind)("", "", *arguments)
    histogram.SetDirectory(ROOT.nullptr)
    if case.storage != "count":
        histogram.Sumw2()
    is_weighted = "false" if case.weights is None else "true"
    columns = len(case.columns)
    ROOT.skimline_tests.fill[columns, is_weighted, kind](histogram, case.values, case.fills)
    statistics = np.zeros(20)
    histogram.GetStats(statistics)
    cells = [array_of(histogram)]
    if case.storage == "weighted":
        cells.append(array_of(histogram.GetSumw2()))
    if case.storage == "profile":
        bins = range(case.num_cells)
        weights = np.array([histogram.GetBinEntries(i) for i in bins])
        cells = [weights, array_of(histogram.GetBinSumw2()), *cells, array_of(histogram.GetSumw2())]
    return Sums(histogram.GetEntries(), statistics, cells)


def scales_of(case: Case) -> tuple[np.ndarray, list[float]]:
    """Sums of the magnitudes that are added, for the statistics and the cells."""
    weights = np.ones(case.fills) if case.weights is None else np.abs(case.weights)
    total, squared = weights.sum(), (weights**2).sum()
    farthest = [np.abs(edges).max() for edges in case.edges]
    statistics = [total, squared]
    for i, far in enumerate(farthest):
        statistics += [total * far, total * far * far]
        statistics += [total * far * other for other in farthest[:i]]
    cells = [total, squared]
    if case.storage == "profile":
        values = np.abs(case.columns[-1])
        cells += [(weights * values).sum(), (weights * values**2).sum()]
        statistics += cells[2:]
    return np.array(statistics), cells


def assert_same(case: Case, ours: Sums, roots: Sums) -> None:
    statistics, cells = scales_of(case)
    assert ours.entries == roots.entries == case.fills
    assert len(ours.statistics) == len(statistics)
    assert np.all(np.abs(ours.statistics - roots.statistics[: len(statistics)]) <= 1e-12 * statistics)
    for our, their, scale in zip(ours.cells, roots.cells, cells, strict=False):
        assert our.shape == their.shape
        assert np.all(np.abs(our - their) <= 1e-12 * scale)
        assert np.all((our == 0) == (their == 0))
    if case.storage == "count":
        assert np.array_equal(ours.cells[0], roots.cells[0])
        assert np.array_equal(ours.statistics[:2], roots.statistics[:2])


def random_axis(random: np.random.Generator, most: int) -> tuple | list[float]:
    bins = int(random.integers(1, most))
    low, length = float(random.normal() * 3), float(random.uniform(0.5, 8))
    if random.random() < 0.5:
        return (bins, low, low + length)
    return sorted({low, *(low + length * random.random(bins)), low + length})


def positions_on(random: np.random.Generator, axis: tuple | list[float], fills: int) -> np.ndarray:
    low, high = (axis[1], axis[2]) if isinstance(axis, tuple) else (axis[0], axis[-1])
    values = random.normal((low + high) / 2, (high - low) / 3, fills)
    edges = [low, high] if isinstance(axis, tuple) else axis
    values[: fills // 10] = random.choice(edges, fills // 10)
    values[::97] = random.choice([math.inf, -math.inf, math.nan, 1e300], len(values[::97]))
    return values


def random_case(seed: int, storage: str, num_axes: int) -> Case:
    random = np.random.default_rng([seed, num_axes, len(storage)])
    fills = int(random.integers(2000, 20000))
    axes = [random_axis(random, (200, 40, 12, 5)[num_axes - 1]) for _ in range(num_axes)]
    if num_axes == 3 and any(isinstance(axis, list) for axis in axes):
        # TH3D has axes of one kind only.
        axes = [list(np.linspace(a[1], a[2], a[0] + 1)) if isinstance(a, tuple) else a for a in axes]
    columns = [positions_on(random, axis, fills) for axis in axes]
    if storage == "profile":
        columns.append(random.normal(5, 20, fills))
    # Mostly positive: ROOT computes the statistics anew from the bins where the sum of weights is zero.
    weights = random.normal(1, 0.7, fills) * 10.0 ** random.integers(-3, 4, fills)
    return Case(storage, axes, columns, None if storage == "count" else weights)


CASES = [
    ("count", 1, "TH1D"),
    ("count", 2, "TH2D"),
    ("count", 3, "TH3D"),
    ("weighted", 1, "TH1D"),
    ("weighted", 2, "TH2D"),
    ("weighted", 3, "TH3D"),
    ("profile", 1, "TProfile"),
    ("profile", 2, "TProfile2D"),
]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("storage, num_axes, kind", CASES)
def test_histogram(build_folder: Path, storage: str, num_axes: int, kind: str, seed: int) -> None:
    case = random_case(seed, storage, num_axes)
    assert_same(case, fill_ours(build_folder, case), fill_roots(case, kind))


@pytest.mark.parametrize("seed", range(6))
def test_histogram_of_four_axes(build_folder: Path, seed: int) -> None:
    case = random_case(seed, "weighted", 4)
    case.axes = [axis if isinstance(axis, tuple) else (4, axis[0], axis[-1]) for axis in case.axes]
    case.__post_init__()
    bins, lows, highs = (np.array(words) for words in zip(*case.axes, strict=True))
    cells = [np.zeros(case.num_cells), np.zeros(case.num_cells)]
    ROOT.skimline_tests.fill_four(case.values, case.fills, bins.astype(np.int32), lows, highs, *cells)
    assert np.count_nonzero(cells[0]) > 10
    ours = fill_ours(build_folder, case)
    assert ours.entries == case.fills
    for our, their, scale in zip(ours.cells, cells, scales_of(case)[1], strict=True):
        assert np.all(np.abs(our - their) <= 1e-12 * scale)

# SPDX-License-Identifier: BSD-3-Clause
"""The two references of the ADL benchmark queries agree bin by bin, and their yields are plausible."""

import numpy as np
import pytest
import reference_awkward
import reference_rdataframe

QUERIES = list(reference_awkward.QUERIES)


@pytest.fixture(scope="module")
def by_awkward(awkward, events):
    """All histograms."""
    found = {}
    for query in QUERIES:
        found |= awkward(events, query)
    return found


@pytest.mark.thorough(quick=1)
def test_there_are_nine_histograms(by_awkward):
    assert list(by_awkward) == list(reference_awkward.AXES)


@pytest.mark.thorough(quick=2)
@pytest.mark.parametrize("query", QUERIES)
def test_references_agree(query, events, by_awkward, rdataframe):
    by_rdataframe = rdataframe(events, query)
    assert set(by_rdataframe) == {name for name in by_awkward if name.startswith(query)}
    for name, counts in by_rdataframe.items():
        np.testing.assert_array_equal(by_awkward[name], counts, err_msg=name)


# Least and largest share of fills per event, and the least number of bins that are filled.
YIELDS = {
    "q1": (1, 1, 60),
    "q2": (3.1, 3.3, 100),
    "q3": (1.2, 1.4, 100),
    "q4": (0.04, 0.06, 40),
    "q5": (0.04, 0.08, 40),
    "q6a": (0.43, 0.46, 100),
    "q6b": (0.43, 0.46, 70),
    "q7": (0.15, 0.3, 90),
    "q8": (0.01, 0.06, 50),
}


@pytest.mark.parametrize("name", YIELDS)
def test_yields_are_plausible(name, by_awkward):
    counts = by_awkward[name]
    low, high, filled = YIELDS[name]
    assert low <= counts.sum() / by_awkward["q1"].sum() <= high
    assert np.count_nonzero(counts[1:-1]) >= filled


def bin_of(value: float, axis: reference_awkward.Axis) -> int:
    return int(np.argmax(reference_awkward.bin_counts(np.array([value]), axis)))


@pytest.mark.parametrize("name", reference_awkward.AXES)
def test_edges_belong_to_the_bins_that_root_chooses(name):
    axis = reference_awkward.AXES[name]
    root_axis = reference_rdataframe.ROOT.TAxis(axis.bins, axis.low, axis.high)
    edges = np.array([root_axis.GetBinLowEdge(i) for i in range(1, axis.bins + 2)])
    for value in np.concatenate(
        [edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf), [np.nan, np.inf, -np.inf]]
    ):
        assert bin_of(value, axis) == root_axis.FindFixBin(value), value

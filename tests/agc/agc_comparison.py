# SPDX-License-Identifier: BSD-3-Clause
"""Compares histograms bin by bin."""

import numpy as np
from agc_definition import Histograms

# Rounding of sums that are added in another order.
TOLERANCE = 1e-12


def assert_same(found: Histograms, expected: Histograms) -> None:
    """Same names, contents and variances."""
    assert set(found) == set(expected)
    for name, contents in expected.items():
        for of_found, of_expected, what in zip(found[name], contents, ("contents", "variances"), strict=True):
            np.testing.assert_allclose(
                of_found, of_expected, rtol=TOLERANCE, atol=0, err_msg=f"{name}: {what}"
            )

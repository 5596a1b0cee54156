# SPDX-License-Identifier: BSD-3-Clause
"""Compares what a format answered with what the columns themselves give."""

import math

# A sum may round after each of its terms, in any order.
TOLERANCE = 1e-12


def is_right(answer: object, right: object) -> bool:
    """Whether an answer is the right one, sums but for what rounding in another order changes."""
    if not isinstance(right, dict):
        return answer == right
    pairs = zip(answer, right["sums"], right["scales"], strict=True)  # type: ignore[call-overload]
    return all(math.isclose(a, b, rel_tol=0, abs_tol=TOLERANCE * scale) for a, b, scale in pairs)

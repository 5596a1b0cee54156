# SPDX-License-Identifier: BSD-3-Clause
"""Lorentz vectors have the quantities of ROOT's GenVector; normal_quantile agrees with ROOT's."""

import awkward as ak
import numpy as np
import pytest
from expression_oracle import evaluate_by_rdataframe, evaluate_by_skimline, write_input

NUM_ENTRIES = 2000

COMPONENTS = {
    "any": "d, f, d * 2, 100.",
    "massive": "d, d + 1, i32 / 100., 1000.",
    "along the beam": "0., 0., d, 50.",
    "against the beam": "0., 0., -1e5, f",
    "light-like": "d, 0., 0., abs(d)",
    "light-like along the beam": "0., 0., d, abs(d)",
    "at rest": "0., 0., 0., d",
    "space-like": "d, d, d, 0.1",
    "nothing": "0., 0., 0., 0.",
}
QUANTITIES = ["Pt", "Eta", "Phi", "M", "E", "Px", "Py", "Pz", "P", "Mt", "Rapidity", "Theta"]
EXACT = [
    (f"P4PxPyPzE({components}).{quantity}()", f"ROOT::Math::PxPyPzEVector({components}).{quantity}()")
    for components in COMPONENTS.values()
    for quantity in QUANTITIES
] + [
    ("(P4PxPyPzE(d, 1, 2, 50) + P4PxPyPzE(3, d, d, 70)).M()", "(ROOT::Math::PxPyPzEVector(d, 1, 2, 50) + ROOT::Math::PxPyPzEVector(3, d, d, 70)).M()"),
    ("(P4PxPyPzE(d, 1, 2, 50) - P4PxPyPzE(3, d, d, 70)).M()", "(ROOT::Math::PxPyPzEVector(d, 1, 2, 50) - ROOT::Math::PxPyPzEVector(3, d, d, 70)).M()"),
    ("(P4PxPyPzE(d, 1, 2, 50) * 3.5).Pt()", "(ROOT::Math::PxPyPzEVector(d, 1, 2, 50) * 3.5).Pt()"),
]  # fmt: skip

FIRST, SECOND = "d, 1., 2., 50.", "3., d * 2, -d, 70."
CLOSE = [
    (f"{ours}(P4PxPyPzE({first}), P4PxPyPzE({second}))",
     f"ROOT::Math::VectorUtil::{ours}(ROOT::Math::PxPyPzEVector({first}), ROOT::Math::PxPyPzEVector({second}))")
    for ours in ["DeltaR", "DeltaPhi", "Angle"]
    for first, second in [(FIRST, SECOND), (SECOND, FIRST), (FIRST, FIRST), ("-1., d / 1e9, 3., 9.", "-2., -d / 1e9, 3., 9."),
                          ("1., 0., d, 9e9", "-2., -0., d, 9e9"), ("d, d, 2., 9e9", "-d, -d, 2., 9e9")]
] + [
    (f"P4(abs(d), d / 30, atan(d), 5.).{quantity}()", f"ROOT::Math::PtEtaPhiMVector(abs(d), d / 30, atan(d), 5.).{quantity}()")
    for quantity in ["Pt", "Px", "Py", "Pz", "E"]
] + [
    (f"P4PtEtaPhiE(abs(d), d / 30, atan(d), 5e4).{quantity}()", f"ROOT::Math::PtEtaPhiEVector(abs(d), d / 30, atan(d), 5e4).{quantity}()")
    for quantity in ["Pt", "Px", "Py", "Pz", "E"]
] + [
    ("P4(abs(d) + 9, 0.5, 1, -3).E()", "ROOT::Math::PtEtaPhiMVector(abs(d) + 9, 0.5, 1, -3).E()"),
    ("normal_quantile(rdfentry_ / 2000.)", "rdfentry_ == 0 ? -INFINITY : ROOT::Math::normal_quantile(rdfentry_ / 2000., 1)"),
    ("normal_quantile(exp(-(rdfentry_ + 1.) / 3))", "ROOT::Math::normal_quantile(exp(-(rdfentry_ + 1.) / 3), 1)"),
]  # fmt: skip
PAIRS = EXACT + CLOSE


@pytest.fixture(scope="module")
def values(tmp_path_factory, skimline, one_definition):
    """Ours and theirs of all pairs, by index."""
    headers = "#include <Math/Vector4D.h>\n#include <Math/VectorUtil.h>\n#include <Math/QuantFuncMathCore.h>"
    path = tmp_path_factory.mktemp("vectors") / "input.root"
    write_input(path, NUM_ENTRIES)
    mine = evaluate_by_skimline(skimline, path, [ours for ours, _ in PAIRS])
    other, _ = evaluate_by_rdataframe(path, [theirs for _, theirs in PAIRS], one_definition, headers)
    return [
        (ak.to_numpy(mine[f"e{i}"].array()), ak.to_numpy(other[f"e{i}"].array())) for i in range(len(PAIRS))
    ]


@pytest.mark.thorough
@pytest.mark.parametrize("index", range(len(EXACT)), ids=[ours for ours, _ in EXACT])
def test_quantities_are_those_of_root(index, values):
    mine, other = values[index]
    assert mine.dtype == other.dtype == np.float64
    np.testing.assert_array_equal(mine, other)
    number = ~np.isnan(mine)
    np.testing.assert_array_equal(np.signbit(mine[number]), np.signbit(other[number]))


@pytest.mark.parametrize("index", range(len(EXACT), len(PAIRS)), ids=[ours for ours, _ in CLOSE])
def test_functions_agree_closely(index, values):
    mine, other = values[index]
    np.testing.assert_allclose(mine, other, rtol=2e-14, atol=1e-14)

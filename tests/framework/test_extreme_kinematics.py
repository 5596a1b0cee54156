# SPDX-License-Identifier: BSD-3-Clause
"""Momenta and directions that formulas lose their digits at, against numpy and wider numbers."""

import itertools

import awkward as ak
import numpy as np
import pytest
import uproot
from expression_oracle import evaluate_by_skimline

NUM_EVENTS = 400


def collinear(random, count):
    return np.outer(random.uniform(-9, 9, count), random.uniform(-1, 1, 3))


def nearly_collinear(random, count):
    return collinear(random, count) * (1 + 10 ** random.uniform(-16, -2) * random.uniform(-1, 1, (count, 3)))


def planar(random, count):
    return random.uniform(-9, 9, (count, 2)) @ random.uniform(-1, 1, (2, 3))


def graded(random, count):
    return random.uniform(-1, 1, (count, 3)) * 10 ** random.uniform(-7, 0, (count, 1))


def isotropic(random, count):
    return np.diag([random.uniform(1, 50)] * 3) * random.choice([-1, 1], (3, 3))


KINDS = [collinear, nearly_collinear, planar, graded, isotropic]

EXPRESSIONS = {
    **{name: f"{name}(P4PxPyPzE(x, y, z, 1))" for name in ("Sphericity", "Aplanarity", "TransverseSphericity")},
    "mt_float": "TransverseMass(50.f, a_phi, 40.f, b_phi)",
    "mt_double": "TransverseMass(50., double(a_phi), 40., double(b_phi))",
    "nearest": "Nearest(far, far * 0 + 1, far * 0, far * 0)",
    "match": "Match(far, far * 0 + 1, far * 0, far * 0)",
}  # fmt: skip


@pytest.fixture(scope="module")
def columns():
    random = np.random.default_rng(11)
    kinds = itertools.islice(itertools.cycle(KINDS), NUM_EVENTS)
    momenta = [kind(random, random.integers(1, 6)) for kind in kinds]
    phi = random.uniform(-np.pi, np.pi, NUM_EVENTS).astype("f4")
    return {
        **{name: ak.Array([of[:, axis].tolist() for of in momenta]) for axis, name in enumerate("xyz")},
        "eta": np.zeros(NUM_EVENTS),  # which the evaluation drops
        "a_phi": phi,
        "b_phi": (phi * (1 + 10 ** random.uniform(-8, 0, NUM_EVENTS))).astype("f4"),
        "far": ak.Array([[1e30], [-1e30], [1, 1e30], []] * (NUM_EVENTS // 4)),
    }


@pytest.fixture(scope="module")
def values(columns, tmp_path_factory, skimline):
    path = tmp_path_factory.mktemp("extreme_kinematics") / "input.root"
    with uproot.recreate(path) as file:
        file["Events"] = {**columns, "far": ak.values_astype(columns["far"], "f4")}
    tree = evaluate_by_skimline(skimline, path, list(EXPRESSIONS.values()))
    return {name: tree[f"e{i}"].array() for i, name in enumerate(EXPRESSIONS)}


def test_shapes_of_events_of_less_than_three_directions(columns, values):
    for i in range(NUM_EVENTS):
        momenta = np.array([columns[name][i].to_numpy() for name in "xyz"])
        least, middle, _ = np.linalg.eigvalsh(momenta @ momenta.T / np.sum(momenta**2))
        assert values["Sphericity"][i] == pytest.approx(1.5 * (least + middle), abs=1e-14)
        assert values["Aplanarity"][i] == pytest.approx(1.5 * least, abs=1e-14)
        transverse = np.linalg.eigvalsh(momenta[:2] @ momenta[:2].T)
        expected = 2 * transverse[0] / transverse.sum()
        assert values["TransverseSphericity"][i] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(("kind", "precision"), [("mt_float", 1e-6), ("mt_double", 1e-14)])
def test_transverse_mass_of_small_angles(columns, values, kind, precision):
    half = (columns["b_phi"].astype("f8") - columns["a_phi"].astype("f8")) / 2
    expected = 2 * np.sqrt(50 * 40) * abs(np.sin(half))
    np.testing.assert_allclose(values[kind], expected, rtol=precision, atol=1e-5)


def test_what_is_infinitely_far_is_not_near(values):
    """Squares of these distances are beyond single precision."""
    expected = [[-1], [-1], [0, -1], []] * (NUM_EVENTS // 4)
    assert values["nearest"].tolist() == expected
    assert values["match"].tolist() == expected

# SPDX-License-Identifier: BSD-3-Clause
"""Frames, shapes of events and matching, against vector, numpy, a search for the smallest mass and plain loops."""

import itertools
import math

import awkward as ak
import numpy as np
import pytest
import scipy.optimize
import uproot
import vector
from expression_oracle import evaluate_by_skimline

NUM_EVENTS = 100


def momenta(random, prefix, masses):
    size = NUM_EVENTS
    return {
        f"{prefix}_pt": random.exponential(40, size),
        f"{prefix}_eta": random.normal(0, 1.5, size),
        f"{prefix}_phi": random.uniform(-np.pi, np.pi, size),
        f"{prefix}_mass": masses(size),
    }


def lists(random, prefix, counts):
    total = int(counts.sum())
    columns = {
        "pt": random.exponential(40, total).astype("f4"),
        "eta": random.normal(0, 1, total).astype("f4"),
        "phi": random.uniform(-np.pi, np.pi, total).astype("f4"),
        "mass": np.full(total, 0.1, "f4"),
        "charge": random.choice(np.array([-1, 1], "i4"), total),
        "flavour": random.choice(np.array([11, 13, -11, -13], "i4"), total),
    }
    return {f"{prefix}_{name}": ak.unflatten(values, counts) for name, values in columns.items()}


EXPRESSIONS = {
    **{f"rest_{q}": f"BoostToRestFrame(P4(a_pt, a_eta, a_phi, a_mass), P4(b_pt, b_eta, b_phi, b_mass)).{q}()" for q in ("px", "py", "pz", "energy")},
    **{f"boost_{q}": f"Boost(P4(a_pt, a_eta, a_phi, a_mass), 0.3, -0.5, 0.6).{q}()" for q in ("px", "py", "pz", "energy")},
    "no_rest": "BoostToRestFrame(P4(a_pt, a_eta, a_phi, a_mass), P4PxPyPzE(1, 0, 0, 1)).energy()",
    "cos_theta": "CosThetaCollinsSoper(P4(a_pt, a_eta, a_phi, 0), P4(b_pt, b_eta, b_phi, 0))",
    "phi_cs": "PhiCollinsSoper(P4(a_pt, a_eta, a_phi, 0), P4(b_pt, b_eta, b_phi, 0))",
    "mt": "TransverseMass(a_pt, a_phi, b_pt, b_phi)",
    "mt2": "MT2(P4(a_pt, a_eta, a_phi, a_mass), P4(b_pt, b_eta, b_phi, b_mass), met, met_phi, 0, 0)",
    "mt2_heavy": "MT2(P4(a_pt, a_eta, a_phi, a_mass), P4(b_pt, b_eta, b_phi, b_mass), met, met_phi, 50, 80)",
    "mt2_massless": "MT2(P4(a_pt, a_eta, a_phi, 0), P4(b_pt, b_eta, b_phi, 0), met, met_phi, 0, 0)",
    "ht": "HT(x_pt)",
    "st": "ST(x_pt, y_pt, met)",
    **{name: f"{name}(P4(x_pt, x_eta, x_phi, x_mass))" for name in ("Sphericity", "Aplanarity", "TransverseSphericity")},
    "least": "MinDeltaR(x_eta, y_eta, x_phi, y_phi)",
    "least_of_objects": "MinDeltaR(x, y)",
    "nearest": "Nearest(x, y)",
    "nearest_of_some": "Nearest(x[x.pt > 20], y)",
    "nearest_vectors": "Nearest(x.p4(), y.p4())",
    "near": "Nearest(x, y, 0.8)",
    "match": "Match(x, y, 1.5)",
    "best": "BestPair(x.p4(), x.charge, x.flavour, 91.2)",
    "best_of_any": "BestPair(x.p4(), x.charge, 91.2)",
}  # fmt: skip


@pytest.fixture(scope="module")
def columns():
    random = np.random.default_rng(5)
    made = {
        **momenta(random, "a", lambda size: random.uniform(0.1, 90, size)),
        **momenta(random, "b", lambda size: random.uniform(0.1, 90, size)),
        "eta": np.zeros(NUM_EVENTS),  # which the evaluation drops
        "met": random.exponential(60, NUM_EVENTS),
        "met_phi": random.uniform(-np.pi, np.pi, NUM_EVENTS),
    }
    made |= lists(random, "x", random.integers(0, 7, NUM_EVENTS))
    made |= lists(random, "y", random.integers(0, 5, NUM_EVENTS))
    return made


@pytest.fixture(scope="module")
def values(columns, tmp_path_factory, skimline):
    path = tmp_path_factory.mktemp("event_functions") / "input.root"
    jagged = {name: column for name, column in columns.items() if name[0] in "xy"}
    with uproot.recreate(path) as file:
        branches = {name: column for name, column in columns.items() if name not in jagged}
        for prefix in "xy":
            branches[prefix] = ak.zip(
                {name[2:]: column for name, column in jagged.items() if name[0] == prefix}
            )
        file.mktree("Events", {name: ak.type(column).content for name, column in branches.items()})
        file["Events"].extend(branches)
    tree = evaluate_by_skimline(skimline, path, list(EXPRESSIONS.values()))
    return {name: tree[f"e{i}"].array() for i, name in enumerate(EXPRESSIONS)}


def vectors(columns, prefix):
    return vector.zip({name: columns[f"{prefix}_{name}"] for name in ("pt", "eta", "phi", "mass")})


@pytest.mark.parametrize("component", ["px", "py", "pz", "energy"])
def test_boosts(columns, values, component):
    a, b = vectors(columns, "a"), vectors(columns, "b")
    np.testing.assert_allclose(
        values[f"rest_{component}"], getattr(a.boostCM_of_p4(b), component), rtol=1e-9, atol=1e-7
    )
    boosted = a.boost_beta3(vector.obj(x=0.3, y=-0.5, z=0.6))
    np.testing.assert_allclose(
        values[f"boost_{component}"], getattr(boosted, component), rtol=1e-11, atol=1e-9
    )


def test_there_is_no_frame_as_fast_as_light(values):
    assert np.isnan(ak.to_numpy(values["no_rest"])).all()


def test_collins_soper(columns, values):
    for i in range(40):
        a, b = (
            vector.obj(pt=v.pt, eta=v.eta, phi=v.phi, mass=0)
            for v in (vectors(columns, "a")[i], vectors(columns, "b")[i])
        )
        pair = a + b
        side = 1 if pair.pz >= 0 else -1
        beams = [vector.obj(px=0, py=0, pz=side * sign * 6500, E=6500) for sign in (1, -1)]
        first, second = (
            np.array([p.px, p.py, p.pz]) / p.p for p in (beam.boostCM_of_p4(pair) for beam in beams)
        )
        z = (first - second) / np.linalg.norm(first - second)
        x = -(first + second) / np.linalg.norm(first + second)
        lepton = a.boostCM_of_p4(pair)
        direction = np.array([lepton.px, lepton.py, lepton.pz]) / lepton.p
        assert math.isclose(values["cos_theta"][i], direction @ z, abs_tol=1e-6)
        angle = math.atan2(direction @ np.cross(z, x), direction @ x)
        assert abs(math.remainder(values["phi_cs"][i] - angle, 2 * math.pi)) < 1e-5


def test_transverse_mass(columns, values):
    a, b = vectors(columns, "a"), vectors(columns, "b")
    square = (a.pt + b.pt) ** 2 - (a.px + b.px) ** 2 - (a.py + b.py) ** 2
    np.testing.assert_allclose(values["mt"], np.sqrt(np.maximum(square, 0)), rtol=1e-7, atol=1e-5)


def smallest_mass(a, b, missing, invisible):
    """By looking closer around the best point of a grid, then downhill: the larger mass is a convex function."""
    scale = max(a.pt, b.pt, a.mass, b.mass, *invisible, np.hypot(*missing))

    def both(qx, qy):
        return (
            squares(a, invisible[0], qx, qy),
            squares(b, invisible[1], missing[0] - qx, missing[1] - qy),
        )

    def squares(p, mass, qx, qy):
        energy = np.hypot(p.mass, p.pt)
        return p.mass**2 + mass**2 + 2 * (energy * np.sqrt(mass**2 + qx**2 + qy**2) - p.px * qx - p.py * qy)

    centre, width = np.zeros(2), 64 * scale
    steps = np.linspace(-1, 1, 21)
    for _ in range(20):
        qx, qy = np.meshgrid(centre[0] + width * steps, centre[1] + width * steps)
        larger = np.maximum(*both(qx, qy))
        at = np.unravel_index(np.argmin(larger), larger.shape)
        centre, width = np.array([qx[at], qy[at]]), width * 0.7
    # The valley may be narrow: the smallest number that both are below.
    start = [*(centre / scale), larger.min() / scale**2]
    found = scipy.optimize.minimize(
        lambda x: x[2],
        start,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda x: x[2] - np.array(both(*(scale * x[:2]))) / scale**2},
        options={"ftol": 1e-15, "maxiter": 100},
    )
    polished = max(both(*(scale * found.x[:2])))
    return math.sqrt(max(min(larger.min(), polished), 0))


@pytest.mark.parametrize(
    ("name", "invisible", "is_massless"),
    [("mt2", (0, 0), False), ("mt2_heavy", (50, 80), False), ("mt2_massless", (0, 0), True)],
)
def test_mt2_is_the_smallest_mass(columns, values, name, invisible, is_massless):
    a, b = vectors(columns, "a"), vectors(columns, "b")
    number_of_zeros = 0
    for i in range(12):
        first, second = (
            vector.obj(pt=v[i].pt, eta=v[i].eta, phi=v[i].phi, mass=0 if is_massless else v[i].mass)
            for v in (a, b)
        )
        met, phi = columns["met"][i], columns["met_phi"][i]
        expected = smallest_mass(first, second, (met * math.cos(phi), met * math.sin(phi)), invisible)
        number_of_zeros += values[name][i] == 0
        assert math.isclose(values[name][i], expected, rel_tol=2e-5, abs_tol=2e-3), i
    assert (number_of_zeros > 0) == is_massless


def test_sums_of_momenta(columns, values):
    for i in range(NUM_EVENTS):
        sums = [np.float32(0), 0.0]
        for value in columns["x_pt"][i]:
            sums[0] += np.float32(value)
        for value in [*columns["x_pt"][i], *columns["y_pt"][i], columns["met"][i]]:
            sums[1] += float(value)
        assert [values["ht"][i], values["st"][i]] == sums
    assert ak.to_numpy(values["ht"]).dtype == np.float32


def test_shapes_of_events(columns, values):
    momentum = vectors(columns, "x")
    for i in range(NUM_EVENTS):
        p = np.stack([ak.to_numpy(getattr(momentum[i], name)).astype(float) for name in ("px", "py", "pz")])
        if p.shape[1] == 0:
            assert math.isnan(values["Sphericity"][i])
            continue
        eigenvalues = np.linalg.eigvalsh(p @ p.T / np.sum(p * p))
        assert math.isclose(values["Sphericity"][i], 1.5 * (eigenvalues[0] + eigenvalues[1]), abs_tol=1e-6)
        assert math.isclose(values["Aplanarity"][i], 1.5 * eigenvalues[0], abs_tol=1e-6)
        transverse = np.linalg.eigvalsh(p[:2] @ p[:2].T)
        expected = 2 * transverse[0] / transverse.sum()
        assert math.isclose(values["TransverseSphericity"][i], expected, abs_tol=1e-5)


def distances(columns, i, chosen=slice(None)):
    """Of all pairs of one event, in single precision as the columns are."""
    rows = []
    for eta, phi in zip(columns["x_eta"][i][chosen], columns["x_phi"][i][chosen], strict=True):
        row = []
        for other_eta, other_phi in zip(columns["y_eta"][i], columns["y_phi"][i], strict=True):
            dphi = math.remainder(float(np.float32(other_phi) - np.float32(phi)), 2 * math.pi)
            row.append(math.hypot(float(eta) - float(other_eta), dphi))
        rows.append(row)
    return rows


def test_nearest(columns, values):
    for i in range(NUM_EVENTS):
        rows = distances(columns, i)
        least = [min(row, default=math.inf) for row in rows]
        np.testing.assert_allclose(values["least"][i], least, rtol=2e-5, atol=1e-6)
        assert ak.to_list(values["least"][i]) == ak.to_list(values["least_of_objects"][i])
        nearest = [int(np.argmin(row)) if row else -1 for row in rows]
        assert ak.to_list(values["nearest"][i]) == ak.to_list(values["nearest_vectors"][i]) == nearest
        near = [index if distance <= 0.8 else -1 for index, distance in zip(nearest, least, strict=True)]
        assert ak.to_list(values["near"][i]) == near
        some = distances(columns, i, columns["x_pt"][i] > 20)
        assert ak.to_list(values["nearest_of_some"][i]) == [int(np.argmin(r)) if r else -1 for r in some]


def test_match_is_one_to_one_and_nearest_first(columns, values):
    for i in range(NUM_EVENTS):
        pairs = sorted(
            (distance, j, k) for j, row in enumerate(distances(columns, i)) for k, distance in enumerate(row)
        )
        expected = [-1] * len(columns["x_pt"][i])
        for distance, j, k in pairs:
            if distance <= 1.5 and expected[j] < 0 and k not in expected:
                expected[j] = k
        assert ak.to_list(values["match"][i]) == expected


@pytest.mark.parametrize(("name", "has_flavour"), [("best", True), ("best_of_any", False)])
def test_best_pair(columns, values, name, has_flavour):
    momentum = vectors(columns, "x")
    components = [ak.to_list(part) for part in (momentum.px, momentum.py, momentum.pz, momentum.E)]
    num_found = 0
    for i in range(NUM_EVENTS):
        p = np.array([part[i] for part in components])
        charges, flavours = (ak.to_numpy(columns[name][i]) for name in ("x_charge", "x_flavour"))
        best, least = [], math.inf
        for j, k in itertools.combinations(range(len(charges)), 2):
            if charges[j] == charges[k] or (has_flavour and abs(flavours[j]) != abs(flavours[k])):
                continue
            total = p[:, j] + p[:, k]
            away = abs(math.sqrt(total[3] ** 2 - total[:3] @ total[:3]) - 91.2)
            if away < least:
                best, least = [j, k], away
        num_found += bool(best)
        assert ak.to_list(values[name][i]) == best
    assert 20 < num_found < NUM_EVENTS

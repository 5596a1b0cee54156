# SPDX-License-Identifier: BSD-3-Clause
"""The ADL benchmark queries with awkward: what goes into each histogram, for a chunk of events.

Floats are widened to double before anything is computed. Of equally good combinations the first counts, in
the order of the lists.
"""

from dataclasses import dataclass

import awkward as ak
import numpy as np
import uproot

TOP_MASS, Z_MASS = 172.5, 91.2


@dataclass(frozen=True)
class Axis:
    """Bins of equal width."""

    bins: int
    low: float
    high: float


AXES = {
    "q1": Axis(100, 0, 200),
    "q2": Axis(100, 15, 60),
    "q3": Axis(100, 15, 60),
    "q4": Axis(100, 0, 200),
    "q5": Axis(100, 0, 200),
    "q6a": Axis(100, 15, 40),
    "q6b": Axis(100, 0, 1),
    "q7": Axis(100, 15, 200),
    "q8": Axis(100, 0, 200),
}

MET = ("MET_pt",)
JETS = ("Jet_pt", "Jet_eta", "Jet_phi", "Jet_mass")
MUONS = ("Muon_pt", "Muon_eta", "Muon_phi", "Muon_mass", "Muon_charge")
ELECTRONS = ("Electron_pt", "Electron_eta", "Electron_phi", "Electron_mass", "Electron_charge")

COLUMNS = {
    "q1": MET,
    "q2": JETS[:1],
    "q3": JETS[:2],
    "q4": (*JETS[:1], *MET),
    "q5": (*MUONS, *MET),
    "q6": (*JETS, "Jet_btag"),
    "q7": (*JETS[:3], *MUONS[:3], *ELECTRONS[:3]),
    "q8": (*MUONS, *ELECTRONS, *MET, "MET_phi"),
}


def widened(column: ak.Array) -> ak.Array:
    numbers = ak.to_numpy(ak.flatten(column, axis=None))
    return ak.values_astype(column, np.float64) if numbers.dtype == np.float32 else column


def collection(events: ak.Array, name: str) -> ak.Array:
    """The lists of a collection as one list of records."""
    prefix = f"{name}_"
    return ak.zip(
        {field.removeprefix(prefix): events[field] for field in events.fields if field.startswith(prefix)}
    )


def momentum(particles: ak.Array) -> ak.Array:
    """Cartesian components; the sign of the mass is that of its square."""
    pt, eta, mass = particles.pt, particles.eta, particles.mass
    x, y, z = pt * np.cos(particles.phi), pt * np.sin(particles.phi), pt * np.sinh(eta)
    energy = np.sqrt(x * x + y * y + z * z + mass * abs(mass))
    return ak.zip({"x": x, "y": y, "z": z, "energy": energy})


def add(*momenta: ak.Array) -> ak.Array:
    return ak.zip({name: sum(p[name] for p in momenta) for name in ("x", "y", "z", "energy")})


def mass_of(p: ak.Array) -> ak.Array:
    square = p.energy * p.energy - (p.x * p.x + p.y * p.y + p.z * p.z)
    return np.sign(square) * np.sqrt(abs(square))


def pt_of(p: ak.Array) -> ak.Array:
    return np.sqrt(p.x * p.x + p.y * p.y)


def delta_phi(first: ak.Array, second: ak.Array) -> ak.Array:
    return (first - second + np.pi) % (2 * np.pi) - np.pi


def query1(events: ak.Array) -> dict[str, ak.Array]:
    return {"q1": events.MET_pt}


def query2(events: ak.Array) -> dict[str, ak.Array]:
    return {"q2": ak.flatten(events.Jet_pt)}


def query3(events: ak.Array) -> dict[str, ak.Array]:
    return {"q3": ak.flatten(events.Jet_pt[abs(events.Jet_eta) < 1])}


def query4(events: ak.Array) -> dict[str, ak.Array]:
    return {"q4": events.MET_pt[ak.sum(events.Jet_pt > 40, axis=1) >= 2]}


def query5(events: ak.Array) -> dict[str, ak.Array]:
    muons = collection(events, "Muon")
    first, second = ak.unzip(ak.combinations(muons, 2))
    mass = mass_of(add(momentum(first), momentum(second)))
    is_wanted = (first.charge != second.charge) & (mass > 60) & (mass < 120)
    return {"q5": events.MET_pt[ak.any(is_wanted, axis=1)]}


def query6(events: ak.Array) -> dict[str, ak.Array]:
    jets = collection(events, "Jet")
    momenta = momentum(jets)
    with_momenta = ak.zip({**{n: momenta[n] for n in momenta.fields}, "btag": jets.btag})
    triplets = ak.combinations(with_momenta[ak.num(jets) >= 3], 3)
    first, second, third = ak.unzip(triplets)
    total = add(first, second, third)
    best = ak.argmin(abs(mass_of(total) - TOP_MASS), axis=1, keepdims=True)
    btag = np.maximum(np.maximum(first.btag, second.btag), third.btag)
    return {"q6a": ak.flatten(pt_of(total[best])), "q6b": ak.flatten(btag[best])}


def is_far_from(jets: ak.Array, leptons: ak.Array) -> ak.Array:
    """For each jet, whether no lepton of pt > 10 is nearer than 0.4."""
    jet, lepton = ak.unzip(ak.cartesian([jets, leptons[leptons.pt > 10]], nested=True))
    distance = np.sqrt((jet.eta - lepton.eta) ** 2 + delta_phi(jet.phi, lepton.phi) ** 2)
    return ak.all(distance >= 0.4, axis=2)


def query7(events: ak.Array) -> dict[str, ak.Array]:
    jets = collection(events, "Jet")
    jets = jets[jets.pt > 30]
    is_good = is_far_from(jets, collection(events, "Muon")) & is_far_from(
        jets, collection(events, "Electron")
    )
    good = jets[is_good]
    return {"q7": ak.sum(good.pt, axis=1)[ak.num(good) > 0]}


def leptons_of(events: ak.Array) -> ak.Array:
    """Muons, then electrons."""
    muons, electrons = collection(events, "Muon"), collection(events, "Electron")
    muons["flavour"] = ak.zeros_like(muons.charge)
    electrons["flavour"] = ak.ones_like(electrons.charge)
    return ak.concatenate([muons, electrons], axis=1)


def query8(events: ak.Array) -> dict[str, ak.Array]:
    leptons = leptons_of(events)
    enough = ak.num(leptons) >= 3
    events, leptons = events[enough], leptons[enough]
    leptons["index"] = ak.local_index(leptons)
    first, second = ak.unzip(ak.combinations(leptons, 2))
    is_pair = (first.flavour == second.flavour) & (first.charge != second.charge)
    first, second = first[is_pair], second[is_pair]
    distance = abs(mass_of(add(momentum(first), momentum(second))) - Z_MASS)
    best = ak.argmin(distance, axis=1, keepdims=True)
    has_pair = ak.any(is_pair, axis=1)
    first, second = (ak.firsts(lepton.index[best]) for lepton in (first, second))
    others = leptons[(leptons.index != first) & (leptons.index != second)][has_pair]
    other = ak.firsts(others[ak.argmax(others.pt, axis=1, keepdims=True)])
    met, met_phi = events.MET_pt[has_pair], events.MET_phi[has_pair]
    return {"q8": np.sqrt(2 * other.pt * met * (1 - np.cos(delta_phi(met_phi, other.phi))))}


QUERIES = {f"q{number}": globals()[f"query{number}"] for number in range(1, 9)}


def bin_counts(values: np.ndarray, axis: Axis) -> np.ndarray:
    """Fills a histogram as ROOT 6.40 does: the nearest edges decide, the upper edge and NaN overflow."""
    width = (axis.high - axis.low) / axis.bins
    is_inside = (values >= axis.low) & (values < axis.high)
    inside = values[is_inside]
    bins = (axis.bins * (inside - axis.low) / (axis.high - axis.low)).astype(np.int64)
    bins = np.where(inside < axis.low + bins * width, bins - 1, bins)
    bins = np.where(inside >= axis.low + (bins + 1) * width, bins + 1, bins)
    counts = np.bincount(bins + 1, minlength=axis.bins + 2)
    counts[0] += np.sum(values < axis.low)
    counts[-1] += np.sum(~is_inside & ~(values < axis.low))
    return counts


def chunks(path: str, query: str, step: int):
    """The columns that the query needs, widened, `step` events at a time."""
    with uproot.open(path) as file:
        ntuple = file["Events"]
        for start in range(0, ntuple.num_entries, step):
            part = ntuple.arrays(COLUMNS[query], entry_start=start, entry_stop=start + step)
            yield ak.zip({name: widened(part[name]) for name in part.fields}, depth_limit=1)


def histograms(path: str, query: str, step: int = 100_000) -> dict[str, np.ndarray]:
    """Returns the contents of the query's histograms, under- and overflow first and last."""
    totals: dict[str, np.ndarray] = {}
    for events in chunks(path, query, step):
        for name, values in QUERIES[query](events).items():
            counts = bin_counts(ak.to_numpy(values).astype(np.float64), AXES[name])
            totals[name] = totals.get(name, 0) + counts
    return totals

# SPDX-License-Identifier: BSD-3-Clause
"""The ttbar analysis of the AGC with awkward. Floats are widened to double before anything is computed."""

from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist

import agc_definition as agc
import awkward as ak
import numpy as np
import uproot
from agc_definition import Contents, Histograms, Sample, Selection

COLUMNS = ("Electron_pt", "Muon_pt", "Jet_pt", "Jet_eta", "Jet_phi", "Jet_mass", "Jet_btagCSVV2")
QUALITY_COLUMNS = (
    *("Electron_eta", "Electron_sip3d", "Electron_cutBased"),
    *("Muon_eta", "Muon_sip3d", "Muon_tightId", "Muon_pfRelIso04_all"),
    "Jet_jetId",
)

RESOLUTION_FACTORS = np.array([1 + 0.05 * NormalDist().inv_cdf(0.001 * k + 0.0005) for k in range(1000)])


def widened(column: ak.Array) -> ak.Array:
    numbers = ak.to_numpy(ak.flatten(column, axis=None))
    return ak.values_astype(column, np.float64) if numbers.dtype == np.float32 else column


def count_events(path: str) -> int:
    with uproot.open(path) as file:
        return file["Events"].num_entries


def chunk(path: str, selection: Selection, start: int, step: int) -> ak.Array:
    """The columns that the selection needs of at most `step` events."""
    columns = COLUMNS + QUALITY_COLUMNS * selection.has_quality
    with uproot.open(path) as file:
        part = file["Events"].arrays(columns, entry_start=start, entry_stop=start + step)
        return ak.zip({name: widened(part[name]) for name in part.fields}, depth_limit=1)


def chunks(path: str, selection: Selection, step: int) -> Iterator[ak.Array]:
    """The columns that the selection needs, `step` events at a time."""
    for start in range(0, count_events(path), step):
        yield chunk(path, selection, start, step)


def good_electrons(events: ak.Array, selection: Selection) -> ak.Array:
    is_good = events.Electron_pt > selection.lepton_pt
    if selection.has_quality:
        is_good = is_good & (abs(events.Electron_eta) < 2.1) & (events.Electron_sip3d < 4)
        is_good = is_good & (events.Electron_cutBased == 4)
    return is_good


def good_muons(events: ak.Array, selection: Selection) -> ak.Array:
    is_good = events.Muon_pt > selection.lepton_pt
    if selection.has_quality:
        is_good = is_good & (abs(events.Muon_eta) < 2.1) & (events.Muon_sip3d < 4)
        is_good = is_good & (events.Muon_tightId == 1) & (events.Muon_pfRelIso04_all < 0.15)
    return is_good


def good_jets(events: ak.Array, pt: ak.Array, selection: Selection) -> ak.Array:
    """The jets that count, with this pt in place of the stored one."""
    is_good = pt > selection.jet_pt
    if selection.has_quality:
        is_good = is_good & (abs(events.Jet_eta) < 2.4) & (events.Jet_jetId == 6)
    jets = {
        "pt": pt,
        "eta": events.Jet_eta,
        "phi": events.Jet_phi,
        "mass": events.Jet_mass,
        "is_tagged": events.Jet_btagCSVV2 > selection.btag,
    }
    return ak.zip(jets)[is_good]


def smeared(pt: ak.Array) -> ak.Array:
    flat = ak.to_numpy(ak.flatten(pt))
    factors = RESOLUTION_FACTORS[(1000 * flat).astype(np.int64) % 1000]
    return ak.unflatten(flat * factors, ak.num(pt))


def trijet_mass(jets: ak.Array) -> ak.Array:
    """The mass of the three jets with a b-tag among them whose total pt is largest."""
    x, y = jets.pt * np.cos(jets.phi), jets.pt * np.sin(jets.phi)
    z = jets.pt * np.sinh(jets.eta)
    energy = np.sqrt(x * x + y * y + z * z + jets.mass * abs(jets.mass))
    momenta = ak.zip({"x": x, "y": y, "z": z, "energy": energy, "is_tagged": jets.is_tagged})
    first, second, third = ak.unzip(ak.combinations(momenta, 3))
    total = {name: first[name] + second[name] + third[name] for name in ("x", "y", "z", "energy")}
    total = ak.zip(total)[first.is_tagged | second.is_tagged | third.is_tagged]
    best = ak.argmax(total.x * total.x + total.y * total.y, axis=1, keepdims=True)
    sum_ = ak.flatten(total[best])
    square = sum_.energy**2 - (sum_.x**2 + sum_.y**2 + sum_.z**2)
    return np.sign(square) * np.sqrt(abs(square))


def observables(jets: ak.Array) -> Iterator[tuple[str, ak.Array, ak.Array]]:
    """Each region, its jets in each of its events, and the observable there."""
    num_tagged = ak.sum(jets.is_tagged, axis=1)
    one, more = jets[num_tagged == 1], jets[num_tagged >= 2]
    yield "4j1b", one, ak.sum(one.pt, axis=1)
    yield "4j2b", more, trijet_mass(more)


def place(values: np.ndarray) -> np.ndarray:
    """Bins as ROOT 6.40 finds them, 0 for underflow: the nearest edges decide."""
    bins, low, high = agc.BINS, agc.LOW, agc.HIGH
    width = (high - low) / bins
    is_inside = (values >= low) & (values < high)
    found = np.where(is_inside, bins * (np.where(is_inside, values, low) - low) / (high - low), 0)
    found = found.astype(np.int64)
    found = np.where(values < low + found * width, found - 1, found)
    found = np.where(values >= low + (found + 1) * width, found + 1, found)
    return np.where(is_inside, found + 1, np.where(values < low, 0, bins + 1))


def fill(values: ak.Array, weights: np.ndarray) -> Contents:
    places = place(ak.to_numpy(values).astype(np.float64))
    return Contents(
        np.bincount(places, weights, minlength=agc.BINS + 2),
        np.bincount(places, weights * weights, minlength=agc.BINS + 2),
    )


def factors_of_events(jets: ak.Array, sample: Sample) -> Iterator[tuple[str, np.ndarray]]:
    """The variations that change nothing but the weight."""
    for i in range(4):
        change = 0.075 * ak.to_numpy(jets.pt[:, i]) / 50
        yield f"btag_var_{i}_up", 1 + change
        yield f"btag_var_{i}_down", 1 - change
    if sample.process == "wjets":
        yield "scale_var_up", np.full(len(jets), 1.025)
        yield "scale_var_down", np.full(len(jets), 0.975)


def histograms_of_events(events: ak.Array, sample: Sample, selection: Selection) -> Histograms:
    num_leptons = ak.sum(good_electrons(events, selection), axis=1)
    num_leptons = num_leptons + ak.sum(good_muons(events, selection), axis=1)
    events = events[num_leptons == 1]
    momenta = {"nominal": events.Jet_pt}
    if sample.is_nominal:
        momenta |= {"pt_scale_up": events.Jet_pt * 1.03, "pt_res_up": smeared(events.Jet_pt)}
    found = {}
    for variation, pt in momenta.items():
        jets = good_jets(events, pt, selection)
        for region, chosen, values in observables(jets[ak.num(jets) >= 4]):
            weights = np.full(len(chosen), sample.weight)
            found[sample.histogram(region, variation)] = fill(values, weights)
            if variation == "nominal" and sample.is_nominal:
                for name, factors in factors_of_events(chosen, sample):
                    found[sample.histogram(region, name)] = fill(values, weights * factors)
    return found


def histograms_of_sample(sample: Sample, selection: Selection, step: int = 50_000) -> Histograms:
    totals: Histograms = {}
    for path in sample.paths:
        for events in chunks(path, selection, step):
            for name, contents in histograms_of_events(events, sample, selection).items():
                totals[name] = totals[name] + contents if name in totals else contents
    return totals


def histograms(inputs: Path, selection: Selection) -> Histograms:
    """All histograms of the samples listed in `inputs`."""
    found = {}
    for sample in agc.read_samples(inputs):
        found |= histograms_of_sample(sample, selection)
    return agc.with_pseudodata(found)

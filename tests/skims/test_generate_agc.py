# SPDX-License-Identifier: BSD-3-Clause
"""The samples of the AGC that `skimline generate agc` writes, judged by uproot, Awkward Array and real data."""

import hashlib
import json

import awkward as ak
import numpy as np
import pytest
import uproot

DONE, FAILED, WRONG_USAGE = 0, 1, 2
SAMPLES = [
    *(f"ttbar__{variation}" for variation in ("nominal", "scaledown", "scaleup", "ME_var", "PS_var")),
    *(f"single_top_{channel}__nominal" for channel in ("s_chan", "t_chan", "tW")),
    "wjets__nominal",
]
# Fractions of events in the regions 4j1b and 4j2b of CMS's samples, from the analysis's yields.
REAL = {
    "ttbar__nominal": (0.0095, 0.0213),
    "single_top_s_chan__nominal": (0.0007, 0.0017),
    "single_top_t_chan__nominal": (0.0007, 0.0013),
    "single_top_tW__nominal": (0.0070, 0.0092),
    "wjets__nominal": (0.00011, 0.00004),
}
# What the analysis reads.
USED = [
    *(f"Electron_{name}" for name in ("pt", "eta", "sip3d", "cutBased")),
    *(f"Muon_{name}" for name in ("pt", "eta", "sip3d", "tightId", "pfRelIso04_all")),
    *(f"Jet_{name}" for name in ("pt", "eta", "phi", "mass", "jetId", "btagCSVV2")),
]


def regions(columns):
    """Whether events are in 4j1b and in 4j2b, and the four-vectors of their selected jets, in double precision."""
    wide = {
        name: ak.values_astype(columns[name], np.float64) if "Id" not in name else columns[name]
        for name in columns.fields
    }
    electrons = (
        (wide["Electron_pt"] > 30)
        & (abs(wide["Electron_eta"]) < 2.1)
        & (wide["Electron_sip3d"] < 4)
        & (wide["Electron_cutBased"] == 4)
    )
    muons = (
        (wide["Muon_pt"] > 30)
        & (abs(wide["Muon_eta"]) < 2.1)
        & (wide["Muon_sip3d"] < 4)
        & wide["Muon_tightId"]
        & (wide["Muon_pfRelIso04_all"] < 0.15)
    )
    jets = (wide["Jet_pt"] > 30) & (abs(wide["Jet_eta"]) < 2.4) & (wide["Jet_jetId"] == 6)
    tags = ak.sum(wide["Jet_btagCSVV2"][jets] > 0.5, axis=1)
    common = (ak.sum(electrons, axis=1) + ak.sum(muons, axis=1) == 1) & (ak.sum(jets, axis=1) >= 4)
    pt, eta, phi, mass = (wide[f"Jet_{name}"][jets] for name in ("pt", "eta", "phi", "mass"))
    energy = np.sqrt((pt * np.cosh(eta)) ** 2 + mass * abs(mass))
    vectors = ak.zip(
        {
            "x": pt * np.cos(phi),
            "y": pt * np.sin(phi),
            "z": pt * np.sinh(eta),
            "t": energy,
            "tag": wide["Jet_btagCSVV2"][jets],
        }
    )
    return common & (tags == 1), common & (tags >= 2), vectors


def trijet_masses(vectors):
    """The mass of the three jets, one b-tagged or more, with the largest transverse momentum together."""
    triples = ak.combinations(vectors, 3, fields=["a", "b", "c"])
    tagged = (triples.a.tag > 0.5) | (triples.b.tag > 0.5) | (triples.c.tag > 0.5)
    triples = triples[tagged]
    x, y, z, t = (triples.a[i] + triples.b[i] + triples.c[i] for i in "xyzt")
    best = ak.argmax(x**2 + y**2, axis=1, keepdims=True)
    return ak.flatten(np.sqrt(t**2 - x**2 - y**2 - z**2)[best]).to_numpy()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Trains the boosted decision tree of jet_assignment.json with generated events, and writes it as ONNX.

pip install xgboost onnxmltools skl2onnx awkward
"""

import argparse
import warnings
from pathlib import Path

import awkward as ak
import numpy as np
import skimline as sk

HERE = Path(__file__).resolve().parent
FEATURES = [
    *("leptonic_mass", "w_mass", "top_mass", "top_pt", "lepton_angle", "w_angle", "top_angle"),
    *("tag_leptonic_b", "tag_hadronic_b", "tag_w_1", "tag_w_2"),
]
JETS = ["leptonic_b", "hadronic_b", "w_1", "w_2"]
TRUTH = ["GenPart_pdgId", "GenPart_genPartIdxMother", "GenPart_eta", "GenPart_phi"]
NEAR = 0.4
B, TOP, W = 5, 6, 24


def assignments(events: Path) -> sk.Frame:
    """All assignments of the selected events."""
    config = {
        "schema_version": 1,
        "include": [str(HERE / "assignments.json")],
        "samples": {"ttbar": {"files": [str(events)]}},
    }
    frame = sk.Frame.from_config(config)
    return frame.define("jet_eta", "Take(good_jets.eta, num_jets)").define(
        "jet_phi", "Take(good_jets.phi, num_jets)"
    )


def is_near_any(arrays: ak.Array, quarks: ak.Array) -> ak.Array:
    """Which jets have one of these quarks near them."""
    eta, quark_eta = ak.unzip(ak.cartesian([arrays.jet_eta, arrays.GenPart_eta[quarks]], nested=True))
    phi, quark_phi = ak.unzip(ak.cartesian([arrays.jet_phi, arrays.GenPart_phi[quarks]], nested=True))
    turn = (phi - quark_phi + np.pi) % (2 * np.pi) - np.pi
    return ak.any((eta - quark_eta) ** 2 + turn**2 < NEAR**2, axis=-1)


def is_right(arrays: ak.Array) -> ak.Array:
    """Of each assignment whether all four jets are near the quark that they are taken for."""
    code, mother = arrays.GenPart_pdgId, arrays.GenPart_genPartIdxMother
    of_mother = code[ak.where(mother >= 0, mother, 0)]
    from_w = (abs(of_mother) == W) & (abs(code) < B)
    from_top = (abs(of_mother) == TOP) & (abs(code) == B)
    # The W boson that decays to quarks has the sign of the b quark beside it.
    hadronic = ak.sum(np.sign(of_mother) * from_w, axis=1)
    w_jets = is_near_any(arrays, from_w)
    hadronic_jets = is_near_any(arrays, from_top & (np.sign(code) == np.sign(hadronic)))
    leptonic_jets = is_near_any(arrays, from_top & (np.sign(code) == -np.sign(hadronic)))
    return (
        leptonic_jets[arrays.leptonic_b]
        & hadronic_jets[arrays.hadronic_b]
        & w_jets[arrays.w_1]
        & w_jets[arrays.w_2]
    )


def train(events: Path, output: Path, *, num_trees: int = 100) -> float:
    """Writes the model, and returns the fraction of right assignments that have the largest score, of events with one."""
    import onnxmltools
    import xgboost
    from onnxmltools.convert.common.data_types import FloatTensorType

    arrays = assignments(events).arrays([*FEATURES, *JETS, *TRUTH, "jet_eta", "jet_phi"])
    rows = np.stack([ak.to_numpy(ak.flatten(arrays[name])) for name in FEATURES], axis=1).astype(np.float32)
    truth = is_right(arrays)
    classifier = xgboost.XGBClassifier(n_estimators=num_trees, max_depth=5, learning_rate=0.2, n_jobs=1)
    classifier.fit(rows, ak.to_numpy(ak.flatten(truth)).astype(int))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        features = [("features", FloatTensorType([None, len(FEATURES)]))]
        model = onnxmltools.convert_xgboost(classifier, initial_types=features)
    output.write_bytes(model.SerializeToString())
    scores = ak.unflatten(classifier.predict_proba(rows)[:, 1], ak.num(truth))
    best = ak.argmax(scores, axis=1, keepdims=True)
    return float(ak.mean(ak.flatten(truth[best])[ak.any(truth, axis=1)]))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=Path, default=Path("out/agc/ttbar__nominal.root"))
    parser.add_argument("-o", "--output", type=Path, default=Path("out/agc/jet_assignment.onnx"))
    arguments = parser.parse_args()
    right = train(arguments.events, arguments.output)
    print(
        f"{arguments.output}: right in {right:.1%} of the events whose quarks all have a jet, those of the training"
    )


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""The assignment of jets by a boosted decision tree is that of awkward, vector and onnxruntime called directly."""

import json
import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import awkward as ak
import numpy as np
import pytest
import uproot
import vector
from onnx_models import evaluated
from plain_configs import parsed

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = ROOT / "configs" / "agc" / "jet_assignment"
NUM_EVENTS = 6000
SCALE = np.float32(1.03)


@pytest.fixture(scope="module")
def package(build_folder):
    """The environment in which Python has the package."""
    return os.environ | {"PYTHONPATH": str(build_folder / "python")}


@pytest.fixture(scope="module")
def folder(skimline, package, tmp_path_factory):
    """A folder with the configs, events and the model, which the script of the example has trained."""
    folder = tmp_path_factory.mktemp("assignment")
    (folder / "configs").symlink_to(ROOT / "configs")
    (folder / "out" / "agc").mkdir(parents=True)
    generate = ["generate", "agc", "--sample", "ttbar__nominal", "--events", NUM_EVENTS]
    for command in (
        [skimline, *generate, "-o", "out/agc/ttbar__nominal.root"],
        [sys.executable, CONFIGS / "train.py"],
    ):
        done = subprocess.run(
            list(map(str, command)), cwd=folder, env=package, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert 0.6 < float(done.stdout.split("right in ")[1].split("%")[0]) / 100 <= 1
    return folder


@pytest.fixture(scope="module")
def outputs(folder, package):
    """What a run of the config has written, by the program of the package."""
    settings = ["--set", f"models.assignment.file={folder / 'out/agc/jet_assignment.onnx'}"]
    settings += ["--set", f"samples.ttbar.files={json.dumps([str(folder / 'out/agc/ttbar__nominal.root')])}"]
    settings += ["--set", f"output.histograms={folder / 'out.root'}", "--report", str(folder / "report.json")]
    main = "import sys; from skimline._program import main; sys.exit(main())"
    command = [sys.executable, "-c", main, "run", *settings, str(CONFIGS / "jet_assignment.json")]
    done = subprocess.run(command, cwd=folder, env=package, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "out.root"


def four_vectors(events, prefix, chosen):
    keys = ["pt", "eta", "phi", "mass"]
    return ak.zip(
        {key: ak.values_astype(events[f"{prefix}_{key}"], np.float64)[chosen] for key in keys},
        with_name="Momentum4D",
    )


def selected(path, scale):
    """Jets with their b-tags, from the hardest on, and the lepton of each selected event."""
    with uproot.open(path) as file:
        names = [
            f"{each}_{key}" for each in ("Jet", "Electron", "Muon") for key in ("pt", "eta", "phi", "mass")
        ]
        events = file["Events"].arrays([*names, "Jet_btagCSVV2"])
    events["Jet_pt"] = events.Jet_pt * scale
    leptons = [four_vectors(events, each, events[f"{each}_pt"] > 25) for each in ("Electron", "Muon")]
    lepton = ak.concatenate(leptons, axis=1)
    good = events.Jet_pt > 25
    jets, tags = four_vectors(events, "Jet", good), events.Jet_btagCSVV2[good]
    order = ak.argsort(-events.Jet_pt[good], axis=1, stable=True)
    jets, tags = jets[order], tags[order]
    keep = (ak.num(lepton) == 1) & (ak.num(jets) >= 4) & (ak.sum(tags > 0.5, axis=1) >= 2)
    return jets[keep][:, :6], tags[keep][:, :6], lepton[keep][:, 0]


def assignments(num_jets):
    """Numbers of the jets of each assignment; in any order, as the best one is looked for."""
    return np.array(
        [
            (leptonic, hadronic, *(each for each in four if each not in (leptonic, hadronic)))
            for four in combinations(range(num_jets), 4)
            for leptonic in four
            for hadronic in four
            if leptonic != hadronic
        ]
    )


def best_of(path, model, scale=1):
    """Of each selected event the largest score, and the masses of the assignment that has it."""
    jets, tags, leptons = selected(path, np.float32(scale))
    found = {"score": [], "top_mass": [], "w_mass": [], "leptonic_mass": []}
    for num_jets in (4, 5, 6):
        mine = ak.num(jets) == num_jets
        plain = vector.array({key: ak.to_numpy(jets[mine][key]) for key in ("pt", "eta", "phi", "mass")})
        lepton = vector.array(
            {key: ak.to_numpy(leptons[mine][key])[:, None] for key in ("pt", "eta", "phi", "mass")}
        )
        tag = ak.to_numpy(tags[mine])
        which = assignments(num_jets)
        leptonic, hadronic, w_1, w_2 = (plain[:, which[:, i]] for i in range(4))
        w = w_1 + w_2
        top = w + hadronic
        features = [
            *((leptonic + lepton).mass, w.mass, top.mass, top.pt),
            *(leptonic.deltaR(lepton), w_1.deltaR(w_2), w.deltaR(hadronic)),
            *(tag[:, which[:, i]] for i in range(4)),
        ]
        scores = evaluated(model, [np.ravel(each) for each in features], "probabilities")[:, 1].reshape(
            len(tag), -1
        )
        best = np.argmax(scores, axis=1)[:, None]
        chosen = [scores, features[2], features[1], features[0]]
        for name, values in zip(found, chosen, strict=True):
            found[name].append(np.take_along_axis(np.asarray(values), best, axis=1)[:, 0])
    return {name: np.concatenate(each) for name, each in found.items()}


@pytest.mark.thorough(quick=1)
@pytest.mark.parametrize(("variation", "scale"), [("nominal", 1), ("pt_scale_up", SCALE)])
def test_histograms_are_those_of_onnxruntime_called_directly(folder, outputs, variation, scale):
    expected = best_of(folder / "out/agc/ttbar__nominal.root", folder / "out/agc/jet_assignment.onnx", scale)
    with uproot.open(outputs) as file:
        for name, values in expected.items():
            counts, edges = file[f"{name}__{variation}"].to_numpy(flow=True)
            assert counts.sum() == len(values) > 900
            wanted, _ = np.histogram(np.clip(values, edges[1], np.nextafter(edges[-2], 0)), edges[1:-1])
            inner = counts[1:-1].copy()
            inner[0] += counts[0]
            inner[-1] += counts[-1]
            # Last bits of masses decide on which side of a cut of a tree an assignment is, and of an edge of a bin.
            assert np.abs(inner - wanted).sum() <= 0.004 * len(values), name


def test_the_best_assignment_makes_peaks(folder, outputs):
    """It finds the masses of the generator."""
    with uproot.open(outputs) as file:
        for name, mass in (("top_mass__nominal", 172.5), ("w_mass__nominal", 80.4)):
            counts, edges = file[name].to_numpy()
            at = np.argmax(counts)
            assert abs((edges[at] + edges[at + 1]) / 2 - mass) < 15


def test_the_script_knows_the_inputs_of_the_config():
    source = (CONFIGS / "train.py").read_text()
    inputs = parsed((CONFIGS / "jet_assignment.json").read_text())["models"]["assignment"]["inputs"]
    positions = [source.index(f'"{name}"') for name in inputs]
    assert positions == sorted(positions)

# SPDX-License-Identifier: BSD-3-Clause
"""Columns that are redefined, with what follows from them, against awkward-array."""

import json

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE

SUM = {axis: f"Sum((Jet_pt - original_Jet_pt) * {axis}(Jet_phi))" for axis in ("cos", "sin")}
MET = {axis: f"original_MET_pt * {axis}(original_MET_phi) - {SUM[axis]}" for axis in ("cos", "sin")}
FUNCTIONS = {"scale(pt, eta)": "Where(abs(eta) < 1.5, 1.02, 1.05) + 0.5 / pt"}
REDEFINE = {
    "Jet_pt": "Jet_pt * scale(Jet_pt, Jet_eta)",
    "MET_pt": f"hypot({MET['cos'].replace('original_MET', 'MET')}, {MET['sin'].replace('original_MET', 'MET')})",
    "MET_phi": f"atan2({MET['sin'].replace('original_MET_phi', 'MET_phi')}, {MET['cos'].replace('original_MET_phi', 'MET_phi')})",
}  # fmt: skip
VARIATIONS = {"jes": {"columns": {"Jet_pt": {"up": "Jet_pt * 1.1", "down": "Jet_pt * 0.9"}}}}
AXIS = {"bins": 40, "range": [0, 400]}


@pytest.fixture(scope="module")
def events(generate, tmp_path_factory):
    """10 000 events with jets and missing energy: the path, and the columns."""
    path = generate("adl", tmp_path_factory.mktemp("adl") / "adl.root", 10000, "--seed", 5)
    return path, uproot.open(path)["Events"].arrays()


def calibrated(events, factor=1.0):
    """What the columns become: by a plain calculation, in double precision."""
    pt, eta, phi = (ak.values_astype(events[f"Jet_{name}"], np.float64) for name in ("pt", "eta", "phi"))
    new = pt * (ak.where(abs(eta) < 1.5, 1.02, 1.05) + 0.5 / pt) * factor
    met, met_phi = (ak.to_numpy(events[f"MET_{name}"]).astype(float) for name in ("pt", "phi"))
    x = met * np.cos(met_phi) - ak.to_numpy(ak.sum((new - pt) * np.cos(phi), axis=1))
    y = met * np.sin(met_phi) - ak.to_numpy(ak.sum((new - pt) * np.sin(phi), axis=1))
    return {"Jet_pt": new, "MET_pt": np.hypot(x, y), "MET_phi": np.arctan2(y, x)}


def config_of(events, **more):
    return {
        "schema_version": 1,
        "samples": {"mc": {"files": [f"{events[0]}:Events"]}},
        "functions": FUNCTIONS,
        "redefine": REDEFINE,
    } | more


@pytest.mark.parametrize("output", ["rntuple", "ttree"])
def test_skims_have_the_new_values(job, events, tmp_path, output):
    skim = {"file": "s.root", "format": output, "keep": ["Jet_*", "nJet", "MET_*", "original_Jet_pt", "hard"]}
    define = {"hard": "Sum(Jet_pt > 40)"}
    done = job(
        config_of(events, define=define, skims={"s": skim}, select=[{"name": "met", "where": "MET_pt > 25"}])
    )
    assert done.returncode == DONE, done.stderr
    expected = calibrated(events[1])
    chosen = expected["MET_pt"] > 25
    written = uproot.open(tmp_path / "s.root")["Events"].arrays()
    assert len(written) == np.sum(chosen)
    for name, values in expected.items():
        found, wanted = (ak.to_numpy(ak.flatten(each, axis=None)) for each in (written[name], values[chosen]))
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-4, err_msg=name)
    assert ak.array_equal(written.original_Jet_pt, events[1].Jet_pt[chosen])
    assert ak.array_equal(written.Jet_eta, events[1].Jet_eta[chosen])
    assert np.mean(written.hard == ak.sum(expected["Jet_pt"] > 40, axis=1)[chosen]) > 0.999
    assert ak.all(written.nJet == ak.num(written.Jet_pt))


@pytest.mark.parametrize("output", ["rntuple", "ttree"])
@pytest.mark.parametrize("input_format", ["rntuple", "ttree"])
def test_counts_that_are_redefined_are_columns_of_their_own(generate, job, tmp_path, input_format, output):
    """They need not be the sizes of the lists that they were of."""
    path = generate("dimuon", tmp_path / "in.root", 2000, "--format", input_format)
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [f"{path}:Events"]}},
        "redefine": {"nJet": "Sum(Jet_pt > 30)"},
        "skims": {"s": {"file": "s.root", "format": output, "keep": ["nJet", "Jet_pt", "Jet_eta"]}},
    }
    done = job(config)
    assert done.returncode == DONE, done.stderr
    before = uproot.open(path)["Events"].arrays(["Jet_pt"])
    written = uproot.open(tmp_path / "s.root")["Events"].arrays(["nJet", "Jet_pt"])
    assert written.Jet_pt.to_list() == before.Jet_pt.to_list()
    assert written.nJet.to_list() == ak.sum(before.Jet_pt > 30, axis=1).to_list()


def test_variations_move_what_follows(job, events, tmp_path):
    """A variation of the jets is one of the missing energy that was made from them."""
    histograms = {"met": {"x": {"value": "MET_pt"} | AXIS}, "jets": {"x": {"value": "Jet_pt"} | AXIS}}
    config = config_of(events, variations=VARIATIONS, histograms=histograms, output={"histograms": "h.root"})
    done = job(config)
    assert done.returncode == DONE, done.stderr
    file = uproot.open(tmp_path / "h.root")
    for variation, factor in {"nominal": 1.0, "jes_up": 1.1, "jes_down": 0.9}.items():
        expected = calibrated(events[1], factor)
        for histogram, column in {"met": "MET_pt", "jets": "Jet_pt"}.items():
            values = ak.to_numpy(ak.flatten(expected[column], axis=None))
            counts = np.histogram(values, AXIS["bins"], AXIS["range"])[0]
            found = file[f"{histogram}__{variation}"].values()
            # A value at the edge of a bin may be rounded into the next.
            assert np.sum(abs(found - counts)) <= 4, (histogram, variation)
            assert np.sum(found) > 1000


def test_python_does_the_same(job, run_python, events, tmp_path):
    histograms = {"met": {"x": {"value": "MET_pt"} | AXIS}}
    config = config_of(events, histograms=histograms, output={"histograms": "h.root"})
    assert job(config).returncode == DONE
    code = """
import json, sys, skimline as sk
print(json.dumps(sk.run(sk.book("a.json")).histograms["met"].values().tolist()))
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == uproot.open(tmp_path / "h.root")["met"].values().tolist()


def test_masks_and_sums_of_weights_take_the_new_values(job, events, tmp_path):
    """In front of all steps, whatever else chooses the events."""
    runs, blocks = (ak.to_numpy(events[1][name]).astype(int) for name in ("run", "luminosityBlock"))
    run, first = int(runs[0]) + 1, int(np.median(blocks)) + 1
    (tmp_path / "mask.json").write_text(json.dumps({str(run): [[first, first + 100]]}))
    sample = {"files": [f"{events[0]}:Events"], "lumi_mask": "mask.json", "sum_weights": "luminosityBlock"}
    redefine = {"luminosityBlock": "luminosityBlock + 1u", "run": "run + 1"}
    done = job(
        config_of(
            events,
            samples={"mc": sample},
            redefine=redefine,
            select=[{"name": "one", "where": "nJet > 1"}],
            output={"report": "r.json"},
        )
    )
    assert done.returncode == DONE, done.stderr
    assert "the redefinition of" not in done.stderr, done.stderr
    in_mask = (runs + 1 == run) & (blocks + 1 >= first) & (blocks + 1 <= first + 100)
    assert np.count_nonzero(in_mask) != np.count_nonzero(
        (runs + 1 == run) & (blocks >= first) & (blocks <= first + 100)
    )
    cutflow = json.loads((tmp_path / "r.json").read_text())["samples"][0]["cutflow"]
    passed = [np.ones(len(runs), bool), in_mask, in_mask & ak.to_numpy(events[1].nJet > 1)]
    assert [step["events"] for step in cutflow] == [np.count_nonzero(each) for each in passed]
    assert [step["sum_weights"] for step in cutflow] == [np.sum(blocks[each] + 1) for each in passed]


WRONG = {
    "no column": ({"Jat_pt": "Jet_pt"}, 'unknown column "Jat_pt" (did you mean "Jet_pt"?)'),
    "shape": ({"Jet_pt": "MET_pt"}, '"Jet_pt" is a list of float, but this is a float'),
    "kind": ({"nJet": "nJet * 0.5"}, '"nJet" is a'),
    "mistake": ({"Jet_pt": "Jet_pt * Jet_etta"}, 'did you mean "Jet_eta"?'),
    "later": ({"Jet_pt": "Jet_pt * factor"}, '"factor" is defined further down'),
    "empty": ({}, '"redefine" must not be empty'),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes(job, events, case):
    redefine, message = WRONG[case]
    more = {
        "redefine": redefine,
        "define": {"factor": "2"},
        "select": [{"name": "all", "where": "factor > 1"}],
    }
    done = job(config_of(events, **more))
    assert done.returncode == WRONG_USAGE, done.stderr
    assert message in done.stderr


def test_what_is_not_used_is_said(job, events):
    done = job(config_of(events, select=[{"name": "all", "where": "MET_pt > 0"}]))
    assert done.returncode == DONE
    assert 'the redefinition of "MET_phi" is not used' in done.stderr
    assert '"Jet_pt" is not used' not in done.stderr

# SPDX-License-Identifier: BSD-3-Clause
"""Models of XGBoost and LightGBM, converted as the page about models says, and what else that page shows."""

import json
import re
import warnings
from pathlib import Path

import awkward as ak
import numpy as np
import pytest
import skimline as sk
import uproot
from onnx_models import evaluated

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
# What uproot writes has no checksums.
pytestmark = pytest.mark.filterwarnings("ignore:.*without checksums")
FEATURES = ["Jet_pt", "Jet_eta", "Jet_btag"]
NUM_EVENTS = 2000


def block(language, number=0):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[number]


@pytest.fixture(scope="module")
def jets(tmp_path_factory):
    """A file with jets, and its arrays."""
    path = tmp_path_factory.mktemp("jets") / "events.root"
    random = np.random.default_rng(8)
    counts = random.integers(0, 7, NUM_EVENTS)
    total = int(counts.sum())
    columns = {
        "Jet_pt": ak.unflatten(random.exponential(40, total).astype(np.float32), counts),
        "Jet_eta": ak.unflatten(random.normal(0, 1.5, total).astype(np.float32), counts),
        "Jet_btag": ak.unflatten(random.random(total, np.float32), counts),
        "MET_pt": random.exponential(30, NUM_EVENTS).astype(np.float32),
    }
    with uproot.recreate(path) as file:
        file["Events"] = columns
    return path, ak.Array(columns)


def rows(arrays):
    return np.stack([np.asarray(ak.flatten(arrays[name])) for name in FEATURES], axis=1)


@pytest.fixture(scope="module")
def trained(jets):
    """What a user has: a classifier of each library, for jets with a b-tag and much momentum."""
    import lightgbm
    import xgboost

    x = rows(jets[1])
    y = (x[:, 2] + 0.01 * x[:, 0] - 0.1 * np.abs(x[:, 1]) > 0.9).astype(int)
    return {
        "xgboost": xgboost.XGBClassifier(n_estimators=30, max_depth=4, n_jobs=1).fit(x, y),
        "lightgbm": lightgbm.LGBMClassifier(n_estimators=30, n_jobs=1, verbose=-1).fit(x, y),
    }


def convert(library, classifier):
    """Runs the block of the page that converts, of the other library by the line that it has as a comment."""
    code = block("python")
    if library == "lightgbm":
        code = re.sub(r"^model = .*\n", "", code, flags=re.MULTILINE)
        code = re.sub(r"^# of LightGBM: ", "model = ", code, flags=re.MULTILINE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code, "the page", "exec"), {"classifier": classifier})


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_converted_models_give_what_their_library_gives(jets, trained, library, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    convert(library, trained[library])
    frame = sk.open(jets[0]).model("score", "bdt.onnx", FEATURES, output="probabilities", element=1)
    found = frame.define("s", f"score({', '.join(FEATURES)})").arrays(["s"]).s
    assert ak.num(found).tolist() == ak.num(jets[1].Jet_pt).tolist()
    x = rows(jets[1])
    by_runtime = evaluated(Path("bdt.onnx"), x.T, "probabilities")[:, 1]
    assert np.asarray(ak.flatten(found)).tobytes() == by_runtime.tobytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_library = trained[library].predict_proba(x)[:, 1]
    assert by_library.min() < 0.1 and by_library.max() > 0.9
    # Trees take float thresholds, which of LightGBM are double.
    assert np.mean(np.abs(by_runtime - by_library) > 1e-5) < (0 if library == "xgboost" else 2e-3) + 1e-12


def test_what_the_page_shows_runs(jets, trained, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    convert("xgboost", trained["xgboost"])
    Path("events.root").symlink_to(jets[0])
    config = json.loads("{" + re.sub(r"//.*", "", block("jsonc")) + "}")
    config |= {
        "schema_version": 1,
        "samples": {"all": {"files": ["events.root"]}},
        "skims": {"out": {"file": "out.root", "keep": list(config["define"])}},
    }
    sk.run_config(config)
    x = rows(jets[1])
    expected = evaluated(Path("bdt.onnx"), x.T, "probabilities")[:, 1]
    with uproot.open("out.root") as file:
        events = file["Events"].arrays()
    assert np.asarray(ak.flatten(events.jet_score)).tobytes() == expected.tobytes()
    counts = ak.num(jets[1].Jet_pt)
    met = [np.asarray(jets[1].MET_pt), np.zeros(NUM_EVENTS), np.asarray(counts)]
    assert (
        np.asarray(events.event_score).tobytes()
        == evaluated(Path("bdt.onnx"), met, "probabilities")[:, 1].tobytes()
    )
    shown = {"sk": sk}
    exec(
        compile(block("python", 1).replace("events.define(", "booked = events.define("), "the page", "exec"),
        shown,
    )
    sk.run(shown["booked"])
    assert shown["booked"].values().sum() == len(x)


def test_zeros_that_are_missing_have_to_be_nan(jets, tmp_path, monkeypatch):
    """The converter of LightGBM forgets zero_as_missing."""
    import lightgbm

    monkeypatch.chdir(tmp_path)
    path, arrays = jets
    x = np.where(np.abs(rows(arrays)) < np.float32(0.3), 0, rows(arrays))
    y = (x[:, 2] + 0.01 * x[:, 0] + (x[:, 1] == 0) > 0.9).astype(int)
    classifier = lightgbm.LGBMClassifier(n_estimators=10, n_jobs=1, verbose=-1, zero_as_missing=True).fit(
        x, y
    )
    convert("lightgbm", classifier)
    frame = sk.open(path).model("score", "bdt.onnx", FEATURES, output="probabilities", element=1)
    for name in FEATURES:
        frame = frame.define(f"cut_{name}", f"Where(abs({name}) < 0.3f, 0.f, {name})")
    zeros = ", ".join(f"cut_{name}" for name in FEATURES)
    missing = ", ".join(f"Where(cut_{name} == 0, NAN, cut_{name})" for name in FEATURES)
    found = frame.arrays({"zeros": f"score({zeros})", "missing": f"score({missing})"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = classifier.predict_proba(x)[:, 1]
    is_near = {name: np.abs(np.asarray(ak.flatten(found[name])) - expected) < 1e-5 for name in found.fields}
    assert np.mean(is_near["missing"]) > 0.99 > np.mean(is_near["zeros"])

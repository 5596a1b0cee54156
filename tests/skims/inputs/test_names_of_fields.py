# SPDX-License-Identifier: BSD-3-Clause
"""A field of an RNTuple that has several names, `Jet.pt` and `Jet_pt`, has one value under all of them, whatever changes it."""

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE

AXIS = {"bins": 64, "range": [0, 512]}
NAMES = ("Jet.pt", "Jet_pt")


@pytest.fixture(scope="module")
def events(generate, tmp_path_factory):
    """Events with projections of all members of their collections: the path, and the momenta of jets."""
    folder = tmp_path_factory.mktemp("agc")
    path = generate("agc", folder / "a.root", 2000, "--sample", "ttbar__nominal", "--seed", 5)
    return path, uproot.open(path)["Events"]["Jet_pt"].array()


def histograms():
    fills = {"member": "Jet.pt", "projection": "Jet_pt", "objects": "hard.pt", "first": "Jet[0].pt"}
    return {name: {"x": AXIS | {"value": value}, "where": "nJet > 0"} for name, value in fills.items()}


def config_of(files, **more):
    return {
        "schema_version": 1,
        "samples": {"t": {"files": [str(file) for file in files]}},
        "objects": {"hard": {"from": "Jet", "where": "pt > 30"}},
        "histograms": histograms(),
        "output": {"histograms": "h.root"},
    } | more


def filled(values):
    flat = ak.to_numpy(ak.flatten(values, axis=None)).astype("float64")
    return np.histogram(flat[flat < 512], bins=AXIS["bins"], range=AXIS["range"])[0]


def expected(pt):
    return {
        "member": filled(pt),
        "projection": filled(pt),
        "objects": filled(pt[pt > 30]),
        "first": filled(ak.firsts(pt)[ak.num(pt) > 0]),
    }


def compare(path, name, pt):
    with uproot.open(path) as file:
        for fill, contents in expected(pt).items():
            assert file[name.format(fill)].values().tolist() == contents.tolist(), (name, fill)


def scaled(pt, factor):
    return ak.values_astype(pt, "float32") * np.float32(factor)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", NAMES)
def test_variations_change_all_names(job, events, tmp_path, name, other):
    path, pt = events
    columns = {name: {"up": f"{other} * 2", "down": f"{other} * 0.5f"}}
    done = job(config_of([path], variations={"jes": {"columns": columns}}))
    assert done.returncode == DONE, done.stderr
    for variation, factor in {"nominal": 1, "jes_up": 2, "jes_down": 0.5}.items():
        compare(tmp_path / "h.root", "{}__" + variation, scaled(pt, factor))


@pytest.mark.parametrize("name", NAMES)
def test_redefinitions_change_all_names(job, events, tmp_path, name):
    path, pt = events
    skims = {"s": {"file": "s.root", "keep": ["Jet.pt", "Jet_pt", "Jet_eta"]}}
    variations = {"jes": {"columns": {"Jet_pt": {"up": "Jet_pt * 2", "down": "Jet_pt * 0.5f"}}}}
    done = job(config_of([path], redefine={name: f"{name} * 4"}, variations=variations, skims=skims))
    assert done.returncode == DONE, done.stderr
    assert "unused" not in done.stderr
    for variation, factor in {"nominal": 4, "jes_up": 8, "jes_down": 2}.items():
        compare(tmp_path / "h.root", "{}__" + variation, scaled(pt, factor))
    with uproot.open(tmp_path / "s.root") as file:
        columns = [
            key for key in file["Events"].keys(recursive=True) if key.replace(".", "_").endswith("Jet_pt")
        ]
        assert columns
        for column in columns:
            assert ak.array_equal(file["Events"][column].array(), scaled(pt, 4), dtype_exact=False), column


def test_each_name_may_have_a_value_of_its_own(job, events, tmp_path):
    path, pt = events
    columns = {"Jet.pt": {"up": "Jet.pt * 2"}, "Jet_pt": {"up": "Jet_pt * 4"}}
    done = job(config_of([path], variations={"jes": {"columns": columns}}))
    assert done.returncode == DONE, done.stderr
    with uproot.open(tmp_path / "h.root") as file:
        assert file["member__jes_up"].values().tolist() == filled(scaled(pt, 2)).tolist()
        assert file["projection__jes_up"].values().tolist() == filled(scaled(pt, 4)).tolist()


def test_columns_that_are_called_alike_are_left_alone(job, tmp_path):
    """Two fields whose names are alike, but which are no projections of each other."""
    with uproot.recreate(tmp_path / "in.root") as file:
        jets = ak.zip({"pt": ak.Array([[50.0, 20.0], [], [70.0]])})
        arrays = {"Jet": jets, "Jet_pt": ak.Array([[1.0], [2.0, 3.0], []])}
        file.mkrntuple("Events", {name: array.type.content for name, array in arrays.items()}).extend(arrays)
    config = config_of(
        [tmp_path / "in.root"], variations={"v": {"columns": {"Jet_pt": {"up": "Jet_pt + 100"}}}}
    )
    config["histograms"] = {
        "member": {"x": AXIS | {"value": "Jet.pt"}},
        "column": {"x": AXIS | {"value": "Jet_pt"}},
    }
    del config["objects"]
    done = job(config)
    assert done.returncode == DONE, done.stderr
    with uproot.open(tmp_path / "h.root") as file:
        assert file["member__v_up"].values().tolist() == filled(arrays["Jet"].pt).tolist()
        assert file["column__v_up"].values().tolist() == filled(arrays["Jet_pt"] + 100).tolist()


def test_files_of_both_formats_together(job, events, tmp_path):
    """In a tree, `Jet_pt` is the only name: the variation is the same for all events."""
    path, pt = events
    with uproot.recreate(tmp_path / "tree.root") as file:
        file.mktree("Events", {"Jet_pt": "var * float32"}).extend({"Jet_pt": pt[:500]})
    columns = {"Jet_pt": {"up": "Jet_pt * 2"}}
    config = config_of([path, tmp_path / "tree.root"], variations={"jes": {"columns": columns}})
    config["histograms"] = {"projection": {"x": AXIS | {"value": "Jet_pt"}}}
    del config["objects"]
    done = job(config)
    assert done.returncode in (DONE, 3), done.stderr
    with uproot.open(tmp_path / "h.root") as file:
        both = ak.concatenate([pt, pt[:500]])
        assert file["projection__jes_up"].values().tolist() == filled(scaled(both, 2)).tolist()

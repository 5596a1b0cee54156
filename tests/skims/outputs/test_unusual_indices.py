# SPDX-License-Identifier: BSD-3-Clause
"""Indexes of NanoAOD and PFNano that do not say their collection by its name, followed and thinned, against plain loops."""

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE
from thinned_events import lists, reindexed, write_ntuple

# As NanoAODSchema and PFNanoAODSchema of coffea have them.
TARGETS = {
    "FatJetPFCands_jetIdx": "FatJet",
    "FatJetPFCands_pFCandsIdx": "PFCands",
    "GenFatJetCands_jetIdx": "GenJetAK8",
    "GenFatJetCands_pFCandsIdx": "GenCands",
    "GenFatJetSVs_jetIdx": "GenJetAK8",
    "GenJetCands_jetIdx": "GenJet",
    "GenJetCands_pFCandsIdx": "GenCands",
    "GenJetSVs_jetIdx": "GenJet",
    "JetPFCands_jetIdx": "Jet",
    "Tau_eleIdx": "Electron",
    "Tau_muIdx": "Muon",
}
NAMESAKES = {"Jet", "PFCands"}
COLLECTIONS = sorted({*TARGETS.values(), *(name.partition("_")[0] for name in TARGETS)} | NAMESAKES)


def events_with_indices():
    random = np.random.default_rng(5)
    sizes = {name: random.integers(0, 5, 200) for name in COLLECTIONS}
    columns = {}
    for name, size in sizes.items():
        columns[f"n{name}"] = size.astype(np.uint32)
        columns[f"{name}_pt"] = lists(random, size, lambda n: random.exponential(25, n))
    for name, target in TARGETS.items():
        size = sizes[name.partition("_")[0]]
        limits = np.repeat(sizes[target], size)
        columns[name] = ak.unflatten(random.integers(-1, limits + 1).astype(np.int16), size)
    return columns


@pytest.fixture
def events(tmp_path):
    columns = events_with_indices()
    write_ntuple(tmp_path / "in.root", columns)
    return columns


def skim(job, tmp_path, **described):
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [f"{tmp_path / 'in.root'}:Events"]}},
        "skims": {"s": {"file": "s.root"} | described},
    }
    done = job(config)
    assert done.returncode == DONE, done.stderr
    return uproot.open(tmp_path / "s.root")["Events"].arrays()


def test_they_are_thinned_with_what_they_point_into(job, tmp_path, events):
    after = skim(job, tmp_path, thin={name: f"{name}_pt > 15" for name in set(TARGETS.values()) | NAMESAKES})
    for name, target in TARGETS.items():
        masks = (events[f"{target}_pt"] > 15).to_list()
        own = name.partition("_")[0]
        stays = (events[f"{own}_pt"] > (15 if own in set(TARGETS.values()) else -1)).to_list()
        expected = [
            [reindexed(index, mask) for index, stay in zip(indexes, own_mask, strict=True) if stay]
            for indexes, mask, own_mask in zip(events[name].to_list(), masks, stays, strict=True)
        ]
        assert after[name].to_list() == expected, name


def test_they_are_followed_to_what_they_point_into(job, tmp_path, events):
    references = {name: name.replace("_", ".").removesuffix("Idx") for name in TARGETS}
    after = skim(job, tmp_path, columns={name: f"{each}.pt" for name, each in references.items()})
    for name, target in TARGETS.items():
        expected = [
            [values[index] if 0 <= index < len(values) else np.nan for index in indexes]
            for indexes, values in zip(events[name].to_list(), events[f"{target}_pt"].to_list(), strict=True)
        ]
        assert ak.num(after[name]).to_list() == [len(each) for each in expected], name
        found = ak.to_numpy(ak.flatten(after[name]))
        assert np.array_equal(found, np.concatenate(expected), equal_nan=True), name


def test_columns_that_are_named_as_indexes_and_are_none(job, events, tmp_path):
    """Real numbers, which some programs store indexes as, would lead to other elements than before."""
    events["Muon_near"] = ak.values_astype(events["Tau_muIdx"], np.float32)
    write_ntuple(tmp_path / "in.root", {"near": ak.num(events["Muon_near"]).to_numpy() * 1.5, **events})

    def run(column, collection):
        config = {
            "schema_version": 1,
            "samples": {"mc": {"files": ["in.root:Events"]}},
            "skims": {
                "s": {"file": "s.root", "thin": {"Jet": "Jet_pt > 20"}, "indices": {column: collection}}
            },
        }
        return job(config, "-f")

    for column, kind in (("near", "double"), ("Muon_near", "list of float")):
        done = run(column, "Jet")
        assert done.returncode == WRONG_USAGE
        assert f'"{column}" has no indexes into "Jet": it is {kind}, and these are integers' in done.stderr
        for allowed in ((column, False), (column, "Muon"), ("*near", "Jet")):
            assert run(*allowed).returncode == DONE


def test_real_numbers_that_are_called_as_indexes_are_said_to_stay(job, events, tmp_path):
    events["Jet_muonIdx"] = ak.values_astype(events["JetPFCands_jetIdx"], np.float32)
    sizes = ak.num(events["Jet_muonIdx"]).to_numpy()
    events |= {"nJet": sizes.astype(np.uint32), "Jet_pt": ak.ones_like(events["Jet_muonIdx"])}
    write_ntuple(tmp_path / "in.root", events)
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": ["in.root:Events"]}},
        "skims": {"s": {"file": "s.root", "thin": {"Muon": "Muon_pt > 20"}}},
    }
    done = job(config)
    assert done.returncode == DONE, done.stderr
    assert 'with "Jet_muonIdx", which are called as indexes and are real numbers' in done.stderr
    config["skims"]["s"]["indices"] = {"Jet_muonIdx": False}
    assert "real numbers" not in job(config, "-f").stderr

# SPDX-License-Identifier: BSD-3-Clause
"""Sums of samples with factors, against NumPy."""

import json

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE
from varied_analysis import labelled, names_in

X = {"value": "x", "bins": 20, "range": [-2, 2]}
EDGES = np.linspace(-2, 2, 21)
CHOSEN = {"a": "n > 2", "b": "n < 0", "c": "flag"}
HISTOGRAMS = {
    "counts": {"x": X, "weight": "1"},
    "whole": {"x": X, "type": "int"},
    "weighted": {"x": X, "weight": "weight_", "weight_variations": {"twice": "weight_ * 2"}},
    "plane": {"x": X, "y": {"value": "n", "integers": [-1, 5]}, "weight": "w", "regions": ["r"]},
    "profile": {"x": X, "profile": {"value": "n"}, "weight": "1"},
    "channel": {"x": {"value": "picked", "categories": [], "growing": True}, "weight": "w"},
}
SUMS = {"ones": {"a": 1, "b": 1}, "halves": {"b": 0.5, "c": 0.5, "a": 1}, "negative": {"c": -0.25, "a": 3}}


@pytest.fixture(scope="module")
def run_sums(run_in, tmp_path_factory, events_file):
    """Runs a config with three samples of the same events, of which each takes others; returns its folder."""

    def run(*arguments, **more):
        folder = tmp_path_factory.mktemp("sums")
        samples = {
            name: {
                "files": [f"{events_file[0]}:Events"],
                "define": {"chosen": where, "picked": f"n > 3 ? channel : '{name}'"},
            }
            for name, where in CHOSEN.items()
        }
        config = {
            "schema_version": 1,
            "samples": samples,
            "define": {"chosen": "true", "picked": "channel"},
            "weights": {"base": "w", "sf": "1.25"},
            "variations": {"shift": {"columns": {"x": {"up": "x + 1"}}, "samples": ["a", "b"]}},
            "sums": SUMS,
            "select": [{"name": "chosen", "where": "chosen"}],
            "regions": {"r": {"where": "y < 3"}},
            "histograms": HISTOGRAMS,
            "output": {"histograms": "h.root"},
        } | more
        done = run_in(folder, config, *arguments)
        assert done.returncode == DONE, done.stderr
        return folder, done

    return run


@pytest.fixture(scope="module")
def summed(run_sums):
    return uproot.open(run_sums()[0] / "h.root")


@pytest.fixture(scope="module")
def parts(events_file):
    """By sample: the events that it takes."""
    events = events_file[1]
    masks = {"a": events.n > 2, "b": events.n < 0, "c": events.flag}
    return {name: events[mask] for name, mask in masks.items()}


def expected_sum(parts, name, weights_of):
    """Contents and variances."""
    contents, variances = np.zeros(20), np.zeros(20)
    for sample, factor in SUMS[name].items():
        weights = factor * weights_of(parts[sample])
        x = ak.to_numpy(parts[sample].x)
        contents += np.histogram(x, EDGES, weights=weights)[0]
        variances += np.histogram(x, EDGES, weights=weights**2)[0]
    return contents, variances


@pytest.mark.parametrize("name", SUMS)
def test_contents_and_errors(summed, parts, name):
    weights = {
        f"{name}__counts": lambda events: np.ones(len(events)),
        f"{name}__whole": lambda events: np.ones(len(events)),
        f"{name}__weighted__nominal": lambda events: 1.25 * ak.to_numpy(events.w),
    }
    for histogram, weights_of in weights.items():
        contents, variances = expected_sum(parts, name, weights_of)
        np.testing.assert_array_equal(summed[histogram].values(), contents)
        np.testing.assert_array_equal(summed[histogram].variances(), variances)
        entries = sum(len(parts[sample]) for sample in SUMS[name])
        assert summed[histogram].member("fEntries") == entries


@pytest.mark.parametrize("name", SUMS)
def test_planes_profiles_and_growing_categories(summed, parts, name):
    plane = np.zeros((20, 7))
    sums, values = np.zeros(20), np.zeros(20)
    channels = {}
    for sample, factor in SUMS[name].items():
        events = parts[sample]
        x, n, w = (ak.to_numpy(events[column]) for column in "xnw")
        low = ak.to_numpy(events.y) < 3
        plane += np.histogram2d(x[low], n[low], [EDGES, np.arange(-1.5, 6)], weights=factor * w[low])[0]
        sums += factor * np.histogram(x, EDGES)[0]
        values += factor * np.histogram(x, EDGES, weights=n)[0]
        picked = np.where(n > 3, np.array(events.channel.to_list()), sample)
        for channel in set(picked):
            channels[channel] = channels.get(channel, 0) + factor * w[picked == channel].sum()
    np.testing.assert_array_equal(summed[f"r__{name}__plane"].values(), plane)
    np.testing.assert_allclose(summed[f"{name}__profile"].values(), values / sums, rtol=1e-12, atol=1e-12)
    assert labelled(summed[f"{name}__channel"]) == dict(sorted(channels.items()))


def test_counts_stay_counts_with_factors_of_one(summed):
    classes = {key.split(";")[0]: kind for key, kind in summed.classnames().items()}
    assert classes["ones__whole"] == classes["a__whole__nominal"] == "TH1I"
    assert classes["halves__whole"] == "TH1D"


def test_sums_are_nominal_and_come_last(run_sums):
    names = names_in(run_sums()[0] / "h.root")
    sums = [name for name in names if name.removeprefix("r__").startswith(tuple(SUMS))]
    assert len(sums) == len(SUMS) * len(HISTOGRAMS)
    assert not [name for name in sums if name.endswith(("twice", "shift_up"))]
    assert set(names[-len(sums) :]) == set(sums)
    assert "a__counts__shift_up" in names


def test_samples_left_out_leave_sums_out(run_sums, summed):
    folder, done = run_sums("--samples", "a", "--samples", "b")
    messages = done.stdout + done.stderr
    for name in ("halves", "negative"):
        assert f'warning: the sum "{name}" is left out: the sample "c" is not processed' in messages
    assert 'the sum "ones" is left out' not in messages
    file = uproot.open(folder / "h.root")
    names = names_in(folder / "h.root")
    assert not [name for name in names if name.removeprefix("r__").startswith(("halves", "negative"))]
    np.testing.assert_array_equal(file["ones__counts"].values(), summed["ones__counts"].values())


def test_uhi_json(run_sums, summed):
    folder, _ = run_sums(output={"histograms": "h.json"})
    histograms = json.loads((folder / "h.json").read_text())
    for name in (
        "ones__counts",
        "halves__weighted__nominal",
        "negative__weighted__nominal",
        "a__counts__nominal",
    ):
        storage = histograms[name]["storage"]
        values = storage["values"]
        np.testing.assert_array_equal(values, summed[name].values(flow=True), err_msg=name)
        if "variances" in storage:
            np.testing.assert_array_equal(storage["variances"], summed[name].variances(flow=True))
    assert histograms["ones__counts"]["storage"]["type"] == "int"
    assert histograms["halves__counts"]["storage"]["type"] == "weighted"


def test_threads_do_not_matter(run_sums):
    files = [(run_sums("-j", threads)[0] / "h.root").read_bytes() for threads in (1, 4)]
    assert files[0] == files[1]

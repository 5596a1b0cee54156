# SPDX-License-Identifier: BSD-3-Clause
"""What `luminosity_pb` makes of cross sections and sums of weights, and what samples replace."""

import math

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED

LUMINOSITY, CROSS_SECTION = 3378.0, 729.84
BINS = {"value": "x", "bins": 1, "range": [-1e9, 1e9]}
# One event, whose weight is the content.
CONSTANT = {"x": BINS, "where": "event == 7", "weight": "normalisation_"}


def config_for(path, sample, **more):
    return {
        "schema_version": 1,
        "samples": {"mc": {"files": [f"{path}:Events"]} | sample},
        "luminosity_pb": LUMINOSITY,
        "weights": {"base": "w", "lumi": "normalisation_"},
        "histograms": {"constant": CONSTANT, "all": {"x": BINS, "weight": "weight_"}},
        "output": {"histograms": "h.root"},
    } | more


@pytest.fixture
def normalisation(job, tmp_path):
    """Runs a config and returns normalisation_."""

    def run(config, *arguments, name="constant", file="h.root"):
        done = job(config, *arguments)
        assert done.returncode == DONE, done.stderr
        return uproot.open(tmp_path / file)[name].values()[0]

    return run


def simulated(sum_weights):
    return {"cross_section_pb": CROSS_SECTION, "sum_weights": sum_weights}


def test_of_counts(normalisation, events_file):
    path, events = events_file
    config = config_for(path, simulated("1"))
    assert normalisation(config) == CROSS_SECTION * LUMINOSITY / len(events)
    assert normalisation(config, "--limit-events", "150") == CROSS_SECTION * LUMINOSITY / 150


def test_of_weights_before_any_cut(normalisation, job, events_file, tmp_path):
    path, events = events_file
    weights = ak.to_numpy(events.w)
    config = config_for(path, simulated("w"), select=[{"name": "few", "where": "n > 2 || event == 7"}])
    expected = CROSS_SECTION * LUMINOSITY / math.fsum(weights)
    assert normalisation(config) == expected
    kept = ak.to_numpy((events.n > 2) | (events.event == 7))
    total = uproot.open(tmp_path / "h.root")["all"].values()[0]
    assert total == pytest.approx(expected * math.fsum(weights[kept]), rel=1e-12)
    first = math.fsum(weights[:150])
    assert normalisation(config, "--limit-events", "150") == CROSS_SECTION * LUMINOSITY / first


def test_of_factors_and_beside_definitions_of_it(normalisation, events_file):
    path, events = events_file
    expected = CROSS_SECTION * LUMINOSITY / math.fsum(2 * ak.to_numpy(events.w))
    config = config_for(
        path,
        simulated("double"),
        define={"scale": "normalisation_ * 3"},
        weights={"double": "w * 2", "lumi": "scale"},
    )
    assert normalisation(config) == expected
    config["define"]["own"] = "w * 2"
    config["samples"]["mc"] |= simulated("own")
    assert normalisation(config) == expected


def test_a_sum_must_not_depend_on_it(job, events_file):
    done = job(config_for(events_file[0], simulated("w * normalisation_")))
    assert done.returncode == FAILED
    assert "not finite" in done.stderr


def test_samples_without_cross_section_have_one(normalisation, events_file):
    assert normalisation(config_for(events_file[0], {})) == 1
    assert normalisation(config_for(events_file[0], {"sum_weights": "w"})) == 1


def test_all_parts_have_the_constant_of_the_whole(normalisation, job, call, events_file, tmp_path):
    config = config_for(events_file[0], simulated("w"))
    whole = normalisation(config)
    for part in (1, 2, 3):
        assert job(config, "--shard", f"{part}/3").returncode == DONE
    parts = [tmp_path / f"h.shard{part}of3.root" for part in (1, 2, 3)]
    assert [uproot.open(path)["constant"].values()[0] for path in parts].count(whole) == 1
    assert call("merge", tmp_path / "sum.root", *parts).returncode == DONE
    assert (tmp_path / "sum.root").read_bytes() == (tmp_path / "h.root").read_bytes()


@pytest.mark.parametrize("num_events", [100, 200], ids=["as many events", "other numbers of events"])
def test_wholes_are_not_added_up(job, call, generate, tmp_path, num_events):
    for seed, number in ((1, 100), (2, num_events)):
        generate("dimuon", tmp_path / f"{seed}.root", number, "--seed", seed)
    config = config_for(tmp_path / "1.root", simulated("1"), weights={"lumi": "normalisation_"})
    config["histograms"] = {"met": {"x": BINS | {"value": "MET_pt"}, "weight": "weight_"}}
    assert job(config).returncode == DONE
    config["samples"]["mc"]["files"] = [f"{tmp_path / '2.root'}:Events"]
    config["output"] = {"histograms": "other.root"}
    assert job(config).returncode == DONE
    done = call("merge", tmp_path / "sum.root", tmp_path / "h.root", tmp_path / "other.root")
    assert done.returncode == FAILED
    difference = "by the inputs of each" if num_events == 100 else "different normalisations"
    assert difference in done.stderr
    assert not (tmp_path / "sum.root").exists()


def test_skims_keep_the_constant_of_their_inputs(normalisation, job, call, events_file, tmp_path):
    path, events = events_file
    skims = {"few": {"file": "few.root", "keep": ["event", "x", "w"], "where": "n > 2 || event == 7"}}
    config = config_for(path, simulated("w"), skims=skims)
    whole = normalisation(config)
    assert whole == CROSS_SECTION * LUMINOSITY / math.fsum(ak.to_numpy(events.w))
    again = config_for(tmp_path / "few.root", {})
    assert uproot.open(tmp_path / "few.root")["Events"].num_entries < len(events)
    assert normalisation(again) == whole
    # Shards of a skim, too.
    for part in (1, 2):
        done = job(again, "--shard", f"{part}/2")
        assert done.returncode == DONE, done.stderr
    parts = [tmp_path / f"h.shard{part}of2.root" for part in (1, 2)]
    assert [uproot.open(path)["constant"].values()[0] for path in parts].count(whole) == 1
    assert call("merge", tmp_path / "sum.root", *parts).returncode == DONE
    assert (tmp_path / "sum.root").read_bytes() == (tmp_path / "h.root").read_bytes()


def test_of_runs(normalisation, tmp_path):
    with uproot.recreate(tmp_path / "nano.root") as file:
        columns = {"event": np.arange(6, 9), "x": np.zeros(3), "genWeight": np.ones(3, np.float32)}
        file.mktree("Events", {name: values.dtype for name, values in columns.items()}).extend(columns)
        runs = {
            "run": np.array([1, 2], np.uint32),
            "genEventCount": np.array([100, 20], np.int64),
            "genEventSumw": np.array([150.5, 20.25]),
            "genEventSumw2": np.array([400.0, 50.0]),
        }
        file.mktree("Runs", {name: values.dtype for name, values in runs.items()}).extend(runs)
    config = config_for(tmp_path / "nano.root", simulated({"runs": True}), weights={"lumi": "normalisation_"})
    assert normalisation(config) == CROSS_SECTION * LUMINOSITY / 170.75


def test_defaults_of_samples(normalisation, call, events_file, tmp_path):
    path, events = events_file
    files = {"files": [f"{path}:Events"], "cross_section_pb": CROSS_SECTION}
    samples = {"mc": files, "own": files | {"sum_weights": "w"}, "data": {"files": files["files"]}}
    config = config_for(path, {}, samples=samples, sample_defaults={"sum_weights": "1"})
    expected = {
        "mc": CROSS_SECTION * LUMINOSITY / len(events),
        "own": CROSS_SECTION * LUMINOSITY / math.fsum(ak.to_numpy(events.w)),
        "data": 1,
    }
    for name, value in expected.items():
        assert normalisation(config, name=f"{name}__constant") == value, name


def test_samples_replace_definitions_and_factors(job, events_file, tmp_path):
    path, events = events_file
    files = {"files": [f"{path}:Events"]}
    config = {
        "schema_version": 1,
        "samples": {
            "mc": files,
            "data": files | {"define": {"shift": "2."}, "weights": {"base": "1", "sf": "n > 2 ? 2. : 1."}},
        },
        "define": {"shift": "0.5", "shifted": "x + shift"},
        "weights": {"base": "w", "sf": "1.25"},
        "variations": {
            "sf": {"weights": {"sf": {"up": "sf * 2"}}},
            "up": {"columns": {"shift": "shift + 1"}},
        },
        "histograms": {"h": {"x": {"value": "shifted", "bins": 20, "range": [-4, 4]}, "weight": "weight_"}},
        "output": {"histograms": "h.root"},
    }
    done = job(config)
    assert done.returncode == DONE, done.stderr
    x, w, n = (ak.to_numpy(events[name]) for name in "xwn")
    weights = {"mc": w * 1.25, "data": np.where(n > 2, 2.0, 1.0)}
    shifts = {"mc": 0.5, "data": 2.0}
    file = uproot.open(tmp_path / "h.root")
    for sample, weight in weights.items():
        for variation, factor, more in (("nominal", 1, 0), ("sf_up", 2, 0), ("up", 1, 1)):
            expected = np.histogram(
                x + (shifts[sample] + more), np.linspace(-4, 4, 21), weights=factor * weight
            )[0]
            mine = file[f"{sample}__h__{variation}"]
            np.testing.assert_array_equal(mine.values(), expected, err_msg=f"{sample} {variation}")

# SPDX-License-Identifier: BSD-3-Clause
"""What a config sets has an effect, or is warned of: weights, luminosity, data, defaults."""

import json
import math

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE

MET = {"x": {"value": "x", "bins": 20, "range": [-4, 4]}}


def config_for(path, samples=None, **more):
    files = {"files": [f"{path}:Events"]}
    samples = samples or {"mc": {"cross_section_pb": 2.5, "sum_weights": "w"}}
    return {
        "schema_version": 1,
        "samples": {name: files | sample for name, sample in samples.items()},
        "histograms": {"h": MET},
        "output": {"histograms": "h.root"},
    } | more


@pytest.fixture
def warnings(job, call, tmp_path):
    """Runs a config, and returns its warnings without places; run, report and `validate` agree."""

    def run(config, *arguments):
        done = job(config, *arguments)
        assert done.returncode == DONE, done.stderr
        reported = json.loads((tmp_path / "a.report.json").read_text())["warnings"]
        marked = [each for each in reported if "pages without checksums" not in each]  # as uproot writes them
        assert done.stderr.splitlines() == [line for each in marked for line in each.rstrip("\n").split("\n")]
        checked = call("validate", "a.json", *arguments, cwd=tmp_path)
        for each in marked:
            assert each.rstrip("\n") in checked.stdout
        first = [each.split("\n")[0] for each in marked]
        return [each.split("warning: ", 1)[1] for each in first]

    return run


WEIGHTS = {"gen": "w", "lumi": "normalisation_"}


def test_histograms_take_the_weights(warnings, events_file, tmp_path):
    path, events = events_file
    counted = {"plain": MET | {"weight": "1"}, "int": MET | {"type": "int"}, "own": MET | {"weight": "w * w"}}
    config = config_for(path, luminosity_pb=100, weights=WEIGHTS, histograms={"h": MET, **counted})
    assert warnings(config) == []
    x, w = ak.to_numpy(events.x), ak.to_numpy(events.w).astype(np.float64)
    factors = {"h": w * (250 / math.fsum(w)), "plain": np.ones(len(w)), "int": np.ones(len(w)), "own": w * w}
    file = uproot.open(tmp_path / "h.root")
    for name, weights in factors.items():
        expected = np.histogram(x, np.linspace(-4, 4, 21), weights=weights)[0]
        np.testing.assert_allclose(file[name].values(), expected, rtol=1e-6, err_msg=name)
    assert file["int"].classname == "TH1I"


@pytest.mark.parametrize(
    "factors", [("n", "jet_pt.size()"), ("id * 100000", "int(n) * 100000", "w"), ("flag", "n")]
)
def test_factors_that_are_integers_do_not_wrap_around(warnings, events_file, tmp_path, factors):
    path, events = events_file
    weights = {f"factor{number}": text for number, text in enumerate(factors)}
    config = config_for(path, samples={"mc": {}}, weights=weights)
    assert warnings(config) == []
    n, whole = ak.to_numpy(events.n).astype(np.float64), ak.to_numpy(events.id).astype(np.float64)
    expected = {
        "n": n * ak.to_numpy(ak.num(events.jet_pt)),
        "flag": n * ak.to_numpy(events.flag),
    }.get(factors[0], 1e10 * n * whole * ak.to_numpy(events.w))
    values = np.histogram(ak.to_numpy(events.x), np.linspace(-4, 4, 21), weights=expected)[0]
    np.testing.assert_allclose(uproot.open(tmp_path / "h.root")["h"].values(), values, rtol=1e-12)


def test_weights_that_nothing_uses(warnings, events_file):
    path, _ = events_file
    counts = {"h": MET | {"weight": "1"}}
    none = 'the weights are not used: no histogram and no other expression takes "weight_"'
    assert warnings(config_for(path, weights={"gen": "w"}, histograms=counts)) == [none]
    one = warnings(config_for(path, weights={"a": "w", "b": "2."}, histograms={"h": MET | {"weight": "a"}}))
    assert one == ['the weight "b" is not used']
    assert warnings(config_for(path, weights={"a": "w"}, histograms={"h": MET | {"weight": "a"}})) == []


def test_a_luminosity_that_nothing_uses(warnings, events_file):
    path, _ = events_file
    (message,) = warnings(config_for(path, luminosity_pb=100, weights={"gen": "w"}))
    assert message.startswith('"luminosity_pb" is not used')
    assert (
        warnings(config_for(path, luminosity_pb=100, histograms={"h": MET | {"weight": "normalisation_"}}))
        == []
    )


def test_simulation_without_a_cross_section(warnings, events_file):
    path, _ = events_file
    samples = {"mc": {"cross_section_pb": 2.5, "sum_weights": "w"}, "other": {}, "data": {"is_data": True}}
    (message,) = warnings(config_for(path, samples, luminosity_pb=100, weights=WEIGHTS))
    assert message.startswith('"normalisation_" is 1 for the sample "other"')


def test_data_takes_nothing_of_simulation(warnings, events_file, tmp_path):
    path, events = events_file
    samples = {
        "mc": {"cross_section_pb": 2.5},
        "data": {"is_data": True},
        "prescaled": {"is_data": True, "weights": {"gen": "3."}},
    }
    config = config_for(
        path,
        samples,
        sample_defaults={"sum_weights": "w"},
        luminosity_pb=100,
        weights=WEIGHTS,
        variations={"up": {"weights": {"gen": "gen * 2"}}},
    )
    assert warnings(config) == []
    file = uproot.open(tmp_path / "h.root")
    names = {name.split(";")[0] for name in file.keys(recursive=False)}
    assert {"mc__h__nominal", "mc__h__up", "data__h", "prescaled__h"} <= names | {"data__h", "prescaled__h"}
    assert "data__h__up" not in names
    x = ak.to_numpy(events.x)
    counts = np.histogram(x, np.linspace(-4, 4, 21))[0]
    for sample, factor in {"data": 1, "prescaled": 3}.items():
        (name,) = [each for each in names if each.startswith(f"{sample}__h")]
        np.testing.assert_array_equal(file[name].values(), factor * counts)
    cutflows = json.loads((tmp_path / "a.report.json").read_text())["samples"]
    sums = {each["name"]: each["cutflow"][0]["sum_weights"] for each in cutflows}
    assert sums == {"mc": math.fsum(ak.to_numpy(events.w)), "data": len(events), "prescaled": len(events)}


def test_half_of_a_factor_of_data_is_a_half(warnings, events_file, tmp_path):
    path, events = events_file
    samples = {"mc": {}, "data": {"is_data": True}}
    halves = {"factor": MET | {"weight": "gen / 2"}, "product": MET | {"weight": "weight_ / 2"}}
    weights = {"gen": "n > 2 ? 1.5 : 1."}
    assert warnings(config_for(path, samples, weights=weights, histograms=halves)) == []
    file = uproot.open(tmp_path / "h.root")
    counts = np.histogram(ak.to_numpy(events.x), np.linspace(-4, 4, 21))[0]
    for name in halves:
        np.testing.assert_array_equal(file[f"data__{name}"].values(), counts / 2)


def test_variations_replace_no_factors_that_data_has_not(warnings, events_file, tmp_path):
    path, events = events_file
    samples = {"data": {"is_data": True, "variations": True}, "own": {"is_data": True, "variations": True}}
    samples["own"]["weights"] = {"gen": "3."}
    both = {"columns": {"x": {"up": "x + 1"}}, "weights": {"gen": {"up": "gen * 2"}}}
    variations = {"weight": {"weights": {"gen": {"up": "gen * 2.5", "down": "2"}}}, "both": both}
    assert warnings(config_for(path, samples, weights={"gen": "w"}, variations=variations)) == []
    file = uproot.open(tmp_path / "h.root")
    x, edges = ak.to_numpy(events.x), np.linspace(-4, 4, 21)
    counts, moved = np.histogram(x, edges)[0], np.histogram(x + 1, edges)[0]
    expected = {
        **{"data__h__nominal": counts, "data__h__both_up": moved, "own__h__nominal": 3 * counts},
        **{
            "own__h__weight_up": 7.5 * counts,
            "own__h__weight_down": 2 * counts,
            "own__h__both_up": 6 * moved,
        },
    }
    names = {name.split(";")[0] for name in file.keys(recursive=False)}
    assert {name for name in names if "__h__" in name} == set(expected)
    for name, values in expected.items():
        np.testing.assert_array_equal(file[name].values(), values, err_msg=name)


def test_data_needs_no_columns_of_simulation(job, tmp_path):
    with uproot.recreate(tmp_path / "data.root") as file:
        file.mktree("Events", {"x": np.float64}).extend({"x": np.arange(3.0)})
    samples = {"data": {"is_data": True}}
    config = config_for("data.root", samples, weights={"gen": "w"}, sample_defaults={"sum_weights": "w"})
    done = job(config)
    assert done.returncode == DONE, done.stderr
    assert "sample_defaults" in done.stderr  # which no sample takes
    assert uproot.open(tmp_path / "h.root")["h"].values().sum() == 3
    del config["samples"]["data"]["is_data"]
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert 'unknown column "w"' in done.stderr


def test_data_has_no_cross_section(job, events_file):
    done = job(config_for(events_file[0], {"data": {"is_data": True, "cross_section_pb": 2}}))
    assert done.returncode == WRONG_USAGE
    assert 'data has no "cross_section_pb"' in done.stderr


def test_a_definition_is_used_where_one_sample_replaces_its_user(warnings, events_file):
    path, _ = events_file
    samples = {"mc": {}, "data": {"weights": {"sf": "1"}, "define": {"b": "2."}}}
    define = {"syst": "1 + 0.1 * x", "a": "n * 2", "b": "a + 1", "lost": "n + 1"}
    config = config_for(
        path, samples, define=define, weights={"sf": "syst"}, select=[{"name": "b", "where": "b > -9"}]
    )
    lost = 'the definition "lost" is not used'
    assert warnings(config) == [lost]
    assert warnings(config, "--samples", "data") == [lost]
    assert warnings(config, "--samples", "mc") == [lost]
    config["samples"]["mc"]["weights"] = {"sf": "2"}
    assert warnings(config) == ['the definition "syst" is not used', lost]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("max_bad_fraction", 0.5, '"max_bad_fraction" is not used without "on_bad_file": "skip"'),
        (
            "output",
            {"histograms": "h.root", "n_minus_1": True},
            '"n_minus_1" is not used: there are no cuts in',
        ),
        ("sample_defaults", {"sum_weights": "1"}, 'no sample takes "sample_defaults"'),
    ],
)
def test_settings_without_effect(warnings, events_file, key, value, message):
    (found,) = warnings(config_for(events_file[0], **{key: value}))
    assert found.startswith(message)


def test_sums_without_histograms(warnings, events_file):
    config = config_for(events_file[0], select=[{"name": "all", "where": "true"}], sums={"s": {"mc": 2}})
    del config["histograms"], config["output"]
    assert warnings(config) == ['"sums" are not used: there are no histograms']


def test_what_is_included_is_not_warned_of(warnings, events_file, tmp_path):
    common = {"luminosity_pb": 100, "weights": {"gen": "w"}, "define": {"lost": "n + 1"}}
    (tmp_path / "common.json").write_text(json.dumps(common))
    assert warnings(config_for(events_file[0], include="common.json")) == []

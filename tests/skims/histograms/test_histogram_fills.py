# SPDX-License-Identifier: BSD-3-Clause
"""What one fill of a histogram is: how values of different shapes go together, what is left out, and under which name."""

import itertools
import re

import awkward as ak
import boost_histogram as bh
import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED, WRONG_USAGE
from histogram_events import config_for

PT = {"bins": 12, "range": [0, 60]}
BY_DEPTH = {
    "value": ["y", "jet_pt", "track_pt"],
    "other": ["x", "jet_id", "track_w"],
    "weight": ["w", "jet_w", "track_w"],
}


def grouped(number):
    return f"{number:_}".replace("_", " ")


def flat(*arrays):
    return [ak.to_numpy(ak.flatten(array, axis=None)) for array in ak.broadcast_arrays(*arrays)]


# Lists beside lists of other sizes


@pytest.mark.parametrize("depths", list(itertools.product(range(3), repeat=2)))
def test_values_and_weights_are_broadcast_as_by_awkward(fill, events_file, depths):
    value, weight = BY_DEPTH["value"][depths[0]], BY_DEPTH["weight"][depths[1]]
    written = uproot.open(fill({"h": {"x": PT | {"value": value}, "weight": weight}}))["h"]
    values, weights = flat(events_file[1][value], events_file[1][weight])
    boost = bh.Histogram(bh.axis.Regular(12, 0, 60), storage=bh.storage.Weight())
    boost.fill(values, weight=weights)
    np.testing.assert_array_equal(written.values(flow=True), boost.values(flow=True))
    np.testing.assert_array_equal(written.variances(flow=True), boost.variances(flow=True))
    assert written.member("fEntries") == len(values)


@pytest.mark.parametrize("depths", list(itertools.product(range(3), repeat=3)))
def test_varied_weights_of_other_shapes_leave_the_others_alone(fill, events_file, depths):
    value, weight, varied = (
        BY_DEPTH[key][depth] for key, depth in zip(("value", "weight", "weight"), depths, strict=True)
    )
    few = f"{varied}[{varied} > 0.5]" if depths[2] == 1 and depths[0] == 0 else varied
    axis = PT | {"value": value}
    file = uproot.open(
        fill(
            {
                "h": {"x": axis, "weight": weight, "weight_variations": {"a": varied, "b": few}},
                "nominal": {"x": axis, "weight": weight},
                "a": {"x": axis, "weight": varied},
                "b": {"x": axis, "weight": few},
            }
        )
    )
    for name in ("nominal", "a", "b"):
        found, expected = file[f"h__{name}"], file[name]
        assert np.array_equal(found.values(flow=True), expected.values(flow=True)), name
        assert np.array_equal(found.variances(flow=True), expected.variances(flow=True)), name
        assert found.member("fEntries") == expected.member("fEntries"), name


@pytest.mark.parametrize("depths", list(itertools.product(range(3), repeat=3)))
def test_axes_are_broadcast_as_by_awkward(fill, events_file, depths):
    value, other, weight = (BY_DEPTH[key][depth] for key, depth in zip(BY_DEPTH, depths, strict=True))
    axes = {"x": PT | {"value": value}, "y": {"value": other, "bins": 5, "range": [-1, 4]}}
    written = uproot.open(fill({"h": axes | {"weight": weight}}))["h"]
    values, others, weights = flat(*(events_file[1][name] for name in (value, other, weight)))
    boost = bh.Histogram(bh.axis.Regular(12, 0, 60), bh.axis.Regular(5, -1, 4), storage=bh.storage.Weight())
    boost.fill(values, others, weight=weights)
    np.testing.assert_array_equal(written.values(flow=True), boost.values(flow=True))
    assert written.member("fEntries") == len(values)


def test_texts_are_repeated_for_each_element(fill, events_file):
    events = events_file[1]
    axes = {"x": {"value": "channel", "categories": ["ee", "mm"]}, "y": PT | {"value": "jet_pt"}}
    written = uproot.open(fill({"h": axes}))["h"]
    jets = ak.num(events.jet_pt)
    counts = [ak.sum(jets[events.channel == channel]) for channel in ("ee", "mm")]
    assert written.values(flow=True).sum(axis=1).tolist() == [0, *counts, ak.sum(jets) - sum(counts)]


def test_lists_of_other_sizes_name_the_entry(job, events_file):
    path, events = events_file
    histograms = {"h": {"x": PT | {"value": "jet_pt"}, "weight": "jet_w[jet_w > 0]"}}
    done = job(config_for(path, histograms))
    assert done.returncode == FAILED
    first = int(np.flatnonzero(ak.any(events.jet_w <= 0, axis=1))[0])
    assert f"entry {first} of {path}" in done.stderr
    assert re.match(r"a\.json:\d+:\d+: error: lists of different sizes", done.stderr), done.stderr


# What is no number


def test_positions_that_are_no_numbers_count_as_overflow_with_a_warning(job, events_file, tmp_path):
    path, events = events_file
    axes = {"x": {"value": "hole", "bins": 4, "range": [-1, 1]}, "y": {"value": "n", "integers": [0, 3]}}
    done = job(config_for(path, {"h": axes, "fine": {"x": axes["y"]}}))
    assert done.returncode == DONE, done.stderr
    holes = np.isnan(ak.to_numpy(events.hole))
    warnings = [line for line in done.stderr.splitlines() if line.startswith("warning")]
    assert warnings == [
        f'warning: histogram "h": {grouped(holes.sum())} values are not a number; they count as overflow'
    ]
    written = uproot.open(tmp_path / "histograms.root")["h"]
    boost = bh.Histogram(bh.axis.Regular(4, -1, 1), bh.axis.Integer(0, 4))
    boost.fill(ak.to_numpy(events.hole), ak.to_numpy(events.n))
    np.testing.assert_array_equal(written.values(flow=True), boost.values(flow=True))
    assert written.member("fEntries") == len(events)


def test_positions_that_are_no_numbers_without_a_cell_for_them(job, events_file, tmp_path):
    path, events = events_file
    axis = {"value": "hole", "bins": 4, "range": [-1, 1], "overflow": False}
    done = job(config_for(path, {"h": {"x": axis}}))
    assert done.returncode == DONE, done.stderr
    holes = np.isnan(ak.to_numpy(events.hole))
    told = f"{grouped(holes.sum())} values are not a number; they count as overflow, for which an axis has no cell"
    assert told in done.stderr
    assert uproot.open(tmp_path / "histograms.root")["h"].values(flow=True)[-1] == 0


@pytest.mark.parametrize("place", ["histogram", "defaults"])
def test_positions_that_are_no_numbers_end_the_run_where_it_is_said(job, events_file, tmp_path, place):
    path, events = events_file
    histogram = {"x": {"value": "hole", "bins": 4, "range": [-1, 1]}}
    more = {}
    if place == "histogram":
        histogram["nan"] = "fail"
    else:
        more["histogram_defaults"] = {"nan": "fail"}
    done = job(config_for(path, {"h": histogram}, **more))
    assert done.returncode == FAILED, done.stdout
    first = int(np.flatnonzero(np.isnan(ak.to_numpy(events.hole)))[0])
    assert f"entry {first} of {path}" in done.stderr
    assert re.match(r"a\.json:\d+:\d+: error: ", done.stderr), done.stderr
    assert not (tmp_path / "histograms.root").exists()


@pytest.mark.parametrize("more", [{"weight": "bad"}, {"profile": {"value": "bad"}}], ids=["weight", "value"])
def test_bad_weights_end_the_run(job, events_file, tmp_path, more):
    path, events = events_file
    done = job(config_for(path, {"h": {"x": PT | {"value": "y"}} | more}))
    assert done.returncode == FAILED
    first = int(np.flatnonzero(np.isinf(ak.to_numpy(events.bad)))[0])
    assert f"entry {first} of {path}" in done.stderr
    assert not (tmp_path / "histograms.root").exists()


@pytest.mark.parametrize(
    "weights", [{"weights": {"bad_factor": "bad"}}, {"histogram_defaults": {"weight": "bad"}}]
)
def test_a_weight_of_all_histograms_is_as_their_own(job, events_file, tmp_path, weights):
    path, events = events_file
    more = {"bad_weight": "skip", "weight_variations": {"twice": "bad * 2"}}
    histograms = {"h": {"x": PT | {"value": "y"}} | more}
    histograms["own"] = histograms["h"] | {"weight": "bad"}
    done = job(config_for(path, histograms) | weights)
    assert done.returncode == DONE, done.stderr
    num_bad = np.sum(~np.isfinite(ak.to_numpy(events.bad)))
    assert done.stderr.count(f"{grouped(num_bad)} fills are left out") == 4
    file = uproot.open(tmp_path / "histograms.root")
    for variation in ("nominal", "twice"):
        found, expected = (file[f"{name}__{variation}"].values(flow=True) for name in ("h", "own"))
        assert np.array_equal(found, expected) and np.any(found)


def test_bad_weights_are_left_out_where_it_is_said(job, events_file, tmp_path):
    path, events = events_file
    histograms = {
        "h": {"x": PT | {"value": "y"}, "weight": "bad", "bad_weight": "skip"},
        "p": {"x": PT | {"value": "y"}, "profile": {"value": "bad"}, "bad_weight": "skip"},
    }
    done = job(config_for(path, histograms))
    assert done.returncode == DONE, done.stderr
    is_good = np.isfinite(ak.to_numpy(events.bad))
    num_bad = int(np.sum(~is_good))
    for name in histograms:
        assert f'warning: histogram "{name}": {grouped(num_bad)} fills are left out' in done.stderr
    good = events[is_good]
    boost = bh.Histogram(bh.axis.Regular(12, 0, 60), storage=bh.storage.Weight())
    boost.fill(ak.to_numpy(good.y), weight=ak.to_numpy(good.bad))
    file = uproot.open(tmp_path / "histograms.root")
    np.testing.assert_array_equal(file["h"].values(flow=True), boost.values(flow=True))
    mean = bh.Histogram(bh.axis.Regular(12, 0, 60), storage=bh.storage.Mean())
    mean.fill(ak.to_numpy(good.y), sample=ak.to_numpy(good.bad))
    filled = mean.counts() > 0
    np.testing.assert_allclose(file["p"].values()[filled], mean.values()[filled], rtol=1e-12)


# Names


def named(fill, name, histograms):
    regions = {"2j": {"where": "n == 2"}, "loud": {"where": "y > 2"}}
    output = "histograms.root" if name is None else {"file": "histograms.root", "name": name}
    path = fill(histograms, regions=regions, output={"histograms": output})
    keys = uproot.open(path).keys(filter_classname=["TH1D"], cycle=False)
    return [key for key in keys if not key.startswith("skimline/")]


HISTOGRAMS = {
    "plain": {"x": PT | {"value": "y"}},
    "varied": {"x": PT | {"value": "y"}, "weight": "w", "weight_variations": {"up": "2 * w"}},
    "cut": {"x": PT | {"value": "y"}, "regions": ["2j", "loud"]},
    "both": {
        "x": PT | {"value": "y"},
        "regions": ["2j"],
        "weight": "w",
        "weight_variations": {"up": "2 * w"},
    },
}
NAMES = {
    None: [
        "plain",
        "varied__nominal",
        "varied__up",
        "2j__cut",
        "loud__cut",
        "2j__both__nominal",
        "2j__both__up",
    ],
    "{sample}/{region}/{histogram}_{variation}": [
        "data/plain",
        "data/varied_nominal",
        "data/varied_up",
        "data/2j/cut",
        "data/loud/cut",
        "data/2j/both_nominal",
        "data/2j/both_up",
    ],
}


@pytest.mark.parametrize("name", NAMES)
def test_names_follow_the_template(fill, name):
    assert sorted(named(fill, name, HISTOGRAMS)) == sorted(NAMES[name])


# Threads, memory, mistakes

EVERY_KIND = HISTOGRAMS | {
    "cube": {
        "x": PT | {"value": "jet_pt"},
        "y": {"value": "jet_w", "bins": 40, "range": [-1, 8]},
        "z": {"value": "n", "integers": [-3, 8]},
        "weight": "jet_w * log(1 + y)",
    },
    "sparse": {
        "axes": [
            PT | {"value": "jet_pt"},
            {"value": "n", "integers": [0, 3]},
            {"value": "channel", "categories": [], "growing": True},
            {"value": "id", "categories": [], "growing": True},
        ],
        "weight": "log(1 + y)",
    },
    "profile": {"x": PT | {"value": "jet_pt"}, "profile": {"value": "log(1 + jet_pt)"}, "weight": "sqrt(y)"},
    "large": {
        "x": {"value": "jet_pt", "bins": 1000, "range": [0, 100]},
        "y": {"value": "jet_w", "bins": 100, "range": [-1, 8]},
        "weight": "sqrt(y)",
    },
}


def test_bytes_do_not_depend_on_threads_nor_on_memory(job, events_file, tmp_path):
    regions = {"2j": {"where": "n == 2"}, "loud": {"where": "y > 2"}}
    files = []
    for threads, memory in [(1, "1 GiB"), (2, "1 GiB"), (4, "1 GiB"), (4, "6 MiB"), (1, "6 MiB")]:
        config = config_for(events_file[0], EVERY_KIND, regions=regions, histogram_memory=memory)
        done = job(config, "-j", threads)
        assert done.returncode == DONE, done.stderr
        assert "TBB" not in done.stderr
        files.append((tmp_path / "histograms.root").read_bytes())
    assert len(set(files)) == 1


def errors_of(done):
    assert done.returncode == WRONG_USAGE, done.stderr
    return re.findall(r"^a\.json:\d+:\d+: error: (.*)$", done.stderr, re.MULTILINE)


def test_an_axis_takes_values_of_its_kind(job, events_file):
    regions = {name: {"where": "n > 0"} for name in ("a", "b", "c")}
    bad_axes = {
        "numbers": {"value": "channel", "bins": 2, "range": [0, 1]},
        "integers": {"value": "channel", "integers": [0, 1]},
        "texts": {"value": "id", "categories": ["ee"]},
        "whole": {"value": "y", "categories": [1]},
        "whole_text": {"value": "channel", "categories": [1]},
        "growing": {"value": "y", "categories": [], "growing": True},
    }
    histograms = {name: {"x": PT | {"value": "y"}, "y": axis} for name, axis in bad_axes.items()}
    histograms["numbers"]["regions"] = ["a", "b", "c"]
    histograms["weight"] = {"x": PT | {"value": "y"}, "weight": "channel"}
    histograms["profile"] = {"x": PT | {"value": "y"}, "profile": {"value": "channel"}}
    histograms["varied"] = {"x": PT | {"value": "y"}, "weight": "w", "weight_variations": {"up": "channel"}}
    numbers = "a histogram is filled with numbers: this is string"
    texts = "an axis with texts as categories is filled with strings: this is "
    whole = "an axis with integers as categories is filled with integers: this is "
    assert errors_of(job(config_for(events_file[0], histograms, regions=regions))) == [
        numbers,
        numbers,
        texts + "std::int64_t",
        whole + "float",
        whole + "string",
        "categories are texts or integers: this is float",
        numbers,
        numbers,
        numbers,
    ]


def test_mistakes_in_every_expression_are_shown_once(job, events_file):
    histogram = {
        "x": PT | {"value": "yy"},
        "y": PT | {"value": "channell"},
        "profile": {"value": "xx"},
        "weight": "ww",
        "weight_variations": {"up": "jet_ww", "down": "track_ww"},
        "regions": ["a", "b"],
    }
    regions = {name: {"where": "n > 0"} for name in ("a", "b")}
    errors = errors_of(job(config_for(events_file[0], {"h": histogram}, regions=regions)))
    assert [re.match(r'unknown column "(\w+)"', error)[1] for error in errors] == [
        "yy",
        "channell",
        "xx",
        "ww",
        "jet_ww",
        "track_ww",
    ]


def test_warnings_point_into_every_expression(job, events_file):
    histogram = {
        "x": PT | {"value": "n / 2"},
        "profile": {"value": "n / 3"},
        "weight": "n / 4",
        "weight_variations": {"up": "n / 5"},
    }
    done = job(config_for(events_file[0], {"h": histogram}))
    assert done.returncode == DONE, done.stderr
    assert len(re.findall(r"^a\.json:\d+:\d+: warning: ", done.stderr, re.MULTILINE)) == 4


def test_histograms_beyond_the_memory_are_refused_before_the_run(job, events_file, tmp_path):
    large = {"x": {"value": "y", "bins": 1000000, "range": [0, 1]}, "weight": "w"}
    (error,) = errors_of(job(config_for(events_file[0], {"large": large}, histogram_memory="1 MiB")))
    assert '"large"' in error
    line = next(line for line in (tmp_path / "a.json").read_text().splitlines() if "histogram_memory" in line)
    done = job(config_for(events_file[0], {"large": large}, histogram_memory="1 MiB"))
    assert f"{line}\n" in done.stderr


def test_histograms_beyond_a_root_file_are_refused_before_the_run(job, events_file, tmp_path):
    axis = {"value": "y", "bins": 7000, "range": [0, 1]}
    (error,) = errors_of(job(config_for(events_file[0], {"huge": {"x": axis, "y": axis | {"bins": 10000}}})))
    assert error == (
        "a histogram with 70034004 cells is too large for a ROOT file, whose objects are smaller than 1 GiB"
    )
    assert not (tmp_path / "histograms.root").exists()


def test_more_cells_than_numbers_are_refused_before_the_run(job, events_file):
    axis = {"value": "y", "bins": 10000000, "range": [0, 1]}
    (error,) = errors_of(job(config_for(events_file[0], {"huge": {"x": axis, "y": axis, "z": axis}})))
    assert '"huge"' in error


def test_contents_beyond_their_type_fail_the_run(job, events_file, tmp_path):
    """Only the events show it: not a mistake of the config."""
    histogram = {"x": PT | {"value": "y"}, "weight": "1e40 * w", "type": "float"}
    done = job(config_for(events_file[0], {"large": histogram}))
    assert done.returncode == FAILED, done.stdout
    assert 'histogram "large"' in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]

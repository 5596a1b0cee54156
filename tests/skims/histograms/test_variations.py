# SPDX-License-Identifier: BSD-3-Clause
"""Variations of columns, definitions and weights, against awkward-array, boost-histogram and RDataFrame."""

import csv
import json
import re

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE
from histogram_events import config_for
from varied_analysis import CONFIG, VARIATIONS, Analysis, labelled, names_in, same_as_boost

ALL = ["nominal", *VARIATIONS]


@pytest.fixture(scope="module")
def run_varied(run_in, events_file, tmp_path_factory):
    """Runs the analysis of varied_analysis.py in a folder of its own; returns the folder and what was printed."""

    def run(*arguments, **more):
        folder = tmp_path_factory.mktemp("varied")
        config = config_for(events_file[0], CONFIG["histograms"]) | CONFIG | more
        config = {key: value for key, value in config.items() if value is not None}
        done = run_in(folder, config, *arguments)
        assert done.returncode == DONE, done.stderr
        return folder, done

    return run


@pytest.fixture(scope="module")
def ran(run_varied):
    output = {"histograms": "histograms.root", "cutflow": "cutflow.csv"}
    return run_varied(output=output)


@pytest.mark.parametrize("variation", ALL)
def test_histograms_are_those_of_the_varied_columns(ran, events_file, variation):
    file, expected = uproot.open(ran[0] / "histograms.root"), Analysis(events_file[1], variation)
    for name, boost in expected.histograms().items():
        same_as_boost(file[f"{name}__{variation}"], boost)
    profile = file[f"profile__{variation}"]
    weights, values, squares = expected.profile()
    np.testing.assert_allclose(profile.member("fBinEntries"), weights, rtol=1e-13)
    has_fills = weights != 0
    means = values[has_fills] / weights[has_fills]
    np.testing.assert_allclose(profile.values(flow=True)[has_fills], means, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(profile.member("fSumw2"), squares, rtol=1e-12)
    assert labelled(file[f"channel__{variation}"]) == expected.channels()


def test_each_histogram_is_there_in_each_variation(ran):
    extra = ["extra__nominal", "extra__lumi", *(f"extra__{each}" for each in VARIATIONS)]
    plain = ["busy__x", "low__x", "ht", "plane", "profile", "jets", "channel", "untouched"]
    assert names_in(ran[0] / "histograms.root") == [f"{h}__{v}" for h in plain for v in ALL] + extra


def test_weight_variations_are_of_nominal_events_alone(ran):
    file = uproot.open(ran[0] / "histograms.root")
    nominal = file["extra__nominal"].values(flow=True)
    np.testing.assert_array_equal(file["extra__lumi"].values(flow=True), 1.5 * nominal)
    assert nominal.any()


def test_copies_of_what_does_not_vary_are_equal_in_all(ran):
    file = uproot.open(ran[0] / "histograms.root")
    nominal = file["untouched__nominal"]
    assert nominal.values().any()
    for variation in VARIATIONS:
        copy = file[f"untouched__{variation}"]
        for member in ("fEntries", "fTsumw", "fTsumw2", "fTsumwx", "fTsumwx2"):
            assert copy.member(member) == nominal.member(member)
        np.testing.assert_array_equal(copy.values(flow=True), nominal.values(flow=True))


def test_bytes_do_not_depend_on_threads(run_varied):
    files = [(run_varied("-j", n)[0] / "histograms.root").read_bytes() for n in (1, 4)]
    assert files[0] == files[1]


def counts_of(analysis):
    steps = {name: int(mask.sum()) for name, mask in analysis.steps.items()}
    return steps, {name: int(mask.sum()) for name, mask in analysis.regions.items()}


def counts_in(sample):
    return tuple({each["name"]: each["events"] for each in sample[key]} for key in ("cutflow", "regions"))


def test_reports_count_the_events_of_variations(ran, run_varied, events_file):
    expected = {name: counts_of(Analysis(events_file[1], name)) for name in ALL}
    assert len({str(each) for each in expected.values()}) > 5
    (sample,) = json.loads((ran[0] / "a.report.json").read_text())["samples"]
    assert counts_in(sample) == expected["nominal"]
    assert list(sample["variations"]) == VARIATIONS
    for name, each in sample["variations"].items():
        assert counts_in(each) == expected[name], name
    rows = list(csv.DictReader((ran[0] / "cutflow.csv").read_text().splitlines()))
    for name, kinds in expected.items():
        for kind, counts in zip(("cutflow", "region"), kinds, strict=True):
            found = [row for row in rows if row["variation"] == name and row["kind"] == kind]
            assert {row["name"]: int(row["events"]) for row in found} == counts
    assert len(rows) == 5 * len(ALL)
    folder, _ = run_varied(output={"histograms": "histograms.root", "cutflow": "cutflow.json"})
    cutflow = json.loads((folder / "cutflow.json").read_text())["data"]
    assert counts_in(cutflow) == expected["nominal"]
    assert {name: counts_in(each) for name, each in cutflow["variations"].items()} == {
        name: expected[name] for name in VARIATIONS
    }


def test_the_text_shows_variations_that_select_other_events(ran, events_file):
    text = ran[1].stdout.split("variations\n")[1].split("\n\n")[0]
    table = [re.split(r"  +", line.strip()) for line in text.splitlines()]
    assert table[0] == ["variation", "selected", "busy", "low"]
    found = {row[0]: [int(count.replace(" ", "")) for count in row[1:]] for row in table[1:] if len(row) == 4}
    expected = {}
    for name in ALL:
        steps, regions = counts_of(Analysis(events_file[1], name))
        expected[name] = [steps["second"], regions["busy"], regions["low"]]
    assert found == {name: row for name, row in expected.items() if row != expected["nominal"]}
    assert "sf_up" not in found


def test_samples_choose_their_variations(job, events_file, tmp_path):
    files = [f"{events_file[0]}:Events"]
    config = {
        "schema_version": 1,
        "samples": {
            "tt__nominal": {"files": files},
            "tt__other": {"files": files},
            "wjets__nominal": {"files": files},
            "data": {"files": files, "variations": False},
        },
        "variations": {
            "all": {"columns": {"x": "x + 1"}},
            "tops": {"columns": {"x": "x + 2"}, "samples": ["tt__*"]},
            "nominals": {"columns": {"x": {"up": "x + 3"}}, "samples": ["*__nominal"]},
            "two": {"columns": {"x": "x + 4"}, "samples": ["wjets__nominal", "tt__?ther", "data"]},
        },
        "histograms": {"x": {"x": {"value": "x", "bins": 40, "range": [-2, 8]}}},
        "output": {"histograms": "h.root"},
    }
    done = job(config)
    assert done.returncode == DONE, done.stderr
    applied = {
        "tt__nominal": {"nominal": 0, "all": 1, "tops": 2, "nominals_up": 3},
        "tt__other": {"nominal": 0, "all": 1, "tops": 2, "two": 4},
        "wjets__nominal": {"nominal": 0, "all": 1, "nominals_up": 3, "two": 4},
        "data": {"": 0},
    }
    shifts = {
        "__".join(filter(None, [sample, "x", variation])): shift
        for sample, variations in applied.items()
        for variation, shift in variations.items()
    }
    file = uproot.open(tmp_path / "h.root")
    assert names_in(tmp_path / "h.root") == list(shifts)
    x = ak.to_numpy(events_file[1].x)
    for name, shift in shifts.items():
        np.testing.assert_array_equal(
            file[name].values(), np.histogram(x + shift, np.linspace(-2, 8, 41))[0], err_msg=name
        )


def read_by(run_varied, **more):
    """Not in how many requests, which follows from how quickly storage answers."""
    folder, _ = run_varied("-j", "1", **more)
    report = json.loads((folder / "a.report.json").read_text())
    return {key: report["read"][key] for key in ("bytes", "pages_decoded", "bytes_decoded")}


def test_weight_variations_read_nothing_more(run_varied):
    variations = CONFIG["variations"]
    nominal = read_by(run_varied, variations=None)
    assert nominal["pages_decoded"] > 0
    assert read_by(run_varied, variations={"sf": variations["sf"]}) == nominal


def test_varied_columns_are_decoded_once(run_varied, events_file):
    """Without cuts everything is read, so that reading twice would show."""
    more = {
        "select": [{"name": "first", "where": "true"}, {"name": "second", "where": "true"}],
        "regions": {"busy": {"where": "true"}, "low": {"where": "true"}},
    }
    variations = {name: CONFIG["variations"][name] for name in ("pt_scale", "swap", "sum", "both")}
    nominal = read_by(run_varied, **more, variations=None)
    varied = read_by(run_varied, **more, variations=variations)
    ntuple = uproot.open(events_file[0])["Events"]
    total = sum(len(column.pages) for cluster in ntuple.page_link_list for column in cluster)
    assert nominal["pages_decoded"] <= varied["pages_decoded"] <= total
    only_y = sum(
        len(cluster[number].pages)
        for cluster in ntuple.page_link_list
        for number, column in enumerate(ntuple.column_records)
        if ntuple.field_records[column.field_id].field_name == "y"
    )
    assert varied["pages_decoded"] == nominal["pages_decoded"] + only_y


def test_the_plan_says_where_variations_select_other_events(call, run_varied):
    folder, _ = run_varied()
    done = call("plan", "a.json", "--json", cwd=folder)
    assert done.returncode == DONE, done.stderr
    (sample,) = json.loads(done.stdout)["samples"]
    names = [name for each in sample["events"] for name in each["names"]]
    assert "second in pt_scale_up" in names
    assert "region busy in sum_down" in names
    assert "first in shift_down" in names
    assert not [name for name in names if "sf_" in name or "first in pt_scale" in name]


def test_variations_are_those_of_rdataframe(job, sample, tmp_path):
    root = pytest.importorskip("ROOT", reason="ROOT is the oracle of this test")
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [f"{sample}:Events"]}},
        "define": {"ht": "Sum(Jet_pt[Jet_pt > 30])"},
        "weights": {"generator": "genWeight"},
        "variations": {
            "scale": {"columns": {"Jet_pt": {"up": "Jet_pt * 1.05f", "down": "Jet_pt * 0.95f"}}},
            "met": {"columns": {"MET_pt": {"up": "MET_pt + 5", "down": "MET_pt - 5"}}},
            "generator": {"weights": {"generator": {"up": "generator * 2", "down": "generator * 0.5f"}}},
        },
        "select": [{"name": "met", "where": "MET_pt > 20"}, {"name": "busy", "where": "ht > 60"}],
        "histograms": {
            "ht": {"x": {"value": "ht", "bins": 40, "range": [0, 400]}, "weight": "weight_"},
            "met": {"x": {"value": "MET_pt", "bins": 40, "range": [0, 200]}, "weight": "weight_"},
        },
        "output": {"histograms": "h.root"},
    }
    done = job(config)
    assert done.returncode == DONE, done.stderr
    vector = "ROOT::RVec<ROOT::RVecF>"
    frame = (
        root.RDataFrame("Events", str(sample))
        .Define("generator", "genWeight")
        .Vary("Jet_pt", f"{vector}{{Jet_pt * 1.05f, Jet_pt * 0.95f}}", ["up", "down"], "scale")
        .Vary("MET_pt", "ROOT::RVecF{MET_pt + 5, MET_pt - 5}", ["up", "down"], "met")
        .Vary("generator", "ROOT::RVecF{generator * 2, generator * 0.5f}", ["up", "down"], "generator")
        .Define("ht", "Sum(Jet_pt[Jet_pt > 30])")
        .Filter("MET_pt > 20")
        .Filter("ht > 60")
    )
    models = {"ht": ("ht", "", 40, 0.0, 400.0), "met": ("met", "", 40, 0.0, 200.0)}
    booked = {
        name: root.RDF.Experimental.VariationsFor(
            frame.Histo1D(model, {"ht": "ht", "met": "MET_pt"}[name], "generator")
        )
        for name, model in models.items()
    }
    file = uproot.open(tmp_path / "h.root")
    for name, theirs in booked.items():
        keys = [str(key) for key in theirs.GetKeys()]
        assert len(keys) == 7
        for key in keys:
            histogram = theirs[key]
            mine = file[f"{name}__{key.replace(':', '_')}"]
            cells = [histogram.GetBinContent(cell) for cell in range(histogram.GetNcells())]
            np.testing.assert_allclose(mine.values(flow=True), cells, rtol=1e-12, err_msg=f"{name} {key}")
            assert mine.member("fEntries") == histogram.GetEntries(), key


def test_shards_merge_to_the_bytes_of_the_whole_run(job, call, events_file, tmp_path):
    files = [f"{events_file[0]}:Events"]
    simulated = {"files": files, "cross_section_pb": 3.5, "sum_weights": "w"}
    config = config_for(events_file[0], CONFIG["histograms"]) | CONFIG
    config |= {
        "samples": {"a": simulated, "b": simulated | {"cross_section_pb": 0.7}, "data": {"files": files}},
        "luminosity_pb": 123.0,
        "weights": {"base": "w", "sf": "n > 2 ? 1.25 : 1.0", "lumi": "normalisation_"},
        "sums": {"all": {"a": 0.5, "b": 1, "data": 0.25}, "counts": {"a": 1, "b": 1}},
    }
    assert job(config).returncode == DONE
    whole = (tmp_path / "histograms.root").read_bytes()
    for part in range(1, 4):
        done = job(config, "--shard", f"{part}/3")
        assert done.returncode == DONE, done.stderr
    parts = [tmp_path / f"histograms.shard{part}of3.root" for part in (2, 3, 1)]
    done = call("merge", tmp_path / "merged.root", *parts)
    assert done.returncode == DONE, done.stderr
    assert len(names_in(tmp_path / "merged.root")) == len(set(names_in(tmp_path / "merged.root"))) > 250
    assert (tmp_path / "merged.root").read_bytes() == whole

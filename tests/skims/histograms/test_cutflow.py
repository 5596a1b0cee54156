# SPDX-License-Identifier: BSD-3-Clause
"""Cutflows with weights, of N - 1 cuts and of regions, in tables, CSV, JSON and histograms, against numpy."""

import csv
import json
import math

import awkward
import numpy
import pytest
import uproot
from exit_codes import DONE, FAILED, WRONG_USAGE

CUTS = {"muons": "nMuon == 2", "quiet": "MET_pt < 30", "jets": "nJet >= 2"}


def config_for(path, **more):
    return {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(path)], "sum_weights": "genWeight * 1.5"}},
        "select": [{"name": name, "where": where} for name, where in CUTS.items()],
        "regions": {"loud": {"where": "MET_pt > 20", "after": "muons"}},
        "skims": {"loud": {"file": "loud.root", "region": "loud", "keep": ["event"], "where": "nJet > 1"}},
        "output": {"histograms": "h.root", "cutflow": "cutflow.csv", "n_minus_1": True},
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 2, "range": [0, 10]}}},
    } | more


def masks_of(columns):
    return {
        "muons": awkward.to_numpy(columns.nMuon == 2),
        "quiet": awkward.to_numpy(columns.MET_pt < 30),
        "jets": awkward.to_numpy(columns.nJet >= 2),
    }


def weights_of(columns):
    """As the program computes them: a float times a double."""
    return awkward.to_numpy(columns.genWeight).astype(numpy.float64) * 1.5


def sums(columns, mask):
    """Events, sum of weights and its error, exactly rounded."""
    weights = weights_of(columns)[mask]
    return int(mask.sum()), math.fsum(weights), math.sqrt(math.fsum(weights * weights))


def steps_of(columns):
    mask = numpy.ones(len(columns), bool)
    steps = {"all events": mask}
    for name, each in masks_of(columns).items():
        mask = mask & each
        steps[name] = mask
    return steps


@pytest.fixture
def done(job, sample):
    result = job(config_for(sample))
    assert result.returncode == DONE, result.stderr
    return result


def is_step(row, columns, mask):
    events, total, error = sums(columns, mask)
    found = [float(row[key]) for key in ("events", "sum_weights", "sum_weights_error")]
    return found == pytest.approx([events, total, error], rel=1e-15)


def test_csv(done, columns, tmp_path):
    with (tmp_path / "cutflow.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(row["sample"] == "mc" for row in rows)
    cutflow = {row["name"]: row for row in rows if row["kind"] == "cutflow"}
    steps = steps_of(columns)
    assert list(cutflow) == list(steps)
    assert all(is_step(cutflow[name], columns, mask) for name, mask in steps.items())
    masks = masks_of(columns)
    without = {row["name"]: row for row in rows if row["kind"] == "n_minus_1"}
    assert list(without) == list(CUTS)
    for name, row in without.items():
        others = numpy.logical_and.reduce([mask for other, mask in masks.items() if other != name])
        assert is_step(row, columns, others)
    (region,) = (row for row in rows if row["kind"] == "region")
    assert is_step(region, columns, masks["muons"] & awkward.to_numpy(columns.MET_pt > 20))


def test_json(job, sample, columns, tmp_path):
    config = config_for(sample, output={"cutflow": "c.json"})
    del config["histograms"], config["skims"]
    result = job(config)
    assert result.returncode == DONE, result.stderr
    cutflow = json.loads((tmp_path / "c.json").read_text())["mc"]["cutflow"]
    for row, (name, mask) in zip(cutflow, steps_of(columns).items(), strict=True):
        assert row["name"] == name
        assert is_step(row, columns, mask)


def test_the_table_shows_weights_and_efficiencies(done, columns):
    steps = steps_of(columns)
    line = next(line for line in done.stdout.splitlines() if line.startswith("  quiet"))
    events, total, _ = sums(columns, steps["quiet"])
    before, whole = sums(columns, steps["muons"])[0], sums(columns, steps["all events"])
    assert f"{100 * events / before:.2f} %" in line
    assert f"{100 * events / whole[0]:.2f} %" in line
    assert f"{total:,.2f}".replace(",", " ") in line
    assert f"{100 * total / whole[1]:.2f} %" in line


def test_histograms_in_every_output(done, columns, tmp_path):
    weights = weights_of(columns)
    for name, steps in (
        ("h.root", steps_of(columns)),
        (
            "loud.root",
            {
                "all events": numpy.ones(len(columns), bool),
                "muons": masks_of(columns)["muons"],
                "region loud": masks_of(columns)["muons"] & awkward.to_numpy(columns.MET_pt > 20),
                "skim loud": masks_of(columns)["muons"]
                & awkward.to_numpy((columns.MET_pt > 20) & (columns.nJet > 1)),
            },
        ),
    ):
        file = uproot.open(tmp_path / name)
        counts, weighted = (file[f"skimline/{kind}/mc"].to_hist() for kind in ("cutflow", "weighted_cutflow"))
        assert list(counts.axes[0]) == list(weighted.axes[0]) == list(steps)
        assert counts.values().tolist() == [mask.sum() for mask in steps.values()]
        assert weighted.values().tolist() == [math.fsum(weights[mask]) for mask in steps.values()]
        assert weighted.variances().tolist() == pytest.approx(
            [math.fsum(weights[mask] ** 2) for mask in steps.values()], rel=1e-15
        )


def test_without_weights_each_event_counts_one(job, sample, columns, tmp_path):
    config = config_for(sample)
    del config["samples"]["mc"]["sum_weights"]
    result = job(config)
    assert result.returncode == DONE, result.stderr
    assert "sum of weights" not in result.stdout
    weighted = uproot.open(tmp_path / "h.root")["skimline/weighted_cutflow/mc"]
    expected = [mask.sum() for mask in steps_of(columns).values()]
    assert weighted.values().tolist() == weighted.variances().tolist() == expected


def test_a_weight_that_is_no_number_is_an_error(job, sample):
    config = config_for(sample)
    config["samples"]["mc"]["sum_weights"] = "log(genWeight - 100)"
    result = job(config)
    assert result.returncode == FAILED
    assert "a weight that is not finite" in result.stderr
    config["samples"]["mc"]["sum_weights"] = "Muon_pt"
    result = job(config)
    assert result.returncode == WRONG_USAGE
    assert "the weight of an event must be one number: this is list of float" in result.stderr


def test_nothing_survives(job, sample, columns, tmp_path):
    config = config_for(sample)
    config["select"].append({"name": "none", "where": "MET_pt < -1"})
    config["skims"] = {"none": {"file": "none.root", "keep": ["event"]}}
    result = job(config)
    assert result.returncode == DONE, result.stderr
    file = uproot.open(tmp_path / "none.root")
    assert file["Events"].num_entries == 0
    weighted = file["skimline/weighted_cutflow/mc"].values()
    assert weighted[0] == math.fsum(weights_of(columns))
    assert weighted[-1] == 0


def test_cuts_may_be_called_as_steps_around_them(job, sample, columns, tmp_path):
    """Of the step of a region, of that of a skim, and of the first step where inputs carry some."""
    config = config_for(sample, skims={"s": {"file": "s.root", "region": "r", "where": "nJet > 1"}})
    config["select"] = [{"name": name, "where": "nMuon >= 1"} for name in ("region r", "skim s")]
    config["regions"] = {"r": {"where": "MET_pt > 20"}}
    assert job(config).returncode == DONE
    muons = columns.nMuon >= 1
    region = muons & (columns.MET_pt > 20)
    expected = [len(columns), sum(muons), sum(muons), sum(region), sum(region & (columns.nJet > 1))]
    with uproot.open(tmp_path / "s.root") as file:
        assert file["skimline/cutflow/mc"].values().tolist() == expected
    again = config_for(tmp_path / "s.root", skims={})
    again["select"] = [{"name": "events of the inputs", "where": "nMuon >= 2"}]
    del again["regions"]
    assert job(again).returncode == DONE
    kept = region & (columns.nJet > 1)
    expected += [expected[-1], sum(kept & (columns.nMuon >= 2))]
    with uproot.open(tmp_path / "h.root") as file:
        steps = file["skimline/cutflow/mc"]
        assert steps.values().tolist() == expected
        assert len(set(steps.axis().labels())) == len(expected)

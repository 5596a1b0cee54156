# SPDX-License-Identifier: BSD-3-Clause
"""What docs/ say in words is true: exit codes, what a failure leaves behind, how values are counted, orders."""

import json
import os
import re
import signal
import subprocess
import time

import awkward
import numpy
import pytest
import uproot
from pages import COMMAND_LINE, README_CONFIG
from plain_configs import parsed

OUTPUTS = ("skim.root", "histograms.root")


def test_exit_codes_are_those_of_the_help(call):
    section = COMMAND_LINE.read_text().split("## Exit codes")[1].split("\n## ")[0]
    in_page = dict(re.findall(r"^\| (\d+) \| (.*?) \|", section, re.MULTILINE))
    in_help = dict(
        re.findall(r"^  (\d+) +(.*)$", call("skimline --help").stdout.split("Exit codes:")[1], re.M)
    )
    assert list(in_page) == list(in_help)
    for code, meaning in in_help.items():
        assert in_page[code].startswith(meaning), code


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interruption_gives_130_and_leaves_nothing(skimline, tmp_path, number):
    command = [skimline, "generate", "dimuon", "--events", "1e9", "-o", tmp_path / "x.root"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 20
    while not os.listdir(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert os.listdir(tmp_path) == []


def test_outputs_that_cannot_be_reported_are_complete(call, sample):
    (call.folder / "dimuon.root").write_bytes(sample.read_bytes())
    (call.folder / "analysis.json").write_text(README_CONFIG)
    assert call("skimline run analysis.json").returncode == 0
    expected = [(call.folder / name).read_bytes() for name in OUTPUTS]
    for name in OUTPUTS:
        (call.folder / name).unlink()
    done = call("skimline run analysis.json > /dev/full")
    assert done.returncode == 1
    assert "standard output" in done.stderr
    assert [(call.folder / name).read_bytes() for name in OUTPUTS] == expected


def test_a_file_beyond_the_limit_leaves_nothing_and_old_files_stay(call):
    (call.folder / "x.root").write_text("old")
    done = call("ulimit -f 100; skimline generate dimuon -f --events 1e5 -o x.root")
    assert done.returncode == 1
    assert os.listdir(call.folder) == ["x.root"]
    assert (call.folder / "x.root").read_text() == "old"


def test_values_weights_and_not_a_number_are_counted_as_written(call, sample):
    (call.folder / "dimuon.root").write_bytes(sample.read_bytes())
    axis = {"value": "Muon_pt", "bins": 5, "range": [10, 60]}
    histograms = {
        "event_weight": {"x": axis, "weight": "genWeight"},
        "element_weight": {"x": axis, "weight": "Muon_eta"},
        "value_per_weight": {"x": axis | {"value": "MET_pt"}, "weight": "Muon_eta"},
        "lost": {"x": axis | {"value": "sqrt(MET_pt - 20)", "label": "m", "unit": "GeV"}},
    }
    config = parsed(README_CONFIG) | {"histograms": histograms, "select": []}
    (call.folder / "analysis.json").write_text(json.dumps(config))
    done = call("skimline run analysis.json")
    assert done.returncode == 0, done.stderr

    events = uproot.open(sample)["Events"].arrays()
    pt, eta, met = events.Muon_pt, events.Muon_eta, events.MET_pt
    num_lost = int(numpy.sum(met < 20))
    assert (
        f'warning: histogram "lost": {num_lost:_} values are not a number; they count as overflow'.replace(
            "_", " "
        )
        in done.stderr
    )

    def expected(values, weights):
        edges = [-numpy.inf, 10, 20, 30, 40, 50, 60, numpy.inf]
        return numpy.histogram(awkward.flatten(values), edges, weights=awkward.flatten(weights))[0]

    file = uproot.open(call.folder / "histograms.root")
    for name, values, weights in [
        ("event_weight", pt, awkward.broadcast_arrays(events.genWeight, pt)[0]),
        ("element_weight", pt, eta),
        ("value_per_weight", awkward.broadcast_arrays(met, eta)[0], eta),
    ]:
        found = file[name].values(flow=True)
        numpy.testing.assert_allclose(
            found, expected(values, awkward.values_astype(weights, float)), rtol=1e-12, atol=1e-9
        )
    lost = file["lost"]
    assert lost.values(flow=True)[-1] == num_lost
    assert lost.member("fEntries") == len(events)
    assert (lost.title, lost.member("fXaxis").member("fTitle")) == ("", "m [GeV]")
    assert lost.member("fYaxis").member("fTitle") == "Events"


def test_files_and_columns_come_in_the_order_written(call):
    for number, name in enumerate(["run9", "run10", "a[1]"]):
        with uproot.recreate(call.folder / f"{name}.root") as file:
            file.mkrntuple("Events", {"b": numpy.full(2, number), "a": numpy.arange(2)})
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": ["a[1].root", "run*.root:Events"]}},
        "define": {"z": "a + 1", "y": "z + 1"},
        "skims": {"s": {"file": "s.root", "keep": ["y", "z", "b", "a"]}},
    }
    (call.folder / "a.json").write_text(json.dumps(config))
    assert call("skimline run a.json").returncode == 0
    skim = uproot.open(call.folder / "s.root")["Events"]
    assert skim.keys() == ["a", "b", "z", "y"]
    assert skim["b"].array().to_list() == [2, 2, 1, 1, 0, 0]


def test_a_definition_is_computed_only_where_it_is_used(call, sample):
    (call.folder / "dimuon.root").write_bytes(sample.read_bytes())
    cuts = {"safe": [{"name": "a muon", "where": "nMuon > 0"}], "unsafe": []}
    for name, select in cuts.items():
        config = parsed(README_CONFIG) | {"define": {"mll": "Muon_pt[0]"}, "select": select}
        (call.folder / f"{name}.json").write_text(json.dumps(config))
    assert call("skimline run safe.json").returncode == 0
    assert call("skimline run -f unsafe.json").returncode == 1


def test_a_skim_keeps_fields_that_expressions_cannot_hold(call):
    lists = awkward.Array([[[[[1.0], []], []]], [], [[[[2.0]]]]])
    with uproot.recreate(call.folder / "in.root") as file:
        file.mkrntuple(
            "Events", {"x": numpy.arange(3), "name": awkward.Array(["a", "b", "c"]), "deep": lists}
        )
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": ["in.root"]}},
        "skims": {"s": {"file": "s.root"}},
    }

    def run(**more):
        config["skims"]["s"] = {"file": "s.root"} | more
        (call.folder / "a.json").write_text(json.dumps(config))
        return call("skimline run a.json")

    def kept():
        return uproot.open(call.folder / "s.root")["Events"].arrays()

    assert run().returncode == 0
    assert kept()["name"].tolist() == ["a", "b", "c"]
    assert kept()["deep"].tolist() == lists.tolist()
    run(drop=["name"])
    assert set(kept().fields) == {"x", "deep"}
    run(keep=["deep"])
    assert kept().fields == ["deep"]
    refused = run(where="deep > 1")
    assert refused.returncode == 2
    assert (
        'the field "deep" cannot be used in expressions: lists nested more than three deep' in refused.stderr
    )

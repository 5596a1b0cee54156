# SPDX-License-Identifier: BSD-3-Clause
"""Histograms and skims at any point of the cutflow and in regions, against RDataFrame and uproot."""

import re

import awkward
import numpy
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE

AXES = {
    "met": ("MET_pt", 40, 0.0, 120.0),
    "jets": ("nJet", 10, 0.0, 10.0),
    "muon_pt": ("Muon_pt", 30, 0.0, 90.0),
}
SELECT = {"a muon": "nMuon > 0", "quiet": "MET_pt < 60", "two muons": "nMuon == 2"}
REGIONS = {
    "2j": ("nJet >= 2", "two muons"),
    "loud": ("MET_pt > 20 && Sum(Muon_pt) > 50", "a muon"),
    "no_cut": ("nJet == 0", "all events"),
    "empty": ("nJet > 1000", "quiet"),
}


def histogram(name, **more):
    value, bins, low, high = AXES[name]
    return {"x": {"value": value, "bins": bins, "range": [low, high]}} | more


def config_for(sample):
    return {
        "schema_version": 1,
        "samples": {"data": {"files": [f"{sample}:Events"]}},
        "select": [{"name": name, "where": where} for name, where in SELECT.items()],
        "regions": {
            name: {"where": where} | ({} if after == "two muons" else {"after": after})
            for name, (where, after) in REGIONS.items()
        },
        "histograms": {
            "met": histogram("met", regions=["loud", "2j", "no_cut", "empty"]),
            "jets": histogram("jets", after="all events"),
            "muon_pt": histogram("muon_pt", after="quiet", where="nJet > 0", weight="genWeight"),
            "jets_at_end": histogram("jets", after="two muons"),
            "jets_of_default": histogram("jets"),
            "cut_met": histogram("met", regions=["loud", "2j"], where="nMuon > 1"),
        },
        "skims": {
            "all": {"file": "all.root", "keep": ["event"], "after": "all events"},
            "muon": {"file": "muon.root", "keep": ["event", "Muon_pt"], "after": "a muon"},
            "loud": {"file": "loud.root", "keep": ["event"], "region": "loud", "where": "nJet > 1"},
            "empty": {"file": "empty.root", "keep": ["event"], "region": "empty"},
        },
        "output": {"histograms": "histograms.root"},
    }


@pytest.fixture(scope="module")
def frames(sample):
    """RDataFrame's nodes: after each step, and in each region."""
    root = pytest.importorskip("ROOT", reason="ROOT is the oracle of this test")
    nodes = {"all events": root.RDataFrame("Events", str(sample))}
    last = "all events"
    for name, where in SELECT.items():
        nodes[name] = nodes[last].Filter(where)
        last = name
    for name, (where, after) in REGIONS.items():
        nodes[name] = nodes[after].Filter(where)
    return nodes


def contents(histogram):
    return [histogram.GetBinContent(cell) for cell in range(histogram.GetNcells())]


def test_histograms_are_those_of_rdataframe(job, sample, frames, tmp_path):
    done = job(config_for(sample))
    assert done.returncode == DONE, done.stderr
    expected = {
        "loud__met": (frames["loud"], "met"),
        "2j__met": (frames["2j"], "met"),
        "no_cut__met": (frames["no_cut"], "met"),
        "empty__met": (frames["empty"], "met"),
        "jets": (frames["all events"], "jets"),
        "muon_pt": (frames["quiet"].Filter("nJet > 0"), "muon_pt", "genWeight"),
        "jets_at_end": (frames["two muons"], "jets"),
        "jets_of_default": (frames["two muons"], "jets"),
        "loud__cut_met": (frames["loud"].Filter("nMuon > 1"), "met"),
        "2j__cut_met": (frames["2j"].Filter("nMuon > 1"), "met"),
    }
    written = uproot.open(tmp_path / "histograms.root")
    assert [key.split(";")[0] for key in written.keys() if not key.startswith("skimline")] == list(expected)
    for name, (frame, axis, *weight) in expected.items():
        value, bins, low, high = AXES[axis]
        theirs = frame.Histo1D((name, "", bins, low, high), value, *weight).GetValue()
        numpy.testing.assert_allclose(
            written[name].values(flow=True), contents(theirs), rtol=1e-12, err_msg=name
        )
        assert written[name].member("fEntries") == theirs.GetEntries()
    assert written["loud__met"].values().sum() > 0


def test_skims_hold_the_events_of_their_point(job, sample, columns, tmp_path):
    assert job(config_for(sample)).returncode == DONE
    muon = columns.nMuon > 0
    loud = muon & (columns.MET_pt > 20) & (awkward.sum(columns.Muon_pt, axis=1) > 50) & (columns.nJet > 1)
    for name, kept in {"all": muon | True, "muon": muon, "loud": loud, "empty": columns.nJet > 1000}.items():
        events = uproot.open(tmp_path / f"{name}.root")["Events"]["event"].array()
        assert awkward.array_equal(events, columns.event[kept]), name


def test_regions_are_listed_with_their_events(job, sample, columns):
    shown = job(
        config_for(sample) | {"histograms": {"met": histogram("met")}, "skims": {"s": {"file": "s.root"}}}
    )
    assert shown.returncode == DONE, shown.stderr
    rows = {
        row[0]: row[1:]
        for row in re.findall(r"^  (\w+) +([a-z ]+?)  +([\d ]+?)  +\S+ %  +(\S+) %$", shown.stdout, re.M)
    }
    quiet = (columns.nMuon > 0) & (columns.MET_pt < 60)
    kept = {
        "2j": quiet & (columns.nMuon == 2) & (columns.nJet >= 2),
        "loud": (columns.nMuon > 0) & (columns.MET_pt > 20) & (awkward.sum(columns.Muon_pt, axis=1) > 50),
        "no_cut": columns.nJet == 0,
        "empty": columns.nJet > 1000,
    }
    for name, events in kept.items():
        after, count, percent = rows[name]
        assert after == REGIONS[name][1]
        assert int(count.replace(" ", "")) == awkward.sum(events), name
        assert float(percent) == pytest.approx(100 * awkward.sum(events) / len(columns), abs=0.005)


def test_bytes_do_not_depend_on_threads(job, sample, tmp_path):
    files = []
    for threads in (1, 3):
        assert job(config_for(sample), "-j", threads).returncode == DONE
        files.append({path.name: path.read_bytes() for path in sorted(tmp_path.glob("*.root"))})
    assert len(files[0]) == 5
    assert files[0] == files[1]


def test_regions_alone_are_counted(job, sample, columns):
    config = config_for(sample)
    for key in ("select", "histograms", "skims", "output"):
        del config[key]
    config["regions"] = {"2j": {"where": "nJet == 2"}}
    shown = job(config)
    assert shown.returncode == DONE, shown.stderr
    assert re.search(
        rf"2j +all events +{int(awkward.sum(columns.nJet == 2)):,} ".replace(",", " "), shown.stdout
    )


def test_mistakes_in_regions_are_located(job, sample, tmp_path):
    config = config_for(sample)
    config["regions"]["2j"]["where"] = "nJett >= 2"
    config["regions"]["loud"]["where"] = "Muon_pt > 20"
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert 'unknown column "nJett" (did you mean "nJet"?)' in done.stderr
    assert "a selection must be one bool per entry" in done.stderr
    assert done.stderr.count("error:") == 2, done.stderr


def test_a_mistake_of_many_regions_is_shown_once(job, sample):
    config = config_for(sample)
    config["histograms"]["cut_met"]["where"] = "nMuonn > 1"
    done = job(config)
    assert done.returncode == WRONG_USAGE
    assert done.stderr.count("error:") == 1, done.stderr


def test_faults_of_events_point_into_the_region(job, sample):
    config = config_for(sample)
    config["regions"]["no_cut"]["where"] = "Muon_pt[0] > 20"
    done = job(config)
    assert done.returncode == 1
    assert re.match(r"a\.json:\d+:\d+: error: index 0 is out of range", done.stderr), done.stderr

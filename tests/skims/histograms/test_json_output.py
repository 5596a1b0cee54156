# SPDX-License-Identifier: BSD-3-Clause
"""A run whose histograms go to a JSON file: the same as in a ROOT file, complete or absent."""

import json

import awkward as ak
import boost_histogram as bh
import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED
from histogram_events import config_for

uhi_json = pytest.importorskip("uhi.io.json")


HISTOGRAMS = {
    "counts": {"x": {"value": "x", "bins": 20, "range": [-2, 2]}},
    "plane": {
        "x": {"value": "jet_pt", "bins": 10, "range": [0, 50]},
        "y": {"value": "channel", "categories": ["ee", "mm"]},
        "weight": "w",
        "weight_variations": {"up": "w * 2"},
    },
    "profile": {"x": {"value": "n", "integers": [0, 4]}, "profile": {"value": "y"}},
}
OUTPUT = {"histograms": {"file": "h.json", "name": "{sample}/{histogram}_{variation}"}}


def test_histograms_are_those_of_a_root_file(job, events_file, fill, tmp_path):
    done = job(config_for(events_file[0], HISTOGRAMS, output=OUTPUT))
    assert done.returncode == DONE, done.stderr
    text = (tmp_path / "h.json").read_text()
    read = {
        name: bh.Histogram(histogram)
        for name, histogram in json.loads(text, object_hook=uhi_json.object_hook).items()
        if name != "uhi_schema" and not name.startswith("skimline/")
    }
    root = uproot.open(fill(HISTOGRAMS))
    names = {
        "counts": "counts",
        "plane__nominal": "plane_nominal",
        "plane__up": "plane_up",
        "profile": "profile",
    }
    assert set(read) == {f"data/{name}" for name in names.values()}
    for in_root, name in names.items():
        np.testing.assert_allclose(
            read[f"data/{name}"].values(), root[in_root].values(), rtol=1e-12, err_msg=name
        )
    events = events_file[1]
    boost = bh.Histogram(bh.axis.Regular(20, -2, 2)).fill(ak.to_numpy(events.x))
    np.testing.assert_array_equal(read["data/counts"].values(flow=True), boost.values(flow=True))
    assert "4 histograms" in done.stdout.split("outputs")[1]


def test_bytes_do_not_depend_on_threads(job, events_file, tmp_path):
    files = set()
    for threads in (1, 4):
        assert job(config_for(events_file[0], HISTOGRAMS, output=OUTPUT), "-j", threads).returncode == DONE
        files.add((tmp_path / "h.json").read_bytes())
    assert len(files) == 1


@pytest.mark.parametrize("arguments", [[], ["--config"], ["--json"], ["--format", "csv"]], ids=" ".join)
def test_show_says_what_it_says_of_a_root_file(job, call, events_file, tmp_path, arguments):
    shown = []
    for name in ("h.json", "h.root"):
        output = {"histograms": {"file": name, "name": "{sample}/{histogram}_{variation}"}}
        assert job(config_for(events_file[0], HISTOGRAMS, output=output)).returncode == DONE
        done = call("show", *arguments, name, cwd=tmp_path)
        assert done.returncode == DONE, done.stderr
        shown.append(done.stdout.replace(name, "file"))
    assert shown[0] == shown[1]
    (tmp_path / "other.json").write_text("{}")
    done = call("show", "other.json", "h.json", cwd=tmp_path)
    assert done.returncode == FAILED and "other.json: " in done.stdout and "all events" in done.stdout


def test_a_failed_run_leaves_the_old_file(job, events_file, tmp_path):
    (tmp_path / "h.json").write_text("old")
    histograms = {"h": {"x": {"value": "hole", "bins": 2, "range": [0, 1]}, "nan": "fail"}}
    assert job(config_for(events_file[0], histograms, output=OUTPUT), "-f").returncode == FAILED
    assert (tmp_path / "h.json").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "h.json"]

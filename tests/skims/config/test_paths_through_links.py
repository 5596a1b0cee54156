# SPDX-License-Identifier: BSD-3-Clause
"""Behind a link, ".." is the folder that the system takes it for: the one that the folder behind the link lies in."""

import json
import subprocess

import numpy as np
import pytest
import uproot
from exit_codes import DONE

# In the folder of the link, and in that of the folder which it leads to.
SEEN, MEANT = 3, 5
CHOICE = {"schema_version": 1, "select": [{"name": "c", "where": "x >= 0"}]}


def write_events(path, count):
    with uproot.recreate(path) as file:
        file["Events"] = {"x": np.arange(float(count))}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real/deep")
    write_events(tmp_path / "x.root", SEEN)
    write_events(tmp_path / "real" / "x.root", MEANT)
    assert uproot.open(tmp_path / "link" / ".." / "x.root")["Events"].num_entries == MEANT
    return tmp_path


@pytest.fixture
def num_events(skimline, folder):
    def num_events(config, path="c.json"):
        (folder / path).write_text(json.dumps(CHOICE | config))
        done = subprocess.run([skimline, "run", path, "--force"], cwd=folder, capture_output=True, text=True)
        assert done.returncode == DONE, done.stderr
        return json.loads((folder / path).with_suffix(".report.json").read_text())["events"]

    return num_events


def sample(*files, **more):
    return {"samples": {"s": {"files": list(files), **more}}}


def test_inputs(num_events, folder):
    assert num_events(sample("x.root")) == SEEN
    for file in (
        "link/../x.root",
        f"{folder}/link/../x.root",
        "link/./../x.root",
        "link//..//x.root",
        "link/../[x].root",
    ):
        assert num_events(sample(file)) == MEANT, file
    assert num_events(sample("real/../x.root")) == SEEN
    assert num_events(sample("link/../../x.root")) == SEEN
    assert num_events(sample("real/deep/../x.root")) == MEANT


def test_configs_behind_links(num_events, folder):
    assert num_events(sample("../x.root"), "link/c.json") == MEANT
    (folder / "link" / "more.json").write_text(json.dumps(sample("../x.root")))
    assert num_events({"include": "link/more.json"}) == MEANT
    (folder / "real" / "other.json").write_text(json.dumps(sample("x.root")))
    assert num_events({"include": "link/../other.json"}) == MEANT


def test_lists(num_events, folder):
    (folder / "link" / "list.txt").write_text("../x.root\n")
    assert num_events(sample("@link/list.txt")) == MEANT
    (folder / "link" / "set.json").write_text(json.dumps({"s": {"files": {"../x.root": "Events"}}}))
    assert num_events({"samples_from": "link/set.json"}) == MEANT


def test_outputs(num_events, folder):
    histograms = {"h": {"x": {"value": "x", "bins": 2, "range": [0, 9]}}}
    num_events(sample("x.root") | {"histograms": histograms, "output": {"histograms": "link/../h.root"}})
    assert (folder / "real" / "h.root").exists()
    assert not (folder / "h.root").exists()


@pytest.mark.parametrize("path", ["link/c.json", "c.json"])
@pytest.mark.parametrize("file", ["link/../x.root", "x.root", "real/x.root"])
def test_records_say_where_inputs_are(skimline, num_events, folder, path, file):
    histograms = {"h": {"x": {"value": "x", "bins": 2, "range": [0, 9]}}}
    named = file if path == "c.json" else "../../" + file
    count = num_events(sample(named) | {"histograms": histograms, "output": {"histograms": "h.root"}}, path)
    assert count == (SEEN if file == "x.root" else MEANT)
    output = folder / path.replace("c.json", "h.root")
    record = json.loads(str(uproot.open(output)["skimline/record"]))
    name = record["samples"][0]["inputs"][0]["file"]
    assert (output.parent / name).samefile(folder / file)
    done = subprocess.run([skimline, "rerun", path.replace("c.json", "h.root")], cwd=folder, capture_output=True,
                          text=True)  # fmt: skip
    assert done.returncode == DONE, done.stderr


def test_configs_that_are_made(skimline, folder):
    made = subprocess.run(
        [skimline, "init", "x.root", "-o", "link/made.json"], cwd=folder, capture_output=True, text=True
    )
    assert made.returncode == DONE, made.stderr
    done = subprocess.run([skimline, "plan", "link/made.json"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == DONE, done.stderr
    assert f"{SEEN} events" in done.stdout

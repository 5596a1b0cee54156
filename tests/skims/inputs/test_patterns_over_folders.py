# SPDX-License-Identifier: BSD-3-Clause
"""A pattern takes all files that it matches: where a folder cannot be looked into, nobody knows whether these are all."""

import json
import os
import shutil
import subprocess

import numpy as np
import pytest
import uproot
from exit_codes import DONE, WRONG_USAGE

# Root may read all but without these.
WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]
FOLDERS = ("1", "2", "3")


@pytest.fixture
def folder(tmp_path):
    for count, name in enumerate(FOLDERS, 1):
        (tmp_path / "d" / name).mkdir(parents=True)
        with uproot.recreate(tmp_path / "d" / name / "x.root") as file:
            file["Events"] = {"x": np.arange(float(count))}
    # What leads nowhere, and what is no folder, hides nothing.
    (tmp_path / "d" / "gone").symlink_to("nowhere")
    (tmp_path / "d" / "circle").symlink_to("circle")
    (tmp_path / "d" / "file").write_text("no folder")
    yield tmp_path
    for name in FOLDERS:
        (tmp_path / "d" / name).chmod(0o755)


@pytest.fixture
def run(skimline, folder):
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("needs setpriv, as root may read all")

    def run(*files):
        config = {
            "schema_version": 1,
            "samples": {"s": {"files": files}},
            "select": [{"name": "c", "where": "x >= 0"}],
        }
        (folder / "c.json").write_text(json.dumps(config))
        command = [*(WITHOUT_RIGHTS if os.geteuid() == 0 else []), skimline, "run", "c.json", "--force"]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True)

    return run


def events_of(done, folder):
    assert done.returncode == DONE, done.stderr
    return json.loads((folder / "c.report.json").read_text())["events"]


@pytest.mark.parametrize("pattern", ["d/*/x.root", "d/*/*.root", "d/[0-9]/?.root", "*/*/x*", "@list.txt"])
def test_folders_that_may_not_be_read_are_an_error(run, folder, pattern):
    (folder / "list.txt").write_text("d/*/*.root\n")
    assert events_of(run(pattern), folder) == 6
    (folder / "d" / "2").chmod(0)
    done = run(pattern)
    assert done.returncode == WRONG_USAGE, done.stderr
    assert "d/2: cannot be looked into: Permission denied" in done.stderr
    assert events_of(run("d/[13]/*.root"), folder) == 4


def test_the_folder_that_is_named_itself(run, folder):
    (folder / "d" / "2").chmod(0)
    done = run("d/2/*.root")
    assert done.returncode == WRONG_USAGE
    assert "d/2: cannot be looked into: Permission denied" in done.stderr


def test_folders_of_file_systems_hold_no_data(run, folder):
    (folder / "d" / "2").rename(folder / "d" / "lost+found")
    (folder / "d" / "lost+found").chmod(0)
    assert events_of(run("d/*/*.root"), folder) == 4
    (folder / "d" / "lost+found").rename(folder / "d" / "2")


def test_names_in_folders_that_are_not_listed(run, folder):
    (folder / "d" / "2").chmod(0o111)
    assert events_of(run("d/*/x.root"), folder) == 6
    assert run("d/*/x*.root").returncode == WRONG_USAGE


def test_folders_that_are_not_there(run):
    done = run("nowhere/*.root", "d/1/x.root")
    assert done.returncode == WRONG_USAGE
    assert 'no file matches "nowhere/*.root"' in done.stderr

# SPDX-License-Identifier: BSD-3-Clause
"""Copies of a file among those that are merged, whatever is in it and whoever wrote it."""

import shutil

import numpy as np
import pytest
import ROOT
import uproot
from exit_codes import DONE, FAILED
from uuids_of_files import UUID_OF_UPROOT3, set_uuid


def write_histogram(path, value=0.5, mode="recreate"):
    file = ROOT.TFile(str(path), mode)
    histogram = ROOT.TH1D("h", "", 2, 0, 1)
    histogram.Fill(value)
    file.WriteObject(histogram, "h", "overwrite")
    file.Close()
    return path


def write_events(path, make, uuid, value=1):
    with uproot.recreate(path, compression=None) as file:
        getattr(file, make)("Events", {"x": np.full(100, value)})
    set_uuid(path, uuid)
    return path


def sum_in(path):
    with uproot.open(path) as file:
        return sum(file["h"].values()) if "h" in file else sum(file["Events"]["x"].array())


def check_copies(call, path):
    copy, merged = path.with_name("copy.root"), path.with_name("merged.root")
    shutil.copy(path, copy)
    done = call("merge", merged, path, copy)
    assert done.returncode == FAILED
    assert f'"{copy}" is a copy of "{path}"' in done.stderr
    assert not merged.exists()
    assert call("merge", merged, path, copy, "--allow-overlap").returncode == DONE
    assert sum_in(merged) == 2 * sum_in(path)


def test_copies_of_histograms(call, tmp_path):
    check_copies(call, write_histogram(tmp_path / "a.root"))


@pytest.mark.parametrize("uuid", [UUID_OF_UPROOT3, bytes(16)], ids=["uproot 3", "none"])
@pytest.mark.parametrize("make", ["mktree", "mkrntuple"])
def test_copies_of_events_without_a_uuid_of_their_own(call, tmp_path, make, uuid):
    check_copies(call, write_events(tmp_path / "a.root", make, uuid))
    other = write_events(tmp_path / "b.root", make, uuid, 2)
    assert other.stat().st_size == (tmp_path / "a.root").stat().st_size
    assert call("merge", tmp_path / "both.root", tmp_path / "a.root", other).returncode == DONE
    assert sum_in(tmp_path / "both.root") == 300


def test_files_that_were_filled_after_they_were_copied(call, tmp_path):
    """They have one UUID, and are as large."""
    paths = [write_histogram(tmp_path / "a.root"), tmp_path / "b.root"]
    shutil.copy(*paths)
    for path, value in zip(paths, (0.1, 0.9), strict=True):
        write_histogram(path, value, "update")
    done = call("merge", tmp_path / "merged.root", *paths)
    assert done.returncode == DONE, done.stderr
    assert sum_in(tmp_path / "merged.root") == 2

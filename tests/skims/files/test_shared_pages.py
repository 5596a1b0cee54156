# SPDX-License-Identifier: BSD-3-Clause
"""Small files that stand for very many values: pages that several clusters claim, and absurd compression."""

import json

import numpy
import pytest
import uproot
from exit_codes import DONE
from uproot.writing import _cascadentuple


@pytest.fixture
def shares_pages(monkeypatch):
    """Lets uproot store equal pages once, wherever they are."""
    known = {}
    add = _cascadentuple.NTuple.add_rblob

    def add_once(self, sink, raw_data, *arguments):
        content = bytes(raw_data)
        if content not in known:
            known[content] = add(self, sink, raw_data, *arguments)
        return known[content]

    monkeypatch.setattr(_cascadentuple.NTuple, "add_rblob", add_once)


def write(path, clusters, columns, size=1000):
    values = {f"x{number}": numpy.arange(size, dtype="float64") for number in range(columns)}
    with uproot.recreate(path, compression=None) as file:
        ntuple = file.mkrntuple("Events", values)
        for _ in range(clusters - 1):
            ntuple.extend(values)


def warnings_of(fresh_job, tmp_path):
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": ["a.root"]}},
        "select": [{"name": "some", "where": "x0 > 10"}],
    }
    done = fresh_job(config)
    assert done.returncode == DONE, done.stderr
    return [
        each
        for each in json.loads(next(tmp_path.glob("*report.json")).read_text())["warnings"]
        if "stand" in each
    ]


def test_columns_of_a_cluster_may_share_pages(fresh_job, tmp_path, shares_pages):
    write(tmp_path / "a.root", clusters=1, columns=20)
    assert (tmp_path / "a.root").stat().st_size < 20000
    assert warnings_of(fresh_job, tmp_path) == []


def test_clusters_that_claim_the_same_pages(fresh_job, call, tmp_path, shares_pages):
    write(tmp_path / "a.root", clusters=8, columns=3)
    (warning,) = warnings_of(fresh_job, tmp_path)
    assert '1 file of the sample "data" stands for far more values' in warning
    assert '"a.root"' in warning
    # The only page, once more in all clusters but the first.
    assert "7 pages that several clusters claim" in warning
    assert "for 192 kB" in warning
    assert "7 pages that several clusters claim" in call("plan", "a.json", cwd=tmp_path).stdout
    assert "7 pages that several clusters claim" in call("verify", tmp_path / "a.root").stdout
    inspected = call("inspect", tmp_path / "a.root").stdout
    assert "stands for far more values than files of experiments do: " in inspected
    assert "7 pages that several clusters claim" in inspected
    (note,) = json.loads(call("inspect", "--json", tmp_path / "a.root").stdout)["ntuples"][0]["notes"]
    assert note in inspected


def test_clusters_of_their_own(fresh_job, tmp_path):
    write(tmp_path / "a.root", clusters=8, columns=3)
    assert warnings_of(fresh_job, tmp_path) == []


def test_very_many_values_for_few_bytes(fresh_job, tmp_path, shares_pages):
    """300 MB in each of the columns' pages, which compress to next to nothing, in one cluster."""
    values = {f"x{number}": numpy.zeros(4_000_000, dtype="float64") for number in range(10)}
    with uproot.recreate(tmp_path / "a.root", compression=uproot.ZSTD(1)) as file:
        file.mkrntuple("Events", values)
    assert (tmp_path / "a.root").stat().st_size < 100_000
    (warning,) = warnings_of(fresh_job, tmp_path)
    assert "for 320" in warning

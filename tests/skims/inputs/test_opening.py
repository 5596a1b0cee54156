# SPDX-License-Identifier: BSD-3-Clause
"""How often a run asks the storage for metadata: once for small files, twice for larger ones."""

import json

import pytest

CONFIG = {
    "schema_version": 1,
    "samples": {"a": {"files": ["[0-9]*.root"]}},
    "select": [{"name": "two muons", "where": "nMuon >= 2"}],
    "histograms": {"pt": {"x": {"value": "Muon_pt[0]", "bins": 10, "range": [0, 100]}}},
    "output": {"histograms": "h.root"},
}
# Those of nMuon, its ends for Muon_pt among them, and of Muon_pt.
COLUMNS_READ = 3


@pytest.mark.parametrize(("num_events", "num_requests"), [(1000, 1), (50000, 2)])
def test_metadata_take_one_or_two_requests_per_file(generate, job, tmp_path, num_events, num_requests):
    for number in range(5):
        generate("dimuon", tmp_path / f"{number}.root", num_events, "--seed", number)
    run = job(CONFIG, "-j", 1)
    assert run.returncode == 0, run.stderr
    read = json.loads((tmp_path / "a.report.json").read_text())["read"]
    if num_requests == 1:  # with all that the file holds
        assert read["requests"] == 5
    else:
        assert 5 * num_requests < read["requests"] <= 5 * (num_requests + COLUMNS_READ)

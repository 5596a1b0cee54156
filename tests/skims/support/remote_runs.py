# SPDX-License-Identifier: BSD-3-Clause
"""A config of a run over files behind URLs."""

# Of both ends, and of nMuon and of columns of muons.
CONFIG = {
    "schema_version": 1,
    "samples": {"a": {"files": []}},
    "select": [{"name": "two muons", "where": "nMuon >= 2"}],
    "histograms": {
        "pt": {"x": {"value": "Muon_pt[0]", "bins": 10, "range": [0, 100]}},
        "mass": {"x": {"value": "Sum(Muon_pt)", "bins": 20, "range": [0, 200]}},
    },
    "skims": {"two": {"file": "s.root"}},
    "output": {"histograms": "h.root"},
}


def config_of(*files):
    return CONFIG | {"samples": {"a": {"files": list(files)}}}

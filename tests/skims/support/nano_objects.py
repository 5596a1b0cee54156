# SPDX-License-Identifier: BSD-3-Clause
"""Objects of a file of NanoAOD: what tests choose, and how lists are compared."""

from pathlib import Path

import awkward as ak
import numpy as np
import uproot

NANO = "nanoAOD_2015_CMS_Open_Data_ttbar.root"

GOOD_JETS = {"from": "Jet", "where": "pt > 30 && abs(eta) < 2.4", "sort": "-pt"}


def events_of(file: Path, *names: str) -> ak.Array:
    with uproot.open(file) as opened:
        return opened["Events"].arrays(list(names))


def assert_same(found, expected):
    """Equal lists of equal values, NaNs included."""
    assert ak.to_list(ak.num(found)) == ak.to_list(ak.num(expected))
    np.testing.assert_array_equal(ak.to_numpy(ak.flatten(found)), ak.to_numpy(ak.flatten(expected)))

# SPDX-License-Identifier: BSD-3-Clause
"""What samples are in files that were merged from runs of several configs."""

from pathlib import Path

import pytest
import skimline as sk
from svg_pictures import Picture

SIMULATED = {"cross_section_pb": 2.0, "sum_weights": "genWeight"}


def run(samples, path):
    sk.run(sk.open(samples).hist("MET_pt", bins=20, range=(0, 100), name="met"), histograms=path)
    return path


@pytest.mark.parametrize("keys", [SIMULATED, {}])
@pytest.mark.parametrize("is_data", [True, False])
@pytest.mark.parametrize("name", ["a", "c"])  # records have configs in the order of their texts
def test_they_are_what_their_own_config_says(dimuon, tmp_path, keys, is_data, name):
    files = {"files": [str(dimuon)]}
    one = run({f"{name}{i}": files | keys for i in (1, 2)}, tmp_path / "one.root")
    other = run({f"b{i}": {**files, "is_data": is_data} for i in (1, 2)}, tmp_path / "other.root")
    sk.merge(tmp_path / "all.root", [one, other])
    (file,) = sk.plot(tmp_path / "all.root").save(tmp_path / "file", ["svg"])
    drawn = Picture(Path(file)).ids() & {"stack-1", "stack-3", "data-0", "data-1"}
    assert drawn == ({"stack-1", "data-0", "data-1"} if is_data else {"stack-1", "stack-3"})

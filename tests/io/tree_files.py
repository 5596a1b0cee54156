# SPDX-License-Identifier: BSD-3-Clause
"""Files with trees, made by others."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


# The trees beside RNTuples in this one take uproot minutes to refuse.
TOO_SLOW = ["uproot-physlite-rntuple_v1-0-0-0.root"]


def tree_files_for_uproot() -> list[Path]:
    """Those whose values uproot reads or refuses soon."""
    return [path for path in tree_files() if path.name not in TOO_SLOW]


def tree_files() -> list[Path]:
    """Those in the folder of such files, and in ../reference/ttree-testfiles beside it; none without it."""
    named = os.environ.get("SKIMLINE_TEST_DATA")
    data = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    samples = data.parent / "reference" / "ttree-testfiles"
    return sorted([*data.glob("*.root"), *samples.glob("*.root")])

# SPDX-License-Identifier: BSD-3-Clause
"""Files with trees, made by others."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def tree_files() -> list[Path]:
    """Those in the folder of such files, and in ../reference/ttree-testfiles beside it; none without it."""
    named = os.environ.get("SKIMLINE_TEST_DATA")
    data = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    samples = data.parent / "reference" / "ttree-testfiles"
    return sorted([*data.glob("*.root"), *samples.glob("*.root")])

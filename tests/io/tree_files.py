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


def data_folder() -> Path:
    """The folder of such files, which may be missing."""
    named = os.environ.get("SKIMLINE_TEST_DATA")
    return Path(named) if named else REPOSITORY.parent / "shared" / "data"


def sample_files() -> list[Path]:
    """Those in ../reference/ttree-testfiles beside it, one kind of tree each."""
    return sorted((data_folder().parent / "reference" / "ttree-testfiles").glob("*.root"))


def tree_files() -> list[Path]:
    """Both; none without the folder."""
    return sorted([*data_folder().glob("*.root"), *sample_files()])

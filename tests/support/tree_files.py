# SPDX-License-Identifier: BSD-3-Clause
"""Files with trees, made by others."""

import os
from pathlib import Path

import pytest
import uproot

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


def trees_of(path: Path) -> list[str]:
    """The names of the trees of a file, each once."""
    with uproot.open(path) as file:
        classes = file.classnames(recursive=True)
    return sorted(
        {key.split(";")[0] for key, name in classes.items() if name.startswith(("TTree", "TNtuple"))}
    )


def trees_for_uproot() -> list[object]:
    """Parameters of tests: the file and the name of each tree in tree_files_for_uproot()."""
    return [
        pytest.param(path, name, id=f"{path.name}-{name}")
        for path in tree_files_for_uproot()
        for name in trees_of(path)
    ]

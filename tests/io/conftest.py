# SPDX-License-Identifier: BSD-3-Clause
"""Files with all kinds of fields; and lets the tests of this folder import what they share."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from made_once import made_once

sys.path.insert(0, str(Path(__file__).resolve().parent))

if TYPE_CHECKING:
    from root_types import Sample


@pytest.fixture(scope="session")
def sample_file(tmp_path_factory: pytest.TempPathFactory) -> "Callable[[Sample], Path]":
    """The file of a sample, which nobody may change."""
    # Only where it is asked for: without ROOT, the tests that it is for are skipped.
    from root_types import write_sample

    def write(sample: "Sample") -> Path:
        def make(folder: Path) -> Path:
            write_sample(sample, folder / "sample.root")
            return folder / "sample.root"

        return made_once(tmp_path_factory, f"sample_{sample}", make)

    return write

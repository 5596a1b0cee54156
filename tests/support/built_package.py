# SPDX-License-Identifier: BSD-3-Clause
"""The Python package as the build has it: $SKIMLINE_BUILD, else build/release."""

import os
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(os.environ.get("SKIMLINE_BUILD", _ROOT / "build" / "release")).resolve() / "python"


def is_built() -> bool:
    return any((PACKAGE / "skimline").glob("_core.*.so"))


def put_first() -> None:
    """Makes `import skimline` mean it. Without the module, tests would fail with a riddle, or test an installed package."""
    if not is_built():
        raise RuntimeError(
            f"no Python module in {PACKAGE}: run scripts/test, or configure with -DSKIMLINE_BUILD_PYTHON=ON"
        )
    if str(PACKAGE) not in sys.path:
        sys.path.insert(0, str(PACKAGE))

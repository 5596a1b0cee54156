# SPDX-License-Identifier: BSD-3-Clause
"""What tests of several files need and what takes long to make: one of the processes of pytest makes it, the others wait."""

import fcntl
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")


def folder_of_all(factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run of pytest have."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], T]) -> T:
    """What `make` returns, which it may put into the folder that it is given; `name` says what it is, all inputs included."""
    folder = folder_of_all(factory) / "made_once" / name
    folder.mkdir(parents=True, exist_ok=True)
    result = folder / "result.pickle"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not result.exists():
            # Of one who has failed halfway.
            shutil.rmtree(folder / "files", ignore_errors=True)
            (folder / "files").mkdir()
            made = pickle.dumps(make(folder / "files"))
            result.write_bytes(made)
        return pickle.loads(result.read_bytes())

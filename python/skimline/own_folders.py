# SPDX-License-Identifier: BSD-3-Clause
"""Folders for what a process needs for a while, which go with it, or if it was killed with the next one that makes one."""

from __future__ import annotations

import os
import sys
import weakref

from skimline import _core

__all__ = ["OwnFolder"]


class OwnFolder:
    """A folder, until the end of a `with`, of this object or of the process. `name` is its path."""

    def __init__(self) -> None:
        folder = _core.TemporaryFolder()
        self.name = os.fsdecode(folder.path)
        self._end = weakref.finalize(self, folder.remove)
        processes = sys.modules.get("multiprocessing.util")
        if processes:  # forked processes of pools end without what Python does at the end of others
            processes.Finalize(self, folder.remove, exitpriority=0)

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *_: object) -> None:
        self._end()

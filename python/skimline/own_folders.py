# SPDX-License-Identifier: BSD-3-Clause
"""Folders for what a process needs for a while, which go with it, or if it was killed with the next one that makes one."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import weakref

__all__ = ["OwnFolder"]

# The program makes and removes such folders, too: skims/src/base/temporary_folder.cc.
_PREFIX = "skimline-"
_LOCK = "held"


class OwnFolder:
    """A folder, until the end of a `with` or of this object. `name` is its path."""

    def __init__(self) -> None:
        _remove_abandoned(tempfile.gettempdir())
        outer = tempfile.mkdtemp(prefix=_PREFIX)
        self._end = weakref.finalize(self, _remove, outer, _held(outer), os.getpid())
        self.name = os.path.join(outer, "content")  # noqa: PTH118
        os.mkdir(self.name)  # noqa: PTH102

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *_: object) -> None:
        self._end()


def _held(folder: str) -> int | None:
    """A lock that says that the folder is in use, for as long as this process lives; none where there are no locks."""
    import fcntl

    unlocked = os.path.join(folder, "new")  # noqa: PTH118
    lock = os.open(unlocked, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(lock, _machine())
    except OSError:
        os.close(lock)
        return None
    # Only now: under this name there is never a lock that its owner has yet to take.
    os.rename(unlocked, os.path.join(folder, _LOCK))  # noqa: PTH104, PTH118
    return lock


def _machine() -> bytes:
    """Others may share the folder and not see the lock."""
    return os.fsencode(os.uname().nodename)


def _remove(folder: str, lock: int | None, process: int) -> None:
    # A process that was forked has what is another one's.
    if os.getpid() != process:
        return
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        os.close(lock)


def _remove_abandoned(parent: str) -> None:
    """Removes folders whose processes are gone."""
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX):
                with contextlib.suppress(OSError):
                    _remove_if_abandoned(entry)


def _remove_if_abandoned(folder: os.DirEntry[str]) -> None:
    import fcntl

    found = folder.stat(follow_symlinks=False)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        return
    lock = os.open(os.path.join(folder.path, _LOCK), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)  # noqa: PTH118
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.read(lock, len(_machine()) + 1) == _machine():
            shutil.rmtree(folder.path, ignore_errors=True)
    finally:
        os.close(lock)

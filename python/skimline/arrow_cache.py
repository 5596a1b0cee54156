# SPDX-License-Identifier: BSD-3-Clause
"""RNTuples that were made of files of Arrow, kept by what these files are."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from skimline import __version__, _core
from skimline.own_folders import OwnFolder

__all__ = ["made_of_file", "made_of_state", "suspect"]

_USUAL_GIGABYTES = 20.0
_MADE_BY = f"1 {__version__} {_core.commit}"
"""Changes with what is made of the same file, as it may by what a commit mends."""

_STATE, _SUSPECT = ".state", ".suspect"
"""Beside a copy: the digest of what it was when it was made, and that it may be damaged."""

_lock = threading.Lock()
_folders: dict[str, _Folder] = {}
_own: tuple[int, OwnFolder] | None = None


def made_of_file(path: str, make: Callable[[str], None]) -> str:
    """Returns the file that make(target) makes of `path` as it is now, which another process may have made before.

    It is in the folder `arrow` of the cache, where no process of Skimline removes it as long as this one runs.
    """
    return _made(lambda: _key_of(path), make)


def made_of_state(state: bytes, make: Callable[[str], None]) -> str:
    """The same of a file of another machine; `state` tells it, as it is now, from all others. It is made anew if that
    is empty."""
    key = _digest((state, _MADE_BY)) if state else os.urandom(16).hex()
    return _made(lambda: key, make)


def suspect() -> None:
    """Notes that something that this process has read is damaged: copies that it has used are compared with what they were
    when they were made, once somebody needs them again, and made anew where they are not that."""
    for folder in list(_folders.values()):
        with contextlib.suppress(OSError):
            folder.suspect()


def _made(key_now: Callable[[], str], make: Callable[[str], None]) -> str:
    with _lock:
        try:
            folder = _held_folder(_cache_folder())
        except OSError:
            if os.environ.get("SKIMLINE_CACHE", ""):
                raise
            folder = _held_folder(_own_folder())  # homes of batch jobs are often read-only, or none
        return folder.made(key_now, make)


def _held_folder(named: str) -> _Folder:
    folder = _folders.get(named)
    if folder is None or not folder.is_held():
        if folder is not None:
            folder.let_go()
        folder = _folders[named] = _Folder(named)
    return folder


def _own_folder() -> str:
    """A folder that goes with this process."""
    global _own
    if _own is None or _own[0] != os.getpid():
        _own = os.getpid(), OwnFolder()
    return _own[1].name


class _Folder:
    """The folder, which the processes that use it hold by a lock. Who comes alone leaves no more there than is allowed."""

    def __init__(self, path: str) -> None:
        self._process = os.getpid()
        self._path = path
        self._used: set[str] = set()
        os.makedirs(self._path, mode=0o700, exist_ok=True)  # noqa: PTH103  pathlib takes long to import
        found = os.stat(self._path)  # noqa: PTH116
        # What others put there would be believed to be made of the files.
        if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise OSError(
                f"{self._path} can be written by others: set SKIMLINE_CACHE to a folder of your own"
            )
        self._hold()

    def is_held(self) -> bool:
        """By this process, and still there: who clears the cache meanwhile may."""
        try:
            lock = os.stat(self._lock_path())  # noqa: PTH116
        except FileNotFoundError:
            return False
        return self._process == os.getpid() and os.path.samestat(lock, os.fstat(self._held))

    def let_go(self) -> None:
        os.close(self._held)

    def made(self, key_now: Callable[[], str], make: Callable[[str], None]) -> str:
        key = key_now()
        made = self._named(key, ".root")
        self._used.add(key)
        self._drop_damaged(key)
        with contextlib.suppress(OSError):
            # Only when it was read: who reads it now takes another time of change for another file.
            os.utime(made, ns=(time.time_ns(), os.stat(made).st_mtime_ns))  # noqa: PTH116
            return made
        with tempfile.TemporaryDirectory(dir=self._path) as folder:
            new = os.path.join(folder, "new.root")  # noqa: PTH118
            make(new)
            if key_now() != key:
                raise OSError("changed while it was being read")
            state = os.path.join(folder, "state")  # noqa: PTH118
            Path(state).write_text(_state_of(new))
            # A file that another process has made meanwhile is in use: it stays.
            with contextlib.suppress(FileExistsError):
                os.link(new, made)
                os.replace(state, self._named(key, _STATE))  # noqa: PTH105
        return made

    def suspect(self) -> None:
        for key in self._used:
            if Path(self._named(key, ".root")).exists():
                Path(self._named(key, _SUSPECT)).touch(mode=0o600)

    def _drop_damaged(self, key: str) -> None:
        """A copy that is suspected, and not what it was when it was made."""
        mark, made = Path(self._named(key, _SUSPECT)), self._named(key, ".root")
        if not mark.exists():
            return
        state = Path(self._named(key, _STATE))
        with contextlib.suppress(OSError):
            if not state.exists() or state.read_text() != _state_of(made):
                os.unlink(made)  # noqa: PTH108
        mark.unlink(missing_ok=True)

    def _named(self, key: str, end: str) -> str:
        return os.path.join(self._path, key + end)  # noqa: PTH118

    def _hold(self) -> None:
        import fcntl

        self._held = os.open(self._lock_path(), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._shrink()
        except BlockingIOError:
            pass
        fcntl.flock(self._held, fcntl.LOCK_SH)

    def _lock_path(self) -> str:
        return os.path.join(self._path, "lock")  # noqa: PTH118

    def _shrink(self) -> None:
        """Removes what was used longest ago, and what processes that were killed have left."""
        import shutil

        files = []
        for entry in os.scandir(self._path):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            elif entry.name.endswith(".root"):
                found = entry.stat(follow_symlinks=False)
                files.append((found.st_atime_ns, found.st_size, entry.path))
        left = _most_bytes()
        for _, size, path in sorted(files, reverse=True):
            left -= size
            if left < 0:
                os.unlink(path)  # noqa: PTH108
                for end in (_STATE, _SUSPECT):
                    Path(path).with_suffix(end).unlink(missing_ok=True)


def _cache_folder() -> str:
    folder = os.environ.get("SKIMLINE_CACHE", "")
    if not folder:
        home = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(home):  # noqa: PTH117
            home = os.path.expanduser("~/.cache")  # noqa: PTH111
        folder = os.path.join(home, "skimline")  # noqa: PTH118
    return os.path.join(folder, "arrow")  # noqa: PTH118


def _most_bytes() -> float:
    try:
        gigabytes = float(os.environ.get("SKIMLINE_CACHE_SIZE", ""))
    except ValueError:
        gigabytes = 0.0
    return (gigabytes if gigabytes > 0 else _USUAL_GIGABYTES) * 1e9


def _state_of(path: str) -> str:
    digest = hashlib.blake2b()
    with open(path, "rb") as file:  # noqa: PTH123
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _key_of(path: str) -> str:
    """What tells a file, in one state, from all others."""
    found = os.stat(path)  # noqa: PTH116
    end = os.path.splitext(path)[1]  # noqa: PTH122
    # The time of change, too: that of writing can be set to what it was.
    times = found.st_mtime_ns, found.st_ctime_ns
    facts = (found.st_dev, found.st_ino, found.st_size, *times, end, _MADE_BY)
    return _digest(facts)


def _digest(facts: tuple[object, ...]) -> str:
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:32]

# SPDX-License-Identifier: BSD-3-Clause
"""Parts of files, as coffea hands them to processors."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from skimline.errors import ConfigError

__all__ = ["Chunk", "opened_chunk"]


@runtime_checkable
class Chunk(Protocol):
    """Events of coffea: `metadata` says which entries of which file they are."""

    @property
    def metadata(self) -> Any:
        """A mapping with "dataset", "filename", "treename", "entrystart" and "entrystop"."""

    def __len__(self) -> int: ...


def opened_chunk(events: Chunk) -> tuple[str, str, tuple[int, int]]:
    """The file with the name of the tree in it, the dataset, and the entries."""
    known = events.metadata if isinstance(events.metadata, dict) else {}
    missing = [
        key for key in ("dataset", "filename", "treename", "entrystart", "entrystop") if key not in known
    ]
    if missing:
        raise ConfigError(
            f"events of coffea must say in their metadata which part of which file they are: {', '.join(missing)} is missing"
        )
    first, stop = int(known["entrystart"]), int(known["entrystop"])
    if len(events) != stop - first:
        raise ConfigError(
            f"these are {len(events)} of the {stop - first} events that coffea has given: open those, and filter the frame"
        )
    return f"{known['filename']}:{known['treename']}", str(known["dataset"]), (first, stop)

# SPDX-License-Identifier: BSD-3-Clause
"""A cluster of Dask on this machine whose workers may be killed."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import distributed


class PatientNanny(distributed.Nanny):
    """Gives its worker more time to end than Dask's, which fails after 5 s on a busy machine."""

    async def close(self, timeout: float = 40, reason: str = "nanny-close") -> Any:
        return await super().close(timeout=max(timeout, 40), reason=reason)


class KillableCluster(distributed.LocalCluster):
    """Does not mind where a worker leaves that it has not heard of, as one that was killed while it began; Dask's ends with a KeyError then."""

    def _update_worker_status(self, op: str, msg: Any) -> None:
        if op != "remove" or msg in self.scheduler_info["workers"]:
            super()._update_worker_status(op, msg)


@contextmanager
def _workers(number: int, folder: Path) -> Iterator[distributed.Client]:
    with (
        KillableCluster(
            n_workers=number,
            threads_per_worker=1,
            dashboard_address=":0",
            local_directory=str(folder),
            worker_class=PatientNanny,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def two_workers(folder: Path) -> AbstractContextManager[distributed.Client]:
    """A client of two processes, which run in another folder."""
    return _workers(2, folder)


def no_workers(folder: Path) -> AbstractContextManager[distributed.Client]:
    """A client whose `cluster` may be told to have some."""
    return _workers(0, folder)

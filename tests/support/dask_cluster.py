# SPDX-License-Identifier: BSD-3-Clause
"""A cluster of Dask on this machine whose workers may be killed."""

from typing import Any

import distributed


class KillableCluster(distributed.LocalCluster):
    """Does not mind where a worker leaves that it has not heard of, as one that was killed while it began; Dask's ends with a KeyError then."""

    def _update_worker_status(self, op: str, msg: Any) -> None:
        if op != "remove" or msg in self.scheduler_info["workers"]:
            super()._update_worker_status(op, msg)

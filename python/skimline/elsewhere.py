# SPDX-License-Identifier: BSD-3-Clause
"""What is computed elsewhere for a run here: which way results take, and where they are when the run begins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from skimline.config import ConfigSource
from skimline.distribution import Executor, Opened, check_client, compute_elsewhere, marked, open_parts
from skimline.reduction import plan_reduction, reduce_elsewhere, sums_of_run

__all__ = ["Filled", "fill", "fill_opened"]


class Filled(NamedTuple):
    """What was computed elsewhere."""

    problems: list[str]
    reduction: dict[str, Any]


@contextmanager
def fill(
    source: ConfigSource, executor: Executor, *, store: str, keeps: bool, reduce: str | None, threads: int
) -> Iterator[Filled]:
    """Has the executor compute what `store` lacks. Sums of parts lie there, too, for as long as this goes on.

    `keeps` is whether results of parts are to stay in the store, `reduce` as in `run`. Throws ConfigError for a way that
    is impossible, and what compute_elsewhere() throws.
    """
    check_client(executor)
    opened = open_parts(source, store=store, threads=threads)
    with fill_opened(executor, opened, reduce=reduce, keeps=keeps) as filled:
        yield filled


@contextmanager
def fill_opened(executor: Executor, opened: Opened, *, reduce: str | None, keeps: bool) -> Iterator[Filled]:
    """As fill(), of a run whose parts are known."""
    opened = opened._replace(common=opened.common._replace(keeps=keeps))
    is_needed = bool(opened.missing) or _are_servers(reduce)
    with marked(opened.common, is_needed=is_needed), _ways(executor, opened, reduce, keeps) as filled:
        yield filled


def _are_servers(reduce: str | None) -> bool:
    return reduce is not None and "://" in reduce


@contextmanager
def _ways(executor: Executor, opened: Opened, reduce: str | None, keeps: bool) -> Iterator[Filled]:
    if reduce is not None and _are_servers(reduce):
        from skimline.shared_sums import add_in_store

        with add_in_store(executor, opened, reduce) as (problems, reduction):
            yield Filled(problems, reduction.described())
        return
    reduction = plan_reduction(executor, opened, reduce, keeps=keeps)
    if reduction.way == "star" or not opened.missing:
        yield Filled(compute_elsewhere(executor, opened), reduction.described())
        return
    with sums_of_run(opened):
        yield Filled(reduce_elsewhere(executor, opened, reduction), reduction.described())

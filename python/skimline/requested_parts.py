# SPDX-License-Identifier: BSD-3-Clause
"""What the program wants of other processes: parts that they compute, and sums in the memory of servers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from skimline.config import ConfigSource
from skimline.distribution import Common, Executor, IsStopped, Opened, Stopped, marked
from skimline.elsewhere import fill_opened
from skimline.errors import ConfigError, Error, LostPartsError
from skimline.shared_sums import forget, put_here, read_out

__all__ = ["answer"]

_held = ExitStack()
"""Sums that lie in the store until the run has taken them."""


def answer(request: str, is_stopped: IsStopped) -> tuple[bool, str]:
    """Does what the program asks for. Returns whether that was possible, and what to say: JSON, or why it was not.

    The request is {"end": whether the run has succeeded}, or has all of a run and in "do" one of the keys of `_DEEDS`.
    """
    asked = json.loads(request)
    if "end" in asked:
        return _end(has_succeeded=asked["end"])
    try:
        return True, json.dumps(_DEEDS[asked["do"]](asked, is_stopped))
    except LostPartsError as error:
        text, *parts = str(error).splitlines()
        return True, json.dumps({"lost": text, "parts": [part.strip() for part in parts]})
    except ConfigError as error:
        return True, json.dumps({"mistake": str(error)})
    except (Error, ImportError, OSError) as error:
        return False, str(error)
    except Stopped:
        return True, "{}"


def _computed(asked: dict[str, Any], is_stopped: IsStopped) -> dict[str, Any]:
    opened = _opened(asked, is_stopped)
    with _executor_for(asked, is_stopped) as executor:
        filled = _held.enter_context(
            fill_opened(executor, opened, reduce=asked["reduce"] or None, keeps=asked["keeps"])
        )
    return {"problems": filled.problems, "reduction": filled.reduction}


def _put(asked: dict[str, Any], is_stopped: IsStopped) -> dict[str, Any]:
    opened = _opened(asked, is_stopped)
    with marked(opened.common):
        put = put_here(opened, asked["reduce"], [opened.parts[number] for number in asked["chosen"]])
    return {"put": put.num_put, "left": put.num_left, "problems": put.problems}


def _read(asked: dict[str, Any], is_stopped: IsStopped) -> dict[str, Any]:
    read = read_out(_opened(asked, is_stopped), asked["reduce"])
    return {"parts": read.parts, "problems": read.problems}


def _forget(asked: dict[str, Any], is_stopped: IsStopped) -> dict[str, Any]:
    forget(_opened(asked, is_stopped), asked["reduce"])
    return {}


_DEEDS = {"compute": _computed, "put": _put, "read": _read, "forget": _forget}


def _opened(asked: dict[str, Any], is_stopped: IsStopped) -> Opened:
    path, resolved, n_minus_1 = asked["path"], asked["resolved"], asked["n_minus_1"]
    store, threads, makes_skims = asked["store"], asked["threads"], asked["makes_skims"]
    source = ConfigSource.of_resolved(path, resolved, asked["options"], n_minus_1=n_minus_1)
    common = Common.of(source, asked["facts"], store=store, threads=threads, makes_skims=makes_skims)
    sums = [each and tuple(each) for each in asked["sums"]]
    return Opened([tuple(part) for part in asked["parts"]], sums, makes_skims, common, is_stopped)


def _end(*, has_succeeded: bool) -> tuple[bool, str]:
    fault = (None, None, None) if has_succeeded else (Error, Error("the run has failed"), None)
    try:
        _held.__exit__(*fault)
    except (Error, OSError) as error:
        return False, str(error)
    return True, "{}"


@contextmanager
def _executor_for(asked: dict[str, Any], is_stopped: IsStopped) -> Iterator[Executor]:
    if asked["dask"]:
        from skimline.optional import require

        dask = require("distributed", "--dask")
        try:
            with dask.Client(asked["dask"], set_as_default=False) as client:
                yield client
        except dask.comm.CommClosedError as error:
            raise Error(f"the scheduler {asked['dask']} was lost: {error}") from error
        return
    from skimline.processes import Processes

    with Processes(asked["processes"]) as pool:
        try:
            yield pool
        finally:
            if is_stopped():
                pool.terminate()

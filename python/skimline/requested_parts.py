# SPDX-License-Identifier: BSD-3-Clause
"""What the program wants of other processes: parts that they compute, and sums in the memory of servers."""

from __future__ import annotations

import json
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager
from typing import Any

from skimline.config import ConfigSource
from skimline.distribution import Common, Executor, IsStopped, Opened, Stopped, in_one_line, marked
from skimline.elsewhere import fill_opened
from skimline.errors import ConfigError, Error, LostPartsError, RunWarning
from skimline.shared_sums import forget, put_here, read_out

__all__ = ["answer"]

_LOOKS_EVERY = 0.2  # seconds
_SECONDS_TO_BEGIN = 15
"""Behind what it may take to reach a scheduler."""
_OTHER_LANGUAGE = ": what is there does not answer as a scheduler of Dask does"
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
        with _warnings_of_the_program():
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


@contextmanager
def _warnings_of_the_program() -> Iterator[None]:
    """Warnings are shown as those of the program, without lines of Python."""

    def show(message: Warning | str, *_place: Any, **_more: Any) -> None:
        print(f"skimline: warning: {message}", file=sys.stderr, flush=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", RunWarning)
        warnings.showwarning = show
        yield


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
    source = ConfigSource.of_resolved(
        path, resolved, asked["options"], n_minus_1=n_minus_1, memory_limit=asked["memory_limit"]
    )
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


def _client_of(dask: Any, address: str, is_stopped: IsStopped) -> Any:
    """A client of the scheduler with this address. One that is no scheduler may take what it is sent and say nothing that the
    client would understand, who then waits for ever: that is left to a thread.

    Throws ConfigError for what is no address, Error if nothing answers as a scheduler does, and Stopped."""
    try:
        dask.comm.addressing.get_address_host_port(address)
    except ValueError as problem:
        raise _no_scheduler(address, problem) from None
    connected: Future[Any] = Future()

    def connect() -> None:
        try:
            connected.set_result(dask.Client(address, set_as_default=False))
        except Exception as problem:
            connected.set_exception(problem)

    threading.Thread(target=connect, daemon=True).start()
    limit = time.monotonic() + _seconds_to_connect() + _SECONDS_TO_BEGIN
    while not wait([connected], timeout=_LOOKS_EVERY).done:
        if is_stopped():
            raise Stopped
        if time.monotonic() > limit:
            raise Error(address + _OTHER_LANGUAGE)
    try:
        return connected.result()
    except (TypeError, ValueError) as problem:
        raise _no_scheduler(address, problem) from None
    except (OSError, dask.comm.CommClosedError):
        raise
    except Exception as problem:  # what was taken for its answer
        raise Error(f"{address}{_OTHER_LANGUAGE} ({in_one_line(problem)})") from None


def _no_scheduler(address: str, problem: BaseException) -> ConfigError:
    return ConfigError(f'--dask: "{address}" is no address of a scheduler: {in_one_line(problem)}')


def _seconds_to_connect() -> float:
    import dask

    return float(dask.utils.parse_timedelta(dask.config.get("distributed.comm.timeouts.connect", "30s")))


@contextmanager
def _executor_for(asked: dict[str, Any], is_stopped: IsStopped) -> Iterator[Executor]:
    if asked["dask"]:
        from skimline.optional import require

        dask = require("distributed", "--dask")
        try:
            with _client_of(dask, asked["dask"], is_stopped) as client:
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

# SPDX-License-Identifier: BSD-3-Clause
"""Processes of this machine compute what they are given, and end."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest
import skimline as sk
from running_processes import have_ended
from skimline.processes import Processes


def workers_of(pool):
    """The numbers of both processes of a pool, which for a while do not take work."""
    busy = [pool.submit(time.sleep, 1) for _ in range(2)]
    found = set(pool._pool._processes)
    assert len(found) == 2 and not any(each.done() for each in busy)
    return found


def test_a_killed_process_is_replaced():
    with Processes(2) as pool:
        first = pool.submit(os.getpid).result()
        os.kill(first, signal.SIGKILL)
        with pytest.raises(BrokenExecutor):
            while True:
                pool._pool.submit(os.getpid).result(timeout=30)
        assert pool.submit(os.getpid).result(timeout=30) != first


def test_they_end_where_one_was_killed_while_it_took_work():
    """What was killed keeps the lock that all others need to see that they shall end."""
    with Processes(2) as pool:
        workers = workers_of(pool)
        lock = pool._pool._call_queue._rlock
        assert lock.acquire(timeout=30)
        began = time.monotonic()
    assert time.monotonic() - began < 30
    assert have_ended(workers)


def test_work_may_be_cancelled_while_processes_end(monkeypatch):
    """No thread fails, and nothing goes on to be computed."""
    faults = []
    monkeypatch.setattr(threading, "excepthook", lambda fault: faults.append(fault.exc_value))
    with Processes(2) as pool:
        workers = workers_of(pool)
        waiting = [pool.submit(time.sleep, 60) for _ in range(20)]
        while not pool._pool._call_queue.full():  # from here on the pool looks at no more of them
            time.sleep(0.01)
        for each in waiting:
            each.cancel()
        pool.terminate()
        assert have_ended(workers)
    assert not faults
    assert all(each.done() for each in waiting)


def test_they_end_with_their_maker():
    code = (
        "import os, signal, skimline.processes as p\n"
        "if __name__ == '__main__':\n"
        "  pool = p.Processes(1)\n"
        "  print(pool.submit(os.getpid).result(), flush=True)\n"
        "  os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(Path(sk.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert have_ended([int(done.stdout)])

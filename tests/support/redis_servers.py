# SPDX-License-Identifier: BSD-3-Clause
"""Real servers of Redis or Valkey, on free ports of the loopback."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def running(*options: Sequence[str]) -> Iterator[list[int]]:
    """The ports of as many servers as there are lists of options."""
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    assert program, "scripts/setup --test installs redis-server"
    ports, processes = [free_port() for _ in options], []
    for port, more in zip(ports, options, strict=True):
        own = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", *more]
        processes.append(subprocess.Popen([program, *own], stdout=subprocess.DEVNULL))
    try:
        for port in ports:
            _wait_for(port)
        yield ports
    finally:
        for process in processes:
            process.terminate()
            process.wait()


def _wait_for(port: int) -> None:
    for _ in range(200):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)

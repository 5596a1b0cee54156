# SPDX-License-Identifier: BSD-3-Clause
"""Servers that take a connection and never answer: Ctrl-C ends the wait, and other threads of Python go on."""

import socket
import subprocess
import sys

import pytest

WAITING = """
import os, signal, sys, threading, time
sys.path[:0] = {path!r}
import skimline as sk

ticks = []

def tick():
    for _ in range(20):
        time.sleep(0.05)
        ticks.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

url = sys.argv[1]
threading.Thread(target=tick, daemon=True).start()
begin = time.monotonic()
try:
    {call}
except KeyboardInterrupt:
    print(time.monotonic() - begin, len(ticks))
"""


@pytest.fixture
def silent():
    """A URL at a server that takes connections, and no more."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/x.root"


@pytest.mark.parametrize(
    "call", ["sk.open(url)", "sk.open([url, url + 'x'])", "sk.inspect(url)", "sk.verify(url)"]
)
def test_waiting_can_be_interrupted(silent, call):
    code = WAITING.format(path=sys.path, call=call)
    done = subprocess.run(
        [sys.executable, "-c", code, silent], capture_output=True, text=True, check=False, timeout=60
    )
    seconds, ticks = map(float, done.stdout.split())
    assert ticks == 20 and 1 <= seconds < 4, done.stderr

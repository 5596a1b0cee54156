# SPDX-License-Identifier: BSD-3-Clause
"""Servers that stall, restart, refuse or lie: what passes is waited for, another copy takes over, all else is an error."""

import json
import os
import re
import signal
import subprocess
import time

import pytest
from remote_runs import config_of
from remote_servers import (
    HOST,
    Faults,
    FaultyProxy,
    Nginx,
    ScriptedServer,
)


def run_through(proxy_or_server, call, *arguments, **environment):
    return call(
        "verify",
        f"http://{HOST}:{proxy_or_server.port}/a1.root",
        *arguments,
        env=os.environ | {"SKIMLINE_REMOTE_STALL": "1"} | environment,
    )


@pytest.mark.parametrize(
    "faults",
    [
        Faults(reset_after=200_000, resets=4),
        Faults(stall_after=300_000, resets=2),
        Faults(drip_after=300_000, resets=1),
        Faults(latency=0.05),
    ],
    ids=["reset", "stall", "drip", "late"],
)
def test_what_passes_is_waited_for(call, nginx, fault_server, faults):
    done = run_through(fault_server(FaultyProxy, nginx.port, faults), call)
    assert done.returncode == 0, done.stdout + done.stderr
    assert faults.resets <= 0 or faults.latency > 0


def test_servers_that_are_busy_are_asked_again(call, served, fault_server):
    num_busy = 0

    def busy_at_first(request, answer):
        nonlocal num_busy
        num_busy += 1
        if num_busy in (1, 3, 5):
            answer.status, answer.body = {1: 503, 3: 429, 5: 500}[num_busy], b"busy"
            answer.headers = {"Retry-After": "1"} if num_busy == 3 else {}
        return None if num_busy == 7 else answer

    done = run_through(fault_server(ScriptedServer, served, busy_at_first), call)
    assert done.returncode == 0, done.stdout + done.stderr
    assert num_busy > 7


@pytest.mark.parametrize("status", [401, 403, 404, 410, 451])
def test_refusals_are_final(call, served, fault_server, status):
    def refuse(request, answer):
        answer.status, answer.body, answer.headers = status, b"no", {}
        return answer

    server = fault_server(ScriptedServer, served, refuse)
    start = time.monotonic()
    done = run_through(server, call)
    assert done.returncode == 1 and str(status) in done.stdout + done.stderr
    assert time.monotonic() - start < 2 and len(server.seen) <= 2


def lie(server_answer):
    """Changes answers to all but the first two requests."""
    count = 0

    def change(request, answer):
        nonlocal count
        count += 1
        return server_answer(answer) if count > 2 else answer

    return change


def other_etag(answer):
    answer.headers["ETag"] = '"another"'
    return answer


def shorter(answer):
    answer.body = answer.body[: len(answer.body) // 2]
    return answer


def elsewhere(answer):
    answer.headers = {
        name: re.sub(r"bytes (\d+)", lambda found: f"bytes {int(found[1]) - 1}", value)
        for name, value in answer.headers.items()
    }
    answer.body = re.sub(rb"Content-Range: bytes \d+", b"Content-Range: bytes 0", answer.body)
    return answer


def grown(answer):
    answer.headers = {name: re.sub(r"/\d+$", "/99999999", value) for name, value in answer.headers.items()}
    answer.body = re.sub(rb"(Content-Range: [^/]*)/\d+", rb"\1/99999999", answer.body)
    return answer


def nonsense(answer):
    answer.headers["Content-Type"] = "multipart/byteranges; boundary=between"
    answer.body = b"\r\n--between\r\nContent-Range: bytes 5-3/2\r\n\r\nx"
    return answer


def flipped(answer):
    middle = len(answer.body) // 2
    answer.body = answer.body[:middle] + bytes([answer.body[middle] ^ 1]) + answer.body[middle + 1 :]
    return answer


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (other_etag, "changed while it was being read"),
        (grown, "changed while it was being read"),
        (shorter, "part"),
        (elsewhere, "part"),
        (nonsense, "answer"),
        (flipped, "checksum"),
    ],
)
def test_wrong_answers_are_errors(call, served, fault_server, change, problem):
    server = fault_server(ScriptedServer, served, lie(change))
    start = time.monotonic()
    done = run_through(server, call, SKIMLINE_REMOTE_PATIENCE="2")
    assert done.returncode == 1, done.stdout
    assert problem in done.stdout + done.stderr
    assert time.monotonic() - start < 10


def test_a_server_without_ranges_is_named(call, served, fault_server):
    def whole(request, answer):
        answer.status, answer.headers = 200, {}
        answer.body = (served / "a1.root").read_bytes()
        return answer

    done = run_through(fault_server(ScriptedServer, served, whole), call)
    assert done.returncode == 1 and "range requests" in done.stdout + done.stderr


def test_a_server_may_be_restarted(call, nginx, served, tmp_path, skimline):
    """Killed and started again in the middle of a run."""
    own = Nginx(served, tmp_path / "own").start()
    proxy = FaultyProxy(own.port, Faults(bytes_per_second=400_000))
    running = subprocess.Popen(
        [skimline, "verify", f"http://{HOST}:{proxy.port}/a1.root"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    time.sleep(0.7)
    own.process.kill()
    own.process.wait()
    proxy.drop_all()
    time.sleep(0.5)
    assert running.poll() is None
    proxy.faults = Faults()
    own.start()
    output, _ = running.communicate(timeout=30)
    own.stop()
    proxy.stop()
    assert running.returncode == 0, output


def test_a_copy_takes_over_in_mid_run(call, nginx, served, fault_server):
    def fail(answer):
        answer.status, answer.headers, answer.body = 503, {}, b""
        return answer

    environment = os.environ | {"SKIMLINE_REMOTE_PATIENCE": "1"}
    first = fault_server(ScriptedServer, served, lie(fail))
    done = call("verify", f"{first.url('a1.root')}|{nginx.url('a1.root')}", env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(first.seen) > 2
    first = fault_server(ScriptedServer, served, lie(fail))
    done = call("verify", f"{first.url('a1.root')}|{nginx.url('a2.root')}", env=environment)
    assert done.returncode == 1 and "another file" in done.stdout + done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_waiting(skimline, nginx, fault_server, tmp_path, number):
    proxy = fault_server(FaultyProxy, nginx.port, Faults(stall_after=300_000))
    (tmp_path / "a.json").write_text(
        json.dumps(config_of(*[f"http://{HOST}:{proxy.port}/a1.root?{i}" for i in range(20)]))
    )
    with subprocess.Popen([skimline, "run", "a.json"], cwd=tmp_path, stderr=subprocess.PIPE) as running:
        time.sleep(1)
        assert running.poll() is None
        start = time.monotonic()
        running.send_signal(number)
        assert running.wait(10) == 130
        assert time.monotonic() - start < 1.2
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


WAITING = """
import sys, threading, _thread, time
import skimline as sk
threading.Timer(1, _thread.interrupt_main).start()
start = time.monotonic()
try:
    sk.run(sk.open(sys.argv[1] + ":Events").hist("Sum(Muon_pt)", bins=20, range=(0, 200)))
except KeyboardInterrupt:
    print(time.monotonic() - start < 2)
"""


def test_python_stops_waiting(nginx, fault_server, run_python):
    proxy = fault_server(FaultyProxy, nginx.port, Faults(stall_after=300_000))
    done = run_python(WAITING, f"http://{HOST}:{proxy.port}/a1.root")
    assert done.stdout == "True\n", done.stderr

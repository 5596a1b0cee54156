# SPDX-License-Identifier: BSD-3-Clause
"""What tests that disturb a run share: its config, a run under way, and what is in its folder."""

import os
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

from histogram_events import histogram_config


def config_for(*files, **more):
    """A config that fills a histogram of the missing momentum."""
    return histogram_config(files, {"h": {"x": {"value": "MET_pt", "bins": 10, "range": [0, 100]}}}) | more


def visible(folder: Path) -> list[str]:
    """Names of files, without the config and inputs."""
    return sorted(
        name for name in os.listdir(folder) if not name.startswith(".") and name not in ("a.json", "in.root")
    )


def parts(folder: Path) -> list[Path]:
    """Files that are being written."""
    return sorted(Path(folder).glob(".*.part"))


def wait_until(condition, process: subprocess.Popen, seconds: float = 60) -> None:
    """Looks often; fails if the process ends before the condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if process.poll() is not None:
            raise AssertionError(f"the run ended with {process.returncode}: {process.stderr.read()}")
        assert time.monotonic() < deadline, "the run took too long"
        time.sleep(0.0005)


@contextmanager
def running(program: Path, folder: Path, *arguments: str):
    """The process of a run, which ends with the block at the latest."""
    command = [program, "run", "a.json", *arguments]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@contextmanager
def stopped(process: subprocess.Popen):
    """The process does nothing meanwhile."""
    process.send_signal(signal.SIGSTOP)
    while b"State:\tT" not in Path(f"/proc/{process.pid}/status").read_bytes():
        time.sleep(0.001)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)

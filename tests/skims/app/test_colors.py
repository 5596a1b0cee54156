# SPDX-License-Identifier: BSD-3-Clause
"""Colours of messages and the bar of progress, on a terminal and elsewhere."""

import json
import os
import pty
import signal
import subprocess
import threading
import time

import pytest
from exit_codes import DONE, WRONG_USAGE

RED, MAGENTA, GREEN, RESET = "\x1b[1;31m", "\x1b[1;35m", "\x1b[1;32m", "\x1b[0m"


@pytest.fixture
def on_terminal(skimline, tmp_path):
    """Runs the program with a terminal as standard error; returns the exit code and what is shown there."""

    def run(*arguments, **environment):
        master, slave = pty.openpty()
        shown = bytearray()

        def read():
            try:
                while chunk := os.read(master, 4096):
                    shown.extend(chunk)
            except OSError:  # all have closed it
                pass

        kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
        process = subprocess.Popen(
            [skimline, *map(str, arguments)],
            stderr=slave,
            stdout=subprocess.DEVNULL,
            cwd=tmp_path,
            env=kept | {"TERM": "xterm"} | environment,
        )
        os.close(slave)
        reader = threading.Thread(target=read)
        reader.start()
        code = process.wait(timeout=120)
        reader.join(timeout=120)
        os.close(master)
        return code, shown.decode().replace("\r\n", "\n")

    return run


@pytest.fixture
def bad_config(sample, tmp_path):
    config = {
        "schema_version": 1,
        "samples": {"s": {"files": [str(sample)]}},
        "define": {"pt": "Moun_pt"},
        "histograms": {"h": {"x": {"value": "pt", "bins": 2, "range": [0, 1]}}},
        "output": {"histograms": "h.root"},
    }
    (tmp_path / "bad.json").write_text(json.dumps(config, indent=1))
    return tmp_path / "bad.json"


def test_mistakes_have_colours_on_a_terminal(on_terminal, bad_config):
    code, shown = on_terminal("validate", bad_config.name)
    assert code == WRONG_USAGE
    assert f"{RED}error:{RESET} unknown column" in shown
    assert "\x1b[1mbad.json:" in shown
    assert f"{GREEN}" in shown
    (mark,) = [line for line in shown.splitlines() if "^" in line]
    assert mark.strip("\x1b[01;32m ^~") == ""


def test_the_text_is_the_same_but_for_colours(on_terminal, call, bad_config, tmp_path):
    _, shown = on_terminal("validate", bad_config.name)
    for code in (RED, MAGENTA, GREEN, RESET, "\x1b[1;36m", "\x1b[1m"):
        shown = shown.replace(code, "")
    assert shown == call("validate", bad_config.name, cwd=tmp_path).unfiltered


@pytest.mark.parametrize(
    ("options", "environment", "has_colours"),
    [
        ([], {}, True),
        ([], {"NO_COLOR": "1"}, False),
        ([], {"NO_COLOR": ""}, True),
        ([], {"TERM": "dumb"}, False),
        (["--color", "never"], {}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "always", "--log-format", "json"], {}, False),
    ],
)
def test_who_decides(on_terminal, bad_config, options, environment, has_colours):
    code, shown = on_terminal("validate", *options, bad_config.name, **environment)
    assert code == WRONG_USAGE
    assert ("\x1b[" in shown) == has_colours


def test_other_messages_have_colours_too(on_terminal):
    _, shown = on_terminal("inspect", "none.root")
    assert shown.startswith("skimline: \x1b[")
    assert "error" in shown


def test_elsewhere_there_are_none_unless_asked_for(call, bad_config, tmp_path):
    assert "\x1b" not in call("validate", bad_config.name, cwd=tmp_path).stderr
    assert RED in call("validate", "--color", "always", bad_config.name, cwd=tmp_path).stderr
    done = call("validate", "--color", "sometimes", bad_config.name, cwd=tmp_path)
    assert done.returncode == WRONG_USAGE
    assert "--color" in done.stderr


def test_short_runs_show_no_progress(on_terminal):
    code, shown = on_terminal("generate", "dimuon", "--events", 1000, "-o", "d.root")
    assert (code, shown) == (DONE, "")


@pytest.fixture
def delayed_on_terminal(skimline, tmp_path):
    """Runs `generate` with a pause that makes it long for whoever looks at the clock; returns what is shown."""

    def run(*options):
        ours, theirs = pty.openpty()
        command = [skimline, "generate", "dimuon", "--events", "400000", "-j", "1", *options]
        folder = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        process = subprocess.Popen(
            [*command, "-o", "d.root"], cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs
        )
        os.close(theirs)
        while not any(folder.iterdir()) and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.1)
        process.send_signal(signal.SIGCONT)
        shown = b""
        try:
            while chunk := os.read(ours, 4096):
                shown += chunk
        except OSError:  # all have closed it
            pass
        os.close(ours)
        return process.wait(timeout=30), shown.decode()

    return run


def test_long_runs_show_a_bar_and_clear_it(delayed_on_terminal):
    code, shown = delayed_on_terminal()
    assert code == DONE
    assert shown.startswith("\r[")
    assert "events/s" in shown
    assert shown.endswith("\r\x1b[K")


def test_quiet_long_runs_show_nothing(delayed_on_terminal):
    assert delayed_on_terminal("-q") == (DONE, "")

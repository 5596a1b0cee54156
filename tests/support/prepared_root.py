# SPDX-License-Identifier: BSD-3-Clause
"""Runs scripts in processes of their own in which ROOT is ready: forks of a process that has run what they have in common,
which is a fork itself of the one that has loaded ROOT."""

import atexit
import json
import socket
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

# Merges files, the first argument from the others, without the code of their classes.
MERGE_AS_HADD = """
merger = ROOT.TFileMerger(False, False)
merger.SetFastMethod(True)
merger.OutputFile(sys.argv[1], "RECREATE", 0)
for part in sys.argv[2:]:
    merger.AddFile(part, False)
ROOT.gErrorIgnoreLevel = ROOT.kError
assert merger.Merge()
"""

# Makes a process for each connection, until its standard input ends. That one runs a preamble, and a script for each further
# line; it answers each with the exit code. A script ends as a program of its own does, so that all that ROOT says at its end
# is heard.
SERVER = """
import json, os, select, signal, socket, sys
import ROOT
ROOT.gROOT

def serve(connection):
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    lines = connection.makefile("r")
    names = {"__name__": "__main__", "sys": sys, "ROOT": ROOT}
    exec(compile(json.loads(next(lines)), "preamble", "exec"), names)
    connection.sendall(b"ready\\n")
    for line in lines:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            for stream in (1, 2):
                os.dup2(os.open(request["streams"][stream - 1], os.O_WRONLY | os.O_APPEND), stream)
            sys.argv = ["script", *request["arguments"]]
            exec(compile(request["script"], "script", "exec"), names)
            sys.exit()
        connection.sendall(b"%d\\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

listening = socket.socket(socket.AF_UNIX)
listening.bind("\\0" + sys.argv[1])
listening.listen()
print("ready", flush=True)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while listening in select.select([listening, sys.stdin], [], [])[0]:
    connection = listening.accept()[0]
    if os.fork() == 0:
        listening.close()
        serve(connection)
        sys.exit()
    connection.close()
"""


@cache
def loaded_root() -> str:
    """The socket of a process that has loaded ROOT, and ends with this one."""
    name = f"prepared-root-{uuid.uuid4()}"
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", SERVER, name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    assert process.stdout.readline() == "ready\n"

    def end() -> None:
        process.stdin.close()
        process.wait()

    atexit.register(end)
    return f"\0{name}"


class PreparedRoot:
    """A process that has imported ROOT and run a preamble. Scripts see the names of the preamble."""

    def __init__(self, preamble: str) -> None:
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(loaded_root())
        self._answers = self._connection.makefile("r")
        self._send(preamble)
        assert self._answer() == "ready"

    def run(self, script: str, *arguments: object) -> str:
        """Runs the script, which must succeed and have nothing to say on stderr; returns its standard output."""
        with tempfile.TemporaryDirectory() as folder:
            streams = [Path(folder, name) for name in ("stdout", "stderr")]
            for stream in streams:
                stream.touch()
            request = {"script": script, "arguments": [*map(str, arguments)], "streams": [*map(str, streams)]}
            self._send(request)
            code = self._answer()
            output, errors = (stream.read_text() for stream in streams)
        assert code == "0", f"exit code {code}\n{errors}"
        assert errors == ""
        return output

    def close(self) -> None:
        """Ends the process."""
        self._connection.shutdown(socket.SHUT_WR)
        self._answer()
        self._answers.close()
        self._connection.close()

    def _send(self, request: object) -> None:
        self._connection.sendall(json.dumps(request).encode() + b"\n")

    def _answer(self) -> str:
        return self._answers.readline().strip()


@contextmanager
def prepared_root(preamble: str = "") -> Iterator[PreparedRoot]:
    """A process that ends with the context."""
    process = PreparedRoot(preamble)
    try:
        yield process
    finally:
        process.close()

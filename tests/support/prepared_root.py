# SPDX-License-Identifier: BSD-3-Clause
"""Runs scripts in processes of their own in which ROOT is ready: each is a fork of one process that has loaded it once."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Its standard input has one request per line; it answers each with the exit code. A script ends as a program of its own
# does, so that all that ROOT says at its end is heard.
SERVER = """
import json, os, sys, traceback
exec(compile(sys.argv[1], "preamble", "exec"))
print("ready", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    child = os.fork()
    if child == 0:
        for stream in (1, 2):
            os.dup2(os.open(request["streams"][stream - 1], os.O_WRONLY | os.O_APPEND), stream)
        sys.argv = ["script", *request["arguments"]]
        exec(compile(request["script"], "script", "exec"))
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class PreparedRoot:
    """A process that has imported ROOT and run a preamble. Scripts see the names of the preamble."""

    def __init__(self, preamble: str) -> None:
        command = [sys.executable, "-W", "ignore", "-c", SERVER, "import sys\nimport ROOT\n" + preamble]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._answer() == "ready"

    def run(self, script: str, *arguments: object) -> str:
        """Runs the script, which must succeed and have nothing to say on stderr; returns its standard output."""
        with tempfile.TemporaryDirectory() as folder:
            streams = [Path(folder, name) for name in ("stdout", "stderr")]
            for stream in streams:
                stream.touch()
            request = {"script": script, "arguments": [*map(str, arguments)], "streams": [*map(str, streams)]}
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            code = self._answer()
            output, errors = (stream.read_text() for stream in streams)
        assert code == "0", f"exit code {code}\n{errors}"
        assert errors == ""
        return output

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def prepared_root(preamble: str = "") -> Iterator[PreparedRoot]:
    """A process that ends with the context."""
    process = PreparedRoot(preamble)
    try:
        yield process
    finally:
        process.close()

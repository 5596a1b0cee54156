# SPDX-License-Identifier: BSD-3-Clause
"""Several servers of XRootD behind one that knows which of them has which file."""

import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from remote_servers import HOST, free_port, stop, wait_for_port


@dataclass
class XrootdCluster:
    """A manager and a server for each folder. The manager has a folder of its own, which nobody is offered."""

    roots: list[Path]
    work: Path
    port: int = field(default_factory=free_port)
    meeting_port: int = field(default_factory=free_port)
    processes: list[subprocess.Popen] = field(default_factory=list)

    def start(self) -> "XrootdCluster":
        self.own = self.work / "own"
        self.own.mkdir(parents=True, exist_ok=True)
        self.work.parent.chmod(0o755)
        self.start_member("manager", self.own, {"xrootd": self.port, "cmsd": self.meeting_port})
        for number, root in enumerate(self.roots):
            self.start_member(f"server{number}", root, {"xrootd": free_port(), "cmsd": free_port()})
        return self

    def start_member(self, name: str, root: Path, ports: dict[str, int]) -> None:
        """A server of files, and its daemon that talks to the others."""
        work = self.work / name
        (work / "admin").mkdir(parents=True)
        for folder in (self.work, work, work / "admin", root):
            folder.chmod(0o777)
        for program, port in ports.items():
            lines = [
                f"all.role {name.rstrip('0123456789')}",
                f"all.manager {HOST}:{self.meeting_port}",
                "all.export / r/w",
                f"all.adminpath {work}/admin",
                f"all.pidpath {work}/admin",
                f"oss.localroot {root}",
                "cms.delay startup 1 servers 1 lookup 1",
                "cms.space 1m 2m",
                "xrd.network nodnr",
                f"xrd.port {port}",
            ]
            (work / f"{program}.cfg").write_text("\n".join(lines) + "\n")
            user = ["-R", "nobody"] if os.getuid() == 0 else []
            command = [
                program,
                *user,
                "-n",
                name,
                "-c",
                work / f"{program}.cfg",
                "-l",
                work / f"{program}.log",
            ]
            self.processes.append(
                subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=work)
            )

        wait_for_port(ports["xrootd"], self.processes[-2])  # which waits for the daemon

    def wait_until(self, is_ready, seconds: float = 60) -> None:
        """The manager takes some seconds to learn who is there."""
        end = time.monotonic() + seconds
        while not is_ready():
            if time.monotonic() > end:
                raise RuntimeError("the servers do not find each other")
            time.sleep(0.5)

    def url(self, path: str) -> str:
        return f"root://{HOST}:{self.port}//{path}"

    def stop(self) -> None:
        for process in self.processes:
            stop(process)

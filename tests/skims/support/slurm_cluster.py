# SPDX-License-Identifier: BSD-3-Clause
"""A real Slurm of one machine, on free ports of the loopback, with all of its files in a folder; ended with its user."""

import getpass
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel")
SECONDS = 20

# Nothing is accounted, bound to cores or watched by control groups: this works for any user on any machine.
CONFIG = """
ClusterName=tested
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
ReturnToService=2
KillWait=2
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,sched_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""


class NoSlurmError(Exception):
    """Why there is none."""


class Slurm:
    """Raises NoSlurmError where it cannot be."""

    def __init__(self, folder: Path):
        missing = [program for program in PROGRAMS if not shutil.which(program, path=search_path())]
        if missing:
            raise NoSlurmError(f"there is no {', '.join(missing)}: scripts/setup --test installs Slurm")
        self.folder = folder
        self.processes = []
        self.environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": search_path()}
        for name in ("state", "spool"):
            (folder / name).mkdir()
        host = socket.gethostname().partition(".")[0]
        config = CONFIG.format(host=host, user=getpass.getuser(), ports=free_ports(2), folder=folder)
        (folder / "slurm.conf").write_text(config)
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        try:
            self._start_all(key, host)
        except BaseException:
            self.end()
            raise

    def _start_all(self, key: Path, host: str) -> None:
        places = [f"--{name}={self.folder}/munge.{name.partition('-')[0]}" for name in MUNGE_FILES]
        # Folders for temporary files are open to all, which munged does not like.
        self._start("munged", "--foreground", "--force", f"--key-file={key}", *places)
        self._wait(lambda: (self.folder / "munge.socket").exists(), "munged")
        self._start("slurmctld", "-D")
        self._start("slurmd", "-D", "-N", host)
        self._wait(lambda: self.call("sinfo", "--noheader", "--format=%T").strip() == "idle", "slurmd")

    def _start(self, program: str, *arguments: str) -> None:
        with (self.folder / f"{program}.output").open("wb") as output:
            command = [shutil.which(program, path=search_path()), *arguments]
            self.processes.append(
                subprocess.Popen(command, stdout=output, stderr=output, env=self.environment)
            )

    def _wait(self, is_there, program: str) -> None:
        end = time.monotonic() + SECONDS
        while not is_there():
            if time.monotonic() > end or any(each.poll() is not None for each in self.processes):
                outputs = {path.name: path.read_text()[-1000:] for path in self.folder.glob("*.output")}
                raise NoSlurmError(f"{program} did not start: {outputs}")
            time.sleep(0.05)

    def call(self, program: str, *arguments) -> str:
        """What a command of Slurm prints."""
        command = [program, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=self.environment)
        return done.stdout

    def is_idle(self) -> bool:
        """Whether no job is running or waiting."""
        return not self.call("squeue", "--noheader")

    def wait_until(self, is_so, seconds=60) -> None:
        """Until something is so; says what Slurm knows if it takes too long."""
        end = time.monotonic() + seconds
        while not is_so():
            assert time.monotonic() < end, self.call("squeue") + (self.folder / "slurmctld.log").read_text()
            time.sleep(0.05)

    def end(self) -> None:
        if self.processes and (self.folder / "munge.socket").exists():
            self.call("scancel", "--full", f"--user={getpass.getuser()}")
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


MUNGE_FILES = ("socket", "pid-file", "log-file", "seed-file")


def search_path() -> str:
    """With the folders of daemons, which those of users may lack."""
    return f"{os.environ['PATH']}:/usr/sbin:/sbin"


def free_ports(count: int) -> list[int]:
    """Ports of the loopback that nobody listens at."""
    tried = [socket.socket() for _ in range(count)]
    for each in tried:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in tried]
    for each in tried:
        each.close()
    return ports

# SPDX-License-Identifier: BSD-3-Clause
"""Outputs get their names together: what they replace stays until all have theirs."""

import fcntl
import json
import os
import shutil
import signal
import stat
import subprocess

import pytest
from exit_codes import DONE, FAILED, WRONG_USAGE
from interrupted_runs import parts

NAMES = ("a.report.json", "c.csv", "h.root", "s.root", "t.root")


def config_for(cut="nMuon > 0"):
    return {
        "schema_version": 1,
        "samples": {"d": {"files": ["in.root"]}},
        "select": [{"name": "x", "where": cut}],
        "histograms": {"h": {"x": {"value": "MET_pt", "bins": 5, "range": [0, 100]}}},
        "skims": {"s": {"file": "s.root"}, "t": {"file": "t.root", "keep": ["MET_*"]}},
        "output": {"histograms": "h.root", "cutflow": "c.csv"},
    }


@pytest.fixture(scope="module")
def earlier(generate, run_in, tmp_path_factory):
    """The outputs of an earlier run."""
    folder = tmp_path_factory.mktemp("earlier")
    generate("dimuon", folder / "in.root", 50)
    assert run_in(folder, config_for()).returncode == DONE
    return folder


@pytest.fixture
def folder(earlier, tmp_path):
    shutil.copytree(earlier, tmp_path, dirs_exist_ok=True)
    (tmp_path / "a.json").write_text(json.dumps(config_for("nMuon > 1")))
    return tmp_path


def outputs(folder):
    return {name: (folder / name).read_bytes() for name in NAMES if (folder / name).is_file()}


def entries(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_one_that_cannot_be_replaced(call, folder, name):
    before, names = outputs(folder), entries(folder)
    (folder / "other").write_text("mounted")
    mount = ["mount", "--bind", folder / "other", folder / name]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("cannot mount")
    try:
        done = call("run", "a.json", "-f", cwd=folder)
    finally:
        subprocess.run(["umount", folder / name], check=True)
    assert done.returncode == FAILED
    assert f"{name}: cannot be given its name: Device or resource busy" in done.stderr
    assert outputs(folder) == before
    assert entries(folder) == sorted([*names, "other"])


SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
static int number;
static int fault(void) {
  const char* wanted = getenv("RENAME_FAIL");
  const char* killed = getenv("RENAME_KILL");
  ++number;
  if (killed && number == atoi(killed)) raise(SIGKILL);
  return wanted && number == atoi(wanted);
}
int rename(const char* from, const char* to) {
  if (fault()) { errno = EIO; return -1; }
  return syscall(SYS_rename, from, to);
}
int renameat2(int a, const char* from, int b, const char* to, unsigned flags) {
  if (flags && getenv("RENAME_PLAIN")) { errno = EINVAL; return -1; }
  if (fault()) { errno = EIO; return -1; }
  return syscall(SYS_renameat2, a, from, b, to, flags);
}
int link(const char* from, const char* to) {
  if (getenv("NO_LINKS")) { errno = EPERM; return -1; }
  return syscall(SYS_link, from, to);
}
int fsync(int file) {  // what each output is before it has its name
  const char* path = getenv("MEANWHILE");
  struct stat status;
  if (path && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    const int other = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (write(other, "of somebody", 11) != 11) abort();
    close(other);
  }
  return syscall(SYS_fsync, file);
}
"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory, unsanitized):
    folder = tmp_path_factory.mktemp("shim")
    (folder / "shim.c").write_text(SHIM)
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-o", folder / "shim.so", folder / "shim.c", "-ldl"], check=True
    )
    return folder / "shim.so"


KINDS = {"exchange": {}, "links": {"RENAME_PLAIN": "1"}, "aside": {"RENAME_PLAIN": "1", "NO_LINKS": "1"}}


@pytest.mark.parametrize("kind", KINDS)
def test_renames_that_fail(call, folder, shim, kind):
    before, names = outputs(folder), entries(folder)
    environment = os.environ | KINDS[kind] | {"LD_PRELOAD": str(shim)}
    failed = 0
    for number in range(1, 20):
        done = call("run", "a.json", cwd=folder, env=environment | {"RENAME_FAIL": str(number)})
        if done.returncode == DONE:
            break
        failed += 1
        assert done.returncode == FAILED and "cannot be given its name" in done.stderr
        assert outputs(folder) == before
        assert entries(folder) == names
    assert failed == len(NAMES) * (2 if kind == "aside" else 1)
    assert entries(folder) == names
    after = outputs(folder)
    assert all(after[name] != before[name] for name in NAMES)


@pytest.mark.parametrize("kind", ["exchange", "links"])
def test_a_kill_between_renames(call, folder, shim, kind):
    """Each file is whole, and the next run clears up."""
    environment = os.environ | KINDS[kind] | {"LD_PRELOAD": str(shim), "RENAME_KILL": "3"}
    before, names = outputs(folder), entries(folder)
    assert call("run", "a.json", cwd=folder, env=environment).returncode == -signal.SIGKILL
    between = outputs(folder)
    assert parts(folder) != []
    assert call("run", "a.json", cwd=folder).returncode == DONE
    assert entries(folder) == names
    after = outputs(folder)
    for name in ("c.csv", "h.root", "s.root", "t.root"):
        assert between[name] in (before[name], after[name])
    assert sum(between[name] == after[name] for name in ("s.root", "t.root", "h.root")) == 2


def test_rights_stay(call, folder):
    (folder / "h.root").chmod(0o600)
    (folder / "s.root").chmod(0o664)
    assert call("run", "a.json", cwd=folder).returncode == DONE
    assert stat.S_IMODE((folder / "h.root").stat().st_mode) == 0o600
    assert stat.S_IMODE((folder / "s.root").stat().st_mode) == 0o664


def test_links_that_lead_nowhere_yet(call, folder):
    (folder / "h.root").unlink()
    (folder / "far").mkdir()
    (folder / "h.root").symlink_to("far/real.root")
    assert call("run", "a.json", cwd=folder).returncode == DONE
    assert (folder / "h.root").is_symlink()
    assert (folder / "far" / "real.root").is_file()
    (folder / "s.root").unlink()
    (folder / "s.root").symlink_to("s.root")
    done = call("run", "a.json", cwd=folder)
    assert done.returncode == WRONG_USAGE and "links go round in circles" in done.stderr


def test_parts_of_dead_processes_are_cleared_away(call, folder):
    """The number of the process does not matter, which may be that of another one by now; a lock does."""
    dead = folder / f".x.root.{os.getpid()}-0.part"
    alive = folder / ".y.root.999999999-3.part"
    others = [folder / name for name in (".z.part", "x.1-1.part", ".keep.1-x.part")]
    for path in (dead, alive, *others):
        path.write_text("x")
    with alive.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert call("run", "a.json", cwd=folder).returncode == DONE
    assert not dead.exists()
    assert alive.exists() and all(path.exists() for path in others)


COMMANDS = {
    "run": ("run", "a.json", "--set", "output.histograms=out.root"),
    "merge": ("merge", "out.root", "h.root"),
    "convert": ("convert", "in.root", "-o", "out.root"),
    "generate": ("generate", "dimuon", "--events", "10", "-o", "out.root"),
    "recover": ("recover", "in.root", "out.root"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_what_others_write_meanwhile_stays(call, folder, shim, command):
    before = outputs(folder)
    environment = os.environ | {"LD_PRELOAD": str(shim), "MEANWHILE": "out.root"}
    done = call(*COMMANDS[command], cwd=folder, env=environment)
    assert done.returncode == WRONG_USAGE and "--force" in done.stderr
    assert (folder / "out.root").read_text() == "of somebody"
    assert outputs(folder) == before and parts(folder) == []
    done = call(*COMMANDS[command], "--force", cwd=folder, env=environment)
    assert done.returncode == DONE, done.stderr
    assert (folder / "out.root").read_bytes().startswith(b"root")

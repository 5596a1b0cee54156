# SPDX-License-Identifier: BSD-3-Clause
"""Runs as jobs of a real Slurm: the same bytes, faults and kills are told, and the job goes on from there."""

import os
import subprocess
import time

import pytest
from batch_runs import CONFIG, OPTIONS, make_run, outputs_of, run_here
from exit_codes import DONE, FAILED
from slurm_cluster import NoSlurmError, Slurm


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    try:
        cluster = Slurm(tmp_path_factory.mktemp("slurm"))
    except NoSlurmError as reason:
        pytest.skip(f"no Slurm of its own for this test: {reason}")
    yield cluster
    cluster.end()


@pytest.fixture
def run(generate, tmp_path):
    return make_run(tmp_path / "it's here", generate)


def submitted(run, call, slurm, *more):
    done = call(
        "submit", "--slurm", "--go", "-o", "job", *more, *OPTIONS, CONFIG, cwd=run, env=slurm.environment
    )
    assert done.returncode == DONE, done.stderr


def status(run, call, slurm):
    return call("status", "job", cwd=run, env=slurm.environment)


def again(run, slurm):
    subprocess.run(["sh", run / "job" / "submit.sh"], check=True, env=slurm.environment, capture_output=True)
    slurm.wait_until(slurm.is_idle)


def test_a_job_writes_the_bytes_of_a_run(run, call, slurm):
    expected = run_here(run, call)
    submitted(run, call, slurm, "--parts", "2", "--directive", "time=7", "--directive", "comment=mine")
    told = slurm.call("scontrol", "show", "job")
    assert told.count("TimeLimit=00:07:00") == told.count("JobName=") > 0
    slurm.wait_until(slurm.is_idle)
    said = status(run, call, slurm)
    assert said.returncode == DONE, said.stdout
    assert said.stdout == "3 tasks: 3 done, 0 running, 0 waiting, 0 failed\n"
    assert outputs_of(run) == expected


def test_tasks_that_fail_or_are_killed_are_told_and_computed_again(run, call, slurm):
    """One finds its file damaged; one is killed with its script, and can note nothing; one is cancelled."""
    expected = run_here(run, call)
    path = run / "part1.root"
    whole, times = path.read_bytes(), path.stat()
    call("submit", "--slurm", "-o", "job", *OPTIONS, CONFIG, cwd=run)
    first, last = len(whole) // 20, len(whole) * 9 // 10
    path.write_bytes(whole[:first] + bytes(last - first) + whole[last:])
    script = run / "job" / "part.sh"
    text = script.read_text()
    (program,) = (line for line in text.splitlines() if " run " in line)
    ends = f'case "$task" in 1) kill -KILL $$ ;; 2) {program} ;; 3) sleep 100 ;; esac'
    script.write_text(text.replace(program, ends))
    subprocess.run(["sh", run / "job" / "submit.sh"], check=True, env=slurm.environment, capture_output=True)
    slurm.wait_until((run / "job" / "state" / "3.running").exists)
    slurm.wait_until(lambda: "1 running" in status(run, call, slurm).stdout)
    # The last task of an array has the number of the whole.
    places = dict(line.split() for line in slurm.call("squeue", "-h", "-r", "-o", "%A %F_%K").splitlines())
    time.sleep(0.5)  # the script notes that it runs before it begins
    slurm.call("scancel", places[(run / "job" / "state" / "3.job").read_text().strip()])
    slurm.wait_until(slurm.is_idle)
    said = status(run, call, slurm)
    assert said.returncode == FAILED
    assert "0 running, 1 waiting, 3 failed" in said.stdout
    assert "  part 1: gone, killed or with its machine; it ran on " in said.stdout
    assert "  part 2: failed with exit code 1 on " in said.stdout
    assert "part1.root" in said.stdout
    assert "  part 3: failed with exit code 143 on " in said.stdout
    assert not (run / "h.root").exists()
    path.write_bytes(whole)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    script.write_text(text)
    again(run, slurm)
    assert status(run, call, slurm).returncode == DONE
    assert outputs_of(run) == expected

# SPDX-License-Identifier: BSD-3-Clause
"""Tasks put sums into the memory of servers, one collects them: the bytes of one run, or a list of what is missing."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import redis
import skimline as sk
import uproot
from exit_codes import DONE, FAILED, INCOMPLETE, INTERRUPTED, WRONG_USAGE
from redis_servers import free_port, running
from skimline.config import ConfigSource
from skimline.distribution import open_parts
from skimline.shared_sums import blocks_in_store

COUNT = 6
CODE = "import sys; from skimline._program import main; sys.exit(main())"
OUTPUTS = ("h.root", "c.csv", "s.root")


@pytest.fixture(scope="module")
def ports():
    with running([], []) as found:
        yield found


@pytest.fixture
def clients(ports):
    found = [redis.Redis(port=port) for port in ports]
    for client in found:
        client.flushall()
    return found


@pytest.fixture
def servers(ports, clients):
    """Two of them, so that large results are in two blocks."""
    return f"redis://127.0.0.1:{ports[0]},127.0.0.1:{ports[1]}"


@pytest.fixture(scope="module")
def inputs(dimuon_files):
    return dimuon_files(COUNT, 500)


@pytest.fixture
def config(inputs):
    return {
        "schema_version": 1,
        "samples": {"mc": {"files": [f"{inputs}/part*.root"]}},
        "select": [{"name": "a muon", "where": "nMuon > 0"}],
        "histograms": {
            "met": {"x": {"value": "MET_pt", "bins": 30, "range": [0, 150]}, "weight": "exp(MET_phi * 9)"},
            "fine": {"x": {"value": "MET_pt", "bins": 90000, "range": [0, 150]}, "weight": "MET_phi"},
            "number": {"x": {"value": "nMuon", "categories": [], "growing": True}},
        },
        "output": {"histograms": "h.root", "cutflow": "c.csv"},
    }


@pytest.fixture
def expected(config, run_in):
    return run_in(config, "here")


@pytest.fixture
def folder(config, tmp_path):
    made = tmp_path / "there"
    made.mkdir()
    (made / "a.json").write_text(json.dumps(config))
    return made


@pytest.fixture
def environment(tmp_path):
    """Where files for the time of a run are to be gone in the end."""
    (tmp_path / "brief").mkdir()
    package = str(Path(sk.__file__).parents[1])
    yield os.environ | {"PYTHONPATH": package, "TMPDIR": str(tmp_path / "brief")}
    assert not list((tmp_path / "brief").iterdir())


@pytest.fixture
def started(folder, environment):
    """Starts the program in the folder of the config."""

    def start(*arguments):
        command = [sys.executable, "-c", CODE, *map(str, arguments)]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True, encoding="utf8"
        )

    return start


@pytest.fixture
def program(started):
    def run(*arguments):
        process = started(*arguments)
        stdout, stderr = process.communicate(timeout=60)
        return subprocess.CompletedProcess(arguments, process.returncode, stdout, stderr)

    return run


@pytest.fixture
def put(program, servers):
    """Has a share put."""

    def run(share, *more):
        done = program("run", "--fill-store", share, "--reduce", servers, *more, "a.json")
        assert done.returncode == DONE, done.stderr
        return done.stdout

    return run


def outputs_in(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name in OUTPUTS}


def test_one_task_writes_what_others_have_put(folder, expected, program, put, servers, clients):
    assert put("1/3") == f"2 of {COUNT} parts computed for {servers}\n"
    assert put("3/3").startswith("2 of")
    collect = partial(program, "collect", "--reduce", servers)
    early = collect("a.json")
    assert early.returncode == INCOMPLETE
    assert f"2 of {COUNT} parts are not there" in early.stderr
    assert re.findall(r"part(\d)\.root, entries 0 to (\d+)\n", early.stderr) == [("1", "599"), ("4", "899")]
    assert outputs_in(folder) == {}
    assert put("2/3").startswith("2 of")
    assert put("2/3").startswith("0 of")
    kept = collect("--keep", "a.json")
    assert kept.returncode == DONE, kept.stderr
    assert outputs_in(folder) == expected
    done = collect("--report", "r.json", "a.json")
    assert done.returncode == DONE, done.stderr
    assert outputs_in(folder) == expected
    assert json.loads((folder / "r.json").read_text())["store"]["computed"] == 0
    assert not any(client.keys("*") for client in clients)
    assert f"{COUNT} of {COUNT} parts are not there" in collect("a.json").stderr


def muons_in(inputs, numbers):
    """Events, and those with a muon, as uproot reads them."""
    read = [uproot.open(inputs / f"part{number}.root")["Events"]["nMuon"].array() for number in numbers]
    return sum(map(len, read)), int(sum(np.sum(each > 0) for each in read))


def plain(text):
    """Numbers without blanks between their digits."""
    return re.sub(r"(?<=\d)\s(?=\d{3}\b)", "", text)


def test_names_of_files_are_those_of_the_config(config, inputs, folder, program, put, servers):
    """Tasks open files by other paths than the config gives."""
    config["samples"]["mc"]["files"] = [
        os.path.relpath(inputs / f"part{n}.root", folder) for n in range(COUNT)
    ]
    first, *_, last = config["samples"]["mc"]["files"]
    value = f"file_ == '{first}' ? 1 : file_ == '{last}' ? 2 : 0"
    config["histograms"]["number"]["x"] = {"value": value, "integers": [0, 2]}
    (folder / "a.json").write_text(json.dumps(config))
    assert program("run", "--no-report", "a.json").returncode == DONE
    expected = outputs_in(folder)
    for share in ("1/2", "2/2"):
        put(share)
    assert program("collect", "--force", "--reduce", servers, "--keep", "a.json").returncode == DONE
    assert outputs_in(folder) == expected
    done = program("run", "--force", "--no-report", "--processes", 2, "--reduce", servers, "a.json")
    assert done.returncode == DONE, done.stderr
    assert outputs_in(folder) == expected


def test_what_is_there_is_shown(inputs, program, put, servers):
    """Numbers are those of the parts that are in the sums."""
    look = partial(program, "watch", "--once", "--reduce", servers, "a.json")
    everything, _ = muons_in(inputs, range(COUNT))
    nothing = look()
    assert nothing.returncode == INCOMPLETE
    assert plain(nothing.stdout) == f"mc: 0 of {COUNT} parts, 0 of {everything} events, 0.00 %\n"
    put("2/2")
    events, selected = muons_in(inputs, (1, 3, 5))
    some = look()
    assert some.returncode == INCOMPLETE
    shown = plain(some.stdout)
    share = f"{100 * events / everything:.2f} %"
    assert f"mc: 3 of {COUNT} parts, {events} of {everything} events, {share}\n" in shown
    assert re.search(rf"all events +{events}\n", shown)
    assert re.search(rf"a muon +{selected}\n", shown)
    assert re.search(rf"met +{selected} +\S", shown)
    drawn = look("--include", "n*", "--ascii")
    assert "met" not in drawn.stdout
    assert "number" in drawn.stdout and drawn.stdout.isascii()
    assert len(drawn.stdout.splitlines()) > len(some.stdout.splitlines())
    put("1/2")
    whole = look()
    assert whole.returncode == DONE
    assert f"mc: {COUNT} of {COUNT} parts" in whole.stdout
    mistaken = look("--include", "mte")
    assert mistaken.returncode == WRONG_USAGE
    assert '--include: no histogram matches "mte" (did you mean "met"?)' in mistaken.stderr


def test_watching_ends_with_the_run(started, put, servers):
    process = started("watch", "--every", 1, "--reduce", servers, "a.json")
    assert process.stdout.readline().startswith("mc: 0 of")
    put("1/1")
    rest, said = process.communicate(timeout=30)
    assert process.returncode == DONE, said
    assert f"mc: {COUNT} of {COUNT} parts" in rest
    assert "\033" not in rest


def test_watching_ends_when_it_is_told(started, servers):
    process = started("watch", "--every", 60, "--reduce", servers, "a.json")
    assert process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == INTERRUPTED


@pytest.mark.thorough(quick=1, repeats=True)
@pytest.mark.parametrize("seed", range(4))
def test_tasks_that_are_killed_or_run_twice_lose_and_double_nothing(
    seed, folder, expected, program, put, servers, environment, tmp_path
):
    chance = random.Random(seed)
    code = "import skimline.sum_store as s; s.LEASE_MS = 300; s.SumStore.__init__.__kwdefaults__['lease_ms'] = 300;"
    command = [sys.executable, "-c", code + CODE, "run", "--reduce", servers, "a.json", "--fill-store"]
    shares = ["1/2", "2/2", "1/2", "1/1"]
    killed = [
        subprocess.Popen([*command, share], cwd=folder, env=environment, stdout=subprocess.DEVNULL)
        for share in shares
    ]
    for process in killed:
        time.sleep(chance.random() * 0.4)
        process.send_signal(signal.SIGKILL)
        process.wait()
    for leaked in (tmp_path / "brief").iterdir():  # what is killed can tidy nothing up
        subprocess.run(["rm", "-r", leaked], check=True)
    time.sleep(0.3)
    put("1/1")
    done = program("collect", "--reduce", servers, "a.json")
    assert done.returncode == DONE, done.stderr
    assert outputs_in(folder) == expected


def test_parts_of_which_a_block_is_missing_are_missing(config, folder, program, servers, tmp_path):
    opened = open_parts(ConfigSource.made_here(config), store=str(tmp_path / "store"), threads=1)
    (blocks,) = blocks_in_store(opened, servers)
    assert blocks.count > 1
    job = opened.common.parts("")
    made = job.compute_blocks(opened.parts[2], opened.sums[0][0], blocks.count)
    blocks._put(1, 2, made[1])
    done = program("collect", "--reduce", servers, "a.json")
    assert f"{COUNT} of {COUNT} parts are not there" in done.stderr
    look = program("watch", "--once", "--reduce", servers, "a.json")
    assert look.stdout.startswith(f"mc: 0 of {COUNT} parts")


def test_servers_that_do_not_forget_are_told_of(folder, expected, program, put, servers, clients):
    put("1/1")
    assert program("collect", "--keep", "--reduce", servers, "a.json").returncode == DONE  # all is added up
    for client in clients:
        client.execute_command("ACL", "SETUSER", "default", "-del")
    try:
        done = program("collect", "--reduce", servers, "a.json")
    finally:
        for client in clients:
            client.execute_command("ACL", "SETUSER", "default", "+del")
    assert done.returncode == DONE, done.stderr
    assert "warning: the sums stay in the servers for a time: " in done.stderr
    assert "summary" in done.stdout
    assert outputs_in(folder) == expected


def test_damaged_blocks_are_missing(folder, program, put, servers, clients):
    put("1/1")
    key = min(clients[0].keys("*:data:*"))
    clients[0].set(key, clients[0].get(key)[:-1])
    done = program("collect", "--reduce", servers, "a.json")
    assert done.returncode == INCOMPLETE
    assert "are lost: " in done.stderr
    damaged = int(re.search(r"parts 0-(\d) of block 0 are lost", done.stderr)[1]) + 1
    assert f"{damaged} of {COUNT} parts are not there" in done.stderr
    assert outputs_in(folder) == {}
    put("1/1")
    assert program("collect", "--reduce", servers, "a.json").returncode == DONE


def test_skims_come_from_a_store(config, folder, run_in, program, put, servers, tmp_path):
    config["skims"] = {"s": {"file": "s.root", "keep": ["MET_*"]}}
    expected = run_in(config, "here", store=tmp_path / "own")
    (folder / "a.json").write_text(json.dumps(config))
    put("1/2", "--store", tmp_path / "shared")
    put("2/2")  # whose skims are lost
    collect = partial(program, "collect", "--reduce", servers, "--store", tmp_path / "shared", "a.json")
    assert f"{COUNT // 2} of {COUNT} parts are not there" in collect().stderr
    assert put("1/1", "--store", tmp_path / "shared").startswith("3 of")
    done = collect()
    assert done.returncode == DONE, done.stderr
    assert outputs_in(folder) == expected
    assert not (tmp_path / "shared" / "sums").exists()


def test_batch_jobs_add_in_servers(folder, expected, program, servers, environment):
    refused = program("submit", "--reduce", "redis://:secret@h", "-o", "job", "a.json")
    assert refused.returncode == WRONG_USAGE
    assert "REDISCLI_AUTH" in refused.stderr
    assert program("submit", "--parts", 2, "--reduce", servers, "-o", "job", "a.json").returncode == DONE
    assert not (folder / "job" / "store").exists()
    commands = folder / "commands"
    commands.mkdir()
    (commands / "skimline").write_text(f"#!/bin/sh\nexec '{sys.executable}' -c '{CODE}' \"$@\"\n")
    (commands / "skimline").chmod(0o755)
    environment = environment | {"PATH": f"{commands}:{os.environ['PATH']}"}
    for task in (["part.sh", "2"], ["part.sh", "1"], ["merge.sh"]):
        subprocess.run(["sh", folder / "job" / task[0], *task[1:]], env=environment, check=True)
    assert outputs_in(folder) == expected
    assert program("status", "job").returncode == DONE


def test_batch_jobs_need_no_search_path(folder, program, environment, expected):
    """As HTCondor gives them none; a sanitizer has to come along all the same."""
    bare = {
        name: environment[name] for name in ("TMPDIR", "LD_PRELOAD", "ASAN_OPTIONS") if name in environment
    }
    commands = folder / "it's here"
    commands.mkdir()
    (commands / "skimline").write_text(
        f"#!/bin/sh\nPYTHONPATH='{environment['PYTHONPATH']}' exec '{sys.executable}' -c '{CODE}' \"$@\"\n"
    )
    (commands / "skimline").chmod(0o755)
    environment["PATH"] = f"{commands}:{environment['PATH']}"
    assert program("submit", "--htcondor", "--parts", 1, "-o", "job", "a.json").returncode == DONE
    for task in (["part.sh", "1"], ["merge.sh"]):
        command = ["/bin/sh", folder / "job" / task[0], *task[1:]]
        subprocess.run(command, env=bare, check=True)
    assert outputs_in(folder) == expected


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["run", "--fill-store", "1/2", "--reduce", "tree"], WRONG_USAGE, "--reduce with servers"),
        (["run", "--fill-store", "1/2"], WRONG_USAGE, "needs --store"),
        (
            ["run", "--fill-store", "1/2", "--reduce", "redis://h", "--processes", "2"],
            WRONG_USAGE,
            "not for --dask",
        ),
        (["run", "--reduce", "redis://h"], WRONG_USAGE, "needs --dask or --processes"),
        (["collect"], WRONG_USAGE, "--reduce is required"),
        (["collect", "--reduce", "http://:hidden@h"], WRONG_USAGE, "is no server of sums"),
        (["watch", "--once", "--reduce", "redis://:hidden@127.0.0.1:{port}"], FAILED, "refused"),
        (["collect", "--reduce", "redis://:hidden@127.0.0.1:{port}"], FAILED, "refused"),
        (["submit", "-o", "job", "--reduce", "tree"], WRONG_USAGE, "wants servers"),
    ],
)
def test_what_cannot_be(arguments, code, message, folder, program):
    port = free_port()
    done = program(*(each.format(port=port) for each in arguments), "a.json")
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "hidden" not in done.stderr
    assert outputs_in(folder) == {}


def test_faults_of_events_are_told(config, folder, program, servers):
    config["histograms"]["met"]["weight"] = "Muon_pt[7]"
    (folder / "a.json").write_text(json.dumps(config))
    done = program("run", "--fill-store", "1/1", "--reduce", servers, "a.json")
    assert done.returncode == FAILED
    assert "Muon_pt[7]" in done.stderr
    assert "part0.root" in done.stderr


def test_the_program_without_the_package_says_what_is_missing(skimline, folder):
    for command in (["collect"], ["watch"], ["run", "--fill-store", "1/1"]):
        done = subprocess.run(
            [skimline, *command, "--reduce", "redis://h", "a.json"],
            cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == FAILED
        assert "pip install 'skimline[dask,redis]'" in done.stderr

# SPDX-License-Identifier: BSD-3-Clause
"""Sums in the memory of a real server have each part once, whoever is killed when, and whatever the server says."""

import contextlib
import json
import multiprocessing
import os
import pickle
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import package_program
import pytest
import redis
import skimline as sk
from redis_servers import free_port, running
from skimline import _core
from skimline.errors import ConfigError, Error
from skimline.sum_store import SumStore, _doubled

COUNT = 8
DIGEST = "0123456789abcdef" * 2


@pytest.fixture(scope="module")
def ports():
    """Two servers; the second one wants a password."""
    with running([], ["--requirepass", "s3cret"]) as found:
        yield found


@pytest.fixture
def servers(ports):
    clients = [redis.Redis(port=ports[0]), redis.Redis(port=ports[1], password="s3cret")]
    for client in clients:
        client.flushall()
    return f"redis://127.0.0.1:{ports[0]},:s3cret@127.0.0.1:{ports[1]}"


@pytest.fixture
def client(ports, servers):
    return redis.Redis(port=ports[0])


@pytest.fixture(scope="module")
def inputs(dimuon_files):
    return dimuon_files(COUNT, 1000)


@pytest.fixture(scope="module")
def parts(inputs):
    """Blocks of each part."""
    cut = []
    for number in range(COUNT):
        events = sk.open(f"{inputs}/part{number}.root:Events")
        booked = [
            events.hist(
                "MET_pt", bins=40, range=(0, 90), weight=f"exp({number % 4} * 9 * MET_phi)", name="a"
            ),
            events.hist("MET_pt", bins=400, range=(0, 90), name="b"),
        ]
        sk.run(booked)
        cut.append(_core.cut_blocks([each.result._core for each in booked], DIGEST, 3, number))
    return cut


@pytest.fixture
def config(inputs):
    return {
        "schema_version": 1,
        "luminosity_pb": 10,
        "samples": {
            "mc": {
                "files": [f"{inputs}/part*.root"],
                "cross_section_pb": 2,
                "sum_weights": "0.1 * (1 + event % 3)",
            }
        },
        "select": [{"name": "a muon", "where": "nMuon > 0"}],
        "histograms": {
            "met": {
                "x": {"value": "MET_pt", "bins": 30, "range": [0, 150]},
                "weight": "normalisation_ * exp(MET_phi * 9)",
            },
            "fine": {"x": {"value": "MET_pt", "bins": 90000, "range": [0, 150]}, "weight": "MET_phi"},
            "number": {"x": {"value": "nMuon", "categories": [], "growing": True}},
        },
        "output": {"histograms": "h.root", "cutflow": "c.csv"},
    }


def expected_sums(parts):
    return [_core.sum_blocks([part[number] for part in parts]) for number in range(3)]


def sums_in(blocks):
    return [blocks.read(number)[0] for number in range(3)]


def test_the_sum_is_that_of_all_parts_once(servers, parts):
    blocks = SumStore(servers).blocks(DIGEST, 3)
    for number, part in enumerate(parts):
        assert blocks.put(number, part)
        assert not blocks.put(number // 2, parts[number // 2])
        assert blocks.num_pieces() == 3 * (number + 1 if number < 4 else number - 3)
    assert blocks.known_parts() == set(range(COUNT))
    assert sums_in(blocks) == expected_sums(parts)
    assert blocks.num_pieces() == 3
    blocks.clear()
    assert blocks.known_parts() == set()
    assert blocks.num_pieces() == 0


def test_many_at_once(servers, parts):
    """Each part is put by three threads, in other orders."""
    work = list(range(COUNT)) * 3
    random.Random(1).shuffle(work)
    with ThreadPoolExecutor(6) as pool:
        put = pool.map(lambda number: SumStore(servers).blocks(DIGEST, 3).put(number, parts[number]), work)
        assert sum(put) >= COUNT
    assert sums_in(SumStore(servers).blocks(DIGEST, 3)) == expected_sums(parts)


PUTTING = """
import pickle, sys
from skimline.sum_store import SumStore
servers, lease, file = sys.argv[1:]
parts = pickle.load(open(file, "rb"))
blocks = SumStore(servers, lease_ms=int(lease)).blocks("0123456789abcdef" * 2, 3)
print("ready", flush=True)
for number, part in enumerate(parts):
    blocks.put(number, part)
"""


@pytest.mark.thorough(quick=10, repeats=True)
@pytest.mark.parametrize("seed", range(50))
def test_kills_at_random_points(seed, servers, parts, tmp_path):
    """Who was killed held pieces; they are there again, and what was not put is known to be missing."""
    file = tmp_path / "parts"
    file.write_bytes(pickle.dumps(parts))
    chance = random.Random(seed)
    blocks = SumStore(servers, lease_ms=100).blocks(DIGEST, 3)
    process = subprocess.Popen(
        [sys.executable, "-c", PUTTING, servers, "100", str(file)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(sk.__file__).parents[1])},
    )
    assert process.stdout.readline() == b"ready\n"
    time.sleep(chance.random() * 0.03)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    order = list(range(COUNT))
    chance.shuffle(order)
    for number in order:
        blocks.put(number, parts[number])
    assert sums_in(blocks) == expected_sums(parts)
    time.sleep(0.11)
    assert sums_in(blocks) == expected_sums(parts)
    assert blocks.num_pieces() == 3


def test_a_lease_that_is_over_changes_nothing(servers, parts, monkeypatch):
    """Who is too slow finds his pieces taken, and begins again."""
    slow = SumStore(servers, lease_ms=1).blocks(DIGEST, 3)
    quick = SumStore(servers).blocks(DIGEST, 3)
    for number in (0, 3, 4, 5):
        slow.put(number, parts[number])
    add, taken = _core.sum_blocks, []

    def interrupted(blocks, **options):
        if not taken:
            taken.append(True)
            time.sleep(0.05)
            quick.put(2, parts[2])
        return add(blocks, **options)

    monkeypatch.setattr(_core, "sum_blocks", interrupted)
    slow.put(1, parts[1])
    assert taken
    assert sums_in(quick) == expected_sums(parts[:6])


def data_keys(client):
    return sorted(key for key in client.keys("*:data:*"))


@pytest.mark.parametrize("damage", ["cut", "flipped", "gone", "other", "lying"])
def test_damaged_blocks_are_not_added(damage, client, servers, parts):
    blocks = SumStore(servers).blocks(DIGEST, 3)
    for number in range(3):
        blocks.put(number, parts[number])
    sums_in(blocks)
    (key, *_) = data_keys(client)
    whole = client.get(key)
    other = {
        "cut": whole[:-9],
        "flipped": whole[:200] + bytes([whole[200] ^ 1]) + whole[201:],
        "other": parts[0][1],
        "lying": parts[0][int(str(key, "ascii").split(":")[3].rstrip("}"))],
    }
    client.delete(key) if damage == "gone" else client.set(key, other[damage])
    blocks.put(3, parts[3])
    sums_in(blocks)
    assert "parts 0-2 of block" in blocks.problems[0]
    assert blocks.known_parts() == {3}
    for number in range(COUNT):
        blocks.put(number, parts[number])
    assert sums_in(blocks) == expected_sums(parts)


def test_servers_that_do_not_answer_are_named_without_passwords(parts):
    blocks = SumStore(f"redis://:hidden@127.0.0.1:{free_port()}").blocks(DIGEST, 3)
    with pytest.raises(Error, match=r"redis://127\.0\.0\.1:\d+: .*refused") as error:
        blocks.put(0, parts[0])
    assert "hidden" not in str(error.value)


@pytest.mark.parametrize(
    "servers",
    [
        "http://127.0.0.1:80",
        "redis://:hid,den@127.0.0.1",
        "redis://:hidden/@127.0.0.1",
        "redis://a,http://:hidden@b",
        "redis://:hidden@h:x",
    ],
)
def test_what_is_no_server_is_said_without_passwords(servers):
    with pytest.raises(ConfigError, match="is no server of sums") as error:
        SumStore(servers)
    assert "hid" not in str(error.value) and "den" not in str(error.value)


def test_passwords_come_from_the_environment(ports, servers, parts, monkeypatch):
    blocks = SumStore(f"redis://127.0.0.1:{ports[1]}").blocks(DIGEST, 3)
    with pytest.raises(Error, match="wants a password"):
        blocks.put(0, parts[0])
    monkeypatch.setenv("REDISCLI_AUTH", "s3cret")
    assert SumStore(f"redis://127.0.0.1:{ports[1]}").blocks(DIGEST, 3).put(0, parts[0])


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_outputs_have_the_bytes_of_a_run_here(kind, config, run_in, servers, client):
    expected = run_in(config, "here")
    context = multiprocessing.get_context("spawn")
    pool = ThreadPoolExecutor(3) if kind == "threads" else ProcessPoolExecutor(2, mp_context=context)
    with pool:
        assert run_in(config, "there", executor=pool, reduce=servers) == expected
    assert run_in.result.report["store"]["computed"] == 0
    said = run_in.result.report["reduction"]
    assert said["way"] == "store"
    assert "s3cret" not in said["why"]
    assert said["blocks"] == 2
    assert not client.keys("*")


class Blind(ThreadPoolExecutor):
    """Work that does not see the store of the run, as on another machine."""

    def submit(self, function, common, part):
        return super().submit(function, common._replace(mark="/nowhere/at/all"), part)


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, Blind])
def test_skims_are_made_part_by_part_while_histograms_are_added(
    pool, config, run_in, servers, client, tmp_path
):
    config["skims"] = {"s": {"file": "s.root", "keep": ["MET_*"]}}
    expected = run_in(config, "here", store=tmp_path / "store")
    assert len(expected) == 3
    with pool(2) as executor:
        assert run_in(config, "there", executor=executor, reduce=servers) == expected
    assert run_in.result.report["store"]["computed"] == 0
    assert run_in.result.report["reduction"]["way"] == "store"
    assert not client.keys("*")


def test_skims_of_a_run_that_was_killed_are_made_again(config, run_in, servers, tmp_path):
    config["skims"] = {"s": {"file": "s.root", "keep": ["MET_*"]}}
    expected = run_in(config, "here", store=tmp_path / "store")

    class Stopping(ThreadPoolExecutor):
        submitted = 0

        def submit(self, function, common, part):
            self.submitted += 1
            if self.submitted == 5:
                self.shutdown(wait=True)
                raise KeyboardInterrupt
            return super().submit(function, common, part)

    with Stopping(1) as pool, pytest.raises(KeyboardInterrupt):
        run_in(config, "killed", executor=pool, reduce=servers)
    with ThreadPoolExecutor(2) as pool:
        assert run_in(config, "again", executor=pool, reduce=servers) == expected
    assert run_in.result.report["store"]["computed"] == 0


def test_the_program_adds_in_servers(config, run_in, servers, client, tmp_path):
    expected = run_in(config, "here")
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(config))
    command = package_program.command("run", "-v", "--processes", "2", "--reduce", servers, "a.json")
    environment = package_program.environment()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "added up by store: in redis://127.0.0.1" in done.stderr
    assert "s3cret" not in done.stderr
    assert {name: (folder / name).read_bytes() for name in expected} == expected
    assert not client.keys("*")


def test_a_run_that_was_killed_goes_on(config, run_in, servers):
    """What was put is not computed again."""
    expected = run_in(config, "here")

    class Counting(ThreadPoolExecutor):
        submitted = 0

        def submit(self, function, common, part):
            self.submitted += 1
            if self.submitted == self.stops_at:
                raise KeyboardInterrupt
            return super().submit(function, common, part)

    with Counting(1) as pool:
        pool.stops_at = 5
        with pytest.raises(KeyboardInterrupt):
            run_in(config, "killed", executor=pool, reduce=servers)
    with Counting(1) as pool:
        pool.stops_at = -1
        assert run_in(config, "again", executor=pool, reduce=servers) == expected
        assert COUNT - 4 <= pool.submitted < COUNT  # what had not begun was cancelled


def test_killed_processes_lose_nothing(config, run_in, servers):
    """The executor breaks; the same run goes on with another."""
    expected = run_in(config, "here")
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        victim = pool.submit(os.getpid).result()
        with ThreadPoolExecutor(1) as own:
            running = own.submit(run_in, config, "killed", executor=pool, reduce=servers)
            time.sleep(0.4)
            os.kill(victim, signal.SIGKILL)
            try:
                assert running.result(timeout=60) == expected
            except Error as error:
                assert "lost 3 times" in str(error)
        # An executor that is shut down before it has seen the end of a process may wait for ever.
        with pytest.raises(BrokenExecutor):
            while True:
                pool.submit(os.getpid).result(timeout=60)
    with ThreadPoolExecutor(2) as pool:
        assert run_in(config, "again", executor=pool, reduce=servers) == expected


# ---- servers that forget, or say what is not so


def pieces_of(client, number):
    """The key of the pieces of a block, and their numbers."""
    key = f"skimline:{{{DIGEST}:3:{number}}}"
    return key, [each.decode() for each in client.lrange(f"{key}:free", 0, -1)]


@pytest.mark.parametrize("lie", ["parts are forgotten", "a piece is free twice", "a piece has all parts"])
def test_parts_that_are_there_twice_are_computed_again(lie, servers, client, parts):
    """Neither added twice nor in the way for ever."""
    blocks = SumStore(servers).blocks(DIGEST, 3)
    for number in range(3):
        blocks.put(number, parts[number])
    key, free = pieces_of(client, 0)
    if lie == "parts are forgotten":
        client.delete(f"{key}:parts")
        blocks.put(1, parts[1])
    elif lie == "a piece is free twice":
        client.rpush(f"{key}:free", free[1])
    else:
        client.hset(f"{key}:pieces", free[1], "0-99999999999")
        client.setbit(f"{key}:parts", 2**32 - 1, 1)
    started = time.monotonic()
    sums_in(blocks)
    assert time.monotonic() - started < 30
    assert any("are lost" in problem for problem in blocks.problems)
    for _ in range(2):
        for number in set(range(COUNT)) - blocks.known_parts():
            blocks.put(number, parts[number])
        sums_in(blocks)
    assert blocks.known_parts() == set(range(COUNT))
    assert sums_in(blocks) == expected_sums(parts)


def test_ranges_that_share_parts():
    chance = random.Random(3)
    for _ in range(500):
        pieces = []
        for _ in range(chance.randrange(6)):
            ends = sorted(chance.sample(range(30), 2 * chance.randrange(1, 4)))
            pieces.append(list(zip(ends[::2], ends[1::2], strict=True)))
        new = [(chance.randrange(30),) * 2] if chance.random() < 0.5 else []
        new = [(first, first + 1) for first, _ in new]
        members = [{part for first, end in each for part in range(first, end)} for each in [*pieces, new]]
        expected = {
            which
            for which, mine in enumerate(members[:-1])
            if any(mine & other for number, other in enumerate(members) if number != which)
        }
        assert _doubled(pieces, new) == expected


def test_servers_that_fall_silent_are_not_waited_for_for_ever(servers, parts):
    store = SumStore(servers)
    for client in store._clients:
        options = client.connection_pool.connection_kwargs
        assert 0 < options["socket_timeout"] <= 60 and 0 < options["socket_connect_timeout"] <= 60


def test_a_missing_password_is_asked_for(ports):
    blocks = SumStore(f"redis://127.0.0.1:{ports[1]}").blocks(DIGEST, 1)
    with pytest.raises(Error, match="wants a password, in the URL or in the variable REDISCLI_AUTH"):
        blocks.known_parts()


@pytest.mark.parametrize("more", ["/abc", "?nosuch=1", "?socket_timeout=abc", "/1/2"])
def test_what_is_behind_a_server_is_checked(more, servers):
    with pytest.raises(ConfigError, match="is no server of sums"):
        SumStore(f"redis://:hidden@127.0.0.1:1{more}")


class Cutting:
    """Passes on what goes to a server and comes from it, and cuts connections at random, in the middle of what is said."""

    def __init__(self, port, chance, share):
        self.chance, self.share, self.port = chance, share, port
        self.server = socket.create_server(("127.0.0.1", 0))
        self.num_cut = 0
        self.open = [self.server]
        self.serving = threading.Thread(target=self._serve, daemon=True)
        self.serving.start()

    def close(self):
        self.server.shutdown(socket.SHUT_RDWR)  # closing alone would not wake who waits for a connection
        self.serving.join()
        for each in self.open:
            each.close()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                mine = self.server.accept()[0]
                other = socket.create_connection(("127.0.0.1", self.port))
                self.open += [mine, other]
                for ends in ((mine, other), (other, mine)):
                    threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, source, target):
        with contextlib.suppress(OSError):
            while said := source.recv(65536):
                if self.chance.random() < self.share:
                    self.num_cut += 1
                    target.sendall(said[: self.chance.randrange(len(said) + 1)])
                    break
                target.sendall(said)
        for each in (source, target):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("seed", range(3))
def test_connections_that_are_cut(seed, ports, servers, parts):
    """Whatever a server has done before its answer was lost."""
    proxy = Cutting(ports[0], random.Random(seed), 0.01)
    through = f"redis://127.0.0.1:{proxy.server.getsockname()[1]}"
    with ThreadPoolExecutor(3) as pool:
        work = [*range(COUNT)] * 3
        list(pool.map(lambda number: SumStore(through).blocks(DIGEST, 3).put(number, parts[number]), work))
    assert proxy.num_cut > 0
    proxy.close()
    blocks = SumStore(f"redis://127.0.0.1:{ports[0]}").blocks(DIGEST, 3)
    assert blocks.known_parts() == set(range(COUNT))
    assert sums_in(blocks) == expected_sums(parts)
    assert blocks.problems == []


WRITING = """
import signal, socket
from skimline import _program

def answer(request, is_stopped):
    mine, other = socket.socketpair()
    other.close()
    try:
        mine.sendall(b"to nobody")
    except BrokenPipeError:
        print("told", flush=True)

import skimline.requested_parts
skimline.requested_parts.answer = answer
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
for _ in range(2):
    _program._compute_parts("", bool)
answer("", bool)
print("never")
"""


def test_a_server_that_goes_does_not_end_the_program_without_a_word():
    """As it ends where nobody reads what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", WRITING], env=package_program.environment(), capture_output=True, check=False
    )
    assert done.stdout == b"told\ntold\n"
    assert done.returncode == -signal.SIGPIPE

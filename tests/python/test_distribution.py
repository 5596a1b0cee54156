# SPDX-License-Identifier: BSD-3-Clause
"""Runs whose parts are computed elsewhere have the bytes of runs here, whatever becomes of the workers."""

import contextlib
import itertools
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import package_program
import pytest
import skimline as sk
import uproot
from parted_runs import COUNT, OUTPUTS, Losing, files_in
from running_processes import have_ended
from skimline.errors import ConfigError, EvaluationError, LostPartsError
from unlike_files import config_of_unlike, write_unlike_files

PACKAGE = Path(sk.__file__).parents[1]


pytestmark = pytest.mark.usefixtures("outputs_of_parts")


@pytest.fixture(scope="module")
def processes():
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        yield pool


@pytest.fixture(params=["threads", "processes", "dask"])
def executor(request):
    if request.param == "threads":
        with ThreadPoolExecutor(3) as pool:
            yield pool
    else:
        yield request.getfixturevalue(request.param)


def test_outputs_have_the_bytes_of_a_run_here(config, run_in, executor, tmp_path):
    expected = run_in(config, "here")
    assert run_in(config, "elsewhere", executor=executor) == expected
    assert run_in.result.report["store"]["computed"] == 0
    assert run_in(config, "kept", executor=executor, store=tmp_path / "store") == expected
    assert run_in(config, "again", store=tmp_path / "store") == expected
    assert run_in.result.report["store"]["computed"] == 0


def test_configs_in_files_run_elsewhere(config, executor, inputs, tmp_path, monkeypatch):
    """Paths are relative to the config's folder, wherever a worker is."""
    for name in ("here", "elsewhere"):
        folder = tmp_path / name
        folder.mkdir()
        for path in inputs.iterdir():
            (folder / path.name).symlink_to(path)
        config["samples"]["mc"]["files"] = ["part*.root"]
        (folder / "a.json").write_text(json.dumps(config))
    monkeypatch.chdir(tmp_path)
    sk.run_config("here/a.json", limit_events=7001, sets=["luminosity_pb=20"])
    sk.run_config("elsewhere/a.json", limit_events=7001, sets=["luminosity_pb=20"], executor=executor)
    for name in OUTPUTS:
        assert files_in(tmp_path / "elsewhere")[name] == files_in(tmp_path / "here")[name]


def test_trees_of_one_file_are_parts_of_their_own(run_in, tmp_path, recwarn):
    """Whoever has opened one of them computes nothing of the other with it."""
    path = tmp_path / "trees.root"
    with uproot.recreate(path) as file:
        for number, name in enumerate(("Early", "Late", "Last")):
            file.mktree(name, {"x": "f8"})
            file[name].extend({"x": [0.5 + i for i in range(5 + number)]})
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [f"{path}:{name}" for name in ("Early", "Late", "Last")]}},
        "histograms": {"x": {"x": {"value": "x", "bins": 10, "range": [0, 10]}}},
        "output": {"histograms": "h.root"},
    }
    expected = run_in(config, "here")
    assert run_in(config, "elsewhere", executor=Losing(0)) == expected
    assert not [each for each in recwarn if issubclass(each.category, sk.RunWarning)]


def test_bookings_run_elsewhere(inputs, executor, tmp_path):
    events = sk.open(f"{inputs}/part*.root:Events").filter("nMuon > 0")
    here, there = (
        events.hist("MET_pt", bins=20, range=(0, 100), weight="1 + MET_phi", name=name) for name in "ab"
    )
    sk.run(here)
    result = sk.run(there, executor=executor, store=tmp_path / "store")
    assert (there.result.values(flow=True) == here.result.values(flow=True)).all()
    assert (there.result.variances(flow=True) == here.result.variances(flow=True)).all()
    expected = sk.run(events.hist("MET_pt", bins=2, range=(0, 1)))
    assert result.report["samples"][0]["cutflow"] == expected.report["samples"][0]["cutflow"]


def test_functions_of_this_process_stay_here(inputs, executor):
    events = sk.open(f"{inputs}/part0.root:Events").define("double", lambda pt: 2 * pt, columns=["MET_pt"])
    with pytest.raises(
        ConfigError, match=r"^an executor computes what a config says, and no config can hold functions"
    ):
        sk.run(events.hist("double", bins=2, range=(0, 1)), executor=executor)


def test_mistakes_are_told_before_anything_is_sent(config, run_in):
    class Untouched:
        def submit(self, *_):
            raise AssertionError

    config["histograms"]["met"]["x"]["value"] = "MET_pz"
    with pytest.raises(ConfigError, match='"MET_p'):
        run_in(config, "here", executor=Untouched())


def test_faults_of_events_are_told_with_their_place(config, run_in, executor):
    config["histograms"]["met"]["x"]["value"] = "Muon_pt[7]"
    del config["variations"]
    with pytest.raises(EvaluationError, match="index 7 is out of range") as here:
        run_in(config, "here")
    with (
        pytest.raises(EvaluationError) as there,
        pytest.warns(sk.RunWarning, match="computed again") as warned,
    ):
        run_in(config, "there", executor=executor)
    assert str(there.value) == str(here.value)
    # Nobody has written the config as it was sent.
    for text in [str(each.message) for each in warned if "computed again" in str(each.message)]:
        assert re.search(r"entries \d+ to \d+: index 7 is out of range", text)
        assert "\n" not in text and "<python>" not in text


@pytest.mark.thorough(quick=2)
@pytest.mark.parametrize("seed", range(8))
def test_lost_parts_are_computed_again(seed, config, run_in):
    expected = run_in(config, "here")
    executor = Losing(2, seed)
    with pytest.warns(sk.RunWarning, match="a part was computed again: .*the worker is gone"):
        assert run_in(config, "there", executor=executor) == expected
    assert executor.num_computed == COUNT


def test_what_is_lost_for_good_is_named_and_the_rest_is_kept(config, inputs, run_in, tmp_path):
    class Hopeless(Losing):
        def submit(self, function, common, part):
            if "part3" in part[2]:
                future = Future()
                future.set_exception(ConnectionError("no route to host"))
                return future
            return super().submit(function, common, part)

    with pytest.raises(
        LostPartsError,
        match=r"1 part was lost 3 times .*no route to host.*Missing:\n  .*part3\.root, entries 0 to \d+$",
    ) as caught:
        run_in(config, "there", executor=Hopeless(0), store=tmp_path / "store")
    with uproot.open(inputs / "part3.root") as file:
        assert caught.value.parts == ((str(inputs / "part3.root"), 0, file["Events"].num_entries),)
    assert not any((tmp_path / "there").iterdir())
    executor = Losing(0)
    run_in(config, "again", executor=executor, store=tmp_path / "store")
    assert executor.num_computed == 1


def test_killed_workers_lose_nothing(config, run_in, dask):
    """Dask gives their parts to others."""
    expected = run_in(config, "here")
    chance = random.Random(5)
    for number in range(4):
        workers = list(dask.run(os.getpid).values())
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(sk.run_config, config | {"skims": {}}, executor=dask, force=True)
            time.sleep(chance.random() * 0.2)
            os.kill(chance.choice(workers), signal.SIGKILL)
            running.result(timeout=60)
        dask.wait_for_workers(2, timeout=30)
        assert Path("h.root").read_bytes() != b""
        assert run_in(config, f"after{number}", executor=dask) == expected


def test_other_files_are_no_results(config, run_in, tmp_path):
    class Hostile:
        def submit(self, *_):
            future = Future()
            future.set_result(("here", {"../../outside.results.root": b"x"}, None))
            return future

    with pytest.raises(ConfigError, match="gave results the place"):
        run_in(config, "there", executor=Hostile(), store=tmp_path / "store")
    assert not list(tmp_path.rglob("outside*"))


def test_results_that_are_damaged_on_the_way_are_computed_here(config, run_in):
    class Damaging(Losing):
        def submit(self, function, common, part):
            future = super().submit(function, common._replace(mark="/nowhere"), part)
            done = future.result()
            assert done.made
            damaged = Future()
            halves = {place: content[: len(content) // 2] for place, content in done.made.items()}
            damaged.set_result(done._replace(made=halves))
            return damaged

    expected = run_in(config, "here")
    assert run_in(config, "there", executor=Damaging(0)) == expected
    assert run_in.result.report["store"]["computed"] > 0


@pytest.fixture
def without_entry_numbers(config):
    """What can be computed of each file alone."""
    config["histograms"]["met"]["weight"] = "normalisation_ * (1 + event % 7)"
    return config


class Hiding:
    """Computes each part while no other file of the inputs is there."""

    def __init__(self, pool):
        self.pool = pool

    def submit(self, function, common, part):
        others = [path for path in Path(part[3]).parent.iterdir() if path != Path(part[3])]
        for path in others:
            path.rename(path.with_suffix(".hidden"))
        done = self.pool.submit(function, common, part)
        done.exception()
        for path in others:
            path.with_suffix(".hidden").rename(path)
        return done


def test_a_part_needs_no_file_but_its_own(without_entry_numbers, run_in, processes):
    expected = run_in(without_entry_numbers, "here")
    assert run_in(without_entry_numbers, "there", executor=Hiding(processes)) == expected
    assert run_in.result.report["store"]["computed"] == 0
    limited = run_in(without_entry_numbers, "here less", limit_events=7001)
    assert (
        run_in(without_entry_numbers, "there less", limit_events=7001, executor=Hiding(processes)) == limited
    )
    assert run_in.result.report["store"]["computed"] == 0


@pytest.mark.filterwarnings("ignore:.*pages without checksums:skimline.RunWarning")
def test_files_that_lack_columns_are_computed_with_all(without_entry_numbers, run_in, processes, tmp_path):
    files = without_entry_numbers["samples"]["mc"]["files"]
    data = uproot.open(files[2])["Events"].arrays()
    with uproot.recreate(tmp_path / "other.root") as file:
        file["Events"] = {name: data[name] for name in data.fields if name != "MET_pt"}
    files[2] = str(tmp_path / "other.root")
    without_entry_numbers["defaults"] = {"MET_pt": 17}
    del without_entry_numbers["skims"]
    expected = run_in(without_entry_numbers, "here")
    assert run_in(without_entry_numbers, "there", executor=processes) == expected
    assert run_in.result.report["store"]["computed"] == 0


def test_files_that_alone_show_more_are_computed_with_all(run_in, processes, tmp_path):
    config = config_of_unlike(write_unlike_files(tmp_path))
    expected = run_in(config, "here")
    assert set(expected) == set(OUTPUTS)
    assert run_in(config, "there", executor=processes) == expected
    assert run_in.result.report["store"]["computed"] == 0


def test_a_file_that_changes_is_refused(without_entry_numbers, run_in, tmp_path):
    files = without_entry_numbers["samples"]["mc"]["files"]
    files[3] = str(tmp_path / "changing.root")
    sk.generate("dimuon", files[3], events=1000, seed=1)

    class Changing(Losing):
        def submit(self, function, common, part):
            if part[3] == files[3]:
                Path(files[3]).unlink()
                sk.generate("dimuon", files[3], events=1000, seed=2)
            future = super().submit(function, common, part)
            if part[3] == files[3]:
                assert "is not the file that the run was planned with" in str(future.result().fault)
            return future

    with pytest.warns(sk.RunWarning, match="is not the file that the run was planned with"):
        made = run_in(without_entry_numbers, "there", executor=Changing(0))
    assert made == run_in(without_entry_numbers, "here")


def test_skims_have_the_same_bytes_whoever_computes_their_parts(config, run_in, executor, tmp_path):
    run_in(config, "here", store=tmp_path / "store", threads=1)
    run_in(config, "there", executor=executor, threads=2)
    run_in(config, "kept", store=tmp_path / "store")
    expected = (tmp_path / "here" / "s.root").read_bytes()
    assert (tmp_path / "there" / "s.root").read_bytes() == expected
    assert (tmp_path / "kept" / "s.root").read_bytes() == expected


# ---- the program of the package


@pytest.fixture
def program():
    """Calls it in a folder."""

    def call(folder, *arguments):
        return subprocess.Popen(
            package_program.command(*arguments),
            cwd=folder,
            env=package_program.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(folder, *arguments):
        process = call(folder, *arguments)
        out, said = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, out, said)

    run.call = call
    return run


@pytest.mark.parametrize("way", ["star", "tree", "shuffle"])
def test_the_program_has_results_added_as_it_is_told(way, config, run_in, program, dask, tmp_path):
    expected = run_in(config, "here")
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(config))
    address = dask.scheduler_info()["address"]
    arguments = ("run", "--dask", address, "--reduce", way, "--store", "store", "-v", "a.json")
    done = program(folder, *arguments)
    assert done.returncode == 0, done.stderr
    assert f"results of parts are added up by {way}: as it was asked for" in done.stderr
    assert files_in(folder) == expected
    assert json.loads((folder / "a.report.json").read_text())["store"]["computed"] == 0
    assert not list((folder / "store").glob("sums/*"))
    assert not list((folder / "store").glob(".run-*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--reduce", "tree"], "--reduce: needs --dask or --processes"),
        (["--processes", "2", "--reduce", "tre"], 'reduce is "tre", which is none of star, tree, shuffle'),
        (["--processes", "2", "--reduce", "tree"], "the executor has no way from worker to worker"),
        (["--processes", "2", "--reduce", "redis://:pw@h:x"], '"redis://h:x" is no server of sums'),
    ],
)
def test_ways_that_the_program_refuses(arguments, message, config, program, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(config))
    done = program(tmp_path, "run", *arguments, "a.json")
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "pw" not in done.stderr
    assert not list(tmp_path.glob("*.root"))


def test_the_program_lists_what_was_lost(config, program, inputs, tmp_path):
    """Whoever opens one of the files is killed, as by a system that is short of memory."""
    (tmp_path / "a.json").write_text(json.dumps(config))
    start = (
        "import sys, skimline.distribution as d\n"
        "class Deadly(d.Common):\n"
        "  def parts(self, store):\n"
        "    import multiprocessing, os, signal\n"
        "    if multiprocessing.parent_process(): os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return d.Common.parts(self, store)\n"
    )
    (tmp_path / "deadly.py").write_text(start)
    code = (
        "import sys; sys.path.insert(0, '.'); import deadly, skimline.distribution as d, skimline.requested_parts as r\n"
        "r.Common = deadly.Deadly\n"
        "from skimline._program import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "run", "--processes", "2", "--store", "store", "a.json"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{PACKAGE}{os.pathsep}."},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    missing = done.stderr.split("Missing:\n")[1].splitlines()
    assert len(missing) == COUNT
    assert sorted(line.split(",")[0].strip() for line in missing) == sorted(
        str(inputs / f"part{number}.root") for number in range(COUNT)
    )
    assert not list(tmp_path.glob("*.root"))


@pytest.mark.parametrize("how", ["--processes", "--dask"])
def test_the_program_has_parts_computed(how, config, run_in, program, dask, tmp_path):
    expected = run_in(config, "here")
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(config))
    where = 2 if how == "--processes" else dask.scheduler_info()["address"]
    done = program(folder, "run", how, where, "--set", "luminosity_pb=10", "a.json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert files_in(folder) == expected
    report = json.loads((folder / "a.report.json").read_text())
    assert report["store"]["computed"] == 0


@pytest.mark.parametrize("kept", [["skims"], ["select"], ["skims", "select"]], ids="+".join)
def test_the_program_has_parts_computed_without_histograms(kept, config, run_in, program, tmp_path):
    files = {"mc": {"files": config["samples"]["mc"]["files"]}}
    config = {key: config[key] for key in ["schema_version", *kept]} | {
        "samples": files,
        "output": {"cutflow": "c.csv"},
    }
    expected = run_in(config, "here")
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(config))
    done = program(folder, "run", "--processes", 2, "a.json")
    assert done.returncode == 0, done.stderr
    assert files_in(folder) == expected
    assert ("s.root" in expected) == ("skims" in kept)


def test_the_program_tells_mistakes_and_faults_as_on_one_machine(config, program, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(config | {"select": [{"name": "a", "where": "nMuons > 0"}]}))
    here, there = (program(tmp_path, "run", *how, path) for how in ((), ("--processes", 2)))
    assert here.returncode == there.returncode == 2
    assert here.stderr == there.stderr
    config["histograms"]["met"]["x"]["value"] = "Muon_pt[7]"
    del config["variations"]
    path.write_text(json.dumps(config))
    here, there = (program(tmp_path, "run", *how, path) for how in ((), ("--processes", 2)))
    assert here.returncode == there.returncode == 1
    assert there.stderr.endswith(here.stderr)
    assert re.search(
        r"part0\.root, entries 0 to 1999: .*index 7 is out of range.*, process \d+\)", there.stderr, re.S
    )


def test_the_program_says_that_no_scheduler_answers(config, program, tmp_path, monkeypatch):
    (tmp_path / "a.json").write_text(json.dumps(config))
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{unused.getsockname()[1]}"
        monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "1s")
        done = program(tmp_path, "run", "--dask", address, "a.json")
    assert done.returncode == 1
    assert address in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("*.root"))


def children_of(pid):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid and b"spawn_main" in stat.with_name("cmdline").read_bytes():
                found.append(int(stat.parent.name))
    return found


def wait_for_children(pid, number):
    for _ in range(600):
        if len(found := children_of(pid)) >= number:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{pid} has no {number} processes")


@pytest.fixture
def long_config(config, inputs, tmp_path):
    """More than processes do before they are found."""
    folder = tmp_path / "long"
    folder.mkdir()
    for number in range(60):
        (folder / f"part{number}.root").write_bytes((inputs / f"part{number % COUNT}.root").read_bytes())
    config["samples"]["mc"]["files"] = [str(folder / "part*.root")]
    config["allow_duplicates"] = True
    return config


@pytest.mark.thorough
def test_killed_processes_lose_nothing(long_config, run_in, program, tmp_path, num_tries):
    expected = run_in(long_config, "here")
    chance = random.Random(8)
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(long_config))
    for _ in range(num_tries(5, 2)):
        running = program.call(folder, "run", "--processes", 2, "--force", "a.json")
        workers = wait_for_children(running.pid, 2)
        time.sleep(chance.random() * 1.5)
        with contextlib.suppress(ProcessLookupError):
            os.kill(chance.choice(workers), signal.SIGKILL)
        _, said = running.communicate(timeout=120)
        assert running.returncode == 0, said
        assert files_in(folder) == expected


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGKILL])
def test_processes_end_with_the_program(signal_number, long_config, program, tmp_path):
    folder = tmp_path / "long"
    for part, number in itertools.product(list(folder.iterdir()), range(4)):
        shutil.copy(part, part.with_stem(f"{part.stem}_{number}"))
    (tmp_path / "a.json").write_text(json.dumps(long_config))
    running = program.call(tmp_path, "run", "--processes", 2, "a.json")
    workers = wait_for_children(running.pid, 2)
    time.sleep(0.3)
    running.send_signal(signal_number)
    _, said = running.communicate(timeout=20)
    assert running.returncode == (130 if signal_number == signal.SIGINT else -signal_number)
    assert have_ended(workers)
    assert "Traceback" not in said
    assert not list(tmp_path.glob("*.root"))


@pytest.mark.parametrize("to_all", [False, True])
def test_an_interrupted_run_leaves_no_mark_in_its_store(to_all, long_config, program, tmp_path):
    """Ctrl-C in a terminal goes to all processes, also to those that have just begun.

    Of a process that is ended while it writes a part something stays, as after a kill: whoever prunes the store removes it.
    """
    (tmp_path / "a.json").write_text(json.dumps(long_config))
    running = program.call(tmp_path, "run", "--processes", 2, "--store", "store", "a.json")
    workers = wait_for_children(running.pid, 2)
    for each in [running.pid, *workers] if to_all else [running.pid]:
        os.kill(each, signal.SIGINT)
    _, said = running.communicate(timeout=20)
    assert running.returncode == 130
    assert said == "skimline: error: interrupted, no output was written\n"
    assert not list(tmp_path.rglob(".run-*"))
    assert have_ended(workers)


@pytest.mark.parametrize("address", ["", "nonsense", "tcp://", "http://127.0.0.1:1", "tcp://127.0.0.1:abc"])
def test_addresses_that_are_none(address, config, program, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(config))
    done = program(tmp_path, "run", "--dask", address, "a.json")
    assert done.returncode == 2
    assert "--dask: " in done.stderr and "Traceback" not in done.stderr and "itself" not in done.stderr


@pytest.mark.parametrize("says", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"-ERR unknown\r\n"])
def test_servers_that_are_no_schedulers_are_not_waited_for_for_ever(
    says, config, program, tmp_path, monkeypatch
):
    """They take what they are sent, and answer in another language."""
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "1s")
    (tmp_path / "a.json").write_text(json.dumps(config))
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        answers = threading.Thread(target=answer_wrongly, args=(server, says), daemon=True)
        answers.start()
        done = program(tmp_path, "run", "--dask", address, "a.json")
        server.shutdown(socket.SHUT_RDWR)  # closing alone would not wake who waits for a connection
        answers.join()
    assert done.returncode == 1
    assert f"error: {address}: what is there does not answer as a scheduler" in done.stderr


def answer_wrongly(server, says):
    with contextlib.ExitStack() as taken:
        while True:
            try:
                connection = taken.enter_context(server.accept()[0])
            except OSError:
                return
            with contextlib.suppress(OSError):
                connection.sendall(says)

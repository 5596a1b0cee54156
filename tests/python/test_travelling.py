# SPDX-License-Identifier: BSD-3-Clause
"""Frames, bookings and results in pickles, copies and other processes."""

import copy
import ctypes
import json
import math
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import skimline as sk
import uproot

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
MASS = "InvariantMass(Muon_pt, Muon_eta, Muon_phi, Muon_mass)"


def through(value, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(value, protocol))


@pytest.fixture
def events(dimuon):
    return sk.open(f"{dimuon}:Events")


@pytest.fixture
def arrays(dimuon):
    with uproot.open(dimuon) as file:
        return file["Events"].arrays()


def histograms_of_all_kinds(events):
    """One of each storage and kind of axis, and their values and positions for fsum."""
    return [
        events.hist("MET_pt", bins=20, range=(0, 100), name="count", label="p", unit="GeV", title="T"),
        events.hist("MET_pt", edges=[0, 1.1, 50, 100], name="weighted", weight="genWeight * 1e-3"),
        events.hist(
            sk.axis("nJet", integers=(0, 9)),
            sk.axis("Muon_charge", categories=[-1, 1], growing=True),
            name="profile",
            profile="Muon_pt * 1e10",
            weight="genWeight",
        ),
        events.hist(
            sk.axis("sample_", categories=["events"]),
            sk.axis("MET_phi", bins=4, range=(-3.1, 3.1), circular=True),
            sk.axis("MET_pt", bins=3, range=(0, 10), underflow=False, overflow=False),
            sk.axis("nMuon", integers=(0, 3)),
            name="many",
            weight="1 / (1 + MET_pt)",
        ),
    ]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_histograms_are_the_same_behind_a_pickle(events, protocol):
    for booked in histograms_of_all_kinds(events):
        sk.run(booked)
        made = booked.result
        loaded = through(made, protocol)
        assert loaded == made
        assert loaded.axes == made.axes
        assert [axis.label for axis in loaded.axes] == [axis.label for axis in made.axes]
        assert (loaded.name, loaded.title, loaded.label) == (made.name, made.title, made.label)
        np.testing.assert_array_equal(loaded.variances(flow=True), made.variances(flow=True))
        assert pickle.dumps(loaded, protocol) == pickle.dumps(made, protocol)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_cannot_travel_is_a_mistake(events, tmp_path, protocol):
    with sk.create(tmp_path / "x.root") as out:
        out.extend({"x": [1.0]})
        for what in (out, events.iterate(["MET_pt"])):
            with pytest.raises(TypeError, match="cannot pickle"):
                pickle.dumps(what, protocol)


def test_sums_stay_exact_behind_pickles(events, arrays):
    """Parts that travelled add up to what a plain exact sum says, and to the very whole."""
    weight = "genWeight * (MET_pt > 30 ? 1e6 : 1e-6)"

    def booked(shard=None):
        made = events.hist("nMuon", integers=(0, 5), weight=weight)
        sk.run(made, shard=shard)
        return made.result

    whole = booked()
    parts = [through(booked((i, 7))) for i in range(1, 8)]
    total = sum(reversed(parts))
    assert total == whole
    assert pickle.dumps(total) == pickle.dumps(whole)
    weights = arrays["genWeight"].to_numpy() * np.where(arrays["MET_pt"].to_numpy() > 30, 1e6, 1e-6)
    muons = arrays["nMuon"].to_numpy()
    expected = [math.fsum(weights[muons == n]) for n in range(6)]
    np.testing.assert_array_equal(total.values(), expected)
    # The doubles alone would not do: that is what the sums are for.
    doubles = sum(part.values() for part in reversed(parts))
    assert not np.array_equal(doubles, expected)


def test_histograms_without_exact_sums_travel(tmp_path):
    values = np.array([1.5, 2.5, 2.5])
    with uproot.recreate(tmp_path / "h.root") as file:
        file["h"] = np.histogram(values, bins=3, range=(0, 3), weights=[0.5, 1.5, 2.5])
    read = sk.read_histogram(tmp_path / "h.root", "h")
    assert through(read) == read
    np.testing.assert_array_equal((through(read) + through(read)).values(), [0, 1.0, 8.0])


@pytest.mark.parametrize("change", range(12))
def test_a_damaged_state_is_refused(events, change):
    booked = histograms_of_all_kinds(events)[1]
    sk.run(booked)
    core = booked.result._core
    state = list(core.__getstate__())
    bad = [99, 5, 1, 2, "heavy", ({"kind": "odd"},), (b"1",), -1, "x", None, (1.0,), ((), ())]
    state[change] = bad[change]
    with pytest.raises((sk.Error, TypeError, RuntimeError, ValueError, KeyError, IndexError)):
        type(core).__new__(type(core)).__setstate__(tuple(state))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_results_travel(events, protocol, tmp_path):
    varied = events.vary("pt", {"Muon_pt": {"up": "Muon_pt * 1.1", "down": "Muon_pt * 0.9"}})
    hard = varied.filter("Any(Muon_pt > 30)", name="hard")
    pt = hard.hist("Muon_pt", bins=20, range=(0, 100), name="pt")
    result = sk.run(pt, hard.skim(tmp_path / "s.root"), force=True)
    loaded = through(result, protocol)
    assert loaded.report == result.report
    assert (loaded.files, loaded.is_complete, str(loaded)) == (result.files, True, str(result))
    assert loaded.histograms == result.histograms
    assert list(loaded.cutflow) == list(result.cutflow)
    assert (
        loaded.cutflow.variations["pt_up"]["hard"].events == result.cutflow.variations["pt_up"]["hard"].events
    )
    assert list(through(result.cutflow, protocol)) == list(result.cutflow)
    back = through(pt, protocol)
    assert back.result == pt.result
    assert back.variations["pt_up"] == pt.variations["pt_up"] != back.result
    with pytest.raises(sk.ConfigError, match="pt_uq"):
        back.variations["pt_uq"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_frames_stay_what_they_are(events, protocol):
    """In one process a frame behind a pickle goes together with the one before it."""
    good = events.define("x", "MET_pt * 2").filter("nMuon == 2", name="two")
    loaded = through(good, protocol)
    one, other = (
        good.hist("x", bins=4, range=(0, 9), name="a"),
        loaded.hist("x", bins=4, range=(0, 9), name="b"),
    )
    sk.run(one, other)
    assert one.result == other.result
    assert loaded.samples is good.samples
    assert loaded.to_config() == good.to_config()


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
def test_copies(events, how):
    booked = events.hist("MET_pt", bins=4, range=(0, 9))
    copied = how(booked)
    result = sk.run(copied)
    assert copied.is_filled
    assert not booked.is_filled
    assert how(copied).result == copied.result
    assert how(result).histograms == result.histograms
    assert how(events).columns == events.columns


def test_what_was_booked_runs_behind_a_pickle(events, arrays):
    booked = events.filter("nMuon == 2").hist("MET_pt", bins=20, range=(0, 100))
    loaded = through(booked)
    sk.run(loaded)
    met = arrays["MET_pt"].to_numpy()[arrays["nMuon"].to_numpy() == 2]
    np.testing.assert_array_equal(loaded.values(), np.histogram(met, bins=20, range=(0, 100))[0])


def test_errors_travel(events):
    for make in (
        lambda: events.define("x", "Muon_ptt"),
        lambda: sk.run(events.hist("Muon_pt[99]", bins=1, range=(0, 1))),
        lambda: sk.open("no/such.root"),
        lambda: sk.inspect("/dev/null"),
    ):
        with pytest.raises(sk.Error) as caught:
            make()
        loaded = through(caught.value)
        assert type(loaded) is type(caught.value)
        assert str(loaded) == str(caught.value)
        assert vars(loaded) == vars(caught.value)


def test_reports_of_files_travel(events, tmp_path, dimuon):
    inspected = sk.inspect(dimuon)
    assert through(inspected) == inspected
    verified = sk.verify(dimuon)
    assert through(verified) == verified


SCRIPT = """
import json, multiprocessing, os, pickle, sys
import skimline as sk

def twice(values):
    return 2 * values

def fill(booked):
    sk.run(booked, threads=1)
    return booked

def part(work):
    booked, shard = work
    sk.run(booked, shard=shard)
    return booked.result

if __name__ == "__main__":
    method, file = sys.argv[1:]
    events = sk.open(file + ":Events")
    frame = events.define("double_met", twice, columns=["MET_pt"]).filter("nMuon == 2", name="two")
    booked = [frame.hist("double_met", bins=10, range=(0, 200), name=f"h{i}", weight="genWeight / 3") for i in range(3)]
    sk.run(*booked)  # threads of the parent are there before the fork
    with multiprocessing.get_context(method).Pool(2) as pool:
        filled = pool.map(fill, booked)
        shards = pool.map(part, [(booked[0], (i, 4)) for i in range(1, 5)])
    assert all(there.result == here.result for there, here in zip(filled, booked))
    assert sum(shards) == booked[0].result
    assert pickle.dumps(sum(shards)) == pickle.dumps(booked[0].result)
    print(json.dumps(booked[0].values().tolist()))
"""


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_work_in_other_processes(method, dimuon, arrays, tmp_path):
    script = tmp_path / "work.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "ignore::DeprecationWarning", str(script), method, str(dimuon)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    passing = arrays[arrays["nMuon"].to_numpy() == 2]
    expected, _ = np.histogram(
        2 * passing["MET_pt"].to_numpy().astype(float),
        bins=10,
        range=(0, 200),
        weights=(passing["genWeight"].to_numpy() / np.float32(3)).astype(float),
    )
    np.testing.assert_allclose(json.loads(done.stdout), expected, rtol=1e-12)


def in_another_process(pickled, code, folder):
    script = f"import pickle, skimline as sk\nframe = pickle.load(open({str(pickled)!r}, 'rb'))\n{code}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    """Works in a folder with a file x.root."""
    monkeypatch.chdir(tmp_path)
    sk.generate("dimuon", "x.root", events=1000)
    return tmp_path


@pytest.fixture
def sent(in_folder, tmp_path):
    """Pickles a frame of the file x.root, and what code then makes of it."""
    frame = sk.open("x*.root:Events").filter("nMuon == 2")
    (tmp_path / "frame.pickle").write_bytes(pickle.dumps(frame))

    def run(code, folder=tmp_path):
        return in_another_process(tmp_path / "frame.pickle", code, folder)

    run.count = frame.count()
    return run


def test_a_pickle_opens_its_files_where_they_are_needed(sent, tmp_path):
    assert sent("print(frame.count())") == f"{sent.count}\n"
    (tmp_path / "x.root").unlink()
    assert sent("print(frame.samples.names)") == "['events']\n"
    assert "x*.root" in sent("frame.count()")


CHANGES = [
    (
        lambda: sk.generate("dimuon", "x.root", events=900, force=True),
        "x.root: has 900 events, where it had 1000",
    ),
    (lambda: sk.generate("dimuon", "x.root", events=1000, seed=7, force=True), "x.root: has changed"),
    (lambda: sk.generate("dimuon", "x2.root", events=9), "x2.root: is new"),
]


@pytest.mark.parametrize(("change", "message"), CHANGES)
def test_a_pickle_refuses_other_files(sent, change, message):
    change()
    for code in (
        "frame.count()",
        "sk.run(frame.hist('nMuon', bins=1, range=(0, 9)))",
        "frame.arrays(['nMuon'])",
    ):
        shown = sent(code)
        assert message in shown
        assert "FileError" in shown
    assert "changed" in sent("try: frame.columns\nexcept sk.FileError as e: print(e.fault, e.path)")


@pytest.mark.parametrize(("change", "message"), CHANGES)
def test_a_frame_refuses_other_files(in_folder, change, message):
    """What it was made of may have had other columns, and its numbers were of other events."""
    frame = sk.open("x*.root")
    booked = frame.hist("nMuon", bins=1, range=(0, 9))
    sk.run(booked)
    change()
    asked = (
        lambda: sk.run(booked),
        lambda: sk.plan(booked),
        lambda: sk.run(frame.skim("skim.root")),
        frame.count,
        lambda: frame.sum("nMuon").value,
        lambda: frame.arrays(["nMuon"]),
        lambda: next(iter(frame.iterate(["nMuon"]))),
    )
    for ask in asked:
        with pytest.raises(sk.FileError, match=message) as caught:
            ask()
        assert caught.value.fault == "changed"
    assert not (in_folder / "skim.root").exists()
    sk.run(sk.open("x*.root").hist("nMuon", bins=1, range=(0, 9)))


def test_a_file_that_is_missing_is_said(in_folder):
    sk.generate("dimuon", "x2.root", events=9)
    frame = sk.open("x*.root")
    booked = frame.hist("nMuon", bins=1, range=(0, 9))
    sk.run(booked, limit_files=1)
    (in_folder / "x2.root").unlink()
    with pytest.raises(sk.FileError, match=r"x2\.root: is missing"):
        frame.count()


def write_trees(**sizes):
    with uproot.recreate("trees.root") as file:
        for name, size in sizes.items():
            file[name] = {"x": np.arange(size)}


def test_trees_of_one_file_are_told_apart(in_folder):
    """Of which a run may take some."""
    write_trees(first=10, second=25, third=7)
    booked = sk.open(["trees.root:second", "trees.root:first", "trees.root:third"]).hist(
        "x", bins=1, range=(0, 100)
    )
    for limit, entries in ((2, 35), (None, 42)):
        sk.run(booked, limit_files=limit)
        assert booked.result.entries == entries
    write_trees(first=10, second=25, third=8)
    with pytest.raises(
        sk.FileError, match=r"trees\.root: has .* 7 when it was opened|trees\.root: has changed"
    ):
        sk.run(booked)


def test_a_pickle_says_where_it_was_made(sent, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    shown = sent("frame.count()", tmp_path / "elsewhere")
    assert f"the frame was made in {tmp_path}" in shown


def test_compiled_functions_travel_by_their_name(dimuon, arrays, tmp_path):
    """What a module has is taken from there; what none has cannot go."""
    (tmp_path / "roots.py").write_text(
        "import ctypes\n"
        "root_of_3 = ctypes.CDLL('libm.so.6').cbrt\n"
        "root_of_3.argtypes, root_of_3.restype = [ctypes.c_double], ctypes.c_double\n"
    )
    script = tmp_path / "send.py"
    script.write_text(
        "import pickle, subprocess, sys, ctypes, roots, skimline as sk\n"
        "roots.root_of_3.__module__ = 'roots'\n"
        f"events = sk.open({str(dimuon)!r})\n"
        "frame = events.function('root_of_3', roots.root_of_3).define('x', 'root_of_3(MET_pt)')\n"
        "pickle.dump(frame, open('frame.pickle', 'wb'))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    subprocess.run([sys.executable, script], check=True, cwd=tmp_path, env=environment)
    shown = in_another_process(
        tmp_path / "frame.pickle", "print(frame.arrays('x', library='np')['x'].sum())", tmp_path
    )
    assert float(shown) == pytest.approx(np.cbrt(arrays["MET_pt"].to_numpy().astype(float)).sum())


def test_a_compiled_function_without_a_name_is_refused(events):
    hidden = ctypes.CDLL("libm.so.6").exp
    hidden.argtypes, hidden.restype = [ctypes.c_double], ctypes.c_double
    with pytest.raises(sk.ConfigError, match='"growth" cannot be sent to another process'):
        pickle.dumps(events.function("growth", hidden))


def test_lambdas_are_refused_by_pickle_itself(events):
    frame = events.define("x", lambda met: met, columns=["MET_pt"])
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(frame)

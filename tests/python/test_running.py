# SPDX-License-Identifier: BSD-3-Clause
"""Runs: results, progress, failures, interruptions, several at once."""

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import types
import warnings
from pathlib import Path

import numpy as np
import pytest
import skimline as sk

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def config(dimuon):
    return {
        "schema_version": 1,
        "samples": {"mc": {"files": [str(dimuon)], "sum_weights": "genWeight"}},
        "select": [{"name": "pairs", "where": "nMuon == 2"}],
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 50, "range": [0, 200]}}},
    }


def test_a_config_as_an_object(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = sk.run_config(config, threads=1)
    assert list(result.histograms) == ["met"]
    assert result.files == []
    assert os.listdir(tmp_path) == []
    assert result.is_complete
    assert result.report["events"] == 10000
    assert result.histograms["met"].entries == result.cutflow["pairs"].events
    assert result.cutflow["pairs"].sum_weights > 0
    frame = result.cutflow.to_pandas()
    assert list(frame.name) == ["all events", "pairs"]
    assert "sum of weights" in str(result.cutflow)
    assert "<table>" in result.cutflow._repr_html_()


def test_a_config_as_a_file(config, tmp_path, program):
    """The same outputs as the program's, and the report only if the config names one."""
    config["output"] = {"histograms": "met.root"}
    config["skims"] = {"pairs": {"file": "pairs.root", "keep": ["Muon_*"]}}
    path = tmp_path / "analysis.json"
    path.write_text(json.dumps(config))
    result = sk.run_config(path)
    assert sorted(os.listdir(tmp_path)) == ["analysis.json", "met.root", "pairs.root"]
    written = [(tmp_path / name).read_bytes() for name in ("met.root", "pairs.root")]
    subprocess.run([program, "run", path], check=True, capture_output=True)
    assert [(tmp_path / name).read_bytes() for name in ("met.root", "pairs.root")] == written
    report = json.loads((tmp_path / "analysis.report.json").read_text())
    assert result.report["samples"][0]["cutflow"] == report["samples"][0]["cutflow"]
    assert [Path(file).name for file in result.files] == ["pairs.root", "met.root"]
    config["output"]["report"] = "mine.json"
    path.write_text(json.dumps(config))
    sk.run_config(path, sets=["histograms.met.x.bins=10"], limit_events=100)
    assert json.loads((tmp_path / "mine.json").read_text())["events"] == 100


def test_all_mistakes_with_their_places(config, tmp_path, program):
    config["histograms"]["met"]["x"]["value"] = "MET_ptt"
    config["select"][0]["where"] = "nMuo == 2"
    config["output"] = {"histograms": "met.root"}
    path = tmp_path / "analysis.json"
    path.write_text(json.dumps(config, indent=2))
    with pytest.raises(sk.ConfigError) as caught:
        sk.run_config(path)
    done = subprocess.run([program, "run", path], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert str(caught.value).count("did you mean") == 2
    assert str(caught.value).rstrip() == done.stderr.rstrip()


def test_options_of_a_config(config):
    parts = [sk.run_config(config, shard=(number, 2)).histograms["met"] for number in (1, 2)]
    assert parts[0] + parts[1] == sk.run_config(config).histograms["met"]
    with pytest.raises(sk.ConfigError, match="counted from 1"):
        sk.run_config(config, shard=(0, 2))
    with pytest.raises(sk.ConfigError, match="no sample"):
        sk.run_config(config, samples=["nothing*"])


def test_a_failing_run_fills_nothing_and_leaves_nothing(dimuon, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    events = sk.open(dimuon)
    h = events.hist("MET_pt", bins=5, range=(0, 100))
    bad = events.define("second", "Muon_pt[1]").filter("second > 0")
    with pytest.raises(sk.Error, match=r"Muon_pt\[1\].*entry"):
        sk.run(h, bad.skim("bad.root"))
    assert not h.is_filled
    assert os.listdir(tmp_path) == []


def test_a_damaged_file(dimuon, tmp_path):
    damaged = bytearray(dimuon.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    (tmp_path / "damaged.root").write_bytes(damaged)
    shutil.copy(dimuon, tmp_path / "sound.root")
    files = [tmp_path / "sound.root", tmp_path / "damaged.root"]
    events = sk.open(files)
    with pytest.raises(sk.FileError) as caught:
        events.skim(tmp_path / "all.root").to_config()
        sk.run(events.skim(tmp_path / "all.root"))
    assert caught.value.path == str(files[1])
    lenient = sk.open(files, on_bad_file="skip", max_bad_fraction=0.6)
    with pytest.warns(sk.IncompleteWarning, match=r"damaged\.root"):
        result = sk.run(lenient.skim(tmp_path / "all.root"))
    assert not result.is_complete
    assert result.report["events"] == 10000


def test_warnings(dimuon):
    h = sk.open(dimuon).hist("nMuon / 0.0", bins=5, range=(0, 1), name="nan")
    with pytest.warns(sk.RunWarning, match="not a number"):
        result = sk.run(h)
    assert result.warnings


def test_warnings_of_a_run_that_fails(dimuon):
    """One of them says why the list is empty."""
    events = sk.open(dimuon).filter("0 < nMuon < 0.5", name="few")
    h = events.hist("Muon_pt[3]", bins=5, range=(0, 1), name="pt")
    with (
        pytest.warns(sk.RunWarning, match="0 < nMuon"),
        pytest.raises(sk.EvaluationError, match=r'for the histogram "pt" \(entry \d+ of .*run') as error,
    ):
        sk.run(h)
    assert error.value.expression == "Muon_pt[3]"


def test_a_limit_counts_from_the_first_entry_where_there_is_a_range(dimuon):
    events = sk.open(dimuon)
    part = events.range(100, 300).hist("MET_pt", bins=1, range=(0, 1e9), name="part")
    sk.run(part, limit_events=150)
    assert part.result.entries == 50
    for beyond in (events.range(100, 300), events[100:], events.filter("nMuon > 1").range(200, 300)):
        with pytest.warns(
            sk.RunWarning, match='no event passes "entry_ >= .*": limit_events=100 leaves the first'
        ):
            sk.run(beyond.hist("MET_pt", bins=1, range=(0, 1)), limit_events=100)


def test_what_progress_raises_leaves_whole_files_or_none(dimuon, tmp_path):
    def fail(job, *, at_end):
        if (job["events"] == job["all_events"]) == at_end:
            raise LookupError("told")

    skim = sk.open(dimuon).skim(tmp_path / "x.root", keep=["MET_pt"])
    with pytest.raises(LookupError, match="told"):
        sk.run(skim, progress=lambda job: fail(job, at_end=True))
    assert sk.open(tmp_path / "x.root").num_entries == 10000


def test_progress_is_told(dimuon, capsys):
    told = []
    h = sk.open(dimuon).hist("MET_pt", bins=5, range=(0, 100))
    sk.run(h, progress=told.append)
    assert told[-1] == {
        "sample": "events",
        "events": 10000,
        "all_events": 10000,
        "files": 1,
        "all_files": 1,
        "bytes": told[-1]["all_bytes"],
        "all_bytes": told[-1]["all_bytes"],
    }
    assert capsys.readouterr().err == ""
    for kind, text in (
        ("line", "100 %  events  1/1 files"),
        ("tqdm", "100%"),
        ("rich", "100%"),
        (True, "100%"),
    ):
        sk.run(h, progress=kind)
        shown = capsys.readouterr()
        assert text in shown.err
        assert "events" in shown.err
        assert shown.out == ""
    with pytest.raises(sk.ConfigError, match="'tqdm', 'rich', 'line'"):
        sk.run(h, progress="bar")


def test_a_line_shows_progress_where_there_are_no_bars(dimuon, capsys, monkeypatch):
    from skimline import progress

    monkeypatch.setattr(progress, "_is_installed", lambda module: False)
    sk.open(dimuon).arrays(["MET_pt"], progress=True)
    assert "100 %  events  " in capsys.readouterr().err


def test_progress_of_arrays(dimuon, capsys):
    told = []
    frame = sk.open({"a": str(dimuon), "b": str(dimuon)}).filter("nMuon == 2")
    frame.arrays(["MET_pt"], sample="*", progress=told.append)
    assert {each["sample"] for each in told} == {"a", "b"}
    assert told[-1] == {"sample": "b", "events": 10000, "all_events": 10000}
    assert len(frame.arrays(["MET_pt"], sample="a", progress="tqdm")) == sum(
        len(part) for part in frame.iterate(["MET_pt"], step=1000, sample="a", progress="tqdm")
    )
    assert "a: 100%" in capsys.readouterr().err
    parts = frame.iterate(["MET_pt"], step=100, sample="*", progress="line")
    next(parts)
    parts.close()
    told.clear()
    done = [
        told[-1]["events"] for _ in frame.iterate(["MET_pt"], step=1000, sample="a", progress=told.append)
    ]
    assert done == sorted(done)
    assert done[-1] == 10000
    with pytest.raises(ZeroDivisionError):
        frame.arrays(["MET_pt"], sample="a", progress=lambda job: 1 / 0)


def test_warnings_are_of_the_line_that_called(dimuon, config):
    events = sk.open(dimuon)
    halves = events.hist("nMuon / 2", integers=(0, 4))
    config["define"] = {"half": "nMuon / 2"}
    calls = [
        lambda: sk.run(halves),
        lambda: sk.run(halves, limit_events=10),
        lambda: sk.validate(halves),
        lambda: sk.run_config(config),
        lambda: events.filter("nMuon / 2 > 0").count(),
        lambda: len(events.filter("nMuon / 2 > 0")),
        lambda: events.arrays({"half": "nMuon / 2"}),
        lambda: list(events.iterate({"half": "nMuon / 2"})),
        lambda: events.sum("nMuon / 2").value,
        lambda: float(events.max("nMuon / 2")),
        lambda: sk.hist(dimuon, "nMuon / 2", integers=(0, 4)),
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as known:
            warnings.simplefilter("always")
            call()
        lines = {(each.filename, each.lineno) for each in known if issubclass(each.category, sk.RunWarning)}
        assert lines == {(__file__, call.__code__.co_firstlineno)}


@pytest.mark.parametrize("kind", ["line", "tqdm", "rich", True])
@pytest.mark.parametrize("stream", ["closed", "full"])
def test_progress_that_cannot_be_shown_ends_no_run(dimuon, tmp_path, kind, stream):
    program = tmp_path / "run.py"
    program.write_text(
        textwrap.dedent(f"""
        import skimline as sk
        events = sk.open({str(dimuon)!r})
        booked = events.hist("MET_pt", bins=1, range=(0, 1e9))
        sk.run(booked, progress={kind!r})
        read = events.arrays(["MET_pt"], progress={kind!r})
        parts = list(events.iterate(["MET_pt"], progress={kind!r}))
        print(booked.values(), len(read), sum(map(len, parts)))
        """)
    )
    command = f'exec "$0" "$1" 2>{"&-" if stream == "closed" else "/dev/full"}'
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        ["bash", "-c", command, sys.executable, program],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.stdout == "[10000.] 10000 10000\n"
    # Python 3.13 says by 120 that it could not write all of standard error.
    assert done.returncode == 0 or (stream == "full" and done.returncode == 120)


def test_runs_at_once_give_what_they_give_alone(dimuon):
    events = sk.open(dimuon)

    def book(number):
        return events.filter(f"nMuon == {number % 3}").hist("MET_pt", bins=50, range=(0, 200))

    alone = [book(number) for number in range(6)]
    for each in alone:
        sk.run(each)
    together = [book(number) for number in range(6)]
    threads = [threading.Thread(target=sk.run, args=(each,), kwargs={"threads": 2}) for each in together]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one.values(flow=True), other.values(flow=True))


def test_python_goes_on_during_a_run(dimuon):
    """The lock is free: another thread counts while a run is on its way."""
    events = sk.open([dimuon])
    done = threading.Event()
    counted = []

    def count():
        number = 0
        while not done.is_set():
            number += 1
        counted.append(number)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        for _ in range(5):
            sk.run(events.hist("sqrt(MET_pt)", bins=5, range=(0, 100), name="h"))
    finally:
        done.set()
        thread.join()
    assert counted[0] > 1000


def test_ctrl_c_ends_a_run(dimuon, tmp_path):
    """Soon, with KeyboardInterrupt, and without an output."""
    script = textwrap.dedent(
        """
        import os, signal, sys, threading, time
        import skimline as sk
        events = sk.open(sys.argv[1:-1], allow_duplicates=True)
        slow = events
        for i in range(200):
            slow = slow.define(f"s{i}", f"Sum(exp(sin(Jet_pt * {i}.5)))")
        skim = slow.skim(sys.argv[-1], keep=["*"])
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        try:
            sk.run(skim, progress=lambda job: None)
            print("finished")
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - start < 20)
        """
    )
    files = [str(shutil.copy(dimuon, tmp_path / f"in{number}.root")) for number in range(100)]
    out = tmp_path / "out"
    out.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", script, *files, str(out / "skim.root")],
        env={**os.environ, "PYTHONPATH": str(ROOT / "build" / "release" / "python")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout == "interrupted True\n", done.stderr
    assert os.listdir(out) == []


def test_signal_handlers_stay(dimuon):
    before = signal.getsignal(signal.SIGINT)
    sk.run(sk.open(dimuon).hist("nMuon", integers=(0, 5)))
    assert signal.getsignal(signal.SIGINT) is before


def test_nothing_is_printed(dimuon, capfd):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sk.run(sk.open(dimuon).hist("nMuon", integers=(0, 5)))
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def test_what_was_written_is_handed_out_before_warnings_are_made_exceptions(dimuon, tmp_path):
    booked = sk.open(dimuon).hist("0. / (nMuon - nMuon)", bins=2, range=(0, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(sk.RunWarning):
            sk.run(booked, histograms=tmp_path / "h.root")
    assert (tmp_path / "h.root").exists()
    assert booked.result.entries == sk.read_histograms(tmp_path / "h.root")[booked.name].entries


def test_what_cannot_be_run(dimuon):
    with pytest.raises(sk.ConfigError, match="nothing to do"):
        sk.run()
    with pytest.raises(sk.ConfigError, match="run\\(\\) takes what"):
        sk.run("mass")
    with pytest.raises(sk.ConfigError, match="no histograms to write"):
        sk.run(sk.open(dimuon).skim("x.root"), histograms="h.root")


def lines_executed(call):
    """How many lines of the package `call` executes."""
    count = 0

    def look(frame, event, _):
        nonlocal count
        if "skimline" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("forked", [False, True])
def test_twice_as_many_histograms_are_twice_the_work(dimuon, forked):
    def run(number):
        events = sk.open(str(dimuon)).vary(
            "scale", {"MET_pt": {"up": "MET_pt * 1.1", "down": "MET_pt * 0.9"}}
        )
        frames = [events.filter(f"MET_pt > {i}", name="cut") if forked else events for i in range(number)]
        booked = [
            frame.define(f"d{i}", f"MET_pt + {i}").hist(f"d{i}", bins=2, range=(0, 9), name=f"h{i}")
            for i, frame in enumerate(frames)
        ]
        result = sk.run(booked, limit_events=10)
        assert len(result.histograms) == 3 * number
        assert all(result.histograms[each.result.name] is each.result for each in booked)

    run(1)
    few, many = (lines_executed(lambda number=number: run(number)) for number in (20, 80))
    assert many < 4.5 * few


def test_warnings_do_not_say_twice_that_they_are(tmp_path):
    sk.write(tmp_path / "in.root:Events", {"x": [1.0, float("nan")]})
    h = sk.open(tmp_path / "in.root").hist("x", bins=2, range=(0, 2), name="h")
    with pytest.warns(sk.RunWarning, match='^histogram "h": 1 value is not a number; it counts as overflow'):
        sk.run(h)


@pytest.mark.parametrize("place", ["settings", "include"])
def test_histograms_are_written_where_anything_says_so(config, tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    sets = ["output.histograms=met.root"] if place == "settings" else []
    if place == "include":
        Path("outputs.json").write_text(json.dumps({"output": {"histograms": "met.root"}}))
        config["include"] = ["outputs.json"]
    assert sk.run_config(config, sets=sets).files == ["met.root"]
    assert sk.read_histograms("met.root")["met"].entries > 0
    Path("met.root").unlink()
    assert sk.run_config({key: config[key] for key in config if key != "include"}).files == []


def test_configs_of_other_mappings_and_of_what_is_read_once(config):
    expected = sk.run_config(config).histograms["met"]
    config["samples"] = types.MappingProxyType({"mc": {"files": map(str, config["samples"]["mc"]["files"])}})
    config["select"] = (types.MappingProxyType(each) for each in config["select"])
    assert sk.run_config(config).histograms["met"] == expected

# SPDX-License-Identifier: BSD-3-Clause
"""Folders of outputs are made when they are written, and only for outputs that stay."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
import uproot
from exit_codes import INTERRUPTED


def config_for(events, **more):
    config = {
        "schema_version": 1,
        "samples": {"d": {"files": [f"{events}:Events"]}},
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 20, "range": [0, 100]}}},
        "skims": {"s": {"file": "made/skims/s.root", "keep": ["MET_pt"]}},
        "output": {
            "histograms": "made/h.root",
            "cutflow": "made/tables/c.csv",
            "report": ["made/reports/r.json", "made/reports/deep/r.html"],
        },
    }
    return config | more


FILES = [
    "made/h.root",
    "made/reports/deep/r.html",
    "made/reports/r.json",
    "made/skims/s.root",
    "made/tables/c.csv",
]


def tree(folder):
    """All files and folders, but the config."""
    paths = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
    return [path for path in paths if path != "a.json"]


def files(folder):
    return [path for path in tree(folder) if (folder / path).is_file()]


@pytest.fixture(scope="module")
def events(generate, tmp_path_factory):
    return generate("dimuon", tmp_path_factory.mktemp("events") / "e.root", 5000, "--seed", 9)


def test_a_run_makes_the_folders_of_its_outputs(job, events, tmp_path):
    done = job(config_for(events), "--trace", "traces/of/t.json")
    assert done.returncode == 0, done.stderr
    assert files(tmp_path) == sorted([*FILES, "traces/of/t.json"])
    expected = uproot.open(events)["Events"]["MET_pt"].array(library="np")
    assert (
        uproot.open(tmp_path / "made/skims/s.root")["Events"]["MET_pt"].array(library="np").tolist()
        == expected.tolist()
    )


@pytest.mark.parametrize("command", ["validate", "plan"])
def test_checks_make_nothing(call, events, tmp_path, command):
    (tmp_path / "a.json").write_text(json.dumps(config_for(events)))
    done = call(command, "a.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert call("run", "a.json", "--dry-run", cwd=tmp_path).returncode == 0
    assert tree(tmp_path) == []


def test_inputs_are_never_made(job, tmp_path):
    done = job(config_for("none/here.root"))
    assert done.returncode == 2
    assert 'there is no file "none/here.root"' in done.stderr
    assert tree(tmp_path) == []


def test_a_failed_run_leaves_no_folders(job, events, tmp_path):
    (tmp_path / "made").mkdir()
    faulty = config_for(events, select=[{"name": "bad", "where": "6 / (nMuon - nMuon) > 1"}])
    done = job(faulty)
    assert done.returncode == 1, done.stderr
    assert tree(tmp_path) == ["made"]  # which was there
    (tmp_path / "made").rmdir()
    assert job(faulty).returncode == 1
    assert tree(tmp_path) == []


def test_folders_with_something_else_in_them_stay(job, events, tmp_path):
    (tmp_path / "made/skims").mkdir(parents=True)
    (tmp_path / "made/skims/mine.txt").write_text("x")
    assert (
        job(config_for(events, select=[{"name": "bad", "where": "6 / (nMuon - nMuon) > 1"}])).returncode == 1
    )
    assert tree(tmp_path) == ["made", "made/skims", "made/skims/mine.txt"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_leaves_no_folders(skimline, tmp_path, number):
    command = [skimline, "generate", "dimuon", "--events", "100000000", "-o", "made/deep/x.root"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    while not list(tmp_path.glob("made/deep/.*")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait(60) == INTERRUPTED
    assert tree(tmp_path) == []


def test_other_commands_make_folders_too(call, events, tmp_path):
    def does(*arguments):
        done = call(*arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr

    does("generate", "dimuon", "--events", 10, "-o", "a/b/x.root")
    does("generate", "dimuon", "--events", 10, "--seed", 2, "-o", "a/y.root")
    does("generate", "agc", "--events", 1, "-o", "agc/set")
    does("merge", "m/n/all.root", "a/b/x.root", "a/y.root")
    does("convert", "a/y.root", "-o", "c/y.root")
    does("init", "a/y.root", "-o", "configs/first.json")
    assert {"a/b/x.root", "a/y.root", "m/n/all.root", "c/y.root", "configs/first.json"} < set(files(tmp_path))
    assert (tmp_path / "agc/set").is_dir()
    does("run", "configs/first.json")


def test_failed_merges_leave_no_folder(call, events, tmp_path):
    (tmp_path / "bad.root").write_bytes(b"root" + bytes(500))
    done = call("merge", "new/all.root", "bad.root", cwd=tmp_path)
    assert done.returncode == 1
    assert tree(tmp_path) == ["bad.root"]


# Where an output is called by a way through a folder that is still to be made.
@pytest.mark.parametrize(
    ("histograms", "skim", "message"),
    [
        ("new/h.root", "new/../new/h.root", "this file is also the output of the skim"),
        ("x.root", "new/../x.root", "this file is also the output of the skim"),
        ("link/new/x.root", "real/new/x.root", "this file is also the output of the skim"),
        ("new", "new/s.root", 'this file is also the folder of the output of the skim "s"'),
        ("new/deep", "new/deep/er/s.root", 'this file is also the folder of the output of the skim "s"'),
        ("new/h.root/h.root", "new/h.root", 'the folder of this file is also the output of the skim "s"'),
        ("a.json/h.root", "s.root", '"a.json" is a file, not a folder'),
        ("a.json/deep/h.root", "s.root", 'the folder "a.json/deep" cannot be made'),
    ],
)
def test_outputs_in_each_others_way(job, events, tmp_path, histograms, skim, message):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    skims = {"s": {"file": skim, "keep": ["MET_pt"]}}
    done = job(config_for(events, output={"histograms": histograms, "report": False}, skims=skims))
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert tree(tmp_path) == ["link", "real"]


def test_dots_behind_a_missing_folder(job, events, tmp_path):
    output = {"histograms": "new/../h.root", "report": False}
    done = job(config_for(events, output=output, skims={"s": {"file": "other/./s.root", "keep": ["MET_pt"]}}))
    assert done.returncode == 0, done.stderr
    assert files(tmp_path) == ["h.root", "other/s.root"]


def test_links_to_folders_that_are_missing(job, events, tmp_path):
    (tmp_path / "h.root").symlink_to("far/away/h.root")
    output = {"histograms": "h.root", "report": False}
    done = job(config_for(events, output=output, skims={}))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "h.root").is_symlink()
    assert files(tmp_path) == ["far/away/h.root", "h.root"]


def test_a_report_that_nobody_asked_for_is_named(job, events, tmp_path):
    """Which is what stands in the way, and not what the config says."""
    (tmp_path / "a.report.json").mkdir()
    config = config_for(events, output={"histograms": "h.root"}, skims={})
    done = job(config)
    assert done.returncode == 2
    assert 'error: the report "a.report.json": "a.report.json" is a folder; ' in done.stderr
    assert "run --no-report" in done.stderr
    assert job(config, "--no-report").returncode == 0


def as_nobody(program, folder, *arguments):
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv")
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("shut/new/h.root", 'the folder "shut/new" cannot be made'),
        ("shut/h.root", 'nothing can be written into the folder "shut": Permission denied'),
    ],
)
def test_places_without_rights_are_found_before_the_run(skimline, events, path, message):
    # Folders of tests are closed to others.
    folder = Path(tempfile.mkdtemp(prefix="skimline-rights-"))
    try:
        folder.chmod(0o777)
        (folder / "shut").mkdir(0o555)
        shutil.copy(events, folder / "e.root")
        shutil.copy(skimline, folder / "skimline")
        config = config_for("e.root", output={"histograms": path, "report": False}, skims={})
        (folder / "a.json").write_text(json.dumps(config))
        for command in ("validate", "plan", "run"):
            done = as_nobody(folder / "skimline", folder, command, "a.json")
            assert done.returncode == 2, done.stderr
            assert message in done.stderr
            assert "Permission denied" in done.stderr
        assert list((folder / "shut").iterdir()) == []
    finally:
        shutil.rmtree(folder)


def test_runs_at_once_share_new_folders(skimline, events, tmp_path):
    for _ in range(5):
        shutil.rmtree(tmp_path / "made", ignore_errors=True)
        running = []
        for number in range(8):
            # Every other one fails, and removes what it has made.
            where = "true" if number % 2 else "6 / (nMuon - nMuon) > 1"
            config = config_for(events, skims={}, select=[{"name": "c", "where": where}])
            config["output"] = {"histograms": f"made/deep/h{number}.root", "report": False}
            (tmp_path / f"c{number}.json").write_text(json.dumps(config))
            command = [skimline, "run", "-q", "-j", "1", f"c{number}.json"]
            running.append(subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True))
        codes = [process.wait() for process in running]
        assert codes == [1, 0] * 4, [process.stderr.read() for process in running]
        assert sorted(os.listdir(tmp_path / "made/deep")) == [f"h{n}.root" for n in (1, 3, 5, 7)]
        for process in running:
            process.stderr.close()


@pytest.mark.parametrize("more", [{"split": {"events": 100}}, {}])
def test_names_that_are_too_long_are_found_before(call, job, events, tmp_path, more):
    """With the number of a file of a split skim, too."""
    rest = len(".root") + len("_0001") * bool(more)
    for length, code in ((256 - rest, 2), (255 - rest, 0)):
        skims = {"s": {"file": "n" * length + ".root", "keep": ["MET_pt"]} | more}
        config = config_for(events, skims=skims)
        (tmp_path / "a.json").write_text(json.dumps(config))
        done = call("validate", "a.json", cwd=tmp_path)
        assert done.returncode == code, done.stderr
        assert ("too long" in done.stderr) == bool(code)
        assert done.stderr.startswith("a.json:1:" * bool(code))
        assert job(config).returncode == code

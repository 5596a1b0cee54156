# SPDX-License-Identifier: BSD-3-Clause
"""Files behind URLs: the same bytes as from disk, from real servers, with as few requests as it takes."""

import json
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

import awkward as ak
import pytest
import uproot
from remote_runs import config_of
from remote_servers import (
    HOST,
    S3Server,
    XrootdServer,
    free_port,
)


@pytest.fixture(scope="module")
def served(served):
    """With a file more whose name needs care, and one that is cut off."""
    folder = served
    (folder / "below").mkdir()
    shutil.copy(folder / "a2.root", folder / "below" / "with blank+more.root")
    (folder / "half.root").write_bytes((folder / "a1.root").read_bytes()[:500_000])
    return folder


@pytest.fixture(scope="module")
def s3(served, tmp_path_factory):
    server = S3Server(tmp_path_factory.mktemp("s3")).start()
    for path in served.rglob("*.root"):
        server.put("data", str(path.relative_to(served)), path)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def xrootd(served, tmp_path_factory, build_folder):
    assert (build_folder / "libskimline_xrootd.so").is_file(), "build the target skimline_xrootd"
    # It runs as nobody, whom pytest keeps out of its folders.
    with tempfile.TemporaryDirectory(prefix="skimline-xrootd-") as folder:
        shutil.copytree(served, Path(folder) / "data")
        server = XrootdServer(Path(folder) / "data", Path(folder) / "work").start()
        yield server
        server.stop()


@pytest.fixture(scope="module")
def place(request, nginx, s3):
    """A function from names to URLs, and what has to be in the environment."""

    def of(kind):
        if kind == "http":
            return nginx.url, {}
        if kind == "davs":
            return lambda name: nginx.url(name, "davs"), {"SSL_CERT_FILE": str(nginx.tls[0])}
        if kind == "s3":
            return lambda name: f"s3://data/{name}", s3.environment()
        return request.getfixturevalue("xrootd").url, {}

    return of


KINDS = ("http", "davs", "s3", "root")


@pytest.fixture(scope="module")
def from_disk(run_in, served, tmp_path_factory):
    """What a run over the local files writes."""
    folder = tmp_path_factory.mktemp("disk")
    done = run_in(folder, config_of(str(served / "a1.root"), str(served / "a2.root")), "-j", 2)
    assert done.returncode == 0, done.stderr
    return folder


def histograms_of(call, path):
    shown = call("show", path)
    assert shown.returncode == 0, shown.stderr
    return shown.stdout.replace(str(path), "")


def entries_of(path):
    return uproot.open(path)["Events"].arrays()


def have_equal_entries(*paths):
    first, second = map(entries_of, paths)
    return first.fields == second.fields and ak.array_equal(first, second)


@pytest.mark.thorough(quick=1)
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_over_urls_is_a_run_over_files(call, job, place, from_disk, tmp_path, kind):
    url, environment = place(kind)
    done = job(config_of(url("a1.root"), url("a2.root")), "-j", 2, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    assert histograms_of(call, tmp_path / "h.root") == histograms_of(call, from_disk / "h.root")
    assert have_equal_entries(tmp_path / "s.root", from_disk / "s.root")


@pytest.mark.parametrize("kind", KINDS)
def test_patterns_and_folders_are_listed(call, job, place, from_disk, tmp_path, kind):
    url, environment = place(kind)
    for names in ([url("a[12].root")], [url("a*.root")]):
        done = job(config_of(*names), "-j", 2, env=os.environ | environment)
        assert done.returncode == 0, done.stderr
        assert histograms_of(call, tmp_path / "h.root") == histograms_of(call, from_disk / "h.root")
        for path in tmp_path.glob("?.root"):
            path.unlink()
    for names in ([url("bel*/*+more.root")], [url("below/")]):
        checked = job(config_of(*names), env=os.environ | environment)
        assert checked.returncode == 0, checked.stderr
        assert json.loads((tmp_path / "a.report.json").read_text())["events"] == 20000
        for path in tmp_path.glob("?.root"):
            path.unlink()


@pytest.mark.thorough(quick=1)
@pytest.mark.parametrize("kind", KINDS)
def test_every_command_takes_urls(call, place, served, tmp_path, kind):
    url, environment = place(kind)
    options = {"env": os.environ | environment, "cwd": tmp_path}
    name = url("a2.root")
    local = call("inspect", served / "a2.root").stdout.replace(str(served / "a2.root"), name)
    assert call("inspect", name, **options).stdout == local
    verified = call("verify", name, **options)
    assert verified.returncode == 0 and "sound" in verified.stdout, verified.stderr
    assert call("inspect", name + ":Events", **options).returncode == 0
    assert call("convert", name + ":Events", "-o", "c.root", **options).returncode == 0
    assert call("convert", str(served / "a2.root") + ":Events", "-o", "d.root", **options).returncode == 0
    assert have_equal_entries(tmp_path / "c.root", tmp_path / "d.root")
    merged = call("merge", "m.root", name, url("a1.root"), **options)
    assert merged.returncode == 0, merged.stderr
    assert len(entries_of(tmp_path / "m.root")) == 80000
    (tmp_path / "config.json").write_text(json.dumps(config_of(name)))
    for command in ("validate", "plan"):
        done = call(command, "config.json", **options)
        assert done.returncode == 0, done.stderr
    assert call("init", name, "-o", "new.json", **options).returncode == 0
    assert call("validate", "new.json", **options).returncode == 0


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_missing_is_said(call, job, place, tmp_path, kind):
    url, environment = place(kind)
    options = {"env": os.environ | environment}
    start = time.monotonic()
    done = call("inspect", url("a3.root"), **options)
    assert done.returncode == 1
    assert re.search(r"no such file", done.stderr) and url("a3.root") in done.stderr
    done = job(config_of(url("b*.root")), **options)
    assert done.returncode == 2 and "no file matches" in done.stderr
    assert time.monotonic() - start < 5
    job_of_both = config_of(url("a2.root"), url("half.root")) | {
        "on_bad_file": "skip",
        "max_bad_fraction": 0.5,
    }
    done = job(job_of_both, **options)
    assert done.returncode == 3 and "is truncated" in done.unfiltered + done.stdout, done.stderr


@pytest.mark.parametrize("kind", ["http", "root"])
def test_copies_are_tried_in_turn(call, job, nginx, xrootd, from_disk, tmp_path, kind):
    def url(name):
        return nginx.url(name) if kind == "http" else xrootd.url(name)

    gone = f"{kind}://{HOST}:{free_port()}//a1.root"
    done = job(config_of([gone, url("nothing.root"), url("a1.root")], url("a2.root")), "-j", 2)
    assert done.returncode == 0, done.stderr
    assert histograms_of(call, tmp_path / "h.root") == histograms_of(call, from_disk / "h.root")
    done = job(config_of([gone, url("nothing.root")]), "-f")
    assert done.returncode == 1 and "none of its 2 copies can be read" in done.stderr
    done = job(config_of(["a.root", url("a1.root")]))
    assert done.returncode == 2 and "copies of one file are given by URLs" in done.stderr


def test_the_plug_in_may_be_missing(call):
    done = call(
        "inspect", "root://host//file.root", env=os.environ | {"SKIMLINE_XROOTD_PLUGIN": "/nowhere/x.so"}
    )
    assert done.returncode == 1 and "libxrdcl3" in done.stderr and "libskimline_xrootd.so" in done.stderr


def test_unknown_schemes_name_what_there_is(call):
    done = call("inspect", "htps://host/file.root")
    assert done.returncode == 1 and 'did you mean "https"' in done.stderr


# Requests


def test_few_requests_are_sent(call, job, nginx, tmp_path):
    nginx.requests()
    assert call("inspect", nginx.url("a2.root")).returncode == 0
    assert len(nginx.requests()) <= 4
    done = job(config_of(nginx.url("a1.root"), nginx.url("a2.root")), "-j", 1)
    assert done.returncode == 0
    sent = nginx.requests()
    read = json.loads((tmp_path / "a.report.json").read_text())["read"]
    assert read["requests"] <= len(sent) + 1
    assert len(sent) <= 30, sent


def test_servers_without_several_ranges_are_asked_for_one_at_a_time(call, nginx):
    done = call("verify", nginx.url("few/a2.root"))
    assert done.returncode == 0, done.stderr


def test_connections_are_kept(call, nginx):
    nginx.requests()
    assert call("verify", nginx.url("a1.root"), nginx.url("a2.root")).returncode == 0
    sent = nginx.requests()
    assert len(sent) > 5
    assert len({line.rpartition(" ")[2] for line in sent}) <= 4


def test_a_verification_reads_what_the_server_has(call, nginx, tmp_path):
    """Whatever is kept of its metadata, by default and of files that were read before."""
    kept = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    sent = []
    for command in ("inspect", "verify", "verify"):
        nginx.requests()
        assert call(command, nginx.url("a1.root"), env=kept).returncode == 0
        sent.append(len(nginx.requests()))
    assert sent[1] == sent[2] > 1


# Python


PYTHON = """
import sys
import skimline as sk
events = sk.open(sys.argv[1] + ":Events").filter("nMuon >= 2")
mass = events.hist("Sum(Muon_pt)", bins=20, range=(0, 200))
sk.run(mass)
print(events.count(), mass.values().sum())
"""


def test_python_takes_urls(nginx, served, run_python):
    told = []
    for name in (nginx.url("a2.root"), served / "a2.root"):
        done = run_python(PYTHON, name)
        assert done.returncode == 0, done.stderr
        told.append(done.stdout)
    assert told[0] == told[1] != ""

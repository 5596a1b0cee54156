# SPDX-License-Identifier: BSD-3-Clause
"""What is kept of files behind URLs: the second time little is asked for, and whatever is wrong is found out."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
import uproot
from remote_servers import S3Server, ScriptedServer, ServerOfKeys, XrootdServer

CONFIG = {
    "schema_version": 1,
    "samples": {"a": {"files": []}},
    "select": [{"name": "two muons", "where": "nMuon >= 2"}],
    "histograms": {"mass": {"x": {"value": "Sum(Muon_pt)", "bins": 20, "range": [0, 200]}}},
    "output": {"histograms": "h.root"},
}


VALUES = {"select": [], "histograms": {"x": {"x": {"value": "x", "bins": 2, "range": [0, 4]}}}}


def write_values(path, value):
    """Files of one size."""
    with uproot.recreate(path, compression=None) as file:
        file.mktree("Events", {"x": "float64"})
        file["Events"].extend({"x": np.full(100, value)})
    path.chmod(0o644)


def config_of(*files):
    return CONFIG | {"samples": {"a": {"files": list(files)}}}


@pytest.fixture(scope="module")
def from_disk(run_in, served, tmp_path_factory):
    """What a run over the local files writes."""
    folder = tmp_path_factory.mktemp("disk")
    assert run_in(folder, config_of(str(served / "a1.root"), str(served / "a2.root"))).returncode == 0
    return folder


def histograms_of(call, path):
    shown = call("show", path)
    assert shown.returncode == 0, shown.stderr
    return shown.stdout.replace(str(path), "")


def test_a_second_run_is_local(call, job, nginx, served, from_disk, tmp_path):
    environment = os.environ | {"SKIMLINE_CACHE": str(tmp_path / "cache")}
    config = config_of(nginx.url("a1.root"), nginx.url("a2.root"))
    sent = []
    for _ in range(2):
        nginx.requests()
        done = job(config, "-f", "-j", 2, env=environment)
        assert done.returncode == 0, done.stderr
        assert histograms_of(call, tmp_path / "h.root") == histograms_of(call, from_disk / "h.root")
        sent.append(nginx.requests())
    assert len(sent[0]) > len(sent[1]) == 2, sent  # whether both files are what they were
    # What is damaged is fetched again.
    for path in (tmp_path / "cache").glob("*.blocks"):
        data = path.read_bytes()
        path.write_bytes(bytes(255 - byte for byte in data))
    assert job(config, "-f", env=environment).returncode == 0
    assert histograms_of(call, tmp_path / "h.root") == histograms_of(call, from_disk / "h.root")
    assert len(nginx.requests()) > 2


def test_the_cache_knows_states_of_files_apart(call, nginx, served, tmp_path):
    environment = os.environ | {"SKIMLINE_CACHE": str(tmp_path / "cache")}
    shutil.copy(served / "a1.root", served / "changing.root")
    first = call("verify", nginx.url("changing.root"), env=environment)
    shutil.copy(served / "a2.root", served / "changing.root")
    second = call("verify", nginx.url("changing.root"), env=environment)
    assert first.returncode == second.returncode == 0
    assert second.stdout == call("verify", nginx.url("changing.root")).stdout != first.stdout


def test_states_of_one_second_are_told_apart(job, call, served, nginx, own_cache, tmp_path):
    """By most servers they are not: ETag, time and size are the same."""
    now = time.time() + 60  # when it is not long over, whatever the machine is busy with
    with tempfile.TemporaryDirectory(prefix="skimline-xrootd-") as folder:
        Path(folder, "data").mkdir()
        xrootd = XrootdServer(Path(folder, "data"), Path(folder, "work")).start()
        try:
            for path, url in (
                (served / "second.root", nginx.url("second.root")),
                (Path(folder, "data/second.root"), xrootd.url("second.root")),
            ):
                means = []
                for value in (0.5, 2.5):
                    write_values(path, value)
                    os.utime(path, (now, now))
                    config = config_of(url + ":Events") | VALUES
                    done = job(config, "-f", env=own_cache[0])
                    assert done.returncode == 0, done.stderr
                    with uproot.open(tmp_path / "h.root") as histograms:
                        means.append(histograms["x"].values().tolist())
                assert means == [[100, 0], [0, 100]], url
        finally:
            xrootd.stop()


@pytest.mark.parametrize("folder", ["XDG_CACHE_HOME", "SKIMLINE_CACHE"])
def test_files_that_secrets_name_are_told_apart(job, tmp_path, folder):
    """Whose names without secrets, sizes and times, and so what their server calls them, are the same."""

    server = ServerOfKeys(tmp_path)
    means = []
    try:
        for number, value in enumerate((0.5, 2.5)):
            write_values(tmp_path / f"{number}.root", value)
        for number in (0, 1, 0):
            config = config_of(server.url(f"get?fileKey={number}")) | VALUES
            done = job(config, "-f", env=os.environ | {folder: str(tmp_path / "cache")})
            assert done.returncode == 0, done.stderr
            with uproot.open(tmp_path / "h.root") as histograms:
                means.append(histograms["x"].values().tolist())
    finally:
        server.stop()
    assert means == [[100, 0], [0, 100], [100, 0]]


def test_buckets_of_other_stores_are_others(call, served, tmp_path):
    """Whose files have the same names, also where the cache is trusted."""
    kept = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "SKIMLINE_CACHE_TRUST": "1000"}
    environment = os.environ | kept | {"AWS_NO_SIGN_REQUEST": "1"}
    told = []
    for name in ("a1", "a2"):
        (tmp_path / name / "data").mkdir(parents=True)
        shutil.copy(served / f"{name}.root", tmp_path / name / "data/x.root")
    servers = [ScriptedServer(tmp_path / name) for name in ("a1", "a2")]
    try:
        for server in servers * 2:
            server.seen.clear()
            environment["AWS_ENDPOINT_URL"] = server.url("")
            told.append(call("inspect", "s3://data/x.root", env=environment).stdout)
            assert bool(server.seen) == (len(told) <= 2)
    finally:
        for server in servers:
            server.stop()
    assert told[:2] == told[2:] and told[0] != told[1]
    assert "60 000" in told[0] and "20 000" in told[1]


def test_the_cache_is_bounded_and_survives_kills(call, skimline, nginx, tmp_path):
    folder = tmp_path / "cache"
    environment = os.environ | {"SKIMLINE_CACHE": str(folder), "SKIMLINE_CACHE_SIZE": "0.001"}
    for name in ("a1.root", "a2.root", "events.root"):
        assert call("verify", nginx.url(name), env=environment).returncode == 0
    # The last file may be more than there is room for; none but it is left.
    assert len(list(folder.glob("*.blocks"))) <= 1
    environment["SKIMLINE_CACHE_SIZE"] = "1"
    for delay in (0.01, 0.02, 0.03, 0.05):
        with subprocess.Popen(
            [skimline, "verify", nginx.url("events.root")], env=environment, stdout=subprocess.DEVNULL
        ) as running:
            time.sleep(delay)
            running.kill()
    runs = [
        subprocess.Popen(
            [skimline, "verify", nginx.url("events.root")], env=environment, stdout=subprocess.DEVNULL
        )
        for _ in range(4)
    ]
    assert [run.wait() for run in runs] == [0] * 4
    assert (
        call(
            "verify", nginx.url("events.root"), env=environment | {"SKIMLINE_CACHE": "/proc/none"}
        ).returncode
        == 0
    )


# Metadata


@pytest.fixture
def own_cache(tmp_path):
    """An environment with an empty folder for metadata, and the folder."""
    return os.environ | {"XDG_CACHE_HOME": str(tmp_path / "home")}, tmp_path / "home" / "skimline"


def test_a_second_validation_only_asks_whether_files_are_the_same(job, call, nginx, own_cache, tmp_path):
    environment, folder = own_cache
    (tmp_path / "b.json").write_text(json.dumps(config_of(*map(nginx.url, ("a1.root", "a2.root")))))
    told, sent = [], []
    for options in ({}, {}, {"SKIMLINE_CACHE_TRUST": "60"}):
        nginx.requests()
        done = call("validate", tmp_path / "b.json", env=environment | options)
        assert done.returncode == 0, done.stderr
        told.append(done.stdout)
        sent.append(nginx.requests())
    assert told[0] == told[1] == told[2]
    assert len(sent[0]) >= 4
    assert len(sent[1]) == 2 and all('"bytes=0-0"' in line for line in sent[1])
    assert sent[2] == []
    # No data are there, and nobody else may look.
    assert sum(path.stat().st_blocks * 512 for path in folder.iterdir()) < 1_500_000
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.iterdir())
    off = environment | {"SKIMLINE_METADATA_CACHE": "off"}
    assert call("validate", tmp_path / "b.json", env=off).stdout == told[0]
    assert len(nginx.requests()) == len(sent[0])


def test_a_run_after_a_validation_reads_data_only(call, job, nginx, from_disk, own_cache, tmp_path):
    environment, _ = own_cache
    config = config_of(nginx.url("a1.root"), nginx.url("a2.root"))
    (tmp_path / "b.json").write_text(json.dumps(config))
    assert call("validate", tmp_path / "b.json", env=environment).returncode == 0
    nginx.requests()
    assert job(config, env=environment).returncode == 0
    assert not [line for line in nginx.requests() if '"bytes=-' in line]
    assert histograms_of(call, tmp_path / "h.root") == histograms_of(call, from_disk / "h.root")


def test_other_servers_are_not_asked_more_either(call, served, build_folder, own_cache):
    """What S3 and XRootD tell of a file suffices too."""
    environment, _ = own_cache
    with tempfile.TemporaryDirectory(prefix="skimline-servers-") as folder:
        (Path(folder) / "s3").mkdir()
        s3 = S3Server(Path(folder) / "s3").start()
        s3.put("data", "a1.root", served / "a1.root")
        shutil.copytree(served, Path(folder) / "data")
        xrootd = XrootdServer(Path(folder) / "data", Path(folder) / "work").start()
        try:
            for url, more in (("s3://data/a1.root", s3.environment()), (xrootd.url("a1.root"), {})):
                told = [call("inspect", url, env=environment | more) for _ in range(2)]
                assert told[0].returncode == told[1].returncode == 0, told[0].stderr
                assert told[0].stdout == told[1].stdout
            s3.client("s3").delete_object(Bucket="data", Key="a1.root")
            (Path(folder) / "data" / "a1.root").unlink()
            for url, more in (("s3://data/a1.root", s3.environment()), (xrootd.url("a1.root"), {})):
                gone = call("inspect", url, env=environment | more)
                assert gone.returncode == 1 and "no such file" in gone.stderr.lower()
        finally:
            s3.stop()
            xrootd.stop()


def test_a_trusted_state_that_is_wrong_is_found_out(call, job, nginx, served, own_cache, tmp_path):
    environment = own_cache[0] | {"SKIMLINE_CACHE_TRUST": "3600"}
    shutil.copy2(served / "a1.root", served / "changing.root")
    config = config_of(nginx.url("changing.root"))
    assert job(config, "-f", env=environment).returncode == 0
    shutil.copy(served / "a2.root", served / "changing.root")
    done = job(config, "-f", env=environment)
    assert done.returncode == 1 and "changed while it was being read" in done.stderr
    assert job(config, "-f", env=environment).returncode == 0


def test_what_others_put_into_the_cache_is_not_followed(call, nginx, own_cache, tmp_path):
    environment, folder = own_cache
    assert call("inspect", nginx.url("a1.root"), env=environment).returncode == 0
    expected = call("inspect", nginx.url("a1.root")).stdout
    precious = tmp_path / "precious"
    for ending, text in ((".blocks", "link"), (".sums", "link"), (".state", "nonsense\n" * 5)):
        (path,) = folder.glob(f"*{ending}")
        path.unlink()
        if text == "link":
            precious.write_text("precious")
            path.symlink_to(precious)
        else:
            path.write_text(text)
        done = call("inspect", nginx.url("a1.root"), env=environment)
        assert done.returncode == 0 and done.stdout == expected
        assert text != "link" or precious.read_text() == "precious"


# Where it is


def test_options_configs_and_python_name_the_folder(call, run_in, nginx, run_python, tmp_path):
    url = nginx.url("a2.root")
    assert call("verify", "--cache", tmp_path / "by option", url).returncode == 0
    (tmp_path / "run").mkdir()
    assert run_in(tmp_path / "run", config_of(url) | {"cache": "by config"}).returncode == 0
    code = (
        "import sys, skimline as sk; sk.open(sys.argv[1], cache='by python').arrays(['nMuon'], library='np')"
    )
    done = run_python(code, f"{url}:Events")
    assert done.returncode == 0, done.stderr
    for folder in ("by option", "run/by config", "by python"):
        assert list((tmp_path / folder).glob("*.blocks")), folder
    # What the command line says counts more than the config.
    other = run_in(
        tmp_path / "run", config_of(url) | {"cache": "by config 2"}, "-f", "--cache", tmp_path / "by option 2"
    )
    assert other.returncode == 0
    assert not (tmp_path / "run" / "by config 2").exists() and (tmp_path / "by option 2").is_dir()

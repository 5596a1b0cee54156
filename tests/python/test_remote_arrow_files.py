# SPDX-License-Identifier: BSD-3-Clause
"""Files of Parquet and Arrow behind URLs: the columns that they have on disk, copied once for each of their states."""

import json
import os
import subprocess
import sys
import time

import numpy as np
import package_program
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
import skimline as sk
from remote_servers import Nginx, ScriptedServer, ServerOfKeys

pytestmark = pytest.mark.usefixtures("arrow_cache")


def values(count, offset=0):
    random = np.random.default_rng(3)
    return random.exponential(30, count) + offset


def write(path, met):
    table = pa.table({"met": met, "Muon_pt": pa.array([[m] * (i % 3) for i, m in enumerate(met)])})
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        pyarrow.feather.write_feather(table, path)
    return table


@pytest.fixture
def run_limited():
    """Runs code where no file may be larger than so many bytes."""

    def run(code, largest):
        limit = f"import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, ({largest}, {largest}));"
        return subprocess.run(
            [sys.executable, "-c", limit + code],
            env=package_program.environment(),
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def served(tmp_path):
    folder = tmp_path / "served"
    folder.mkdir(mode=0o755)
    return folder


@pytest.fixture
def server(served):
    """Starts one whose answers a function may change."""
    servers = []

    def start(change=None):
        servers.append(ScriptedServer(served, change))
        return servers[-1]

    yield start
    for each in servers:
        each.stop()


@pytest.mark.parametrize("name", ["e.parquet", "e.arrow", "e.feather"])
def test_columns_are_those_on_disk(served, tmp_path, name):
    table = write(served / name, values(3000))
    os.utime(served / name, (0, 0))  # no new file, which would be copied each time
    nginx = Nginx(served, tmp_path / "nginx").start()
    try:
        for place in (nginx.url(name), nginx.url(f"{name}?signature=abc")):
            found = sk.open(place).arrays(["met", "Muon_pt"])
            assert found["met"].tolist() == table["met"].to_pylist()
            assert found["Muon_pt"].to_list() == table["Muon_pt"].to_pylist()
        nginx.requests()
        assert sk.open(nginx.url(name)).num_entries == 3000
        assert len(nginx.requests()) == 1  # for no byte of the data
    finally:
        nginx.stop()


def test_a_run_over_urls_is_a_run_over_files(served, server):
    write(served / "a.parquet", values(2000))
    write(served / "b.parquet", values(1000, 5))
    config = {
        "schema_version": 1,
        "select": [{"name": "some", "where": "met > 20"}],
        "skims": {"s": {"file": "s.root"}},
        "histograms": {"met": {"x": {"value": "met", "bins": 20, "range": [0, 100]}}},
        "output": {"histograms": "h.root"},
    }
    at = server()
    told = []
    for files in (
        [str(served / n) for n in ("a.parquet", "b.parquet")],
        [at.url("a.parquet"), at.url("b.parquet")],
    ):
        result = sk.run_config(config | {"samples": {"mc": {"files": files}}}, force=True)
        told.append(
            (result.histograms["met"].values().tolist(), sk.open("s.root").arrays(["met"])["met"].tolist())
        )
    assert told[0] == told[1]
    inputs = sk.show("s.root").samples["mc"]["inputs"]
    assert [each["file"] for each in inputs] == files
    assert [each["bytes"] for each in inputs] == [
        (served / n).stat().st_size for n in ("a.parquet", "b.parquet")
    ]
    assert all(each["version"] for each in inputs)


def test_a_file_that_has_changed_is_copied_anew(served, server, arrow_cache):
    at = server()
    for offset in (0, 7):
        table = write(served / "a.parquet", values(500, offset))
        assert sk.open(at.url("a.parquet")).arrays(["met"])["met"].tolist() == table["met"].to_pylist()
    assert len(list(arrow_cache.glob("*.root"))) == 2


def test_states_of_one_second_are_copied_anew(served, tmp_path):
    """Servers say that they are one: tags, times and sizes are the same."""
    nginx = Nginx(served, tmp_path / "nginx").start()
    now = time.time() + 60  # when it is not long over, whatever the machine is busy with
    try:
        for met in (0.5, 2.5):
            table = pa.table({"met": np.full(100, met)})
            pyarrow.feather.write_feather(table, served / "a.arrow", compression="uncompressed")
            os.utime(served / "a.arrow", (now, now))
            found = sk.open(nginx.url("a.arrow")).arrays(["met"])
            assert found["met"].tolist() == table["met"].to_pylist()
    finally:
        nginx.stop()


def test_files_that_secrets_name_are_told_apart(served):
    """In programs of their own, which know nothing of the secrets of each other."""
    server = ServerOfKeys(served, "arrow")
    read = "import skimline as sk, sys; print(sk.open(sys.argv[1]).arrays(['met'])['met'].tolist())"
    try:
        for number, met in enumerate((0.5, 2.5)):
            table = pa.table({"met": np.full(10, met)})
            pyarrow.feather.write_feather(table, served / f"{number}.arrow", compression="uncompressed")
            url = server.url(f"x.arrow?fileKey={number}")
            done = subprocess.run(
                [sys.executable, "-c", read, url],
                env=package_program.environment(),
                capture_output=True,
                text=True,
                check=True,
            )
            assert json.loads(done.stdout) == table["met"].to_pylist()
    finally:
        server.stop()


def test_what_no_server_tells_apart_is_copied_each_time(served, server):
    def without_tag(request, answer):
        answer.headers.pop("ETag", None)
        return answer

    at = server(without_tag)
    for offset in (0, 7):
        table = write(served / "a.parquet", values(500, offset))
        assert sk.open(at.url("a.parquet")).arrays(["met"])["met"].tolist() == table["met"].to_pylist()


def test_a_root_file_may_have_such_a_name(served, server):
    write(served / "b.parquet", values(10))
    sk.run(sk.open(str(served / "b.parquet")).skim(str(served / "c.root")))
    (served / "c.root").rename(served / "c.parquet")
    assert sk.open(server().url("c.parquet")).num_entries == 10


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"no such thing" * 100, "parquet"),
        (b"PAR1" + b"\0" * 500 + b"\xff\xff\xff\x7fPAR1", "parquet"),
    ],
)
def test_damage_is_named(served, server, content, problem, arrow_cache):
    (served / "a.parquet").write_bytes(content)
    at = server()
    with pytest.raises(sk.FileError, match=r"^http://127.0.0.1:\d+/a.parquet: ") as caught:
        sk.open(at.url("a.parquet"))
    assert problem in str(caught.value).lower()
    assert not list(arrow_cache.glob("*"))[1:]


def test_what_is_missing_is_said(server):
    at = server()
    with pytest.raises(sk.FileError) as caught:
        sk.open(at.url("a.parquet"))
    assert caught.value.fault == "unavailable"
    assert str(caught.value).count("a.parquet") == 1


def test_a_server_that_fails_while_it_is_copied(served, server, arrow_cache, monkeypatch):
    monkeypatch.setenv("SKIMLINE_REMOTE_PATIENCE", "0.2")
    write(served / "a.parquet", values(200_000))

    def fail(request, answer):
        first = int(request[2]["Range"].removeprefix("bytes=").split("-")[0] or 0)
        in_middle = answer.status == 206 and len(answer.body) > 200_000
        answer.status = 500 if in_middle or 0 < first < 1000 else answer.status
        return answer

    at = server(fail)
    with pytest.raises(sk.FileError) as caught:
        sk.open(at.url("a.parquet"))
    assert "500" in str(caught.value)
    assert not list(arrow_cache.glob("*.root"))


def test_why_the_copy_cannot_be_written_is_said(served, server, run_limited):
    """More than a process may write into a file."""
    write(served / "a.parquet", values(200_000))
    done = run_limited(f"import skimline as sk; sk.open({server().url('a.parquet')!r})", 100_000)
    assert "cannot be written at offset 100000: File too large" in done.stderr, done.stderr


def test_lists_of_datasets_may_say_so(served, tmp_path):
    write(served / "a.parquet", values(50))
    (tmp_path / "list.json").write_text(
        json.dumps(
            {"mc": {"files": {str(served / "a.parquet"): {"object_path": "Events", "format": "parquet"}}}}
        )
    )
    config = {
        "schema_version": 1,
        "samples_from": "list.json",
        "histograms": {"met": {"x": {"value": "met", "bins": 5, "range": [0, 100]}}},
        "output": {"histograms": "h.root"},
    }
    assert sk.run_config(config).histograms["met"].entries == 50

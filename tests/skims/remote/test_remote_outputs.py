# SPDX-License-Identifier: BSD-3-Clause
"""Outputs behind URLs: sent, compared, and only then there under their names."""

import base64
import hashlib
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
import zlib
from pathlib import Path

import pytest
from remote_servers import (
    HOST,
    Faults,
    FaultyProxy,
    Nginx,
    Target,
    free_port,
    make_certificate,
)

CONFIG = {
    "schema_version": 1,
    "samples": {"a": {"files": []}},
    "select": [{"name": "two muons", "where": "nMuon >= 2"}],
    "histograms": {"pt": {"x": {"value": "Muon_pt[0]", "bins": 10, "range": [0, 100]}}},
    "skims": {"two": {"file": ""}},
    "output": {},
}
NAMES = {"histograms": "h.root", "cutflow": "c.json", "report": "r.json"}
KINDS = ("http", "davs", "s3", "root")


def config_with(events, place):
    """A config that writes all that there is to where `place` says."""
    return CONFIG | {
        "samples": {"a": {"files": [str(events)]}},
        "skims": {"two": {"file": place("s.root")}},
        "output": {key: place(name) for key, name in NAMES.items()},
    }


@pytest.fixture(scope="module")
def events(generate, tmp_path_factory):
    return generate("dimuon", tmp_path_factory.mktemp("events") / "events.root", 30000, "--seed", 5)


@pytest.fixture(scope="module")
def nginx(tmp_path_factory):
    work, root = tmp_path_factory.mktemp("nginx"), tmp_path_factory.mktemp("written")
    server = Nginx(root, work, make_certificate(work)).start()
    yield server
    server.stop()


@pytest.fixture
def target(request):
    server = {"davs": "nginx", "http": "nginx", "root": "xrootd"}.get(request.param, request.param)
    return Target(request.param, request.getfixturevalue(server))


of_every_kind = pytest.mark.parametrize("target", KINDS, indirect=True)


@pytest.fixture
def drafts(tmp_path):
    """The folder for temporary files."""
    folder = tmp_path / "drafts"
    folder.mkdir()
    return folder


@of_every_kind
def test_all_outputs_of_a_run_may_be_urls(call, run_in, target, events, drafts, tmp_path):
    folder = tmp_path / "local"
    folder.mkdir()
    assert run_in(folder, config_with(events, str), "-j", 2).returncode == 0
    environment = os.environ | target.environment | {"TMPDIR": str(drafts)}
    there = tmp_path / "there"
    there.mkdir()
    trace = ("--trace", target.url("t.json"))
    done = run_in(there, config_with(events, target.url), "-j", 2, *trace, env=environment)
    assert done.returncode == 0, done.stderr
    assert target.names() == ["c.json", "h.root", "r.json", "s.root", "t.json"]
    assert list(drafts.iterdir()) == []
    assert [path.name for path in there.iterdir()] == ["a.json"]
    for name in target.names():
        (there / name).write_bytes(target.bytes_of(name))
    for name in ("h.root", "s.root"):
        assert call("verify", there / name).returncode == 0
    shown = [call("show", each / "h.root").stdout.replace(str(each), "") for each in (folder, there)]
    assert shown[0] == shown[1] != ""
    assert json.loads((there / "c.json").read_text()) == json.loads((folder / "c.json").read_text())
    report = json.loads((there / "r.json").read_text())
    sums = {each["path"]: each["checksum"] for each in report["outputs"]}
    for name in ("h.root", "s.root"):
        known = dict([sums[target.url(name)].split(":")])
        ours = {"adler32": f"{zlib.adler32(target.bytes_of(name)):08x}"}
        assert known == {kind: ours.get(kind, known[kind]) for kind in known}
    # An earlier output of the same job is replaced, whatever else has the name is not.
    done = run_in(there, config_with(events, target.url), *trace, env=environment)
    assert done.returncode == 0, done.stderr
    target.put("h.root", b"of somebody")
    done = run_in(there, config_with(events, target.url), *trace, env=environment)
    assert done.returncode == 2 and "is no output of an earlier run" in done.stderr
    assert target.bytes_of("h.root") == b"of somebody"
    done = run_in(there, config_with(events, target.url), "-f", *trace, env=environment)
    assert done.returncode == 0, done.stderr
    assert target.names() == ["c.json", "h.root", "r.json", "s.root", "t.json"]
    assert target.bytes_of("h.root").startswith(b"root")


@of_every_kind
def test_what_commands_write_is_the_same_bytes(call, target, events, drafts, tmp_path):
    environment = os.environ | target.environment | {"TMPDIR": str(drafts)}
    for command in (
        lambda output: ("merge", output, events),
        lambda output: ("convert", events, "-o", output),
        lambda output: ("generate", "dimuon", "--events", 3000, "-o", output),
    ):
        here = tmp_path / "x.root"
        assert call(*command(here), "-f").returncode == 0
        done = call(*command(target.url("x.root")), "-f", env=environment)
        assert done.returncode == 0, done.stderr
        assert target.bytes_of("x.root") == here.read_bytes()
        done = call(*command(target.url("x.root")), env=environment)
        assert done.returncode == 2 and "exists; --force" in done.stderr
    assert target.names() == ["x.root"] and list(drafts.iterdir()) == []


def test_large_objects_are_sent_in_parts(call, s3, tmp_path):
    events = ("--events", 600_000, "--seed", 8)
    assert call("generate", "dimuon", *events, "-o", tmp_path / "x.root").returncode == 0
    assert (tmp_path / "x.root").stat().st_size > 16 * 2**20
    done = call(
        "generate", "dimuon", *events, "-o", "s3://data/large.root", env=os.environ | s3.environment()
    )
    assert done.returncode == 0, done.stderr
    client = s3.client("s3")
    data = client.get_object(Bucket="data", Key="large.root")
    assert data["Body"].read() == (tmp_path / "x.root").read_bytes()
    assert re.search(r'-[2-9]"$', data["ETag"])
    assert client.list_multipart_uploads(Bucket="data").get("Uploads", []) == []


def test_outputs_must_be_names_of_files(job, events, nginx):
    def config_of(name):
        return config_with(events, str) | {"output": {"histograms": name}}

    for name, problem in (
        ("htps://host/h.root", 'did you mean "https"'),
        (nginx.url(""), "it names no file"),
        (f"{nginx.url('a.root')}|{nginx.url('b.root')}", "one name, not several"),
    ):
        done = job(config_of(name))
        assert done.returncode == 2 and problem in done.stderr, done.stderr


def test_no_output_is_an_input_by_another_name(call, job, events, nginx):
    url = nginx.url("in.root")
    shutil.copy(events, nginx.root / "in.root")
    for name in (url, nginx.url("in.root", "dav"), nginx.url("%69n.root"), nginx.url("./in.root")):
        config = config_with(events, str) | {"output": {"histograms": name}}
        done = job(config | {"samples": {"a": {"files": [url]}}}, "-f")
        assert done.returncode == 2 and "is also an input" in done.stderr, name
        done = call("merge", "-f", name, url)
        assert done.returncode == 2 and "is also an input" in done.stderr, name
    assert (nginx.root / "in.root").read_bytes() == events.read_bytes()
    (nginx.root / "in.root").unlink()


# What goes wrong


class DavServer:
    """Keeps files in memory. `change(method, name, data)` may return the status of an answer, or other bytes
    that are kept instead of those sent; `digest(data)` is what it tells of them."""

    def __init__(self, change=None, digest=None):
        self.files, self.seen = {}, []
        self.change, self.digest = change or (lambda *_: None), digest
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

        for method in ("GET", "HEAD", "PUT", "MOVE", "DELETE"):
            setattr(Handler, f"do_{method}", lambda handler: outer.handle(handler))
        self.server = http.server.ThreadingHTTPServer((HOST, 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def url(self, name):
        return f"http://{HOST}:{self.server.server_address[1]}/{name}"

    def handle(self, handler):
        method, name = handler.command, handler.path.lstrip("/")
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        self.seen.append((method, name))
        changed = self.change(method, name, body)
        status, headers, answer = 404, {}, b""
        if isinstance(changed, int):
            status = changed
        elif method == "PUT":
            self.files[name] = body if changed is None else changed
            status = 201
        elif name in self.files:
            status, headers, answer = self.answer(method, name, handler.headers)
        handler.send_response(status)
        length = len(self.files[name]) if method == "HEAD" and status == 200 else len(answer)
        for key, value in ({"Content-Length": str(length)} | headers).items():
            handler.send_header(key, value)
        handler.end_headers()
        handler.wfile.write(answer)

    def answer(self, method, name, headers):
        data = self.files[name]
        if method == "MOVE":
            self.files[headers["Destination"].rpartition("/")[2]] = self.files.pop(name)
            return 201, {}, b""
        if method == "DELETE":
            del self.files[name]
            return 204, {}, b""
        tells = {"Digest": self.digest(data)} if self.digest and headers.get("Want-Digest") else {}
        if method == "HEAD":
            return 200, tells, b""
        first, last = re.fullmatch(r"bytes=(\d*)-(\d*)", headers["Range"]).groups()
        begin = int(first) if first else max(0, len(data) - int(last))
        end = min(int(last) + 1, len(data)) if first else len(data)
        return 206, {"Content-Range": f"bytes {begin}-{end - 1}/{len(data)}", "ETag": '"1"'}, data[begin:end]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def dav():
    made = []

    def make(*arguments):
        made.append(DavServer(*arguments))
        return made[-1]

    yield make
    for server in made:
        server.stop()


def kept_files(message, folder=Path()):
    """Local ones are named as the config does."""
    return [folder / each for each in re.search(r"complete and kept as (.*)", message)[1].split(", ")]


@pytest.mark.parametrize(
    ("method", "status", "problem"),
    [
        ("PUT", 401, "asks who you are"),
        ("PUT", 403, "permission denied"),
        ("PUT", 405, "does not take PUT"),
        ("PUT", 409, "no such folder"),
        ("PUT", 507, "no room"),
        ("MOVE", 501, "does not take MOVE"),
    ],
)
def test_what_cannot_be_sent_is_kept(call, job, dav, events, drafts, tmp_path, method, status, problem):
    server = dav(lambda asked, *_: status if asked == method else None)
    config = config_with(events, str) | {"skims": {"two": {"file": server.url("s.root")}}}
    (tmp_path / "h.root").write_bytes(b"old")
    done = job(config, "-f", env=os.environ | {"TMPDIR": str(drafts)})
    assert done.returncode == 1
    assert problem in done.stderr and server.url("s.root") in done.stderr
    assert done.stderr.count("cannot be") == 1
    # All of them, as what is not sent is not all that was computed.
    kept = {path.name.partition(".")[0]: path for path in kept_files(done.stderr, tmp_path)}
    assert set(kept) == {"s", "h", "c", "r"} and kept["s"].parent == drafts
    assert call("verify", kept["s"], kept["h"]).returncode == 0
    assert (tmp_path / "h.root").read_bytes() == b"old"
    assert server.files == {}
    assert [path.name for path in drafts.iterdir()] == [kept["s"].name]


@pytest.mark.parametrize("method", ["PUT", "MOVE"])
def test_servers_that_do_not_do_what_they_say_are_found_out(call, dav, drafts, method):
    server = dav(lambda asked, *_: 201 if asked == method else None)
    environment = os.environ | {"TMPDIR": str(drafts)}
    done = call("generate", "dimuon", "--events", 3000, "-o", server.url("x.root"), env=environment)
    assert done.returncode == 1
    assert ("does not have it" if method == "PUT" else "still has the old one") in done.stderr
    (kept,) = kept_files(done.stderr)
    assert call("verify", kept).returncode == 0
    assert server.files == {}


def test_a_file_that_is_removed_before_it_is_sent_again_is_an_error(call, dav, drafts):
    """As by what cleans the folder for temporary files."""

    def remove(method, *_):
        if method != "PUT":
            return None
        for path in drafts.iterdir():
            path.unlink()
        return 503

    environment = os.environ | {"TMPDIR": str(drafts)}
    done = call("generate", "dimuon", "--events", 10, "-o", dav(remove).url("x.root"), env=environment)
    assert done.returncode == 1, done.stderr
    assert f'"{drafts}/.x.root.' in done.stderr and "which is to be sent, cannot be read" in done.stderr


@pytest.mark.parametrize("kind", ["adler32", "md5", "nothing"])
def test_what_servers_have_is_compared(call, dav, drafts, kind):
    def digest(data):
        sums = {
            "adler32": f"{zlib.adler32(data):08x}",
            "md5": base64.b64encode(hashlib.md5(data).digest()).decode(),
            "nothing": "",
        }
        return f"UNIXsum=12,{kind}={sums[kind]}" if kind != "nothing" else ""

    command = ("generate", "dimuon", "--events", 30000, "-o")
    environment = os.environ | {"TMPDIR": str(drafts)}
    server = dav(None, digest)
    done = call(*command, server.url("x.root"), env=environment)
    assert done.returncode == 0, done.stderr
    assert list(server.files) == ["x.root"]
    assert any(method == "GET" for method, _ in server.seen) == (kind == "nothing")

    def spoil(method, _, data):
        return data[:-1] + bytes([data[-1] ^ 1]) if method == "PUT" else None

    server = dav(spoil, digest)
    done = call(*command, server.url("x.root"), env=environment)
    assert done.returncode == 1 and "the server has something else than was sent to it" in done.stderr
    assert server.files == {}
    assert call("verify", *kept_files(done.stderr)).returncode == 0


def test_outputs_get_their_names_together(job, dav, events, tmp_path):
    """The second output cannot have its name: the first has what it had before, as have local ones."""
    moved = []

    def refuse_second(method, name, _):
        if method == "MOVE" and name.endswith(".part"):
            moved.append(name)
            return 403 if len(moved) == 2 else None
        return None

    server = dav(refuse_second)
    server.files = {"s.root": b"old skim", "h.root": b"old histograms"}
    (tmp_path / "c.json").write_bytes(b"old cutflow")
    config = config_with(events, str)
    config["skims"] = {"two": {"file": server.url("s.root")}}
    config["output"] |= {"histograms": server.url("h.root")}
    done = job(config, "-f")
    assert done.returncode == 1 and "permission denied" in done.stderr
    assert len(moved) == 2
    assert server.files == {"s.root": b"old skim", "h.root": b"old histograms"}
    assert (tmp_path / "c.json").read_bytes() == b"old cutflow"
    assert not (tmp_path / "r.json").exists()
    kept = kept_files(done.stderr, tmp_path)
    assert len(kept) == 4
    for path in kept:
        path.unlink()


def test_old_files_that_cannot_be_given_back_are_named(job, dav, events, tmp_path):
    """The server takes a file away from its name and then gives no names any more."""
    server = dav(lambda method, name, _: 507 if method == "MOVE" and name.startswith(".") else None)
    server.files = {"s.root": b"old skim", "h.root": b"old histograms"}
    config = config_with(events, str)
    config["skims"] = {"two": {"file": server.url("s.root")}}
    config["output"] |= {"histograms": server.url("h.root")}
    done = job(config, "-f", env=os.environ | {"TMPDIR": str(tmp_path)})
    assert done.returncode == 1
    (hidden,) = [name for name in server.files if name.startswith(".")]
    name = hidden[1:7]
    assert server.files[hidden].startswith(b"old")
    assert f"what {server.url(name)} was before is in {server.url(hidden)}" in done.stderr


def test_a_server_may_be_restarted_while_it_is_sent_to(skimline, call, tmp_path):
    (tmp_path / "data").mkdir()
    server = Nginx(tmp_path / "data", tmp_path / "work").start()
    proxy = FaultyProxy(server.port, Faults(latency=0.3))
    events = ("generate", "dimuon", "--events", "60000", "-o")
    with subprocess.Popen([skimline, *events, f"http://{HOST}:{proxy.port}/x.root"]) as running:
        end = time.monotonic() + 20
        while proxy.accepted < 2 and time.monotonic() < end:
            time.sleep(0.02)
        server.process.kill()
        server.process.wait()
        proxy.drop_all()
        proxy.faults = Faults()
        time.sleep(0.3)
        assert running.poll() is None
        server.start()
        assert running.wait(30) == 0
    server.stop()
    proxy.stop()
    assert call(*events, tmp_path / "x.root").returncode == 0
    assert (tmp_path / "data" / "x.root").read_bytes() == (tmp_path / "x.root").read_bytes()
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["x.root"]


def test_an_interruption_ends_sending(skimline, nginx, drafts):
    class SlowProxy(FaultyProxy):
        """Takes what is sent, but passes it on slowly."""

        def carry(self, source, sink, is_answer):
            while True:
                try:
                    data = source.recv(65536 if is_answer else 2000)
                    if not data:
                        return
                    if len(data) == 2000:
                        time.sleep(0.2)
                    sink.sendall(data)
                except OSError:
                    return

    before = sorted(nginx.root.iterdir())
    proxy = SlowProxy(nginx.port)
    command = [skimline, "generate", "dimuon", "--events", "100000", "-o"]
    environment = os.environ | {"TMPDIR": str(drafts)}
    with subprocess.Popen(
        [*command, f"http://{HOST}:{proxy.port}/slow.root"], env=environment, stderr=subprocess.PIPE
    ) as running:
        time.sleep(2.5)
        assert running.poll() is None
        start = time.monotonic()
        running.send_signal(signal.SIGINT)
        assert running.wait(10) == 130
        assert time.monotonic() - start < 1.2
    proxy.stop()
    assert list(drafts.iterdir()) == []
    assert sorted(nginx.root.iterdir()) == before


def test_passwords_are_not_told(call, dav, drafts):
    server = dav(lambda method, *_: 403 if method == "PUT" else None)
    url = server.url("x.root").replace("http://", "http://alice:geheim-4711@") + "?authz=signed-0815"
    environment = os.environ | {"SKIMLINE_SEND_CREDENTIALS_OVER_HTTP": "1", "TMPDIR": str(drafts)}
    done = call("generate", "dimuon", "--events", 100, "-o", url, env=environment)
    assert done.returncode == 1
    assert not re.search("geheim-4711|signed-0815", done.stdout + done.stderr)
    assert not any("geheim" in path.name or "0815" in path.name for path in drafts.iterdir())


def test_servers_that_are_not_there_are_found_out_before_the_run(call, job, events, tmp_path):
    config = config_with(events, str)
    config["skims"] = {"two": {"file": f"http://{HOST}:{free_port()}/s.root"}}
    start = time.monotonic()
    done = job(config)
    assert done.returncode == 1 and time.monotonic() - start < 15
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


PYTHON = """
import sys
import numpy as np
import skimline as sk
events = sk.open(sys.argv[1] + ":Events").filter("nMuon >= 2")
skim = events.skim(sys.argv[2] + "s.root", keep=["nMuon", "Muon_pt"])
sk.run(skim)
print(sk.open(sys.argv[2] + "s.root:Events").count() == events.count())
sk.write(sys.argv[2] + "w.root", {"x": np.arange(10.0)})
print(sk.open(sys.argv[2] + "w.root").arrays(["x"], library="np")["x"].sum())
"""


def test_python_writes_to_urls(nginx, events, run_python, tmp_path):
    done = run_python(PYTHON, events, nginx.url(""))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "True\n45.0\n"
    assert list(tmp_path.iterdir()) == []

# SPDX-License-Identifier: BSD-3-Clause
"""Files behind URLs: the same bytes as from disk, from real servers, with as few requests as it takes."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import awkward as ak
import pytest
import uproot

sys.path.insert(0, str(Path(__file__).resolve().parent))

from remote_servers import (
    HOST,
    Faults,
    FaultyProxy,
    Nginx,
    S3Server,
    ScriptedServer,
    XrootdServer,
    free_port,
    make_certificate,
    write_events,
)

TOKEN = "right-token-4711"

# Of both ends, and of nMuon and of columns of muons.
CONFIG = {
    "schema_version": 1,
    "samples": {"a": {"files": []}},
    "select": [{"name": "two muons", "where": "nMuon >= 2"}],
    "histograms": {
        "pt": {"x": {"value": "Muon_pt[0]", "bins": 10, "range": [0, 100]}},
        "mass": {"x": {"value": "Sum(Muon_pt)", "bins": 20, "range": [0, 200]}},
    },
    "skims": {"two": {"file": "s.root"}},
    "output": {"histograms": "h.root"},
}


def config_of(*files):
    return CONFIG | {"samples": {"a": {"files": list(files)}}}


def content(path: Path) -> str:
    """A hash of what a run has written, apart from the record, which has the names of the inputs."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def served(generate, tmp_path_factory):
    """A folder with files: two of dimuon events, one of all objects, and one with a name that needs care."""
    folder = write_events(generate, tmp_path_factory.mktemp("served"))
    (folder / "below").mkdir()
    shutil.copy(folder / "a2.root", folder / "below" / "with blank+more.root")
    (folder / "half.root").write_bytes((folder / "a1.root").read_bytes()[:500_000])
    return folder


@pytest.fixture(scope="module")
def nginx(served, tmp_path_factory):
    work = tmp_path_factory.mktemp("nginx")
    server = Nginx(served, work, make_certificate(work)).start()
    yield server
    server.stop()


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


@pytest.fixture
def fault_server(served):
    """Makes servers whose answers a function changes, and proxies, which end with the test."""
    made = []

    def make(kind, *arguments):
        made.append(kind(*arguments))
        return made[-1]

    yield make
    for each in made:
        each.stop()


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


# Who one is


def test_tokens_go_only_where_they_belong(call, nginx, tmp_path):
    secret = os.environ | {"BEARER_TOKEN": TOKEN, "SSL_CERT_FILE": str(nginx.tls[0])}
    assert call("inspect", nginx.url("secret/a2.root", "https"), env=secret).returncode == 0
    nginx.requests()
    # Neither over http:// nor behind a redirect from https:// to it.
    done = call("inspect", nginx.url("secret/a2.root"), env=secret)
    assert done.returncode == 1 and "over http:// no token is sent" in done.stderr
    assert call("inspect", nginx.url("away/a2.root", "https"), env=secret).returncode == 0
    sent = nginx.requests()
    plain = [line for line in sent if " /away/" not in line]
    assert plain and not any(TOKEN in line for line in plain)
    allowed = secret | {"SKIMLINE_SEND_CREDENTIALS_OVER_HTTP": "1"}
    assert call("inspect", nginx.url("secret/a2.root"), env=allowed).returncode == 0
    token = tmp_path / "token"
    token.write_text(TOKEN + "\n")
    from_file = {key: secret[key] for key in secret if key != "BEARER_TOKEN"} | {
        "BEARER_TOKEN_FILE": str(token)
    }
    assert call("inspect", nginx.url("secret/a2.root", "https"), env=from_file).returncode == 0


def test_redirects_do_not_carry_a_token_to_another_port(call, nginx, served, fault_server):
    other = fault_server(ScriptedServer, served)

    def send_away(request, answer):
        answer.status, answer.body = 302, b""
        answer.headers = {"Location": other.url("a2.root")}
        return answer

    first = fault_server(ScriptedServer, served, send_away)
    environment = os.environ | {"BEARER_TOKEN": TOKEN, "SKIMLINE_SEND_CREDENTIALS_OVER_HTTP": "1"}
    assert call("verify", first.url("a2.root"), env=environment).returncode == 0
    assert any("Authorization" in headers for _, _, headers in first.seen)
    assert other.seen and not any("Authorization" in headers for _, _, headers in other.seen)
    # Once it is known where the file is, nobody is asked again.
    assert len(first.seen) == 2 < len(other.seen)


def test_certificates_are_checked(call, nginx):
    start = time.monotonic()
    done = call("inspect", nginx.url("a2.root", "https"))
    assert done.returncode == 1 and "certificate" in done.stderr and "SSL_CERT_FILE" in done.stderr
    assert time.monotonic() - start < 15


def test_secrets_appear_nowhere(call, run_in, nginx, fault_server, served, tmp_path):
    """Whatever is written, printed or logged has neither passwords nor signatures."""
    server = fault_server(ScriptedServer, served)
    secrets = ("geheim-4711", "signed-0815", "query-token-42", TOKEN)
    url = f"http://alice:{secrets[0]}@{HOST}:{server.port}/a2.root?X-Amz-Signature={secrets[1]}&authz={secrets[2]}"
    missing = url.replace("a2.root", "a9.root")
    environment = os.environ | {
        "SKIMLINE_SEND_CREDENTIALS_OVER_HTTP": "1",
        "ADDRESS": url,
        "SKIMLINE_REMOTE_PATIENCE": "1",
    }
    told = []
    (tmp_path / "list.txt").write_text(url + "\n")
    for files in ([url], ["@list.txt"], [missing], [[missing, url]]):
        folder = tmp_path
        done = run_in(
            folder, config_of(*files), "-f", "--trace", "t.json", "--log-format", "json", env=environment
        )
        told += [done.stdout, done.unfiltered]
        assert (done.returncode == 0) == (files != [missing]), done.stderr
    (tmp_path / "one.json").write_text(json.dumps(config_of("x.root")))
    for arguments in (
        ("run", "one.json", "-f", "--input", url),
        ("plan", "one.json", "--input", url),
        ("validate", "one.json", "--set", f"samples.a.files=[{json.dumps(url)}]"),
        ("run", "one.json", "-f", "--input", missing),
        ("inspect", url),
        ("inspect", "--json", url),
        ("verify", url, missing),
        ("merge", "-f", "m.root", url),
        ("convert", "-f", url, "-o", "c.root"),
        ("show", url),
        ("inspect", url.replace("http://", "htp://")),
        (url,),
    ):
        done = call(*arguments, env=environment, cwd=tmp_path)
        told += [done.stdout, done.unfiltered]
    # The server was told all of them.
    assert any("Basic" in headers.get("Authorization", "") for _, _, headers in server.seen)
    assert any(secrets[1] in path and secrets[2] in path for _, path, _ in server.seen)
    written = [
        path for path in tmp_path.rglob("*") if path.is_file() and path.name not in ("list.txt", "a.json")
    ]
    assert {path.suffix for path in written} >= {".root", ".json"}
    for secret in secrets:
        assert not any(secret in text for text in told), secret
        assert not [path for path in written if secret.encode() in path.read_bytes()], secret
    assert "***" in "".join(told)


# Faults


def run_through(proxy_or_server, call, *arguments, **environment):
    return call(
        "verify",
        f"http://{HOST}:{proxy_or_server.port}/a1.root",
        *arguments,
        env=os.environ | {"SKIMLINE_REMOTE_STALL": "1"} | environment,
    )


@pytest.mark.parametrize(
    "faults",
    [
        Faults(reset_after=200_000, resets=4),
        Faults(stall_after=300_000, resets=2),
        Faults(drip_after=300_000, resets=1),
        Faults(latency=0.05),
    ],
    ids=["reset", "stall", "drip", "late"],
)
def test_what_passes_is_waited_for(call, nginx, fault_server, faults):
    done = run_through(fault_server(FaultyProxy, nginx.port, faults), call)
    assert done.returncode == 0, done.stdout + done.stderr
    assert faults.resets <= 0 or faults.latency > 0


def test_servers_that_are_busy_are_asked_again(call, served, fault_server):
    num_busy = 0

    def busy_at_first(request, answer):
        nonlocal num_busy
        num_busy += 1
        if num_busy in (1, 3, 5):
            answer.status, answer.body = {1: 503, 3: 429, 5: 500}[num_busy], b"busy"
            answer.headers = {"Retry-After": "1"} if num_busy == 3 else {}
        return None if num_busy == 7 else answer

    done = run_through(fault_server(ScriptedServer, served, busy_at_first), call)
    assert done.returncode == 0, done.stdout + done.stderr
    assert num_busy > 7


@pytest.mark.parametrize("status", [401, 403, 404, 410, 451])
def test_refusals_are_final(call, served, fault_server, status):
    def refuse(request, answer):
        answer.status, answer.body, answer.headers = status, b"no", {}
        return answer

    server = fault_server(ScriptedServer, served, refuse)
    start = time.monotonic()
    done = run_through(server, call)
    assert done.returncode == 1 and str(status) in done.stdout + done.stderr
    assert time.monotonic() - start < 2 and len(server.seen) <= 2


def lie(server_answer):
    """Changes answers to all but the first two requests."""
    count = 0

    def change(request, answer):
        nonlocal count
        count += 1
        return server_answer(answer) if count > 2 else answer

    return change


def other_etag(answer):
    answer.headers["ETag"] = '"another"'
    return answer


def shorter(answer):
    answer.body = answer.body[: len(answer.body) // 2]
    return answer


def elsewhere(answer):
    answer.headers = {
        name: re.sub(r"bytes (\d+)", lambda found: f"bytes {int(found[1]) - 1}", value)
        for name, value in answer.headers.items()
    }
    answer.body = re.sub(rb"Content-Range: bytes \d+", b"Content-Range: bytes 0", answer.body)
    return answer


def grown(answer):
    answer.headers = {name: re.sub(r"/\d+$", "/99999999", value) for name, value in answer.headers.items()}
    answer.body = re.sub(rb"(Content-Range: [^/]*)/\d+", rb"\1/99999999", answer.body)
    return answer


def nonsense(answer):
    answer.headers["Content-Type"] = "multipart/byteranges; boundary=between"
    answer.body = b"\r\n--between\r\nContent-Range: bytes 5-3/2\r\n\r\nx"
    return answer


def flipped(answer):
    middle = len(answer.body) // 2
    answer.body = answer.body[:middle] + bytes([answer.body[middle] ^ 1]) + answer.body[middle + 1 :]
    return answer


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (other_etag, "changed while it was being read"),
        (grown, "changed while it was being read"),
        (shorter, "part"),
        (elsewhere, "part"),
        (nonsense, "answer"),
        (flipped, "checksum"),
    ],
)
def test_wrong_answers_are_errors(call, served, fault_server, change, problem):
    server = fault_server(ScriptedServer, served, lie(change))
    start = time.monotonic()
    done = run_through(server, call, SKIMLINE_REMOTE_PATIENCE="2")
    assert done.returncode == 1, done.stdout
    assert problem in done.stdout + done.stderr
    assert time.monotonic() - start < 10


def test_a_server_without_ranges_is_named(call, served, fault_server):
    def whole(request, answer):
        answer.status, answer.headers = 200, {}
        answer.body = (served / "a1.root").read_bytes()
        return answer

    done = run_through(fault_server(ScriptedServer, served, whole), call)
    assert done.returncode == 1 and "range requests" in done.stdout + done.stderr


def test_a_server_may_be_restarted(call, nginx, served, tmp_path, skimline):
    """Killed and started again in the middle of a run."""
    own = Nginx(served, tmp_path / "own").start()
    proxy = FaultyProxy(own.port, Faults(bytes_per_second=400_000))
    running = subprocess.Popen(
        [skimline, "verify", f"http://{HOST}:{proxy.port}/a1.root"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    time.sleep(0.7)
    own.process.kill()
    own.process.wait()
    proxy.drop_all()
    time.sleep(0.5)
    assert running.poll() is None
    proxy.faults = Faults()
    own.start()
    output, _ = running.communicate(timeout=30)
    own.stop()
    proxy.stop()
    assert running.returncode == 0, output


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


def test_a_copy_takes_over_in_mid_run(call, nginx, served, fault_server):
    def fail(answer):
        answer.status, answer.headers, answer.body = 503, {}, b""
        return answer

    environment = os.environ | {"SKIMLINE_REMOTE_PATIENCE": "1"}
    first = fault_server(ScriptedServer, served, lie(fail))
    done = call("verify", f"{first.url('a1.root')}|{nginx.url('a1.root')}", env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(first.seen) > 2
    first = fault_server(ScriptedServer, served, lie(fail))
    done = call("verify", f"{first.url('a1.root')}|{nginx.url('a2.root')}", env=environment)
    assert done.returncode == 1 and "another file" in done.stdout + done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_waiting(skimline, nginx, fault_server, tmp_path, number):
    proxy = fault_server(FaultyProxy, nginx.port, Faults(stall_after=300_000))
    (tmp_path / "a.json").write_text(
        json.dumps(config_of(*[f"http://{HOST}:{proxy.port}/a1.root?{i}" for i in range(20)]))
    )
    with subprocess.Popen([skimline, "run", "a.json"], cwd=tmp_path, stderr=subprocess.PIPE) as running:
        time.sleep(1)
        assert running.poll() is None
        start = time.monotonic()
        running.send_signal(number)
        assert running.wait(10) == 130
        assert time.monotonic() - start < 1.2
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_servers_of_xrootd_may_ask_who_one_is(call, served):
    with tempfile.TemporaryDirectory(prefix="skimline-xrootd-") as folder:
        shutil.copytree(served, Path(folder) / "data")
        server = XrootdServer(Path(folder) / "data", Path(folder) / "work", secret=True).start()
        try:
            done = call("verify", server.url("a1.root"), env=os.environ | {"XrdSecPROTOCOL": "host"})
            assert done.returncode == 1 and "asks who you are" in done.stdout + done.stderr
            known = os.environ | {"XrdSecPROTOCOL": "sss", "XrdSecSSSKT": str(server.work / "key")}
            done = call("verify", server.url("a1.root"), env=known)
            assert done.returncode == 0, done.stdout + done.stderr
        finally:
            server.stop()


def test_the_plug_in_may_be_missing(call):
    done = call(
        "inspect", "root://host//file.root", env=os.environ | {"SKIMLINE_XROOTD_PLUGIN": "/nowhere/x.so"}
    )
    assert done.returncode == 1 and "libxrdcl3" in done.stderr and "libskimline_xrootd.so" in done.stderr


def test_unknown_schemes_name_what_there_is(call):
    done = call("inspect", "htps://host/file.root")
    assert done.returncode == 1 and 'did you mean "https"' in done.stderr


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


WAITING = """
import sys, threading, _thread, time
import skimline as sk
threading.Timer(1, _thread.interrupt_main).start()
start = time.monotonic()
try:
    sk.run(sk.open(sys.argv[1] + ":Events").hist("Sum(Muon_pt)", bins=20, range=(0, 200)))
except KeyboardInterrupt:
    print(time.monotonic() - start < 2)
"""


def test_python_stops_waiting(nginx, fault_server, run_python):
    proxy = fault_server(FaultyProxy, nginx.port, Faults(stall_after=300_000))
    done = run_python(WAITING, f"http://{HOST}:{proxy.port}/a1.root")
    assert done.stdout == "True\n", done.stderr

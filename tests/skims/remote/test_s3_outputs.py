# SPDX-License-Identifier: BSD-3-Clause
"""Outputs to stores that speak S3: what they are called, and what a store answers that is no yes."""

import hashlib
import http.server
import os
import re
import threading
import time
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from remote_servers import HOST

GENERATE = ("generate", "dimuon", "--events", 500)


@pytest.fixture
def events(generate, tmp_path):
    return generate("dimuon", tmp_path / "x.root", 500)


@pytest.mark.parametrize("odd", ["?v=2", ";key=5", "#token=x?sig=y", " +%20"])
def test_keys_may_have_any_letters(job, s3, events, odd):
    """Outputs that replace others, which are kept until all have their names."""
    client = s3.client("s3")
    names = [f"h{odd}.root", f"s{odd}.root"]
    for name in (*names, "h", "s"):
        client.put_object(Bucket="data", Key=name, Body=b"old")
    config = {
        "schema_version": 1,
        "samples": {"a": {"files": [str(events)]}},
        "skims": {"two": {"file": f"s3://data/{names[1]}"}},
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 20, "range": [0, 200]}}},
        "output": {"histograms": f"s3://data/{names[0]}"},
    }
    done = job(config, "-f", env=os.environ | s3.environment())
    assert done.returncode == 0, done.stderr
    there = {each["Key"]: each["Size"] for each in client.list_objects_v2(Bucket="data")["Contents"]}
    assert sorted(there) == sorted([*names, "h", "s"])
    assert {name: size > 100 for name, size in there.items()} == dict.fromkeys(names, True) | {
        "h": False,
        "s": False,
    }
    for name in there:
        client.delete_object(Bucket="data", Key=name)


def checksum(part):
    """What most stores call a part by."""
    return {"ETag": f'"{hashlib.md5(part).hexdigest()}"'}


class ScriptedStore:
    """A store that completes objects as `complete(store, key, parts)` says, which returns the answer's body, or its status
    too; `call_part(data)` gives the headers in which it says what it calls a part."""

    def __init__(self, complete, call_part=checksum):
        self.objects, self.parts, self.complete, self.call_part = {}, {}, complete, call_part
        self.listed, self.copy_answers = "", []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

        for method in ("HEAD", "PUT", "POST", "DELETE"):
            setattr(Handler, f"do_{method}", lambda handler: outer.handle(handler))
        self.server = http.server.ThreadingHTTPServer((HOST, 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def handle(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        key, asked = unquote(urlsplit(handler.path).path), parse_qs(urlsplit(handler.path).query, True)
        status, headers, answer = 200, {}, b""
        if handler.command == "PUT" and "x-amz-copy-source" in handler.headers:
            self.objects[key] = self.objects[unquote(handler.headers["x-amz-copy-source"])]
            answer = self.copy_answers.pop() if self.copy_answers else COPIED
        elif handler.command == "PUT":
            self.parts.setdefault(key, {})[int(asked["partNumber"][0])] = body
            headers = self.call_part(body)
        elif handler.command == "POST" and "uploads" in asked:
            answer = b"<InitiateMultipartUploadResult><UploadId>7</UploadId></InitiateMultipartUploadResult>"
        elif handler.command == "POST":
            self.listed = body.decode()
            answer = self.complete(self, key, [part for _, part in sorted(self.parts[key].items())])
            status, answer = answer if isinstance(answer, tuple) else (status, answer)
        elif handler.command == "DELETE" and not asked:
            self.objects.pop(key, None)
        elif handler.command == "HEAD" and key in self.objects:
            headers["ETag"] = self.objects[key][1]
            headers["Content-Length"] = str(len(self.objects[key][0]))
        elif handler.command == "HEAD":
            status = 404
        handler.send_response(status)
        for name, value in ({"Content-Length": str(len(answer))} | headers).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(answer)

    def keep(self, key, parts):
        sums = b"".join(hashlib.md5(part).digest() for part in parts)
        self.objects[key] = (b"".join(parts), f'"{hashlib.md5(sums).hexdigest()}-{len(parts)}"')

    def environment(self):
        url = f"http://{HOST}:{self.server.server_address[1]}"
        return os.environ | {"AWS_ENDPOINT_URL": url, "AWS_NO_SIGN_REQUEST": "1"}

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def store():
    made = []

    def make(*arguments):
        made.append(ScriptedStore(*arguments))
        return made[-1]

    yield make
    for each in made:
        each.stop()


def impatient(server, folder):
    return server.environment() | {"TMPDIR": str(folder), "SKIMLINE_REMOTE_PATIENCE": "0.3"}


COPIED = b"<CopyObjectResult><ETag>x</ETag></CopyObjectResult>"
WHOLE = b"<CompleteMultipartUploadResult><Key>x.root</Key></CompleteMultipartUploadResult>"
NO_YES = {
    "nothing": b"",
    "blanks": b'<?xml version="1.0"?>   \n   \n',
    "cut off": WHOLE[:20],
    "a page": b"<html><body>Please log in</body></html>",
    "an error": b"<Error><Code>InternalError</Code><Message>Sorry</Message></Error>",
}


@pytest.mark.parametrize("answer", NO_YES)
def test_only_a_yes_completes_an_object(call, store, answer, tmp_path):
    """A store begins to answer before it knows. It is looked at whether the object is there."""
    server = store(lambda *_: NO_YES[answer])
    options = {"env": impatient(server, tmp_path)}
    done = call(*GENERATE, "-o", "s3://data/x.root", **options)
    assert done.returncode == 1 and "cannot be given its name" in done.stderr
    assert server.objects == {} and re.search("complete and kept as", done.stderr)


@pytest.mark.parametrize("answer", NO_YES)
def test_objects_that_are_there_are_complete(call, store, answer, events, tmp_path):
    def complete(server, key, parts):
        server.keep(key, parts)
        return NO_YES[answer]

    server = store(complete)
    done = call(*GENERATE, "-o", "s3://data/x.root", env=impatient(server, tmp_path))
    assert done.returncode == 0, done.stderr
    assert server.objects["/data/x.root"][0] == events.read_bytes()


def test_a_store_may_take_its_time_to_complete(call, store, events):
    def complete(server, key, parts):
        time.sleep(5)
        server.keep(key, parts)
        return WHOLE

    server = store(complete)
    impatience = {"SKIMLINE_REMOTE_STALL": "1", "SKIMLINE_REMOTE_PATIENCE": "1"}
    done = call(*GENERATE, "-o", "s3://data/x.root", env=server.environment() | impatience)
    assert done.returncode == 0, done.stderr
    assert server.objects["/data/x.root"][0] == events.read_bytes()


def own_words(part):
    """What a store that encrypts by keys of its own calls a part."""
    encryption = {"x-amz-server-side-encryption": "aws:kms"}
    return {"ETag": f'"Of-{hashlib.sha1(part).hexdigest()}-Own"'} | encryption


@pytest.mark.parametrize("answer", [WHOLE, *NO_YES.values()])
@pytest.mark.parametrize("had", [True, False])
def test_parts_are_called_as_the_store_calls_them(call, store, answer, had, events, tmp_path):
    def complete(server, key, parts):
        if not all(f"<ETag>{own_words(part)['ETag']}</ETag>" in server.listed for part in parts):
            return 400, b"<Error><Code>InvalidPart</Code><Message>No such part</Message></Error>"
        server.objects[key] = (b"".join(parts), '"of-the-new-object"')
        return answer

    server = store(complete, own_words)
    if had:
        server.objects["/data/x.root"] = (b"old", '"of-the-old-object"')
    done = call(*GENERATE, "-f", "-o", "s3://data/x.root", env=impatient(server, tmp_path))
    assert done.returncode == 0, done.stderr
    assert server.objects["/data/x.root"][0] == events.read_bytes()


@pytest.mark.parametrize("answer", NO_YES)
def test_what_encrypts_by_own_keys_must_have_a_new_object(call, store, answer, tmp_path):
    server = store(lambda *_: NO_YES[answer], own_words)
    server.objects["/data/x.root"] = old = (b"old", '"of-the-old-object"')
    options = {"env": impatient(server, tmp_path)}
    done = call(*GENERATE, "-f", "-o", "s3://data/x.root", **options)
    assert done.returncode == 1 and "cannot be given its name" in done.stderr
    assert server.objects == {"/data/x.root": old}


def two_outputs(events):
    return {
        "schema_version": 1,
        "samples": {"a": {"files": [str(events)]}},
        "skims": {"two": {"file": "s3://data/s.root"}},
        "histograms": {"met": {"x": {"value": "MET_pt", "bins": 20, "range": [0, 200]}}},
        "output": {"histograms": "s3://data/h.root"},
    }


def test_no_copy_of_an_old_object_is_left(job, store, events, tmp_path):
    server = store(lambda *_: (500, b""))
    before = {f"/data/{name}.root": (b"old", '"1"') for name in "hs"}
    server.objects = dict(before)
    done = job(two_outputs(events), "-f", env=impatient(server, tmp_path))
    assert done.returncode == 1 and "the server answers 500" in done.stderr
    assert server.objects == before


def test_yes_may_be_said_by_the_object_alone(job, store, events, tmp_path):
    def complete(server, key, parts):
        server.keep(key, parts)
        return 503, b""

    server = store(complete)
    server.objects = {f"/data/{name}.root": (b"old", '"1"') for name in "hs"}
    done = job(two_outputs(events), "-f", env=impatient(server, tmp_path))
    assert done.returncode == 0, done.stderr
    assert sorted(server.objects) == ["/data/h.root", "/data/s.root"]
    assert all(data.startswith(b"root") for data, _ in server.objects.values())


def test_errors_that_pass_may_be_in_the_answer(job, store, events):
    """With which a store begins before it knows."""
    failed = set()

    def complete(server, key, parts):
        if key not in failed:
            failed.add(key)
            return NO_YES["an error"]
        server.keep(key, parts)
        return WHOLE

    server = store(complete)
    server.objects = {f"/data/{name}.root": (b"old", '"1"') for name in "hs"}
    server.copy_answers = [b"<Error><Code>SlowDown</Code><Message>Later</Message></Error>"]
    done = job(two_outputs(events), "-f", env=server.environment())
    assert done.returncode == 0, done.stderr
    assert sorted(server.objects) == ["/data/h.root", "/data/s.root"]
    assert all(data.startswith(b"root") for data, _ in server.objects.values())

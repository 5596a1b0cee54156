# SPDX-License-Identifier: BSD-3-Clause
"""What servers say that there is in folders: all of it is read, or nothing."""

import json
import os
import re
import shutil
import tempfile
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from remote_servers import Answer, S3Server, ScriptedServer, XrootdServer

CONFIG = {
    "schema_version": 1,
    "histograms": {"met": {"x": {"value": "MET_pt", "bins": 20, "range": [0, 200]}}},
    "output": {"histograms": "h.root"},
}
EVENTS = 1000


@pytest.fixture(scope="module")
def served(generate, tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    for number in (1, 2, 3):
        generate("dimuon", folder / f"a{number}.root", EVENTS, "--seed", number)
    (folder / "data").symlink_to(folder)  # the bucket
    return folder


class ListingServer(ScriptedServer):
    """Lists folders by `dav(host)` and buckets by `s3(token)`, texts of XML."""

    def __init__(self, root, dav=None, s3=None):
        super().__init__(root)
        self.dav, self.s3 = dav, s3

    def right_answer(self, handler):
        asked = parse_qs(urlsplit(handler.path).query)
        if handler.command == "PROPFIND":
            return Answer(207, {}, self.dav().encode())
        if "list-type" in asked:
            return Answer(200, {}, self.s3(asked.get("continuation-token", [""])[0]).encode())
        return super().right_answer(handler)


@pytest.fixture
def listing(served):
    made = []

    def make(**lists):
        made.append(ListingServer(served, **lists))
        return made[-1]

    yield make
    for each in made:
        each.stop()


@pytest.fixture
def events_of(job, tmp_path):
    """How many events a run over a pattern reads, or its message."""

    def read(pattern, environment=None):
        done = job(
            CONFIG | {"samples": {"a": {"files": [pattern]}}},
            "-f",
            env=os.environ | (environment or {}),
        )
        if done.returncode != 0:
            return done.stderr
        return json.loads((tmp_path / "a.report.json").read_text())["events"]

    return read


def dav_list(*names):
    entries = "".join(f"<D:response><D:href>{name}</D:href></D:response>" for name in names)
    return f'<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">{entries}</D:multistatus>'


def s3_list(*keys, more=""):
    entries = "".join(f"<Contents><Key>{key}</Key></Contents>" for key in keys)
    return f"<ListBucketResult>{more}{entries}</ListBucketResult>"


FILES = [f"/a{number}.root" for number in (1, 2, 3)]
KEYS = [name.strip("/") for name in FILES]


def at(server):
    return {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.port}", "AWS_NO_SIGN_REQUEST": "1"}


@pytest.mark.parametrize("kept", [0.5, 0.8, 0.99])
def test_lists_that_are_cut_off_are_errors(listing, events_of, kept):
    def cut(text):
        return text[: int(kept * len(text))]

    server = listing(dav=lambda: cut(dav_list(*FILES)), s3=lambda _: cut(s3_list(*KEYS)))
    for told in (events_of(server.url("*.root")), events_of("s3://data/*.root", at(server))):
        assert "list of the folder is incomplete" in str(told)


def test_whole_lists_are_read(listing, events_of):
    parts = {"": (FILES[:1], "two"), "two": (FILES[1:2], "three"), "three": (FILES[2:], None)}

    def part(token):
        names, after = parts[token]
        more = f"<NextContinuationToken>{after}</NextContinuationToken>" if after else ""
        is_truncated = "true" if after else "false"
        keys = [name.strip("/").replace("a", "&#97;") for name in names]
        return s3_list(*keys, more=f"<IsTruncated>{is_truncated}</IsTruncated>{more}")

    server = listing(dav=lambda: dav_list(*(f"\n  {name}\n" for name in FILES)), s3=part)
    assert events_of(server.url("*.root")) == 3 * EVENTS
    assert events_of("s3://data/*.root", at(server)) == 3 * EVENTS


def test_files_are_named_before_their_properties(listing, events_of):
    owner = "<D:activelock><D:owner><D:href>http://host/people/me</D:href></D:owner></D:activelock>"
    texts = dav_list(*FILES).replace("</D:response>", f"<D:propstat>{owner}</D:propstat></D:response>", 2)
    assert events_of(listing(dav=lambda: texts).url("*.root")) == 3 * EVENTS


def test_hidden_files_are_none_of_a_pattern_that_begins_otherwise(listing, events_of):
    """As in folders of this machine: such names are of files that are still being written."""
    hidden = ["/.a4.root", "/.root"]
    keys = [name.strip("/") for name in hidden]
    server = listing(dav=lambda: dav_list(*FILES, *hidden), s3=lambda _: s3_list(*KEYS, *keys))
    for pattern in ("*.root", "*root", "[.a]*.root"):
        assert events_of(server.url(pattern)) == 3 * EVENTS
        assert events_of(f"s3://data/{pattern}", at(server)) == 3 * EVENTS


@pytest.mark.parametrize("token", ["", "again"])
def test_lists_without_an_end_are_errors(listing, events_of, token):
    more = "<IsTruncated>true</IsTruncated>"
    more += f"<NextContinuationToken>{token}</NextContinuationToken>" if token else ""
    server = listing(s3=lambda _: s3_list(*KEYS, more=more))
    assert "list of the folder is incomplete" in str(events_of("s3://data/*.root", at(server)))


PLAIN = dav_list(*FILES[:2]).replace("</D:multistatus>", "")


def dav_entry(name, more=""):
    return f"{PLAIN}<D:response><D:href>{name}</D:href>{more}</D:response></D:multistatus>"


@pytest.mark.parametrize(
    "name", ["<![CDATA[/a3.root]]>", "/a<!-- > --><![CDATA[3.]]>root", "/a3<?x <?>.root"]
)
def test_names_may_be_written_in_any_way_of_xml(listing, events_of, name):
    server = listing(dav=lambda: dav_entry(name), s3=lambda _: s3_list(*KEYS[:2], name.replace("/", "")))
    assert events_of(server.url("*.root")) == 3 * EVENTS
    assert events_of("s3://data/*.root", at(server)) == 3 * EVENTS


@pytest.mark.parametrize("text", ["<!-- ", "<![CDATA[", "<?x "])
def test_what_is_cut_off_in_the_midst_of_these_is_an_error(listing, events_of, text):
    server = listing(dav=lambda: dav_list(*FILES) + text)
    assert "list of the folder is incomplete" in events_of(server.url("*.root"))


def test_lists_that_say_that_they_are_incomplete_are_errors(listing, events_of):
    full = "<D:status>HTTP/1.1 507 Insufficient Storage</D:status>"
    assert "incomplete: the server says so (507)" in events_of(
        listing(dav=lambda: dav_entry("/", full)).url("*.root")
    )
    assert "incomplete: a name is missing" in events_of(listing(dav=lambda: dav_entry("")).url("*.root"))


def test_entries_that_a_server_says_nothing_of_are_looked_at(listing, events_of):
    refused = "<D:status>HTTP/1.1 403 Forbidden</D:status>"
    server = listing(dav=lambda: dav_entry("/deep", refused))
    assert events_of(server.url("*.root")) == 2 * EVENTS
    assert "deep/" in str(events_of(server.url("d*/*.root")))
    gone = "<D:status>HTTP/1.1 404 Not Found</D:status>"
    assert events_of(listing(dav=lambda: dav_entry("/a4.root", gone)).url("*.root")) == 2 * EVENTS


# Names

ODD = [
    "a b.root",
    "a+b.root",
    "a%20b.root",
    "\u00e4.root",
    "a#key=b.root",
    "a&b.root",
    ";token=b.root",
    "a[1].root",
]


def test_objects_may_be_called_like_secrets(served, events_of, tmp_path):
    server = S3Server(tmp_path).start()
    try:
        names = [*ODD, "a?b.root"]
        for name in names:
            server.put("data", name, served / "a1.root")
            assert events_of("s3://data/*", server.environment()) == EVENTS, name
            server.client("s3").delete_object(Bucket="data", Key=name)
    finally:
        server.stop()


def version_of_libcurl(call):
    told = re.search(r"libcurl (\d+)\.(\d+)", call("doctor").stdout)
    return int(told[1]), int(told[2])


def test_keys_are_taken_to_the_letter(served, events_of, generate, call, tmp_path):
    """Others would have the same name as paths and URLs. Later versions of libcurl sign no path with dots as names."""
    signs_dots = version_of_libcurl(call) < (8, 6)
    generate("dimuon", tmp_path / "other.root", 10)
    server = S3Server(tmp_path).start()
    try:
        for other in ("a.root", "x/a.root", "a/b.root"):
            server.put("data", other, tmp_path / "other.root")
        for key in ("./a.root", "x/../a.root", "x//a.root", "/a.root", "a.root?", "a/./b.root"):
            server.put("data", key, served / "a1.root")
            told = events_of(f"s3://data/{key}", server.environment())
            has_dots = bool({".", ".."} & set(key.split("/")))
            if has_dots and not signs_dots and told != EVENTS:
                assert 'this version of libcurl signs no keys with "." or ".." between slashes' in told
                continue
            assert told == EVENTS, key
            server.client("s3").delete_object(Bucket="data", Key=key)
            assert "no such file" in events_of(f"s3://data/{key}", server.environment())
    finally:
        server.stop()


@pytest.mark.parametrize("letter", ["|", "?"])
def test_names_that_no_url_can_have_are_said(served, events_of, letter):
    with tempfile.TemporaryDirectory(prefix="skimline-xrootd-") as folder:
        data = Path(folder) / "data"
        data.mkdir()
        shutil.copy(served / "a1.root", data / "a1.root")
        shutil.copy(served / "a2.root", data / f"a1.root{letter}b.root")
        server = XrootdServer(data, Path(folder) / "work").start()
        try:
            told = str(events_of(server.url("*.root")))
            assert f'a1.root{letter}b.root: cannot be read, as its name has "{letter}"' in told
        finally:
            server.stop()

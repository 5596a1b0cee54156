# SPDX-License-Identifier: BSD-3-Clause
"""What servers answer that is no answer to what was asked."""

import os
import time
from email.utils import formatdate

import pytest
from remote_servers import Answer, ScriptedServer

CONFIG = {
    "schema_version": 1,
    "histograms": {"mass": {"x": {"value": "Sum(Muon_pt)", "bins": 20, "range": [0, 200]}}},
    "output": {"histograms": "h.root"},
}


@pytest.fixture(scope="module")
def served(generate, tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    generate("dimuon", folder / "a1.root", 20000, "--seed", 1)
    generate("dimuon", folder / "a2.root", 20000, "--seed", 2)
    return folder


@pytest.fixture
def server(served):
    made = []

    def make(change):
        made.append(ScriptedServer(served, lambda _, answer: change(answer)))
        return made[-1]

    yield make
    for each in made:
        each.stop()


def from_the_third_on(change):
    """The first two are what a file is opened by."""
    count = 0

    def changed(answer):
        nonlocal count
        count += 1
        return change(answer) if count > 2 else answer

    return changed


def whole(answer):
    answer.status, answer.headers = 200, {"ETag": answer.headers["ETag"]}
    answer.body = bytes(2_000_000)
    return answer


def compressed(answer):
    answer.headers["Content-Encoding"] = "gzip"
    return answer


def without_place(answer):
    answer.headers.pop("Content-Range", None)
    return answer


def without_size(answer):
    answer.headers["Content-Range"] = answer.headers["Content-Range"].partition("/")[0] + "/*"
    return answer


def page(answer):
    answer.status, answer.headers = 200, {"Content-Type": "text/html; charset=utf-8"}
    answer.body = b"\n<!DOCTYPE html><html><body>Who are you?</body></html>"
    return answer


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (whole, "only the whole file"),
        (compressed, "sends it compressed (Content-Encoding: gzip)"),
        (without_place, 'Content-Range is ""'),
        (without_size, '/*"'),
        (page, "sends a web page (text/html; charset=utf-8) in place of a file"),
    ],
)
def test_files_that_cannot_be_opened_say_why(call, server, change, problem):
    done = call("verify", server(change).url("a1.root"))
    assert done.returncode == 1 and problem in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (whole, "only the whole file"),
        (compressed, "sends it compressed"),
        (without_place, "another part of the file than was asked for"),
        (page, "changed while it was being read"),
    ],
)
def test_what_comes_later_is_looked_at_too(call, server, change, problem):
    done = call("verify", server(from_the_third_on(change)).url("a1.root"))
    assert done.returncode == 1 and problem in done.stdout + done.stderr


@pytest.mark.parametrize("kind", ["seconds", "date"])
def test_servers_say_when_to_ask_again(call, server, kind):
    begin, num_busy = time.time(), 0

    def busy_at_first(answer):
        nonlocal num_busy
        if time.time() < begin + 2:
            num_busy += 1
            answer.status, answer.body = 503, b"busy"
            answer.headers = {"Retry-After": "3" if kind == "seconds" else formatdate(begin + 4, usegmt=True)}
        return answer

    done = call("verify", server(busy_at_first).url("a1.root"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert time.time() > begin + 2
    # For both ends. With the usual pauses there would be five each.
    assert 2 <= num_busy <= 4


def test_servers_that_want_to_be_left_alone_for_long_are_not_waited_for(call, server):
    def busy(answer):
        # libcurl 8.14 makes six hours of more than that.
        answer.status, answer.headers = 429, {"Retry-After": "14400"}
        return answer

    begin = time.monotonic()
    done = call("verify", server(busy).url("a1.root"))
    assert done.returncode == 1 and "asked again after 14400 s" in done.stdout + done.stderr
    assert time.monotonic() - begin < 10


@pytest.mark.parametrize("token", ["one two", "one\r\nX-Other: two", "one\x01", "un jet\u00e9"])
def test_tokens_that_are_none_are_not_sent(call, server, tmp_path, token):
    asked = server(lambda answer: answer)
    (tmp_path / "token").write_bytes(token.encode())
    (tmp_path / "zeros").write_bytes(bytes(100))
    for variables in (
        {"BEARER_TOKEN": token},
        {"BEARER_TOKEN_FILE": str(tmp_path / "token")},
        {"BEARER_TOKEN_FILE": str(tmp_path / "zeros")},
    ):
        environment = os.environ | variables | {"SKIMLINE_SEND_CREDENTIALS_OVER_HTTP": "1"}
        done = call("verify", asked.url("a1.root"), env=environment)
        told = done.stdout + done.stderr
        assert done.returncode == 1 and "is no token: it has blanks or control characters" in told
        assert token not in told
    assert asked.seen == []


@pytest.mark.parametrize("endpoint", ["user:geheim@host", "http:/user:geheim@host", "nowhere"])
def test_endpoints_that_are_no_urls_are_not_shown_with_passwords(call, endpoint):
    done = call("inspect", "s3://bucket/key", env=os.environ | {"AWS_ENDPOINT_URL": endpoint})
    assert done.returncode == 1 and "AWS_ENDPOINT_URL must be a URL" in done.stderr
    assert "geheim" not in done.stderr and ("nowhere" in done.stderr) == (endpoint == "nowhere")


@pytest.mark.parametrize(
    "variable",
    ["SKIMLINE_REMOTE_PATIENCE", "SKIMLINE_REMOTE_STALL", "SKIMLINE_CACHE_SIZE", "SKIMLINE_CACHE_TRUST"],
)
def test_variables_that_are_no_numbers_are_errors(call, server, variable):
    url = server(lambda answer: answer).url("a1.root")
    for text in ("30 s", "abc", "-1", "nan", "inf", "1e999"):
        done = call("inspect", url, env=os.environ | {variable: text})
        assert done.returncode == 2 and f'{variable} is "{text}"' in done.stderr
    for text in ("", "2", "0.5", "1e1"):
        assert call("inspect", url, env=os.environ | {variable: text}).returncode == 0


def test_what_is_waited_for_in_vain_is_waited_for_once(job, server):
    def busy(answer):
        answer.status, answer.body = 503, b"busy"
        return answer

    asked = server(busy)
    files = [asked.url("a1.root"), asked.url("a2.root")]
    environment = os.environ | {"SKIMLINE_REMOTE_PATIENCE": "1"}
    done = job(CONFIG | {"samples": {"a": {"files": files}}}, env=environment)
    assert done.returncode == 1 and "503" in done.stderr
    # Pauses of 0.1, 0.2 and 0.4 s, that is four times for each end of each file; whichever is given up first
    # ends the other.
    assert len(asked.seen) <= 16


@pytest.mark.parametrize("first", [0, 1])
def test_a_server_may_lead_to_another_copy_each_time(served, call, tmp_path, first):
    """Whose times, and so ETags, are not the same: all of a file is read from one."""
    for number in (0, 1):
        copy = tmp_path / f"copy{number}" / "x.root"
        copy.parent.mkdir()
        copy.write_bytes((served / "a1.root").read_bytes())
        os.utime(copy, (number, number))
    led = 0

    def lead(request, answer):
        nonlocal led
        if request[1] != "/x.root":
            return answer
        led += 1
        return Answer(302, {"Location": server.url(f"copy{(first + led) % 2}/x.root")}, b"")

    server = ScriptedServer(tmp_path, lead)
    try:
        environment = os.environ | {"SKIMLINE_METADATA_CACHE": "off"}
        done = call("verify", server.url("x.root"), env=environment)
        assert done.returncode == 0, done.stdout
        assert done.stdout == call("verify", served / "a1.root").stdout.replace(
            str(served / "a1.root"), server.url("x.root")
        )
        read_from = {request[1] for request in server.seen[-2:]}  # the end once more, and what is between
        assert len(read_from) == 1 and led == 2
    finally:
        server.stop()

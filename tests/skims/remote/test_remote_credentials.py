# SPDX-License-Identifier: BSD-3-Clause
"""Who one is for servers of files: tokens go only where they belong, certificates are checked, secrets appear nowhere."""

import json
import os
import shutil
import tempfile
import time
from pathlib import Path

from remote_runs import config_of
from remote_servers import (
    HOST,
    ScriptedServer,
    XrootdServer,
)

TOKEN = "right-token-4711"


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

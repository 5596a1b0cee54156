# SPDX-License-Identifier: BSD-3-Clause
"""Passwords, signatures and tokens in URLs, which nothing says that the package shows."""

import pytest
import skimline as sk
from remote_servers import ScriptedServer

SECRETS = ("geheim-1", "geheim-2")


@pytest.fixture
def url(dimuon, monkeypatch, tmp_path):
    """That of a file without a record."""
    monkeypatch.setenv("SKIMLINE_SEND_CREDENTIALS_OVER_HTTP", "1")
    monkeypatch.setenv("SKIMLINE_METADATA_CACHE", "off")
    monkeypatch.setenv("SKIMLINE_REMOTE_PATIENCE", "0.1")
    sk.write(tmp_path / "made.root", {"x": [1.0, 2.0]})
    server = ScriptedServer(tmp_path)
    yield f"http://alice:{SECRETS[0]}@127.0.0.1:{server.port}/made.root?authz={SECRETS[1]}"
    server.stop()


USES = {
    "open": lambda url: sk.open(url),
    "a filter": lambda url: sk.open(url).filter("nothing"),
    "inspect": lambda url: sk.inspect(url),
    "verify": lambda url: sk.verify(url),
    "show": lambda url: sk.show(url),
    "read_histograms": lambda url: sk.read_histograms(url),
    "read_histogram": lambda url: sk.read_histogram(url, "h"),
    "merge": lambda url: sk.merge("http://127.0.0.1:1/no.root|" + url, [url]),
    "convert": lambda url: sk.convert(url, "http://127.0.0.1:1/no.root|" + url),
    "generate": lambda url: sk.generate("dimuon", "http://127.0.0.1:1/no.root|" + url, events=1),
    "write": lambda url: sk.write("http://127.0.0.1:1/no.root|" + url, {"x": [1.0]}),
    "write at once": lambda url: sk.write(url, {"x": [1.0]}),
    "a run": lambda url: sk.run(sk.open(url).hist("x", bins=2, range=(0, 1)), histograms="a|" + url),
    "a config": lambda url: sk.run_config("http://127.0.0.1:1/no.json|" + url),
    "a store": lambda url: sk.run(sk.open(url).hist("x", bins=2, range=(0, 1)), store=url),
    "plots": lambda url: sk.plot(url),
    "a difference": lambda url: sk.diff(url, url + "x") if hasattr(sk, "diff") else None,
    "a skim": lambda url: sk.open(url).skim(url),
    "a list of lists": lambda url: sk.open([[url]]),
    "what is no number": lambda url: sk.open(url).hist("x", bins=url, range=(0, 1)),
    "another scheme": lambda url: sk.open(url.replace("http", "htp")),
}


@pytest.mark.parametrize("use", USES)
def test_passwords_are_not_told(url, monkeypatch, tmp_path, use):
    monkeypatch.chdir(tmp_path)
    try:
        result = USES[use](url)
        told = [repr(result), str(result)]
    except (sk.Error, TypeError, ValueError) as error:
        told = [repr(error), str(error), repr(vars(error))]
    assert not [text for text in told for secret in SECRETS if secret in text], told

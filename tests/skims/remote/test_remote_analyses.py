# SPDX-License-Identifier: BSD-3-Clause
"""All analyses that come with the project, over every kind of server: the same bytes as from disk."""

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from project_analyses import ANALYSES, CONFIGS, SAMPLES, objects_of
from remote_servers import Nginx, S3Server, XrootdServer


@pytest.fixture(scope="module")
def data(call, generate, tmp_path_factory):
    """A few events for each analysis."""
    folder = tmp_path_factory.mktemp("data")
    generate("adl", folder / "adl.root", 3000, "--seed", 3)
    generate("dimuon", folder / "dimuon.root", 5000, "--seed", 4)
    assert call("generate", "agc", "--events", 200, "-o", folder / "agc").returncode == 0
    return folder


@pytest.fixture(scope="module")
def servers(data, tmp_path_factory):
    """By kind, a function from names to URLs, and what has to be in the environment."""
    nginx = Nginx(data, tmp_path_factory.mktemp("nginx")).start()
    s3 = S3Server(tmp_path_factory.mktemp("s3")).start()
    for path in data.rglob("*.root"):
        s3.put("data", str(path.relative_to(data)), path)
    with tempfile.TemporaryDirectory(prefix="skimline-xrootd-") as folder:
        # It runs as nobody, whom pytest keeps out of its folders.
        shutil.copytree(data, Path(folder) / "data")
        xrootd = XrootdServer(Path(folder) / "data", Path(folder) / "work").start()
        yield {
            "http": (nginx.url, {}),
            "s3": (lambda name: f"s3://data/{name}", s3.environment()),
            "root": (xrootd.url, {}),
        }
        for server in (nginx, s3, xrootd):
            server.stop()


def run(call, folder, analysis, place, environment):
    """Runs an analysis in a copy of all configs, with its data where `place` says."""
    shutil.copytree(CONFIGS, folder / "configs")
    (folder / "out" / "agc").mkdir(parents=True)
    kind = analysis.partition("/")[0]
    inputs = []
    if kind in SAMPLES:
        inputs = ["--input", f"{SAMPLES[kind]}={place(SAMPLES[kind] + '.root')}"]
    else:
        listed = json.loads(Path(place(None) / "agc" / "nanoaod_inputs.json").read_text())
        for process in listed.values():
            for variation in process.values():
                for each in variation["files"]:
                    each["path"] = place(f"agc/{each['path']}")
        (folder / "out" / "agc" / "nanoaod_inputs.json").write_text(json.dumps(listed))
    done = call("run", folder / "configs" / analysis, "-j", 2, *inputs, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.mark.parametrize("analysis", ANALYSES)
def test_analyses_give_the_same_bytes_from_everywhere(call, data, servers, tmp_path, analysis):
    def on_disk(name):
        return str(data / name) if name else data

    (tmp_path / "disk").mkdir()
    expected = run(call, tmp_path / "disk", analysis, on_disk, {})
    written = sorted(path.relative_to(expected) for path in expected.rglob("*.root"))
    assert written
    for kind, (url, environment) in servers.items():
        (tmp_path / kind).mkdir()

        def there(name, url=url):
            return url(name) if name else data

        found = run(call, tmp_path / kind, analysis, there, environment)
        for name in written:
            assert objects_of(found / name) == objects_of(expected / name), (kind, name)

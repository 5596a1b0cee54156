# SPDX-License-Identifier: BSD-3-Clause
"""The package with the plug-in for XRootD, and without it, as wheels are."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
import skimline as sk
import uproot
from remote_servers import XrootdServer

CODE = """
import skimline as sk
for use in (sk.inspect, sk.open, lambda url: sk.write(url, {"x": [1.0]})):
    try:
        use("root://host//file.root")
    except sk.FileError as error:
        print(error)
"""


def test_without_the_plug_in_it_says_what_to_install(build_folder, tmp_path):
    package = build_folder / "python" / "skimline"
    shutil.copytree(package, tmp_path / "skimline", ignore=shutil.ignore_patterns("libskimline_xrootd.so"))
    environment = {key: value for key, value in os.environ.items() if key != "SKIMLINE_XROOTD_PLUGIN"}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env=environment | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert len(told) == 3
    for line in told:
        assert line.startswith("root://host//file.root: ") and "libskimline_xrootd.so is not there" in line
        assert "libxrdcl3" in line and "xrootd for conda" in line


@pytest.fixture
def folder():
    """One that the server, which runs as nobody, may enter."""
    with tempfile.TemporaryDirectory(prefix="skimline-xrootd-") as made:
        (Path(made) / "data").mkdir()
        yield Path(made) / "data"


@pytest.mark.parametrize("change", ["overwritten", "replaced"])
def test_a_file_that_is_overwritten_is_not_read_on(folder, monkeypatch, change):
    """TTrees without checksums: only their time shows it. Who opened a file keeps it if its name goes to another."""
    monkeypatch.setenv("SKIMLINE_METADATA_CACHE", "off")
    events, each = 2_000_000, 100_000
    columns = {}
    for seed, name in enumerate(("before", "behind")):
        columns[name] = np.random.default_rng(seed).normal(size=events).astype("f4")
        with uproot.recreate(folder / f"{name}.root", compression=None) as file:
            tree = file.mktree("Events", {"x": "float32"})
            for begin in range(0, events, each):
                tree.extend({"x": columns[name][begin : begin + each]})
    read, behind = folder / "read.root", (folder / "behind.root").read_bytes()
    shutil.copy(folder / "before.root", read)
    os.utime(read, (1_700_000_000, 1_700_000_000))
    assert read.stat().st_size == len(behind)
    server = XrootdServer(folder, folder.parent / "work").start()
    try:
        parts = sk.open(server.url("read.root")).iterate(["x"], step=each, library="np")
        got = [next(parts)["x"].copy()]
        if change == "overwritten":
            with read.open("r+b") as file:
                file.write(behind)
            with pytest.raises(sk.FileError, match="changed while it was being read"):
                got += [part["x"] for part in parts]
        else:
            (folder / "behind.root").replace(read)
            got += [part["x"].copy() for part in parts]
            assert np.array_equal(np.concatenate(got), columns["before"])
    finally:
        server.stop()

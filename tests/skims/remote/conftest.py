# SPDX-License-Identifier: BSD-3-Clause
"""Servers that can be written to, each for one file of tests."""

import tempfile
from pathlib import Path

import pytest
from remote_servers import S3Server, XrootdServer


@pytest.fixture(scope="module")
def s3(tmp_path_factory):
    server = S3Server(tmp_path_factory.mktemp("s3")).start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def xrootd():
    with tempfile.TemporaryDirectory(prefix="skimline-xrootd-") as folder:
        data = Path(folder) / "data"
        data.mkdir()
        server = XrootdServer(data, Path(folder) / "work", checksums=True).start()
        data.chmod(0o777)
        yield server
        server.stop()

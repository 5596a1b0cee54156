# SPDX-License-Identifier: BSD-3-Clause
"""Outputs to stores that speak S3."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from remote_servers import S3Server


@pytest.fixture(scope="module")
def s3(tmp_path_factory):
    server = S3Server(tmp_path_factory.mktemp("s3")).start()
    yield server
    server.stop()


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

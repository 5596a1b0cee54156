# SPDX-License-Identifier: BSD-3-Clause
"""What runs tell of inputs behind URLs, and what becomes of those that cannot be reached."""

import json
import os
import re
from email.utils import parsedate_to_datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from remote_servers import HOST, Nginx, ScriptedServer, free_port

CONFIG = {
    "schema_version": 1,
    "histograms": {"mass": {"x": {"value": "Sum(Muon_pt)", "bins": 20, "range": [0, 200]}}},
    "output": {"histograms": "h.root"},
}


def config_of(*files, **more):
    return CONFIG | {"samples": {"a": {"files": list(files)}}} | more


@pytest.fixture(scope="module")
def served(generate, tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    for number in (1, 2, 3):
        generate("dimuon", folder / f"a{number}.root", 10000 * number, "--seed", number)
    return folder


@pytest.fixture(scope="module")
def nginx(served, tmp_path_factory):
    server = Nginx(served, tmp_path_factory.mktemp("nginx")).start()
    yield server
    server.stop()


# Records


def test_records_and_reports_tell_the_state_of_remote_files(call, job, nginx, served, tmp_path):
    done = job(config_of(nginx.url("a1.root"), str(served / "a2.root")))
    assert done.returncode == 0, done.stderr
    record = json.loads(call("show", "--json", tmp_path / "h.root").stdout)
    text = json.dumps(record)
    assert text.count('"version": "\\"') == 1
    (told,) = json.loads((tmp_path / "a.report.json").read_text())["remote_inputs"]
    status = (served / "a1.root").stat()
    # As nginx makes it.
    etag = f'"{int(status.st_mtime):x}-{status.st_size:x}"'
    assert told == {"sample": "a", "file": nginx.url("a1.root"), "version": etag, "bytes": status.st_size}


def test_without_etag_the_time_is_told(job, served, tmp_path):
    def without(_, answer):
        answer.headers.pop("ETag", None)
        answer.headers["Last-Modified"] = "Tue, 04 Mar 2025 10:00:00 GMT"
        return answer

    server = ScriptedServer(served, without)
    assert job(config_of(server.url("a1.root"))).returncode == 0
    server.stop()
    (told,) = json.loads((tmp_path / "a.report.json").read_text())["remote_inputs"]
    assert parsedate_to_datetime(told["version"]).year == 2025


def test_merged_records_keep_the_state(call, job, nginx, tmp_path):
    parts = []
    for number in (1, 2):
        assert job(config_of(nginx.url(f"a{number}.root")), "-f").returncode == 0
        parts.append((tmp_path / "h.root").rename(tmp_path / f"part{number}.root"))
    texts = []
    for order in (parts, parts[::-1]):
        assert call("merge", "-f", tmp_path / "all.root", *order).returncode == 0
        texts.append(call("show", "--json", tmp_path / "all.root").stdout)
    assert json.dumps(json.loads(texts[0])).count('"version": "\\"') == 2
    assert texts[0] == texts[1]


def test_progress_counts_the_bytes_of_remote_files(call, job, nginx, served):
    done = job(config_of(nginx.url("a1.root"), nginx.url("a2.root")), "--progress", "json")
    last = json.loads(done.stderr.splitlines()[-1])
    sizes = sum((served / name).stat().st_size for name in ("a1.root", "a2.root"))
    assert last["all_bytes"] == last["bytes"] == sizes and last["done"]


def test_inspection_opens_a_file_once(call, nginx):
    nginx.requests()
    assert call("inspect", nginx.url("a3.root")).returncode == 0
    sent = nginx.requests()
    assert len([line for line in sent if '"bytes=0-' in line]) == 1, sent


# Files whose names look like secrets


class NamedByParameter(ScriptedServer):
    """Gives the file that `fileKey` names."""

    def right_answer(self, handler):
        handler.path = "/" + parse_qs(urlsplit(handler.path).query)["fileKey"][0]
        return super().right_answer(handler)

    def file(self, name):
        return self.url(f"get?fileKey={name}")


@pytest.fixture
def by_parameter(served):
    server = NamedByParameter(served)
    yield server
    server.stop()


def test_files_are_told_apart_by_what_is_hidden(job, by_parameter, served, tmp_path):
    first, second = (by_parameter.file(f"a{number}.root") for number in (1, 2))
    (tmp_path / "list").write_text(second + "\n")
    for files in ((first, second), (first, "@list")):
        done = job(config_of(*files), "-f")
        assert done.returncode == 0, done.stderr
        inputs = json.loads((tmp_path / "a.report.json").read_text())["remote_inputs"]
        assert [each["bytes"] for each in inputs] == [
            (served / f"a{number}.root").stat().st_size for number in (1, 2)
        ]
        assert [each["file"].rpartition("=")[2] for each in inputs] == ["***", "***2"]
        (sample,) = json.loads((tmp_path / "a.report.json").read_text())["samples"]
        assert sample["events"] == 30000


def test_a_state_is_not_trusted_where_a_secret_may_name_the_file(call, by_parameter, served, tmp_path):
    environment = os.environ | {"SKIMLINE_CACHE": str(tmp_path / "cache"), "SKIMLINE_CACHE_TRUST": "3600"}
    for name in ("a1.root", "a2.root"):
        told = call("inspect", by_parameter.file(name), env=environment).stdout
        assert told.splitlines()[1:] == call("inspect", served / name).stdout.splitlines()[1:]


# Files that cannot be reached


def gone(nginx):
    return f"http://{HOST}:{free_port()}/a2.root"


def missing(nginx):
    return nginx.url("nothing.root")


SKIP = {"on_bad_file": "skip", "max_bad_fraction": 0.5}
QUICK = {"SKIMLINE_REMOTE_PATIENCE": "1"}


@pytest.mark.parametrize("lost", [gone, missing])
def test_files_out_of_reach_may_be_left_out(call, job, nginx, served, tmp_path, lost):
    url = lost(nginx)
    environment = os.environ | QUICK
    done = job(config_of(nginx.url("a1.root"), url), env=environment)
    assert done.returncode == 1 and url in done.stderr and not (tmp_path / "h.root").exists()
    done = job(config_of(nginx.url("a1.root"), url, **SKIP), env=environment)
    assert done.returncode == 3, done.stderr
    assert url in done.stdout + done.stderr
    (sample,) = json.loads((tmp_path / "a.report.json").read_text())["samples"]
    assert [each["file"] for each in sample["skipped"]] == [url] and sample["files"] == 1
    record = call("show", "--json", tmp_path / "h.root").stdout
    assert url in json.dumps(json.loads(record))
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "b.json").write_text(json.dumps(config_of(str(served / "a1.root"))))
    assert call("run", "b.json", cwd=alone).returncode == 0
    assert sums_of(alone / "h.root") == sums_of(tmp_path / "h.root")
    # Not more of them than may be.
    done = job(config_of(nginx.url("a1.root"), url, on_bad_file="skip"), "-f", env=environment)
    assert done.returncode == 1 and "max_bad_fraction" in done.stderr


def sums_of(path):
    import uproot

    with uproot.open(path) as file:
        (name,) = [key for key in file.keys() if key.split(";")[0].endswith("mass")]
        return file[name].values().tolist()


def test_a_server_that_goes_away_in_mid_run_costs_its_files_only(call, job, nginx, served, tmp_path):
    """Opened, and then gone: what was read of the file counts for nothing."""
    count = 0

    def dies(_, answer):
        nonlocal count
        count += 1
        return answer if count <= 2 else None

    server = ScriptedServer(served, dies)
    url = server.url("a3.root")
    done = job(config_of(nginx.url("a1.root"), url, **SKIP), env=os.environ | QUICK)
    server.stop()
    assert done.returncode == 3, done.stdout + done.stderr
    (sample,) = json.loads((tmp_path / "a.report.json").read_text())["samples"]
    assert [each["file"] for each in sample["skipped"]] == [url]
    assert sample["events"] == 10000


def test_copies_that_are_all_gone_are_one_file(job, nginx, tmp_path):
    copies = [missing(nginx), nginx.url("nothing either.root")]
    done = job(config_of(nginx.url("a1.root"), copies, **SKIP), env=os.environ | QUICK)
    assert done.returncode == 3, done.stderr
    (sample,) = json.loads((tmp_path / "a.report.json").read_text())["samples"]
    assert len(sample["skipped"]) == 1 and "none of its 2 copies" in sample["skipped"][0]["problem"]


def test_mistakes_end_the_run_nevertheless(job, nginx, served, tmp_path):
    server = ScriptedServer(served, lambda _, answer: setattr(answer, "status", 403) or answer)
    done = job(config_of(nginx.url("a1.root"), server.url("a2.root"), **SKIP))
    server.stop()
    assert done.returncode == 1 and re.search("permission denied", done.stderr)
    done = job(config_of(nginx.url("a1.root"), nginx.url("a2.root") + ":Nothing", **SKIP))
    assert done.returncode == 1 and "contains no" in done.stderr
    done = job(config_of(nginx.url("a1.root"), str(tmp_path / "nothing.root"), **SKIP))
    assert done.returncode == 2

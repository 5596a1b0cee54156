# SPDX-License-Identifier: BSD-3-Clause
"""What `doctor` and `--version --verbose` say about the machine, its environment and the build."""

import json
import os
import re
import subprocess

import pytest
from exit_codes import DONE, FAILED, WRONG_USAGE


@pytest.fixture
def doctor(call, tmp_path):
    """Calls `skimline doctor --json` with nothing in the environment but what is given; the findings by subject."""

    def run(**variables):
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **variables}
        done = call("doctor", "--json", env=environment)
        findings = json.loads(done.stdout)
        assert done.returncode == (FAILED if any(f["state"] == "broken" for f in findings) else DONE)
        return findings

    return run


def of(findings, subject):
    found = [finding for finding in findings if finding["subject"] == subject]
    assert len(found) == 1, found
    return found[0]


def test_all_subjects_are_there_as_text_and_as_json(call, doctor):
    subjects = [finding["subject"] for finding in doctor()]
    text = call("doctor").stdout
    for subject in subjects:
        assert re.search(rf"^  {re.escape(subject)} ", text, re.MULTILINE), subject
    assert {"threads", "memory", "limits", "http, S3", "XRootD", "certificates", "cache"} < set(subjects)


def test_memory_is_that_of_the_machine(doctor):
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    value, unit = of(doctor(), "memory")["text"].split(";")[0].split()
    assert float(value) * {"MB": 1e6, "GB": 1e9, "TB": 1e12}[unit] == pytest.approx(pages, rel=0.01)


def test_threads_are_those_of_the_cores_that_the_process_may_use(skimline):
    core = next(iter(os.sched_getaffinity(0)))
    done = subprocess.run(
        [skimline, "doctor"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )
    assert re.search(r"threads +ok +1 thread for runs", done.stdout), done.stdout


def test_limits_of_the_user_are_named(skimline, unsanitized):
    done = subprocess.run(
        ["bash", "-c", f"ulimit -n 321 -v 7000000 && exec {skimline} doctor"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "321 open files" in done.stdout
    assert "7.17 GB of address space" in done.stdout


VECTOR_CODE = {"sse2": "SSE2", "avx2": "AVX2", "avx512": "AVX-512"}


@pytest.mark.parametrize("most", VECTOR_CODE)
def test_vector_code_is_no_more_than_the_environment_allows(doctor, unsanitized, most):
    (found,) = re.findall(r"vector code for ([\w-]+)", of(doctor(), "processor")["text"])
    (used,) = re.findall(
        r"vector code for ([\w-]+)", of(doctor(SKIMLINE_INSTRUCTIONS=most), "processor")["text"]
    )
    assert used == min(found, VECTOR_CODE[most], key=list(VECTOR_CODE.values()).index)


def test_unknown_instructions_are_told(doctor):
    found = of(doctor(SKIMLINE_INSTRUCTIONS="avx"), "processor")
    assert found["state"] == "broken"
    assert '"avx", which is none of "sse2", "avx2" and "avx512"' in found["advice"]
    assert found["text"] == of(doctor(), "processor")["text"]


def test_the_cache_is_where_the_environment_says(doctor, tmp_path):
    assert of(doctor(), "cache")["text"] == str(tmp_path / ".cache/skimline")
    assert of(doctor(SKIMLINE_CACHE=str(tmp_path / "kept")), "cache")["text"] == str(tmp_path / "kept")
    assert of(doctor(XDG_CACHE_HOME=str(tmp_path / "xdg")), "cache")["text"] == str(tmp_path / "xdg/skimline")


def test_credentials_are_named_and_their_values_never_shown(call, doctor, tmp_path):
    secret = "s3cr3tV4lue"
    (tmp_path / "token").write_text(secret)
    (tmp_path / "proxy").write_text(secret)
    environment = {
        "BEARER_TOKEN_FILE": str(tmp_path / "token"),
        "X509_USER_PROXY": str(tmp_path / "proxy"),
        "AWS_ACCESS_KEY_ID": secret,
        "AWS_SECRET_ACCESS_KEY": secret,
    }
    findings = doctor(**environment)
    told = [finding["text"] for finding in findings if finding["subject"] == "credentials"]
    assert told == [
        f"bearer token (BEARER_TOKEN_FILE, {tmp_path / 'token'})",
        f"X.509 proxy (X509_USER_PROXY, {tmp_path / 'proxy'})",
        "keys of S3 (AWS_ACCESS_KEY_ID)",
    ]
    assert secret not in json.dumps(findings)
    assert secret not in call("doctor", env={**os.environ, **environment}).stdout
    assert secret not in json.dumps(doctor(BEARER_TOKEN=secret))


@pytest.mark.parametrize(
    "variable, advice",
    [
        ("BEARER_TOKEN_FILE", '"{}" cannot be read'),
        ("X509_USER_PROXY", '"{}" cannot be read'),
        ("AWS_PROFILE", 'the profile "{}", which AWS_PROFILE names, is in no file of AWS'),
    ],
)
@pytest.mark.parametrize("name", ["absent", "."], ids=["absent", "folder"])
def test_what_is_named_and_no_file_is_broken(doctor, tmp_path, variable, advice, name):
    path = str(tmp_path / name)
    broken = [finding for finding in doctor(**{variable: path}) if finding["state"] == "broken"]
    assert [finding["subject"] for finding in broken] == ["credentials"]
    assert advice.format(path) in broken[0]["advice"]


@pytest.mark.parametrize("name", ["absent", "."], ids=["absent", "folder"])
def test_certificates_that_the_environment_names_must_be_a_file(doctor, tmp_path, name):
    assert of(doctor(SSL_CERT_FILE=str(tmp_path / name)), "certificates")["state"] == "broken"


def test_without_the_plug_in_of_xrootd_the_packages_are_named(doctor, tmp_path):
    found = of(doctor(SKIMLINE_XROOTD_PLUGIN=str(tmp_path / "none")), "XRootD")
    assert found["state"] == "absent"
    assert "libxrdcl3" in found["advice"]


def test_the_long_version_names_the_commit_and_the_libraries(call, repository):
    lines = call("--version", "--verbose").stdout.splitlines()
    assert lines[0] == call("--version").stdout.strip()
    facts = dict(line.split(maxsplit=1) for line in lines[1:])
    assert list(facts) == ["commit", "compiler", "system", "libraries"]
    assert re.fullmatch("unknown|[0-9a-f]{40}(-dirty)?", facts["commit"])
    for library in ("zstd", "lz4", "oneTBB", "libdeflate"):
        assert re.search(rf"{library} \d+\.", facts["libraries"]), library
    assert call("--verbose", "--version").stdout.splitlines() == lines


def test_verbose_alone_asks_for_a_version(call):
    assert call("--verbose").returncode == WRONG_USAGE

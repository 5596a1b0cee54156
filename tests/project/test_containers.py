# SPDX-License-Identifier: BSD-3-Clause
"""The files of containers name what is there, and do the same. scripts/try-container runs what they do."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
COPIED = {
    "Dockerfile": r"^COPY (\S+) (\S+)$",
    "skimline.def": r"^    (\S+) (/tmp/\S+)$",
}
BASE = {"Dockerfile": r"^FROM (\S+)$", "skimline.def": r"^From: (\S+)$"}


@pytest.fixture(params=COPIED)
def text(request) -> tuple[str, str]:
    return request.param, (PACKAGING / request.param).read_text()


def test_what_is_copied_is_what_there_is(text):
    name, content = text
    copied = dict(re.findall(COPIED[name], content, re.MULTILINE))
    assert set(copied) == {"dist/skimline_*_amd64.deb", "packaging/install-in-container"}
    assert (ROOT / "packaging/install-in-container").is_file()
    # As build_release.py lets CPack name it.
    assert "DEB-DEFAULT" in (ROOT / "cmake" / "SkimlineInstall.cmake").read_text()


def test_both_install_the_same_on_the_same(text):
    name, content = text
    assert re.search(BASE[name], content, re.MULTILINE)[1] == "debian:12-slim"
    steps = re.findall(r"^(?:RUN|    )\s*(sh .*)$", content, re.MULTILINE)
    assert steps == ["sh /tmp/install-in-container /tmp/skimline.deb"]

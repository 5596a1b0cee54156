# SPDX-License-Identifier: BSD-3-Clause
"""Links of README.md and docs/ lead somewhere, and their code compiles."""

import re
import subprocess

import pytest
from pages import PAGES, ROOT, blocks

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for link in LINK.findall(page.read_text()):
        if link.startswith(("https://", "#")):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path
        assert target.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
            anchors = [
                re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings
            ]
            assert anchor in anchors, link


def test_files_that_the_architecture_names_exist():
    named = re.findall(r"`([\w/]+/\w+\.(?:cc|h))`", (ROOT / "docs" / "architecture.md").read_text())
    assert len(named) > 30
    assert [name for name in named if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("folder", ["docs", "docs/cookbook"])
def test_indexes_lead_to_every_page(folder):
    linked = set(LINK.findall((ROOT / folder / "index.md").read_text()))
    assert {page.name for page in PAGES if page.parent == ROOT / folder} - {"index.md"} <= linked


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```cpp" in page.read_text()], ids=lambda p: p.name
)
def test_code_compiles(page, tmp_path):
    includes = [f"-I{ROOT / folder / 'include'}" for folder in ("framework", "histograms", "io", "skims")]
    for code in blocks(page, "cpp"):
        (tmp_path / "a.cc").write_text(code)
        command = ["g++", "-std=c++20", "-Wall", "-Werror", "-fsyntax-only", *includes, tmp_path / "a.cc"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

# SPDX-License-Identifier: BSD-3-Clause
"""The documentation builds as a site without a warning; every link, anchor and picture in it leads somewhere."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from pages import ROOT
from rendered_pages import CHROMIUM, faults_of_pages

pytest.importorskip("mkdocs")
pytest.importorskip("material")


needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="needs Chromium, which scripts/setup --test installs"
)

# Wide tables, long commands, figures, and the first page.
RENDERED = ("index.html", "command-line.html", "config-reference.html", "gallery.html")


class Page(HTMLParser):
    """The ids of a page, where its links lead, and what a browser fetches to show it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.pictures_without_text = 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag == "link" and "canonical" not in (given.get("rel") or ""):
            self.fetched.append(given.get("href") or "")
        elif given.get("src"):
            self.fetched.append(given["src"])
        self.pictures_without_text += tag == "img" and not given.get("alt")


def build(config: Path, folder: Path) -> subprocess.CompletedProcess:
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--config-file",
        config,
        "--site-dir",
        folder,
    ]
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[Path, Page]:
    """All pages of the site."""
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT / "mkdocs.yml", folder)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    # The page of errors is meant for a server, whose root its links begin with.
    return {path: Page(path) for path in folder.rglob("*.html") if path.name != "404.html"}


def is_elsewhere(link: str) -> bool:
    return link.startswith(("https://", "http://", "mailto:", "javascript:"))


def faults_of(page: Page, pages: dict[Path, Page]) -> list[str]:
    """Links that lead nowhere in the site."""
    faults = []
    for link in [link for link in page.links if not is_elsewhere(link)]:
        path, _, anchor = unquote(link).partition("#")
        target = (page.path.parent / path).resolve() if path else page.path
        target = target / "index.html" if target.is_dir() else target
        if not target.is_file() or (anchor and target in pages and anchor not in pages[target].ids):
            faults.append(f"{page.path.name}: {link}")
    return faults


def test_links_and_anchors_lead_somewhere(pages):
    assert len(pages) > 30
    assert [fault for page in pages.values() for fault in faults_of(page, pages)] == []


def test_a_dead_link_is_found(pages, tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="here">x</h1><a href="#here"></a><a href="#gone"></a><a href="b.html"></a>'
    )
    page = Page(tmp_path / "a.html")
    assert faults_of(page, {page.path: page}) == ["a.html: #gone", "a.html: b.html"]


def test_nothing_is_fetched_from_elsewhere_and_pictures_are_there(pages):
    for page in pages.values():
        for source in page.fetched:
            assert not is_elsewhere(source), source
            if not source.startswith("data:"):
                assert (page.path.parent / unquote(source)).is_file(), source


def test_pictures_have_a_text_for_those_who_do_not_see_them(pages):
    assert [path.name for path, page in pages.items() if page.pictures_without_text] == []


def test_a_link_that_leads_nowhere_stops_the_build(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# x\n\n[y](nowhere.md)\n")
    (tmp_path / "mkdocs.yml").write_text("site_name: x\ndocs_dir: docs\n")
    done = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert done.returncode != 0
    assert "nowhere.md" in done.stderr


def test_the_first_page_begins_with_a_picture(pages):
    first = next(
        page
        for path, page in pages.items()
        if path.name == "index.html" and (path.parent / "search").is_dir()
    )
    assert [source for source in first.fetched if source.startswith("pictures/")] == [
        "pictures/site.css",
        "pictures/4j2b__top_mass.svg",
    ]


@pytest.mark.thorough
@needs_browser
def test_nothing_is_cut_or_overlaps(pages):
    """As a browser lays pages out, on a telephone, on a tablet and on a wide screen; pictures as they are."""
    folder = next(path for path in pages if path.name == "command-line.html").parent
    assert faults_of_pages(folder, list(RENDERED)) == []
    pictures = [
        str(path.relative_to(folder)) for path in sorted(folder.rglob("*.svg")) if "assets" not in path.parts
    ]
    assert len(pictures) > 5
    assert faults_of_pages(folder, pictures, widths=(1200,)) == []


@needs_browser
def test_what_is_cut_or_overlaps_is_found(tmp_path):
    (tmp_path / "wide.html").write_text(
        "<!doctype html><title>x</title><p style='width: 500px'>a paragraph</p>"
    )
    (tmp_path / "cut.html").write_text(
        "<!doctype html><title>x</title><p style='width: 60px; overflow: hidden; white-space: nowrap'>a long paragraph</p>"
    )
    (tmp_path / "scrolls.html").write_text(
        "<!doctype html><title>x</title><div style='overflow: auto'><p style='width: 500px'>a paragraph</p></div>"
    )
    text = '<text x="{x}" y="{y}" font-size="12" {more}>{text}</text>'
    texts = [
        text.format(x=20, y=50, text="first", more=""),
        text.format(x=30, y=54, text="second", more=""),
        text.format(x=20, y=100, text="turned text", more='transform="rotate(45 20 100)"'),
        text.format(x=60, y=100, text="beside it", more=""),
        text.format(x=180, y=20, text="outside", more=""),
    ]
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">'
    (tmp_path / "figure.svg").write_text(head + "".join(texts) + "</svg>")
    pages = ["wide.html", "cut.html", "scrolls.html", "figure.svg"]
    assert faults_of_pages(tmp_path, pages, widths=(300,)) == [
        "wide.html at 300: is 508 wide",
        "wide.html at 300: p 'a paragraph' is cut",
        "cut.html at 300: p 'a long paragraph' is cut",
        "figure.svg at 300: text 'second' overlaps text 'first'",
        "figure.svg at 300: text 'outside' is cut",
    ]
    assert faults_of_pages(tmp_path, ["wide.html"], widths=(800,)) == []

# SPDX-License-Identifier: BSD-3-Clause
"""scripts/ready finds each thing that a version lacks, and nothing where all is there."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2027-02-03\n\n### Added\n\n- All.\n"
SUMS = Path("dist/SHA256SUMS")


def git(root: Path, *words: str) -> str:
    settings = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    command = ["git", "-C", root, *settings, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def add_sums(root: Path) -> None:
    files = [path for path in sorted((root / "dist").iterdir()) if path.name != "SHA256SUMS"]
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (root / SUMS).write_text("".join(lines))


@pytest.fixture
def tree(tmp_path) -> Path:
    """A source tree of which 1.0.0 is ready."""
    root = tmp_path / "tree"
    texts = {
        "CMakeLists.txt": "project(Skimline VERSION 1.0.0)\n",
        "CITATION.cff": "title: a\nversion: 1.0.0\n",
        "CHANGELOG.md": CHANGELOG,
        "tests/compatibility/0.9.0.tar.xz": "",
        "configs/schema/skimline-1.schema.json": "{}",
        ".gitignore": "/dist/\n",
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "all")
    git(root, "tag", "v0.9.0")
    (root / "dist").mkdir()
    wheels = [f"skimline-1.0.0-cp3{minor}-cp3{minor}-a.whl" for minor in range(9, 15)]
    for name in ("skimline-1.0.0-linux-x86_64.tar.gz", "skimline_1.0.0_amd64.deb", *wheels):
        (root / "dist" / name).write_text(name)
    commit = git(root, "rev-parse", "HEAD").strip()
    document = {"documentNamespace": f"https://spdx.org/spdxdocs/skimline-1.0.0-{commit}"}
    (root / "dist" / "skimline-1.0.0.spdx.json").write_text(json.dumps(document))
    add_sums(root)
    return root


def ready(root: Path, *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, ROOT / "scripts" / "ready", *arguments, "--root", root]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_version_that_has_all_is_ready(tree):
    for arguments in ((), ("1.0.0",)):
        done = ready(tree, *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.endswith("1.0.0 is ready\n")
        assert "missing" not in done.stdout


def write(name: str, text: str):
    return lambda root: (root / name).write_text(text)


def add_commit(root: Path) -> None:
    git(root, "commit", "--quiet", "--allow-empty", "-m", "more")


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (write("new.txt", ""), "1 files have changes that are not committed, new.txt first"),
        (write("CMakeLists.txt", "project(Skimline VERSION 0.9.0)"), "CMakeLists.txt names 0.9.0"),
        (write("CITATION.cff", ""), "CITATION.cff names nothing"),
        (write("CHANGELOG.md", "## [Unreleased]\n"), "there is no section [1.0.0] with a date"),
        (write("CHANGELOG.md", CHANGELOG + "## [0.9.0] - soon\n"), 'the section "[0.9.0] - soon" is neither'),
        (write("CHANGELOG.md", CHANGELOG + "### Speed\n"), '"Speed" is none of Added, Changed'),
        (lambda root: git(root, "tag", "v0.9.1"), "tests/compatibility/0.9.1.tar.xz is not there"),
        (lambda root: git(root, "tag", "--delete", "v0.9.0"), "no version before it was tagged"),
        (write("dist/skimline_1.0.0_amd64.deb", "x"), "dist/skimline_1.0.0_amd64.deb is not what SHA256SUMS"),
        (lambda root: (root / SUMS).unlink(), "dist/SHA256SUMS is not there"),
        (lambda root: next((root / "dist").glob("*cp310*")).unlink(), "dist/skimline-1.0.0-cp310-*.whl is not"),
        (add_commit, "dist/skimline-1.0.0.spdx.json is of another commit"),
    ],
)  # fmt: skip
def test_what_is_missing_is_told(tree, damage, told):
    damage(tree)
    done = ready(tree, "1.0.0")
    assert done.returncode == 1
    assert told in done.stdout


def test_the_changelog_of_the_project_has_its_form():
    done = ready(ROOT)
    assert done.returncode in (0, 1)
    section = done.stdout.split("\nchangelog")[1].split("\ncompatibility")[0]
    assert "is neither" not in section
    assert "is none of" not in section


def test_a_wrong_version_is_refused(tree):
    done = ready(tree, "one")
    assert done.returncode == 2
    assert '"one" is no version, such as 1.0.0' in done.stderr

# SPDX-License-Identifier: BSD-3-Clause
"""A stranger's CMake project builds against the installed package, also after the package has moved."""

import re
import subprocess
from pathlib import Path

import pytest

FOLDERS = ("framework", "histograms", "io", "skims")
PROJECT = Path(__file__).with_name("project")


def run(*command, folder: Path | None = None) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def block_of(page: Path, language: str) -> str:
    """The first example of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)[0]


@pytest.fixture(scope="module")
def prefix(build_folder, tmp_path_factory) -> Path:
    """An installation that no longer lies where it was installed."""
    folder = tmp_path_factory.mktemp("install")
    run("cmake", "--install", build_folder, "--prefix", folder / "first")
    (folder / "first").rename(folder / "moved")
    return folder / "moved"


@pytest.fixture(scope="module")
def built(prefix, repository, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("stranger")
    example, analysis = folder / "example.cc", folder / "analysis.cc"
    example.write_text(block_of(repository / "docs" / "parallel-writer.md", "cpp"))
    analysis.write_text(block_of(repository / "README.md", "cpp"))
    options = [f"-DCMAKE_PREFIX_PATH={prefix}", f"-DEXAMPLE={example}", f"-DANALYSIS={analysis}"]
    run("cmake", "-S", PROJECT, "-B", folder, "-G", "Ninja", *options)
    run("cmake", "--build", folder)
    return folder


@pytest.mark.parametrize("library", FOLDERS)
def test_each_library_links_by_itself(built, library):
    run(built / f"link_{library}")


def test_version_is_the_programs(built, prefix):
    version = run(built / "print_columns").strip()
    assert version in run(prefix / "bin" / "skimline", "--version")


def test_manual_page_and_completion_are_installed(prefix):
    page = (prefix / "share" / "man" / "man1" / "skimline.1").read_text()
    assert page == run(prefix / "bin" / "skimline", "man")
    places = {
        "bash": "bash-completion/completions/skimline",
        "zsh": "zsh/site-functions/_skimline",
        "fish": "fish/vendor_completions.d/skimline.fish",
    }
    for shell, place in places.items():
        script = (prefix / "share" / place).read_text()
        assert script == run(prefix / "bin" / "skimline", "completion", shell)


def test_installed_libraries_read_a_file(built, shared_data):
    sample = shared_data / "Run2012BC_DoubleMuParked_Muons_1000evts_rntuple_v1-0-0-0.root"
    lines = run(built / "print_columns", sample).splitlines()
    assert "nMuon" in lines
    assert lines[-1] == "1000 entries"


def test_example_of_the_parallel_writer_writes_what_it_says(built, tmp_path):
    uproot = pytest.importorskip("uproot")
    path = tmp_path / "events.root"
    assert run(built / "example", path).strip() == "20000 entries"
    with uproot.open(path) as file:
        events = file["Events"].arrays()
    assert events["event"].to_list() == list(range(20_000))
    numbers = [i % 1000 for i in range(20_000)]
    assert events["Muon", "pt"].to_list() == [[40 + i, 25 + i] for i in numbers]
    assert events["Muon", "hits"].to_list() == [[[1.5, 0.25, 3]] * 2] * 20_000


def test_no_private_header_is_installed(prefix, repository):
    tiers = [repository / folder / "include" for folder in (*FOLDERS, "skims/generate")]
    public = {path.relative_to(tier) for tier in tiers for path in tier.rglob("*.h")}
    installed = {path.relative_to(prefix / "include") for path in (prefix / "include").rglob("*.h")}
    assert installed == public | {Path("skimline/framework/version.h")}


def test_the_analysis_of_the_readme_runs(built, prefix, repository, tmp_path):
    (tmp_path / "analysis.json").write_text(block_of(repository / "README.md", "json"))
    run(prefix / "bin" / "skimline", "generate", "dimuon", "--events", "1000", "-o", tmp_path / "dimuon.root")
    assert "opposite charge" in run(built / "analysis", folder=tmp_path)
    assert (tmp_path / "skim.root").is_file()


def test_installed_headers_need_no_others(prefix, tmp_path):
    include = prefix / "include"
    names = sorted(path.relative_to(include).as_posix() for path in include.rglob("*.h"))
    (tmp_path / "all.cc").write_text("".join(f'#include "{name}"\n' for name in names))
    run(
        "g++",
        "-std=c++20",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fsyntax-only",
        f"-I{include}",
        tmp_path / "all.cc",
    )


def test_package_names_no_path_of_this_machine(prefix, repository, build_folder):
    scripts = list(prefix.rglob("*.cmake"))
    assert "SkimlineConfig.cmake" in {script.name for script in scripts}
    for script in scripts:
        text = script.read_text()
        assert str(repository) not in text, script
        assert str(build_folder) not in text, script

# SPDX-License-Identifier: BSD-3-Clause
"""The recipe for conda says what the project says elsewhere: versions, what is built with what, and commands that there are."""

import re
import subprocess
from pathlib import Path

import pytest
import tomllib
import yaml

ROOT = Path(__file__).resolve().parents[2]
# What conda-forge calls what CMake looks for.
NAMES = {
    "TBB": "tbb-devel",
    "CLI11": "cli11",
    "ZLIB": "zlib",
    "LibLZMA": "liblzma-devel",
    "lz4": "lz4-c",
    "deflate": "libdeflate",
    "curl": "libcurl",
    "XRootD": "xrootd",
}
OF_THE_COMPILER = {"Threads", "PkgConfig"}


@pytest.fixture(scope="module")
def recipe() -> dict:
    text = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text()
    context = yaml.safe_load(text)["context"]
    for name, value in context.items():
        text = text.replace("${{ " + name + " }}", str(value))
    return yaml.safe_load(text)


def bare(requirements: list[str]) -> dict[str, str]:
    """Names with what is demanded of their versions."""
    return {each.split()[0]: " ".join(each.split()[1:]) for each in requirements}


def test_versions_are_those_of_the_project(recipe):
    version = re.search(r"project\(Skimline VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert recipe["package"] == {"name": "skimline", "version": version}
    fixed = (ROOT / "scripts" / "correctionlib-requirements.txt").read_text()
    correctionlib, digest = re.search(
        r"^correctionlib==(\S+) --hash=sha256:(\S+)$", fixed, re.MULTILINE
    ).groups()
    (source,) = [each for each in recipe["source"] if "url" in each]
    assert source["sha256"] == digest and source["url"].endswith(f"/correctionlib-{correctionlib}.tar.gz")


def test_all_that_is_built_with_is_there(recipe):
    text = (ROOT / "cmake" / "SkimlineDependencies.cmake").read_text()
    wanted = {"XRootD", *re.findall(r"(?:find_package|pkg_check_modules)\((\w+)", text)}
    missing = {NAMES.get(name, name) for name in wanted - OF_THE_COMPILER} - set(
        bare(recipe["requirements"]["host"])
    )
    assert not missing


def test_python_demands_the_same(recipe):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    host, run = bare(recipe["requirements"]["host"]), bare(recipe["requirements"]["run"])
    for text in project["build-system"]["requires"]:
        name, version = re.fullmatch(r"([\w-]+)(.*)", text).groups()
        assert host[name] == version
    for text in project["project"]["dependencies"]:
        name, version = re.fullmatch(r"([\w-]+)(.*)", text).groups()
        assert run[name] == version
    for setting in re.findall(r"cmake\.define\.(\w+)=", recipe["build"]["script"][0]):
        assert setting in (ROOT / "cmake" / "SkimlineCorrectionlib.cmake").read_text()


def test_its_tests_pass(recipe, skimline, tmp_path):
    (script,) = [each["script"] for each in recipe["tests"] if "script" in each]
    for line in script:
        program, *arguments = line.split()
        assert program == "skimline"
        done = subprocess.run(
            [skimline, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (line, done.stderr)

# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/release makes: it runs where nothing is installed, says what is inside, and has the same bytes each time."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

# What every Linux with glibc has.
SYSTEM = re.compile(r"(libc|libm|libgcc_s|libstdc\+\+|libz|ld-linux.*)\.so\.\d")


def succeed(*command, **options) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def make(repository: Path, folder: Path) -> Path:
    script = repository / "scripts" / "build_release.py"
    succeed(sys.executable, script, "--trial", "--only", "tarball", "deb", "--output", folder)
    return folder


@pytest.fixture(scope="module")
def release(repository, tmp_path_factory) -> Path:
    return make(repository, tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="module")
def unpacked(release, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    (tarball,) = release.glob("*.tar.gz")
    succeed("tar", "xzf", tarball, "-C", folder)
    (root,) = folder.iterdir()
    return root


def libraries_of(file: Path) -> dict[str, Path]:
    found = re.findall(r"^\s*(?:(\S+) => )?(/\S+) \(0x", succeed("ldd", file), re.MULTILINE)
    return {name or Path(path).name: Path(path).resolve() for name, path in found}


def test_libraries_are_its_own_or_of_every_system(unpacked):
    for file in [unpacked / "libexec" / "skimline", *unpacked.glob("lib/*.so*")]:
        foreign = {
            name for name, path in libraries_of(file).items() if not path.is_relative_to(unpacked.resolve())
        }
        assert not {name for name in foreign if not SYSTEM.match(name)}, file


# The loader finds the folder of a program by /proc.
ENTER = 'mkdir -p "$0/proc" && mount --rbind /proc "$0/proc" && exec chroot "$0" "$@"'


def entering(root: Path) -> list:
    command = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    done = subprocess.run(
        [*command, "mount", "--rbind", "/proc", "/proc"], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"needs root or user namespaces: {done.stderr.strip()}")
    return [*command, "sh", "-c", ENTER, root]


def put(path: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(path.read_bytes())
    place.chmod(0o755)


def put_program(path: Path, root: Path) -> None:
    """With the libraries that it needs."""
    put(path, root / "bin" / path.name)
    for name, library in libraries_of(path).items():
        put(library, root / ("lib64" if name.startswith("ld-") else "lib/x86_64-linux-gnu") / name)


def analyse(command: list, root: Path) -> None:
    program = "/skimline/bin/skimline"
    succeed(*command, program, "generate", "dimuon", "--events", "1000", "-o", "/dimuon.root")
    succeed(*command, program, "init", "/dimuon.root", "-o", "/analysis.json")
    succeed(*command, program, "run", "/analysis.json", "-j", "2")
    assert "made by skimline" in succeed(*command, program, "show", *outputs(root))


def system_with_a_shell(folder: Path, unpacked: Path) -> Path:
    """A root folder with what the launcher is run by, and the program."""
    root = folder / "root"
    put_program(Path("/bin/sh").resolve(), root)
    (root / "bin" / "sh").symlink_to(Path("/bin/sh").resolve().name)
    succeed("cp", "-r", unpacked, root / "skimline")
    return root


def test_runs_in_a_root_folder_with_nothing_else(unpacked, tmp_path):
    """A shell, the C and C++ libraries and the loader are all that is there of the system."""
    root = system_with_a_shell(tmp_path, unpacked)
    put_program(Path("/bin/grep"), root)
    shutil.rmtree(root / "skimline" / "lib" / "own")
    for name, path in libraries_of(unpacked / "libexec" / "skimline").items():
        if SYSTEM.match(name) and not name.startswith("ld-"):
            put(path, root / "lib/x86_64-linux-gnu" / name)
    analyse(entering(root), root)


def test_runs_with_its_own_libraries_where_the_system_is_older(unpacked, tmp_path):
    root = system_with_a_shell(tmp_path, unpacked)
    # As if the loader did not have the version that is looked for. There is no C++ library.
    (root / "bin" / "grep").write_text("#!/bin/sh\nexit 1\n")
    (root / "bin" / "grep").chmod(0o755)
    analyse(entering(root), root)


def test_jobs_call_the_launcher(unpacked, tmp_path):
    program = unpacked / "bin" / "skimline"
    succeed(program, "generate", "dimuon", "--events", "1000", "-o", tmp_path / "dimuon.root")
    succeed(program, "init", tmp_path / "dimuon.root", "-o", tmp_path / "analysis.json")
    for way in ("", "1"):
        environment = os.environ | {"SKIMLINE_OWN_LIBC": way}
        folder = tmp_path / f"job{way}"
        succeed(program, "submit", "--slurm", "-o", folder, tmp_path / "analysis.json", env=environment)
        scripts = "".join(path.read_text() for path in folder.glob("*.s*"))
        assert str(program.resolve()) in scripts, way


def test_is_called_by_links_and_from_anywhere(unpacked, tmp_path):
    (tmp_path / "linked").symlink_to(unpacked / "bin" / "skimline")
    version = succeed(unpacked / "bin" / "skimline", "--version")
    assert succeed(tmp_path / "linked", "--version") == version
    assert succeed("./bin/skimline", "--version", cwd=unpacked) == version
    environment = os.environ | {"PATH": f"{unpacked / 'bin'}:{os.environ['PATH']}", "CDPATH": "/:/usr"}
    assert succeed("skimline", "--version", cwd=tmp_path, env=environment) == version


def outputs(root: Path) -> list[str]:
    found = [f"/{path.name}" for path in root.glob("*.root") if path.name != "dimuon.root"]
    assert found
    return found


def test_is_small(release):
    for path in release.glob("skimline*.[td]*"):
        assert path.stat().st_size < 20_000_000


def test_checksums_are_those_of_the_files(release):
    lines = (release / "SHA256SUMS").read_text().splitlines()
    stated = dict(reversed(line.split("  ")) for line in lines)
    files = {path.name: path for path in release.iterdir() if path.name != "SHA256SUMS"}
    assert stated == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


def test_states_what_is_inside(release, unpacked):
    (document,) = release.glob("*.spdx.json")
    stated = json.loads(document.read_text())
    names = {package["name"] for package in stated["packages"]}
    assert {"skimline", "correctionlib", "pybind11"} <= names
    for library in unpacked.glob("lib/*.so*"):
        letters = re.match(r"(lib[a-z]+\d?)", library.name)[1]
        assert any(name.startswith(letters) for name in names), library
    referred = {package["licenseDeclared"] for package in stated["packages"]} - {"BSD-3-Clause"}
    texts = {each["licenseId"]: each["extractedText"] for each in stated["hasExtractedLicensingInfos"]}
    assert referred == set(texts) and all(texts.values())
    identifiers = {each["SPDXID"] for each in [*stated["packages"], *stated["files"]]} | {"SPDXRef-DOCUMENT"}
    for relation in stated["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= identifiers


def test_is_the_same_each_time(release, repository, tmp_path):
    again = make(repository, tmp_path)
    for path in release.iterdir():
        assert (again / path.name).read_bytes() == path.read_bytes(), path.name

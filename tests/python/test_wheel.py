# SPDX-License-Identifier: BSD-3-Clause
"""The wheel: what is in it, that it needs nothing but numpy, and that its command is the program."""

import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

import numpy
import pytest

pytestmark = pytest.mark.thorough

SMOKE = Path(__file__).with_name("wheel_smoke.py")
VERSION = re.compile(r"project\(Skimline VERSION ([0-9.]+)")


def run(*command, **options) -> subprocess.CompletedProcess:
    words = [word if isinstance(word, bytes) else str(word) for word in command]
    return subprocess.run(words, capture_output=True, check=False, **options)


def succeed(*command, **options) -> str:
    done = run(*command, **options)
    assert done.returncode == 0, (command, done.stdout.decode(), done.stderr.decode())
    return done.stdout.decode()


@pytest.fixture(scope="session")
def command(environment) -> Path:
    return environment / "bin" / "skimline"


# Content


def test_holds_the_package_and_nothing_else(wheel, repository):
    version = VERSION.search((repository / "CMakeLists.txt").read_text())[1]
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    sources = {
        f"skimline/{path.name}" for path in (repository / "python" / "skimline").iterdir() if path.is_file()
    }
    assert {name for name in names if name.startswith("skimline/") and ".so" not in name} == sources
    assert len([name for name in names if re.fullmatch(r"skimline/_core\..*\.so", name)]) == 1
    tops = {name.split("/")[0] for name in names}
    assert tops == {"skimline", "skimline.libs", f"skimline-{version}.dist-info"}


def test_states_the_licence_of_each_library_inside(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        libraries = {re.match(r"skimline\.libs/(lib[a-z]+\d?)", name) for name in names}
        stated = [Path(name).stem for name in names if "/licenses/third_party/" in name]
        assert any(re.search("/licenses/LICENSE$", name) for name in names)
        for library in filter(None, libraries):
            assert [name for name in stated if name.startswith(library[1])], library[1]
        assert {"pybind11", "nlohmann-json3-dev", "libcli11-dev", "libspdlog-dev"} <= set(stated)


def test_is_small(wheel):
    assert wheel.stat().st_size < 10_000_000


def test_runs_on_older_systems_than_this(wheel):
    """Those of glibc 2.34, such as RHEL 9, if it was built where the scripts are made for."""
    minor = int(re.search(r"manylinux_2_(\d+)_", wheel.name)[1])
    own = int(platform.libc_ver()[1].split(".")[1])
    assert minor <= (34 if own <= 36 else own)


def test_libraries_are_its_own_or_of_every_system(environment):
    allowed = r"lib(c|m|gcc_s|stdc\+\+|z|pthread|dl|rt)\.so\.\d|ld-linux-.*|linux-vdso\.so\.1"
    modules = [*environment.glob("lib/python*/site-packages/skimline/*.so")]
    modules += environment.glob("lib/python*/site-packages/skimline.libs/*.so*")
    assert len(modules) > 2
    for module in modules:
        for name, path in re.findall(r"^\s*(\S+)(?: => (\S+))? \(0x", succeed("ldd", module), re.MULTILINE):
            is_own = "skimline.libs" in path
            assert is_own or re.fullmatch(allowed, Path(name).name), (module.name, name, path)


def test_names_no_path_of_this_machine(environment, repository):
    (module,) = environment.glob("lib/python*/site-packages/skimline/_core.*.so")
    # Where sources lie in /skimline, paths inside of the package have that in the middle.
    assert not re.search(rb"(?<![\w.-])" + re.escape(str(repository).encode()) + b"/", module.read_bytes())


def copy_sources(repository: Path, folder: Path) -> None:
    """Without what is built, among which the making of an archive would look at each file."""
    for name in succeed("git", "ls-files", "-z", "-co", "--exclude-standard", cwd=repository).split("\0"):
        if name and (repository / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(repository / name, folder / name)


def test_source_archive_is_enough_to_configure(repository, tmp_path):
    copy_sources(repository, tmp_path / "sources")
    code = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    succeed(sys.executable, "-c", code, tmp_path, cwd=tmp_path / "sources")
    (archive,) = tmp_path.glob("skimline-*.tar.gz")
    assert archive.stat().st_size < 5_000_000
    succeed("tar", "-xzf", archive, "-C", tmp_path)
    folder = tmp_path / archive.name.removesuffix(".tar.gz")
    assert not (folder / "tests").exists()
    options = [
        "-DSKIMLINE_BUILD_PYTHON=ON",
        "-DSKIMLINE_BUILD_TESTS=OFF",
        f"-DPython_EXECUTABLE={sys.executable}",
    ]
    succeed("cmake", "-S", folder, "-B", tmp_path / "build", "-G", "Ninja", *options)


# Use


def test_works_with_numpy_only(environment, tmp_path):
    """Also that importing it loads no library, and takes no longer than a generous bound."""
    told = succeed(environment / "bin" / "python", "-I", SMOKE, cwd=tmp_path, env={"PATH": "/usr/bin:/bin"})
    milliseconds = float(re.search(r"import skimline takes (-?[0-9.]+) ms", told)[1])
    assert milliseconds < 1000


def libraries_of(file: Path) -> list[Path]:
    done = run("ldd", file)
    return [Path(path) for path in re.findall(r"(/\S+) \(0x", done.stdout.decode())]


def copy_python(environment: Path, root: Path) -> None:
    """Puts the Python, its standard library, what these need of the system, and the environment into a root folder."""
    python = Path(sys.executable).resolve()
    library = Path(sysconfig.get_path("stdlib"))
    ignored = shutil.ignore_patterns(
        "site-packages", "dist-packages", "test", "idlelib", "tkinter", "__pycache__"
    )
    shutil.copytree(library, root / library.relative_to("/"), ignore=ignored)
    shutil.copytree(environment, root / environment.relative_to("/"), symlinks=True)
    modules = [python, *root.rglob("lib-dynload/*.so"), *Path(numpy.__file__).parent.rglob("*.so")]
    (module,) = environment.glob("lib/python*/site-packages/skimline/_core.*.so")
    system = {path for file in modules for path in libraries_of(file) if "site-packages" not in path.parts}
    system |= {path for path in libraries_of(module) if re.match(r"lib(stdc|gcc_s|z\.)|ld-", path.name)}
    # The dynamic linker, and each link on the way from the environment to Python.
    for path in {*system, python, *links_of(environment / "bin" / "python")}:
        place = root / path.relative_to("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            shutil.copy2(path, place)


def links_of(path: Path) -> list[Path]:
    found = []
    while path.is_symlink():
        path = path.parent / path.readlink()
        found.append(path)
    return found


def entering(root: Path) -> list:
    """How to start a program in another root folder; the test is skipped if this user cannot."""
    command = ["chroot", root] if os.geteuid() == 0 else ["unshare", "--map-root-user", "chroot", root]
    done = run(*command[:-2], "chroot", "/", "true")
    if done.returncode != 0:
        pytest.skip(f"needs root or user namespaces: {done.stderr.decode().strip()}")
    return command


def test_works_in_a_root_folder_with_nothing_but_python(environment, tmp_path):
    root = tmp_path / "root"
    command = entering(root)
    copy_python(environment, root)
    others = [path.name for path in root.rglob("lib*.so*") if "site-packages" not in path.parts]
    # That of zstd may be there for Python's OpenSSL.
    assert not [name for name in others if re.match(r"lib(tbb|lz4|deflate|re2|xxhash|fmt|spdlog)", name)]
    (root / "work").mkdir()
    shutil.copy(SMOKE, root / "smoke.py")
    code = "import os, runpy; os.chdir('/work'); runpy.run_path('/smoke.py', run_name='__main__')"
    assert "works" in succeed(
        *command, environment / "bin" / "python", "-I", "-c", code, env={"PATH": os.environ["PATH"]}
    )


# The command


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["--help"],
        ["run", "--help"],
        [],
        ["--nonsense"],
        ["rum"],
        ["inspect", "absent.root"],
        [b"inspect", b"\xff\xfe.root"],
        ["run", "wrong.json"],
        ["generate", "dimuon", "--events", "10", "-o", "wrong.json/x.root"],
        ["man"],
        ["completion", "bash"],
        ["completion", "zsh"],
        ["completion", "fish"],
        ["schema"],
    ],
)
def test_command_does_what_the_program_does(command, program, tmp_path, arguments):
    (tmp_path / "wrong.json").write_text('{"schema_version": 1, "sampels": {}}')
    ours = run(command, *arguments, cwd=tmp_path)
    theirs = run(program, *arguments, cwd=tmp_path)
    assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)


def interrupted(program: Path, folder: Path, number: signal.Signals) -> tuple[int, str]:
    """Sends a signal when a file is being written, and returns the exit code and what was said."""
    folder.mkdir()
    arguments = ["generate", "dimuon", "--events", "1e9", "-j", "1", "-o", "out.root", "--progress", "none"]
    with subprocess.Popen([program, *arguments], cwd=folder, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 60
        while not list(folder.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(number)
        try:
            said = process.communicate(timeout=60)[1].decode()
        finally:
            process.kill()
    assert list(folder.iterdir()) == []
    return process.returncode, said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_end_the_command_as_the_program(command, program, tmp_path, number):
    ours = interrupted(command, tmp_path / "ours", number)
    assert ours == interrupted(program, tmp_path / "theirs", number)
    assert ours[0] == 130
    assert "Traceback" not in ours[1]


def test_a_closed_pipe_ends_the_command_as_the_program(command, program):
    def end(which: Path) -> tuple[int, bytes]:
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([which, "man"], stdout=write, stderr=subprocess.PIPE, check=False)
        os.close(write)
        return done.returncode, done.stderr

    assert end(command) == end(program) == (-signal.SIGPIPE, b"")


def test_a_full_disk_is_told(command, program, tmp_path):
    with Path("/dev/full").open("w") as full:
        codes = [
            subprocess.run([which, "man"], stdout=full, stderr=subprocess.PIPE, check=False)
            for which in (command, program)
        ]
    assert codes[0].returncode == codes[1].returncode == 1
    assert codes[0].stderr == codes[1].stderr

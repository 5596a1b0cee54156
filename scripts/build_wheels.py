# SPDX-License-Identifier: BSD-3-Clause
"""Makes wheels of the Python package with all libraries inside; scripts/wheel sets up what this needs.

build_wheels.py [--pythons 3.9 3.13 3.14t ...] [--output dist] [--smoke]
"""

import argparse
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parents[1]
SMOKE = ROOT / "tests" / "python" / "wheel_smoke.py"
MAX_SIZE = 10_000_000

# What every Linux with glibc has; auditwheel's policies allow no library of ours beyond these.
SYSTEM_LIBRARIES = re.compile(
    r"(libc|libm|libgcc_s|libstdc\+\+|libz|libpthread|libdl|librt|ld-linux.*)\.so\.\d"
)
# Debian packages whose code becomes part of the module, from headers or archives, so that their licences go along.
COMPILED_PACKAGES = (
    "libcli11-dev",
    "libdeflate-dev",
    "liblz4-dev",
    "liblzma-dev",
    "libspdlog-dev",
    "libxxhash-dev",
    "libyaml-dev",
    "libzstd-dev",
    "nlohmann-json3-dev",
    "zlib1g-dev",
)
# Files of correctionlib's source distribution, for its own code and for what it holds of others.
CORRECTIONLIB_LICENCES = (
    "LICENSE",
    "cpp-peglib/LICENSE",
    "pcg-cpp/LICENSE-MIT.txt",
    "rapidjson/license.txt",
    "xxhash/LICENSE",
)


class WheelError(Exception):
    """What the user has to be told."""


def run(*command: object, **options) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options
    )
    if done.returncode != 0:
        raise WheelError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


# Pythons


# With a "t" where there is no lock of the interpreter.
VERSION = "import sys, sysconfig; print('%d.%d' % sys.version_info[:2] + 't' * bool(sysconfig.get_config_var('Py_GIL_DISABLED')))"


def version_of(python: Path | str) -> str:
    return run(python, "-c", VERSION).strip()


def is_usable(python: Path | str, version: str) -> bool:
    """Whether it starts, is of that version, and has the headers that a module needs."""
    code = f"{VERSION}; import pathlib, ensurepip; "
    code += "print((pathlib.Path(sysconfig.get_path('include')) / 'Python.h').is_file())"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.split() == [version, "True"]


def find_python(version: str) -> Path | None:
    """The Python of .venv if it is that one, else one from PATH, else one of pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    named = shutil.which(f"python{version}")
    candidates = [Path(sys.executable), *([Path(named)] if named else [])]
    candidates += sorted(pyenv.glob(f"{version.rstrip('t')}.*/bin/python{version}"), reverse=True)
    return next((python for python in candidates if is_usable(python, version)), None)


def find_pythons(versions: list[str]) -> list[Path]:
    found = {version: find_python(version) for version in versions}
    missing = [version for version, python in found.items() if python is None]
    if missing:
        raise WheelError(
            f"no Python {', '.join(missing)} with its headers, in PATH or of pyenv; "
            f"each comes by: pyenv install {missing[0]}, or apt-get install python{missing[0]}-dev python{missing[0]}-venv"
        )
    return [python for python in found.values() if python]


def building_python(python: Path) -> Path:
    """A Python of the same version that has what pyproject.toml needs for building."""
    if python == Path(sys.executable):
        return python
    requirements = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    folder = ROOT / "build" / f"python-{version_of(python)}-environment"
    own = folder / "bin" / "python"
    if not own.is_file():
        run(python, "-m", "venv", folder)
    run(own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements)
    return own


# Wheels


def compiler_environment() -> dict[str, str]:
    """The same names and folders as for the other presets, so that ccache knows what they have compiled."""
    environment = {"CXX": "c++", "CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"}
    if shutil.which("ccache"):
        environment["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    return environment | os.environ


def build(python: Path, folder: Path) -> Path:
    """Builds the wheel that needs the libraries of this system."""
    command = [python, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", folder, ROOT]
    command += ["--disable-pip-version-check", "--config-settings=cmake.define.SKIMLINE_CORRECTIONS=ON"]
    run(*command, env=compiler_environment())
    (wheel,) = folder.glob("*.whl")
    return wheel


def all_libraries(module: Path) -> dict[str, Path]:
    """The libraries that a module or program finds on this system, the loader among them."""
    lines = re.findall(r"^\s*(?:(\S+) => )?(/\S+) \(0x", run("ldd", module), re.MULTILINE)
    return {name or Path(path).name: Path(path) for name, path in lines}


def needed_libraries(module: Path) -> dict[str, Path]:
    """Those of them that others may lack."""
    return {name: path for name, path in all_libraries(module).items() if not SYSTEM_LIBRARIES.match(name)}


def package_of(library: Path) -> str:
    """The Debian package that has a library of this system."""
    # Packages name the one path or the other where /lib is a link to /usr/lib.
    names = [library, library.resolve(), Path("/usr" + str(library)), Path(str(library).removeprefix("/usr"))]
    try:
        done = subprocess.run(["dpkg-query", "-S", *names], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise WheelError(
            "no dpkg-query: the licences of the libraries are those that Debian's packages state"
        ) from None
    # Files that a package has moved away are told of in other lines.
    owner = re.search(r"^(?!diversion by )([^:,]+)[:,]", done.stdout, re.MULTILINE)
    if not owner:
        raise WheelError(f"{library} is of no Debian package, so its licence is not known")
    return owner[1]


def licences(module: Path) -> dict[str, str]:
    """The licences of all that the wheel will hold, by package, as Debian states them."""
    packages = {*COMPILED_PACKAGES, *map(package_of, needed_libraries(module).values())}
    texts = {name: Path("/usr/share/doc", name, "copyright").read_text() for name in sorted(packages)}
    files = importlib.metadata.files("pybind11") or []
    (ours,) = [file for file in files if file.name == "LICENSE"]
    return texts | {"pybind11": ours.read_text(), "correctionlib": correctionlib_licences()}


def correctionlib_licences() -> str:
    (sources,) = (ROOT / ".venv" / "src").glob("correctionlib-*")
    return "\n".join(f"{name}\n\n{(sources / name).read_text()}" for name in CORRECTIONLIB_LICENCES)


def add_licences(wheel: Path) -> None:
    """Puts the licences of the libraries into a wheel; auditwheel lists them with all other files."""
    with (
        zipfile.ZipFile(wheel, "a", zipfile.ZIP_DEFLATED) as archive,
        tempfile.TemporaryDirectory() as folder,
    ):
        (module,) = [name for name in archive.namelist() if name.endswith(".so")]
        (information,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        for package, text in licences(Path(archive.extract(module, folder))).items():
            name = f"{Path(information).parent}/licenses/third_party/{package}.txt"
            # Of no time, so that wheels made again have the same bytes.
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)


def repair(wheel: Path, folder: Path) -> Path:
    """Puts the libraries into the wheel, and names it by the oldest systems that it runs on."""
    tools = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory(dir=folder) as repaired:
        run(tools / "auditwheel", "repair", "--wheel-dir", repaired, wheel, env=environment)
        (made,) = Path(repaired).glob("*.whl")
        return made.replace(folder / made.name)


def check(wheel: Path) -> None:
    """Raises WheelError if the wheel is large or needs what a system may lack."""
    size = wheel.stat().st_size
    if size > MAX_SIZE:
        raise WheelError(f"{wheel.name} has {size / 1e6:.1f} MB; at most {MAX_SIZE / 1e6:.0f} MB are wanted")
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        libraries = [name for name in archive.namelist() if re.search(r"\.so(\.|$)", name)]
        inside = {Path(name).name for name in libraries}
        for name in libraries:
            table = run("readelf", "--dynamic", "--wide", archive.extract(name, folder))
            for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", table):
                if needed not in inside and not SYSTEM_LIBRARIES.match(needed):
                    raise WheelError(f"{name} of {wheel.name} needs {needed}, which other systems may lack")


def make(python: Path, folder: Path) -> Path:
    with tempfile.TemporaryDirectory() as scratch:
        wheel = build(building_python(python), Path(scratch))
        add_licences(wheel)
        repaired = repair(wheel, folder)
    check(repaired)
    return repaired


def smoke(wheel: Path, python: Path) -> str:
    """Installs the wheel into a fresh environment, with what it demands only, and uses it."""
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "venv", folder)
        own = Path(folder, "bin", "python")
        run(own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
        return run(own, "-I", SMOKE, cwd=folder, env={"PATH": "/usr/bin:/bin"}).strip()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pythons", nargs="+", metavar="VERSION", help="such as 3.9 3.13 3.14t")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="folder for the wheels")
    parser.add_argument("--smoke", action="store_true", help="install and use each wheel")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    try:
        for python in find_pythons(arguments.pythons or [version_of(sys.executable)]):
            wheel = make(python, arguments.output)
            print(f"{wheel}  {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
            if arguments.smoke:
                print(f"  {smoke(wheel, python)}", flush=True)
    except WheelError as error:
        sys.exit(f"scripts/wheel: {error}")


if __name__ == "__main__":
    main()

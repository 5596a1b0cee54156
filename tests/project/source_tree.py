# SPDX-License-Identifier: BSD-3-Clause
"""Reads the source tree as text and lists where it breaks the rules of CONTRIBUTING.md."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

FOLDERS = ("framework", "histograms", "io", "skims", "python")
# Libraries inside a folder: where each is, and which others it may include.
INNER_LIBRARIES = {"generate": ("skims/generate", ("framework", "io"))}
SOURCE_SUFFIXES = (".h", ".cc")
# Where headers that other folders may include lie: those that are installed, and those for the project only.
HEADER_TIERS = ("include", "internal")
MAX_LINES = 600
VAGUE_NAMES = {"util", "utils", "helper", "helpers", "common", "manager", "misc"}

# Compiled by the benchmarks against ROOT's wheel, which CMake does not know.
BUILT_ELSEWHERE = {
    "bench/adl_queries/rdataframe_queries.cc",
    "bench/agc_analysis/merger_agc.cc",
    "bench/agc_analysis/rdataframe_agc.cc",
    "bench/agc_analysis/snapshot_agc.cc",
    "bench/end_to_end/rdataframe_baseline.cc",
    "bench/end_to_end/tree_events.cc",
    "bench/histograms/root_fills.cc",
    "bench/reading/bulk_read.cc",
    "bench/reading/rdataframe_read.cc",
    "bench/slimming/rdataframe_slim.cc",
    "bench/writing/root_random_write.cc",
}

# Private headers of another folder that a source may include all the same.
SHARED_HEADERS = {
    "python/src/module.cc": {"program.h"},  # the command of the Python package is the program
    "python/src/run.cc": {"report_file.h"},  # reports are written as the program writes them
}

# The folders that may include a library, by the first part of the header's path.
LIBRARY_OWNERS = {
    "nlohmann": {"skims"},
    "CLI": {"skims"},
    "spdlog": {"skims"},
    "yaml.h": {"skims"},
    "zstd.h": {"io"},
    "lz4.h": {"io"},
    "lz4hc.h": {"io"},
    "zlib.h": {"io"},
    "lzma.h": {"io"},
    "pybind11": {"python"},
    "Python.h": {"python"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?P<open>["<])(?P<path>[^">]+)[">]', re.MULTILINE)
COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'',
    re.DOTALL,
)
TERMINAL = re.compile(r"\b(?:std::(?:cout|cerr|clog)|(?:f|v|vf)?printf\s*\(|f?puts\s*\(|putchar\s*\()")
ENDING = re.compile(r"\b(?:assert|abort|exit|_exit|quick_exit)\s*\(")


@dataclass(frozen=True)
class SourceFile:
    """A C++ file: its path from the root, and its text."""

    path: PurePosixPath
    text: str

    @property
    def folder(self) -> str:
        """The folder of the dependency order it belongs to, tests counting as the folder they test."""
        parts = self.path.parts
        for library, (place, _) in INNER_LIBRARIES.items():
            if self.path.is_relative_to(place):
                return library
        return parts[1] if parts[0] in ("tests", "bench") and len(parts) > 2 else parts[0]

    @property
    def is_product(self) -> bool:
        return self.path.parts[0] in FOLDERS

    @property
    def tier(self) -> str:
        """Which of HEADER_TIERS it lies in; empty for private files."""
        return next((part for part in self.path.parts if part in HEADER_TIERS), "")

    @property
    def code(self) -> str:
        """The text without comments and the insides of strings."""
        return COMMENT_OR_STRING.sub('""', self.text)

    def includes(self) -> Iterator[tuple[str, bool]]:
        """Yields each included path, and whether it is written in quotes."""
        for match in INCLUDE.finditer(self.text):
            yield match["path"], match["open"] == '"'


def cxx_files(root: Path) -> list[SourceFile]:
    """Returns the C++ files of the product, the tests and the benchmarks."""
    paths = [
        path
        for top in (*FOLDERS, "tests", "bench")
        for path in sorted((root / top).rglob("*"))
        if path.suffix in SOURCE_SUFFIXES
    ]
    return [
        SourceFile(PurePosixPath(path.relative_to(root)), path.read_text(encoding="utf-8")) for path in paths
    ]


def script_files(root: Path) -> list[Path]:
    """Returns CMake, Python and shell files, all of which carry the licence line."""
    found = [
        root / "CMakeLists.txt",
        root / "pyproject.toml",
        *(root / "scripts").glob("*"),
        root / ".ci" / "run",
    ]
    for top in (*FOLDERS, "tests", "bench", "cmake"):
        for pattern in ("CMakeLists.txt", "*.cmake", "*.py", "*.pyi"):
            found += sorted((root / top).rglob(pattern))
    return [path for path in found if path.is_file()]


def allowed_folders(folder: str) -> tuple[str, ...]:
    """The folders that code in `folder` may include: those to its left, itself, and libraries inside these."""
    if folder in INNER_LIBRARIES:
        return (*INNER_LIBRARIES[folder][1], folder)
    outer = FOLDERS[: FOLDERS.index(folder) + 1] if folder in FOLDERS else FOLDERS
    return (*outer, *(name for name, (place, _) in INNER_LIBRARIES.items() if place.split("/")[0] in outer))


def _place_of(folder: str) -> str:
    return INNER_LIBRARIES[folder][0] if folder in INNER_LIBRARIES else folder


def include_faults(root: Path, files: list[SourceFile]) -> list[str]:
    """Lists includes against the order framework <- histograms <- io <- skims <- python, or of private headers."""
    return [
        f'{file.path}: "{path}": {fault}' for file in files for path, fault in _include_faults(root, file)
    ]


def _include_faults(root: Path, file: SourceFile) -> Iterator[tuple[str, str]]:
    for path, is_quoted in file.includes():
        parts = PurePosixPath(path).parts
        if ".." in parts:
            yield path, "written relative to another folder"
        elif parts[0] == "skimline":
            yield from _direction_faults(root, file, path)
        elif path in SHARED_HEADERS.get(str(file.path), ()):
            continue
        elif is_quoted and not _is_private_header(root, file, path):
            yield path, f"neither shared nor in {file.folder}/src"
        owners = LIBRARY_OWNERS.get(parts[0])
        if owners and file.is_product and file.folder not in owners:
            yield path, f"only {', '.join(owners)} may include this library"


def _direction_faults(root: Path, file: SourceFile, path: str) -> Iterator[tuple[str, str]]:
    target = PurePosixPath(path).parts[1]
    if target not in FOLDERS and target not in INNER_LIBRARIES:
        yield path, "no such folder"
        return
    if file.is_product and target not in allowed_folders(file.folder):
        yield path, f"{file.folder} must not include {target}"
    public, internal = (root / _place_of(target) / tier / path for tier in HEADER_TIERS)
    if public.is_file() or public.with_suffix(".h.in").is_file():
        return
    if not internal.is_file():
        yield path, "no such header"
    elif file.tier == "include":
        yield path, "internal, and this header is installed"


def _is_private_header(root: Path, file: SourceFile, path: str) -> bool:
    beside = root / file.path.parent / path
    above = root / "tests" / file.folder / path
    place = root / _place_of(file.folder)
    app = place / "app" / path  # of the program
    places = (place / "src" / path, app, root / "tests" / "support" / path, beside, above)
    return any(place.is_file() for place in places)


def terminal_faults(files: list[SourceFile]) -> list[str]:
    """Lists code outside the program that writes to the terminal or ends the process."""
    faults = []
    for file in files:
        if not file.is_product or file.path.parts[:2] == ("skims", "app"):
            continue
        for pattern in (TERMINAL, ENDING):
            faults += [f"{file.path}: {match.group(0)}" for match in pattern.finditer(file.code)]
    return faults


def header_faults(files: list[SourceFile]) -> list[str]:
    """Lists files without the licence line, headers without #pragma once, and files too long to read."""
    faults = []
    for file in files:
        if not file.text.startswith("// SPDX-License-Identifier: BSD-3-Clause\n"):
            faults.append(f"{file.path}: does not begin with the licence line")
        if file.path.suffix == ".h" and "\n#pragma once\n" not in file.text:
            faults.append(f"{file.path}: no #pragma once")
        if file.text.count("\n") > MAX_LINES:
            faults.append(f"{file.path}: more than {MAX_LINES} lines")
    return faults


def name_faults(files: list[SourceFile]) -> list[str]:
    """Lists files whose names are not snake_case or name no idea."""
    faults = []
    for file in files:
        stem = file.path.stem
        if not re.fullmatch(r"[a-z][a-z0-9_]*", stem):
            faults.append(f"{file.path}: not snake_case")
        if VAGUE_NAMES & set(stem.split("_")):
            faults.append(f"{file.path}: names no idea")
    return faults


def unlisted_sources(root: Path, files: list[SourceFile]) -> list[str]:
    """Lists .cc files that the CMakeLists.txt above them does not name."""
    sources = [file for file in files if file.path.suffix == ".cc" and str(file.path) not in BUILT_ELSEWHERE]
    return [str(file.path) for file in sources if not _is_listed(root, file)]


def _is_listed(root: Path, file: SourceFile) -> bool:
    for folder in file.path.parents:
        lists = root / folder / "CMakeLists.txt"
        if lists.is_file():
            words = re.split(r"[\s()]+", re.sub(r"#.*", "", lists.read_text(encoding="utf-8")))
            return str(file.path.relative_to(folder)) in words
    return False


def scripts_without_licence(root: Path) -> list[str]:
    """Lists scripts and build files whose first two lines lack the licence line."""
    return [
        str(path.relative_to(root))
        for path in script_files(root)
        if not any(
            line == "# SPDX-License-Identifier: BSD-3-Clause"
            for line in path.read_text(encoding="utf-8").splitlines()[:2]
        )
    ]


def long_scripts(root: Path) -> list[str]:
    """Lists scripts, build files and files of Python, those of tests too, that are too long to read."""
    return [
        f"{path.relative_to(root)}: more than {MAX_LINES} lines"
        for path in script_files(root)
        if path.read_text(encoding="utf-8").count("\n") > MAX_LINES
    ]


def python_faults(root: Path) -> list[str]:
    """Lists files of the Python package whose names are not snake_case or name no idea."""
    faults = []
    for path in sorted((root / "python").rglob("*.py*")):
        name = path.relative_to(root)
        if not re.fullmatch(r"_{0,2}[a-z][a-z0-9_]*", path.stem):
            faults.append(f"{name}: not snake_case")
        if VAGUE_NAMES & set(path.stem.split("_")):
            faults.append(f"{name}: names no idea")
    return faults

# SPDX-License-Identifier: BSD-3-Clause
"""Headers can be included together, and each by itself."""

from pathlib import Path

import pytest
import source_tree
from compiler import FOLDERS, faults_of_what_compiled_before, options_of_folders

ROOT = Path(__file__).resolve().parents[2]


def name_of(folder, path):
    """How a header is included by the sources of its folder."""
    if path.parts[1] in source_tree.HEADER_TIERS:
        return path.relative_to(Path(folder) / path.parts[1]).as_posix()
    return path.relative_to(Path(folder) / "src").as_posix()


def headers_of(folder):
    files = source_tree.cxx_files(ROOT)
    paths = [file.path for file in files if file.path.suffix == ".h" and file.path.parts[0] == folder]
    return [path for path in paths if path.parts[1] not in ("app", "generate")]


@pytest.mark.thorough(quick=1)
@pytest.mark.parametrize("folder", FOLDERS)
def test_all_headers_of_a_folder_together(build_folder, folder, tmp_path):
    names = sorted(name_of(folder, path) for path in headers_of(folder))
    code = "".join(f'#include "{name}"\n' for name in names)
    options = options_of_folders(build_folder)[folder]
    assert faults_of_what_compiled_before(options, code, tmp_path) == ""


def test_each_source_includes_its_own_header_first():
    """So that the build tells where a header needs another one before it."""
    headers = {path.stem for folder in FOLDERS for path in headers_of(folder)}
    late = []
    for file in source_tree.cxx_files(ROOT):
        if file.path.suffix == ".cc" and file.path.parts[0] in FOLDERS and file.path.stem in headers:
            first = next(iter(file.includes()), None)
            if first is None or Path(first[0]).stem != file.path.stem:
                late.append(str(file.path))
    assert late == []

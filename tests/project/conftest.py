# SPDX-License-Identifier: BSD-3-Clause
"""A sample, and the program as a shell would find it; and lets the tests of this folder import what they share."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture(scope="session")
def sample(skimline, tmp_path_factory) -> Path:
    """A file with 2000 events."""
    path = tmp_path_factory.mktemp("sample") / "dimuon.root"
    subprocess.run([skimline, "generate", "dimuon", "--events", "2000", "-o", path], check=True)
    return path


@pytest.fixture
def call(skimline, build_folder, tmp_path):
    """Runs a line as a shell would, in an own folder, with the program in the path. `call.package` is the program of the Python
    package."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "skimline").symlink_to(Path(skimline).resolve())
    folder = tmp_path / "work"
    folder.mkdir()
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"

    def run(line: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["bash", "-c", line],
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    run.folder = folder
    main = "import sys; from skimline._program import main; sys.exit(main())"
    run.package = f"PYTHONPATH={build_folder / 'python'} {sys.executable} -c '{main}'"
    return run

# SPDX-License-Identifier: BSD-3-Clause
"""The package beside libraries that others have loaded before it."""

import subprocess
import sys

import built_package
import pytest
from skimline.loaded_before import explained

FUNCTIONS = """
int TBB_runtime_interface_version(void) { return 12000; }
const char* TBB_runtime_version(void) { return "2020.9"; }
"""


def imported_after(statement):
    script = f"import sys; sys.path.insert(0, {str(built_package.PACKAGE)!r})\n{statement}\nimport skimline"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("name", "code", "reason"),
    [
        ("libtbb.so.12", "int none;", "undefined symbol: _ZN3tbb"),
        ("libother.so.1", FUNCTIONS, "oneTBB 2020.9, and not 202"),
    ],
    ids=["file", "functions"],
)
def test_an_older_tbb_is_refused_with_its_reason(tmp_path, name, code, reason):
    library = tmp_path / "libtbb.so.12"
    (tmp_path / "tbb.c").write_text(code)
    command = ["gcc", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", library, tmp_path / "tbb.c"]
    subprocess.run(command, check=True)
    done = imported_after(f"import ctypes; ctypes.CDLL({str(library)!r}, ctypes.RTLD_GLOBAL)")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: this process has /")
    assert (
        ", an older oneTBB than the one that skimline was built with: import skimline before what loads it"
        in last
    )
    assert reason in last


def test_root_may_be_loaded_before_or_is_told_of():
    done = imported_after("import ROOT; ROOT.TTree")
    assert done.returncode == 0 or "/ROOT/lib/libtbb.so.12, an older oneTBB than" in done.stderr


@pytest.mark.parametrize("text", ["libtbb.so.12: cannot open shared object file", "undefined symbol: PyNone"])
def test_other_faults_stay_what_they_are(text):
    error = ImportError(text)
    assert explained(error) is error

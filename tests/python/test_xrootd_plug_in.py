# SPDX-License-Identifier: BSD-3-Clause
"""The package without the plug-in for XRootD, as wheels are."""

import os
import shutil
import subprocess
import sys

CODE = """
import skimline as sk
for use in (sk.inspect, sk.open, lambda url: sk.write(url, {"x": [1.0]})):
    try:
        use("root://host//file.root")
    except sk.FileError as error:
        print(error)
"""


def test_without_the_plug_in_it_says_what_to_install(build_folder, tmp_path):
    package = build_folder / "python" / "skimline"
    shutil.copytree(package, tmp_path / "skimline", ignore=shutil.ignore_patterns("libskimline_xrootd.so"))
    environment = {key: value for key, value in os.environ.items() if key != "SKIMLINE_XROOTD_PLUGIN"}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env=environment | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert len(told) == 3
    for line in told:
        assert line.startswith("root://host//file.root: ") and "libskimline_xrootd.so is not there" in line
        assert "libxrdcl3" in line and "xrootd for conda" in line

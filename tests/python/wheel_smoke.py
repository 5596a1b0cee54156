# SPDX-License-Identifier: BSD-3-Clause
"""Uses an installed package, with numpy only, and says how it went; fails otherwise. Run in an empty folder."""

import json
import statistics
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COUNT = 20_000
CONFIG = {
    "schema_version": 1,
    "samples": {"data": {"files": ["dimuon.root:Events"]}},
    "select": [{"name": "two muons", "where": "nMuon == 2"}],
    "histograms": {"met": {"x": {"value": "MET_pt", "bins": 40, "range": [0, 100]}}},
    "output": {"histograms": "histograms.root"},
}


def call(*arguments: str) -> str:
    """Runs the command that was installed beside this Python, and returns what it prints."""
    command = [str(Path(sys.executable).with_name("skimline")), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def seconds(code: str) -> float:
    """How long a fresh Python takes with this code: the median of 20."""
    times = []
    for _ in range(20):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-c", code], check=True)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def check_import() -> None:
    heavy = ("numpy", "awkward", "pandas", "pyarrow", "numba", "hist", "boost_histogram", "matplotlib")
    code = f"import sys, skimline; assert not set({heavy!r}) & set(sys.modules)"
    subprocess.run([sys.executable, "-I", "-c", code], check=True)


def check_command() -> None:
    import skimline

    assert call("--version").strip() == f"skimline {skimline.__version__}"
    assert call("man").startswith(".")
    assert "skimline" in call("completion", "bash")
    call("generate", "dimuon", "--events", str(COUNT), "-o", "dimuon.root")
    Path("analysis.json").write_text(json.dumps(CONFIG))
    call("run", "analysis.json")
    assert "two muons" in call("show", "histograms.root")


def check_library() -> None:
    """The histogram of a run is what numpy makes of the same file, read again by other means."""
    import numpy
    import skimline as sk

    events = sk.open("dimuon.root:Events")
    assert events.num_entries == COUNT
    pairs = events.filter("nMuon == 2", name="two muons")
    met = pairs.hist("MET_pt", bins=40, range=(0, 100), name="met")
    result = sk.run(met, pairs.skim("skim.root"), progress=False)
    from_config = sk.run_config("analysis.json", progress=False)
    assert result.cutflow["two muons"].events == from_config.cutflow["two muons"].events > 0
    numpy.testing.assert_array_equal(met.values(), from_config.histograms["met"].values())
    values = numpy.asarray(pairs.arrays(["MET_pt"], library="np")["MET_pt"])
    expected = numpy.histogram(values, bins=40, range=(0, 100))[0]
    assert numpy.abs(met.values() - expected).sum() <= 2  # a value on an edge may be placed otherwise
    assert len(sk.open("skim.root:Events").arrays(["MET_pt"], library="np")["MET_pt"]) == len(values)


def check_threads() -> None:
    """They share frames and histograms, also in a Python without a lock, which importing leaves as it is."""
    import numpy
    import skimline as sk

    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        assert not sys._is_gil_enabled()
    events = sk.open("dimuon.root:Events").filter("nMuon == 2")

    def fill(number: int) -> sk.Histogram:
        met = events.define(f"met{number}", "2 * MET_pt").hist(f"met{number}", bins=40, range=(0, 100))
        sk.run(met, progress=False)
        return met.result

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(fill, range(8)))
        sums = list(pool.map(lambda number: made[number % 8] + made[0], range(200)))
    values = numpy.histogram(2 * events.arrays(["MET_pt"], library="np")["MET_pt"], bins=40, range=(0, 100))[
        0
    ]
    for each in made:
        numpy.testing.assert_array_equal(each.values(), made[0].values())
    assert numpy.abs(made[0].values() - values).sum() <= 2  # as above
    for each in sums:
        numpy.testing.assert_array_equal(each.values(), 2 * made[0].values())


def check_plug_in() -> None:
    """Files of XRootD take a package of the system."""
    import skimline as sk

    try:
        sk.inspect("root://host//file.root")
    except sk.FileError as error:
        assert "libxrdcl3" in str(error), error
    else:
        raise AssertionError("a file of nobody was read")


def main() -> None:
    check_import()
    check_command()
    check_library()
    check_threads()
    check_plug_in()
    milliseconds = 1000 * (seconds("import skimline") - seconds("pass"))
    print(f"Python {sys.version.split()[0]}: works; import skimline takes {milliseconds:.1f} ms")


if __name__ == "__main__":
    main()

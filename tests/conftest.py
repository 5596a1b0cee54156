# SPDX-License-Identifier: BSD-3-Clause
"""Where tests find the program, the build and files made by others."""

import gc
import importlib
import os
import signal
import sys
from collections import defaultdict
from pathlib import Path

import pytest

# Of a test, in quick runs, unless it is marked as thorough.
QUICK_CASES = 4

REPOSITORY = Path(__file__).resolve().parent.parent

# pytest's importlib mode does not let tests import what they share by itself.
sys.path.insert(0, str(REPOSITORY / "tests" / "support"))


# Where tests run in the background of a shell or by nohup, what they start and interrupt would ignore it, too. Programs
# do not inherit handlers, so that one that does nothing leaves a hang-up ignored here alone.
signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)

# Python keeps what it compiles, whatever the environment says: each process would compile all tests, or the package, anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Threads of linear algebra, of which tests have none, run idle while each Python starts: a third of what importing numpy takes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# What ROOT's interpreter compiles in tests runs once: optimising it takes a third of their time.
os.environ.setdefault("EXTRA_CLING_ARGS", "-O0")

# Looking for cycles after each 700 new objects takes half of the time that lists of a million values are made in.
gc.set_threshold(50_000)


def _load_our_libraries_first() -> None:
    """ROOT's wheel brings an oneTBB that may be older than the one of the build, and does with a later one."""
    built_package = importlib.import_module("built_package")
    if built_package.is_built():
        built_package.put_first()
        importlib.import_module("skimline")


_load_our_libraries_first()


def find_shared_data() -> Path | None:
    """The folder of files made by others: $SKIMLINE_TEST_DATA, else shared/data beside the repository."""
    named = os.environ.get("SKIMLINE_TEST_DATA")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root folder of the source tree."""
    return REPOSITORY


@pytest.fixture(scope="session")
def build_folder() -> Path:
    """The build to test: $SKIMLINE_BUILD, else build/release. It must exist: a missing build is a failure."""
    folder = Path(os.environ.get("SKIMLINE_BUILD", REPOSITORY / "build" / "release"))
    if not (folder / "CMakeCache.txt").is_file():
        pytest.fail(f"no build in {folder}: run scripts/test, or set SKIMLINE_BUILD")
    return folder


@pytest.fixture(scope="session")
def skimline() -> Path:
    """The program to test: $SKIMLINE_PROGRAM, else the one in the build."""
    build = Path(os.environ.get("SKIMLINE_BUILD", REPOSITORY / "build" / "release"))
    program = Path(os.environ.get("SKIMLINE_PROGRAM", build / "skimline"))
    if not program.is_file():
        pytest.fail(f"no program {program}: run scripts/test, or set SKIMLINE_PROGRAM")
    return program


@pytest.fixture(scope="session")
def sk():
    """The Python package of the build, for tests of the program; builds with sanitizers have none."""
    built_package = importlib.import_module("built_package")
    if os.environ.get("SKIMLINE_SANITIZED") and not built_package.is_built():
        pytest.skip("the build has no Python package")
    built_package.put_first()
    return importlib.import_module("skimline")


@pytest.fixture(scope="session")
def unsanitized() -> None:
    """Skips tests of a program with sanitizers that depend on its memory, its stack, or what is loaded before it."""
    if os.environ.get("SKIMLINE_SANITIZED"):
        pytest.skip("the program has sanitizers")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of files made by others; the test is skipped where it is not there."""
    folder = find_shared_data()
    if folder is None:
        pytest.skip("needs files made by others: set SKIMLINE_TEST_DATA to their folder")
    return folder


@pytest.fixture(scope="session", autouse=True)
def caches_of_others(tmp_path_factory) -> Path:
    """No test knows what another, or an earlier run, has read of a URL, but within a session. What other programs keep stays
    known to them, above all what is compiled: builds of wheels and releases would begin with nothing. Returns where that is.
    """
    kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = tmp_path_factory.mktemp("cache")
    for path in kept.iterdir() if kept.is_dir() else ():
        if path.name != "skimline":
            (folder / path.name).symlink_to(path)
    os.environ["XDG_CACHE_HOME"] = str(folder)
    return kept


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick",
        action="store_true",
        help="take some cases of each test, fewer or none of those marked as thorough",
    )
    parser.addoption(
        "--some-seeds",
        action="store_true",
        help="take some cases of tests that repeat one situation with many random numbers or kills",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # Files that take long come first, so that no process works on one when the others have ended.
    take_long = {item.path for item in items if item.get_closest_marker("thorough")}
    items.sort(key=lambda item: item.path not in take_long)
    if config.getoption("quick"):
        left_out = _left_out(items)
    elif config.getoption("some_seeds"):
        left_out = _left_out([item for item in items if _repeats(item)])
    else:
        return
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def _repeats(item: pytest.Item) -> bool:
    """Whether cases of the test differ in nothing but random numbers."""
    marker = item.get_closest_marker("thorough")
    return marker is not None and marker.kwargs.get("repeats", False)


def _left_out(items: list[pytest.Item]) -> set[pytest.Item]:
    """Of each test all cases but as many as quick runs take, which lie evenly among all."""
    cases = defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    left_out: set[pytest.Item] = set()
    for each in cases.values():
        marker = each[0].get_closest_marker("thorough")
        taken = marker.kwargs.get("quick", 0) if marker else min(len(each), QUICK_CASES)
        left_out.update(each)
        left_out.difference_update(each[len(each) * number // taken] for number in range(taken))
    return left_out


@pytest.fixture(scope="session")
def num_tries(pytestconfig):
    """How often a test that tries random things in a loop does so: `some` times with --some-seeds."""
    return lambda each, some: some if pytestconfig.getoption("some_seeds") else each


def pytest_collection_finish() -> None:
    """What modules have made stays: looking through ROOT, awkward and others again and again takes a seventh of the time."""
    gc.freeze()
    # Where nothing reads files, as in tests/project alone, it need not be imported.
    if "uproot" in sys.modules:
        importlib.import_module("quick_uproot").install()


def pytest_report_header() -> str:
    return f"files made by others: {find_shared_data() or 'none, tests that need them are skipped'}"

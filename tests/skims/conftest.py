# SPDX-License-Identifier: BSD-3-Clause
"""The program, events to run it on, folders to run configs in, and what is measured of files and runs."""

import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import uproot

# pytest's importlib mode does not let tests import what they share by itself.
sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))

from histogram_events import config_for, make_events
from nano_objects import NANO
from plain_configs import parsed
from remote_servers import Nginx, make_certificate, write_events

# Files that the tests make with uproot have no checksums of pages, which each run on them says.
NOTICE = re.compile(
    r'^[^\n]*warning: \d+ files? of the sample "[^"]*" ha(?:s|ve) RNTuple pages without checksums[^\n]*\n'
    r"(?:  [^\n]*\n +\^~*\n)?",
    re.MULTILINE,
)

# A process counts the memory of the one that started it: a small one has to.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.fixture(scope="session")
def call(skimline):
    """Runs the program. Without the notice of pages without checksums, which `unfiltered` has."""

    def run(*arguments, **options) -> subprocess.CompletedProcess:
        command = [skimline, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)
        done.unfiltered = done.stderr
        done.stdout, done.stderr = (NOTICE.sub("", text) for text in (done.stdout, done.stderr))
        return done

    return run


@pytest.fixture(scope="session")
def generate(call):
    """Writes synthetic events of a model and returns the path."""

    def run(model, path, num_events, *options):
        made = call("generate", model, "--events", num_events, *options, "-o", path)
        assert made.returncode == 0, made.stderr
        return path

    return run


@pytest.fixture(scope="session")
def sample(generate, tmp_path_factory):
    """100 000 synthetic dimuon events."""
    return generate("dimuon", tmp_path_factory.mktemp("sample") / "dimuon.root", 100000, "--seed", 4)


@pytest.fixture(scope="session")
def columns(sample):
    return uproot.open(sample)["Events"].arrays()


@pytest.fixture(scope="session")
def events_file(tmp_path_factory):
    """The path of an RNTuple with flat values, lists and lists of lists, and what is in it."""
    path = tmp_path_factory.mktemp("events") / "events.root"
    return path, make_events(path)


@pytest.fixture
def fill(job, events_file, tmp_path):
    """Fills histograms with the events of events_file and returns the file."""

    def run(histograms, *arguments, **more):
        done = job(config_for(events_file[0], histograms, **more), *arguments)
        assert done.returncode == 0, done.stderr
        return tmp_path / "histograms.root"

    return run


@pytest.fixture(scope="session")
def run_in(call):
    """Writes a config into a folder and runs it there."""

    def run(folder, config, *arguments, **options):
        (folder / "a.json").write_text(config if isinstance(config, str) else json.dumps(config, indent=1))
        return call("run", "a.json", *arguments, cwd=folder, **options)

    return run


@pytest.fixture
def job(run_in, tmp_path):
    """Writes a config into an own folder and runs it there."""
    return functools.partial(run_in, tmp_path)


@pytest.fixture
def fresh_job(job, tmp_path):
    """Runs a config where nothing of earlier ones is left."""

    def run(*arguments, **options):
        for pattern in ("h.root", "s.root", "c.root", "*report.json"):
            for path in tmp_path.glob(pattern):
                path.unlink()
        return job(*arguments, **options)

    return run


@pytest.fixture
def run_python(build_folder, tmp_path):
    """Runs code that uses the Python package of the build in a process and a folder of its own."""

    def run(code, *arguments) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            env=os.environ | {"PYTHONPATH": str(build_folder / "python")},
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )

    return run


@pytest.fixture
def slow_storage(build_folder, tmp_path, unsanitized):
    """The environment in which files called *.root answer after so many milliseconds; says to a file how it was read."""

    def environment(milliseconds, told=tmp_path / "reads"):
        library = build_folder / "tests" / "io" / "libio_slow_storage.so"
        storage = {"SKIMLINE_STORAGE": str(milliseconds), "SKIMLINE_STORAGE_REPORT": str(told)}
        return os.environ | {"LD_PRELOAD": str(library)} | storage

    return environment


@pytest.fixture(scope="module")
def served(generate, tmp_path_factory):
    """A folder with two files of dimuon events and one of all objects."""
    return write_events(generate, tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def nginx(served, tmp_path_factory):
    """A server of that folder, by http and https."""
    work = tmp_path_factory.mktemp("nginx")
    server = Nginx(served, work, make_certificate(work)).start()
    yield server
    server.stop()


@pytest.fixture
def fault_server():
    """Makes servers whose answers a function changes, and proxies, which end with the test."""
    made = []

    def make(kind, *arguments):
        made.append(kind(*arguments))
        return made[-1]

    yield make
    for each in made:
        each.stop()


@pytest.fixture(scope="session")
def peak_memory(skimline, unsanitized):
    """The most memory that the program takes in a folder, in bytes."""

    def run(folder, *arguments) -> int:
        command = [sys.executable, "-c", MEASURE, skimline, *map(str, arguments)]
        return int(subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout)

    return run


def distinct_pages(path, *columns) -> dict[int, tuple[int, int]]:
    """Elements and stored bytes, by offset, of the pages of fields. Columns with equal pages share them."""
    ntuple = uproot.open(path)["Events"]
    fields = ntuple.field_records
    pages = {}
    for number, column in enumerate(ntuple.column_records):
        field = fields[column.field_id]
        name = fields[field.parent_field_id].field_name if field.field_name == "_0" else field.field_name
        if name in columns:
            for cluster in ntuple.page_link_list:
                for page in cluster[number].pages:
                    pages[page.locator.offset] = (page.num_elements, page.locator.num_bytes)
    return pages


@pytest.fixture(scope="session")
def pages_of():
    """The distinct pages of fields of the RNTuple Events of a file, as uproot sees them."""
    return distinct_pages


@pytest.fixture(scope="session")
def plain_config():
    """Reads a config as plain data."""
    return lambda path: parsed(path.read_text())


@pytest.fixture
def columns_of(call, tmp_path):
    """Writes expressions of the events of a file to a skim and reads them."""

    def run(file, columns, **config):
        job = {
            "schema_version": 1,
            "samples": {"s": {"files": [str(file)]}},
            "skims": {"out": {"file": "out.root", "columns": columns}},
            **config,
        }
        path = tmp_path / "job.json"
        path.write_text(json.dumps(job))
        done = call("run", path, "--force")
        assert done.returncode == 0, done.stderr
        with uproot.open(tmp_path / "out.root") as out:
            return out["Events"].arrays()

    return run


@pytest.fixture
def mistake_in(call, tmp_path):
    """What `validate` says of a config."""

    def run(file, **config):
        job = {"schema_version": 1, "samples": {"s": {"files": [str(file)]}}, **config}
        path = tmp_path / "job.json"
        path.write_text(json.dumps(job, indent=2))
        done = call("validate", path)
        assert done.returncode != 0
        return done.stderr

    return run


@pytest.fixture(scope="session")
def nano(shared_data):
    return shared_data / NANO

# SPDX-License-Identifier: BSD-3-Clause
"""RNTuples written chunk by chunk: chunks of one type, and a file that is whole or not there at all."""

import gc
import signal
import subprocess
import sys
import threading
import time

import awkward as ak
import numpy as np
import pytest
from skimline import writing
from skimline.errors import Error, FileError, SchemaError
from written_ntuples import check, read


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out.root"


def test_chunks_may_change_afterwards(path):
    chunk = np.zeros(1000)
    with writing.create(path, cluster_size="64 KiB", threads=2) as out:
        for number in range(100):
            chunk[:] = number
            out.extend({"x": chunk})
        chunk[:] = -1
    assert np.array_equal(read(path)["x"].to_numpy(), np.repeat(np.arange(100), 1000))


CONVERSIONS = [
    ("i4", np.array([1, -5], "i8"), True),
    ("i4", np.array([2**31], "i8"), False),
    ("u8", np.array([-1], "i8"), False),
    ("i8", np.array([2**63], "u8"), False),
    ("i8", np.array([2**63 - 1], "u8"), True),
    ("i8", np.array([True]), True),
    ("?", np.array([1]), False),
    ("i8", np.array([1.0]), False),
    ("f4", np.array([0.5, np.nan, np.inf]), True),
    ("f4", np.array([0.1]), False),
    ("f4", np.array([1e300]), False),
    ("f4", [1e300], False),
    ("f4", [0.1], True),
    ("f4", np.array([2**24]), True),
    ("f4", np.array([2**24 + 1]), False),
    ("f8", np.array([2**53 + 1]), False),
    ("f8", np.array([-(2**63)]), False),
    ("f8", np.array([0.1], "f4"), True),
]


@pytest.mark.parametrize(("dtype", "chunk", "fits"), CONVERSIONS)
def test_later_chunks_are_converted_if_no_value_changes(path, dtype, chunk, fits):
    first = np.array([1], dtype)
    with writing.create(path) as out:
        out.extend({"x": first, "lists": [first]})
        if fits:
            out.extend({"x": chunk, "lists": [chunk] * len(chunk)})
        else:
            with pytest.raises(SchemaError, match=r'column "x" has the type .*would change'):
                out.extend({"x": chunk, "lists": [chunk] * len(chunk)})
        out.extend({"lists": [first], "x": first})
    converted = np.asarray(chunk).astype(dtype) if fits else np.zeros(0, dtype)
    check(path, "x", np.concatenate([first, converted, first]))


@pytest.mark.parametrize(
    ("chunk", "message"),
    [
        ({"x": [1.0]}, 'column "y" is missing: the columns are "x", "y"'),
        ({"x": [1.0], "y": [[1]], "z": [1]}, 'column "z" is new'),
        ({"x": ["a"], "y": [[1]]}, 'column "x" has the type string, but double was expected'),
        (
            {"x": [1.0], "y": [1]},
            'column "y" has the type std::int64_t, but list of std::int64_t was expected',
        ),
    ],
)
def test_chunks_that_do_not_fit_leave_the_writer_as_it_was(path, chunk, message):
    with writing.create(path) as out:
        out.extend({"x": [1.0], "y": [[1]]})
        with pytest.raises(SchemaError, match=message):
            out.extend(chunk)
        out.extend({"x": [2.0], "y": [[]]})
    assert read(path).to_list() == [{"x": 1, "y": [1]}, {"x": 2, "y": []}]


def test_an_exception_leaves_what_was_there(tmp_path):
    path = tmp_path / "out.root"
    path.write_text("old")
    with (
        pytest.raises(ZeroDivisionError),
        writing.create(path, threads=2, cluster_size="64 KiB", force=True) as out,
    ):
        out.extend({"x": np.random.default_rng(1).normal(size=100_000)})
        raise ZeroDivisionError
    assert [each.name for each in tmp_path.iterdir()] == ["out.root"]
    assert path.read_text() == "old"
    with pytest.raises(Error, match="the writer is closed"):
        out.extend({"x": [1.0]})
    with pytest.raises(Error, match="not complete"):
        out.report  # noqa: B018
    with pytest.raises(Error, match="there is no file"):
        out.close()


def test_a_forgotten_writer_leaves_nothing(tmp_path):
    out = writing.create(tmp_path / "out.root")
    out.extend({"x": [1.0]})
    del out
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_closing_twice_and_nothing_written(tmp_path):
    out = writing.create(tmp_path / "a.root")
    out.extend({"x": [1.0]})
    assert out.close() is out.close() is out.report
    with pytest.raises(SchemaError, match="nothing was written"), writing.create(tmp_path / "b.root"):
        pass
    with writing.create(tmp_path / "c.root", fields={"x": "float"}):
        pass
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.root", "c.root"]


def test_a_full_disk_is_an_error(tmp_path):
    with pytest.raises(FileError) as caught, writing.create("/dev/full", cluster_size="64 KiB") as out:
        for _ in range(100):
            out.extend({"x": np.random.default_rng(1).normal(size=100_000)})
    assert caught.value.path == "/dev/full"


def test_threads_may_share_a_writer(path):
    def work(number):
        for _ in range(20):
            out.extend({"x": np.full(500, number), "texts": [str(number)] * 500})

    with writing.create(path, threads=2, cluster_size="64 KiB") as out:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = read(path)
    assert np.array_equal(np.bincount(found["x"]), [10_000] * 4)
    assert ak.all(found["texts"] == ak.Array(["0", "1", "2", "3"])[found["x"]])


LEFT_OPEN = """
import sys, numpy as np
from skimline import writing
out = writing.create(sys.argv[1], cluster_size="64 KiB", threads=2)
for _ in range(50):
    out.extend({"x": np.random.default_rng(1).normal(size=20_000)})
if len(sys.argv) > 2:
    raise ZeroDivisionError
"""


@pytest.mark.parametrize("arguments", [(), ("raise",)])
def test_a_program_that_ends_with_an_open_writer_leaves_nothing(tmp_path, program, arguments):
    environment = {"PYTHONPATH": str(program.parent / "python")}
    command = [sys.executable, "-c", LEFT_OPEN, tmp_path / "out.root", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=100, check=False)
    assert (done.returncode, "ZeroDivisionError" in done.stderr) == (len(arguments), bool(arguments))
    assert list(tmp_path.iterdir()) == []


INTERRUPTED = """
import sys, numpy as np
from skimline import writing
data = {"x": np.random.default_rng(1).normal(size=30_000_000)}
print("begin", flush=True)
try:
    writing.write(sys.argv[1], data, compression="lzma:9", threads=2, cluster_size=sys.argv[2])
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("cluster_size", ["1 MiB", "1 GiB"])
def test_control_c_ends_it(tmp_path, program, cluster_size):
    """Within a page of each thread, not a cluster."""
    environment = {"PYTHONPATH": str(program.parent / "python")}
    command = [sys.executable, "-c", INTERRUPTED, tmp_path / "out.root", cluster_size]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout.readline() == "begin\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    assert process.communicate(timeout=90)[0] == "interrupted\n"
    assert time.monotonic() - start < 20
    assert list(tmp_path.iterdir()) == []

# SPDX-License-Identifier: BSD-3-Clause
"""Executors that misbehave, and arguments and stores that are wrong, lose nothing and are told."""

import json
import subprocess
from asyncio import CancelledError
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pytest
import skimline as sk
from parted_runs import COUNT, Losing
from skimline.errors import ConfigError, FileError, LostPartsError

pytestmark = pytest.mark.usefixtures("outputs_of_parts")


class Refusing(Losing):
    """Takes no work at first, and says so as it likes."""

    def __init__(self, problem, times):
        super().__init__(0)
        self.problem = problem
        self.left = times

    def submit(self, function, common, part):
        self.left -= 1
        if self.left >= 0:
            raise self.problem
        return super().submit(function, common, part)


@pytest.mark.parametrize(
    "problem",
    [RuntimeError("ended"), OSError(24, "too many files"), TypeError("no"), ConnectionError("gone")],
)
def test_work_that_is_not_taken_is_submitted_again(problem, config, run_in):
    expected = run_in(config, "here")
    with pytest.warns(sk.RunWarning, match=f"a part was computed again: .*{type(problem).__name__}"):
        assert run_in(config, "there", executor=Refusing(problem, 4)) == expected
    with pytest.raises(LostPartsError, match=rf"lost 3 times \(.*{type(problem).__name__}: "):
        run_in(config, "never", executor=Refusing(problem, 10**6))


@pytest.mark.parametrize(
    "result", [None, "text", 7, ("here", 5, None), ("here", {}, "broken"), ("here",), [1, 2, 3]]
)
def test_what_no_part_comes_to_is_lost(result, config, run_in):
    class Wrong:
        def submit(self, *_):
            future = Future()
            future.set_result(result)
            return future

    with pytest.raises(LostPartsError, match="6 parts were lost 3 times"):
        run_in(config, "there", executor=Wrong())


def test_results_for_other_parts_are_no_loss(config, run_in):
    """All of them are those of the first part."""

    class Same:
        known = None

        def submit(self, function, common, part):
            future = Future()
            self.known = self.known or function(common, part)
            future.set_result(self.known)
            return future

    assert run_in(config, "there", executor=Same()) == run_in(config, "here")


class UntoldError(Exception):
    def __str__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    "problem", [SystemExit(0), GeneratorExit(), CancelledError(), UntoldError(), MemoryError()]
)
def test_what_ends_a_task_is_a_loss_and_no_end_of_the_program(problem, config, run_in):
    class Ending(Losing):
        left = 2

        def submit(self, function, common, part):
            self.left -= 1
            future = super().submit(function, common, part)
            if self.left >= 0:
                future = Future()
                future.set_exception(problem)
            return future

    name = type(problem).__name__
    with pytest.warns(sk.RunWarning, match=f"a part was computed again: .*{name}"):
        assert run_in(config, "there", executor=Ending(0)) == run_in(config, "here")


def test_a_program_that_ends_itself_while_it_waits(config, run_in):
    class Waiting:
        def submit(self, *_):
            class Future:
                def result(self, timeout=None):
                    raise SystemExit(3)

                def done(self):
                    return False

                def exception(self):
                    raise AssertionError("waits for ever")

            return Future()

    with pytest.raises(SystemExit):
        run_in(config, "there", executor=Waiting())


def test_problems_take_one_line(config, run_in):
    class Talking:
        def submit(self, *_):
            future = Future()
            future.set_exception(RuntimeError("first\n\nMissing:\n  \x1b[31mred"))
            return future

    with pytest.raises(LostPartsError) as caught:
        run_in(config, "there", executor=Talking())
    first, *others = str(caught.value).splitlines()
    assert "RuntimeError: first Missing: ?[31mred" in first
    assert len(others) == COUNT


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"executor": ThreadPoolExecutor}, "has submit"),
        ({"executor": object()}, "has submit"),
        ({"store": 5}, "store must be a path or None, not 5"),
        ({"store": ""}, "store is a folder or a URL"),
        ({"executor": Losing(0), "store": ""}, "store is a folder or a URL"),
        ({"executor": Losing(0), "reduce": 5}, "reduce must be a text or None, not 5"),
    ],
)
def test_arguments_that_are_wrong(options, message, config, run_in):
    with pytest.raises(ConfigError, match=message):
        run_in(config, "there", **options)


@pytest.mark.parametrize("mistake", ["split", "foreign"])
def test_nothing_is_computed_for_outputs_that_cannot_be(mistake, config, run_in, inputs, tmp_path):
    class Untouched:
        def submit(self, *_):
            raise AssertionError

    if mistake == "split":
        config["skims"]["s"]["split"] = "1 MB"
    else:
        config["output"]["histograms"] = str(tmp_path / "mine.root")
        (tmp_path / "mine.root").write_bytes((inputs / "part0.root").read_bytes())
    with pytest.raises(ConfigError, match="cannot be split" if mistake == "split" else "is no output"):
        run_in(config, "there", executor=Untouched())


def test_a_store_that_cannot_be_written_into(config, run_in, tmp_path):
    """One that has all is good enough."""
    expected = run_in(config, "here")
    store = tmp_path / "store"
    run_in(config, "filling", store=store)
    if subprocess.run(["mount", "--bind", store, store], check=False, capture_output=True).returncode != 0:
        pytest.skip("nothing can be mounted")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", store], check=True)
        assert run_in(config, "there", store=store, executor=Losing(0)) == expected
        config["histograms"]["met"]["x"]["bins"] = 31
        with pytest.raises(FileError, match=f"^{store}: cannot be written: Read-only file system$"):
            run_in(config, "more", store=store, executor=Losing(0))
    finally:
        subprocess.run(["umount", store], check=True)


def test_configs_and_stores_behind_links(tmp_path, monkeypatch):
    """ ".." behind a link is the folder that the system takes it for, for those who compute parts too."""
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real/deep")
    for folder, count in ((tmp_path, 3), (tmp_path / "real", 5)):
        sk.write(folder / "x.root", {"x": np.arange(float(count))})
    config = {"samples": {"s": {"files": ["x.root"]}}, "select": [{"name": "c", "where": "x >= 0"}]}
    (tmp_path / "real" / "c.json").write_text(json.dumps({"schema_version": 1, **config}))
    monkeypatch.chdir(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        result = sk.run_config("link/../c.json", executor=pool, store="link/../store")
    assert result.cutflow["c"].events == 5
    assert (tmp_path / "real" / "store").is_dir()
    assert not (tmp_path / "store").exists()

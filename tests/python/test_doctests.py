# SPDX-License-Identifier: BSD-3-Clause
"""The examples in the docstrings of the package run, and give what they say.

They run in a folder of their own with dimuon.root, 10 000 synthetic events, and 5000 others each in
data/1.root and data/2.root; `sk` is the package, `np` is numpy.
"""

import doctest
import importlib
import pkgutil
import subprocess

import numpy
import pytest
import skimline

MODULES = sorted(
    f"skimline.{module.name}"
    for module in pkgutil.iter_modules(skimline.__path__)
    if module.name not in ("_core", "__main__") and not module.name.startswith("lib")
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture(scope="module")
def data(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    (folder / "data").mkdir()
    for name, seed, events in (
        ("dimuon.root", 1, 10_000),
        ("data/1.root", 2, 5000),
        ("data/2.root", 3, 5000),
    ):
        options = ["--seed", str(seed), "--events", str(events), "-o", folder / name]
        subprocess.run([program, "generate", "dimuon", *options], check=True, capture_output=True)
    return folder


@pytest.fixture
def folder(data, tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    for file in data.rglob("*.root"):
        (tmp_path / file.relative_to(data)).symlink_to(file)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["skimline", *MODULES])
def test_examples_give_what_they_say(folder, name):
    module = importlib.import_module(name)
    said = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for example in doctest.DocTestFinder().find(module, extraglobs={"sk": skimline, "np": numpy}):
        runner.run(example, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


def test_a_wrong_example_would_fail():
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    text = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    assert runner.run(text, out=lambda _: None).failed == 1

# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes that types make impossible: each line compiles in its right form, and not in its wrong one."""

import re

import pytest
from compiler import faults_of, options_of_folders, precompiled

HEADERS = """
#include "skimline/framework/plan.h"
#include "skimline/histograms/histogram_set.h"
#include "skimline/io/input_file.h"
#include "skimline/io/parallel_writer.h"
#include "skimline/io/root_file_writer.h"

using namespace skimline;
"""

BEFORE = "void f(PlanBuilder& plan, io::ParallelWriter& writer, io::InputFile& file) {\n"

CASES = {
    "a number is no selection": (
        'plan.select(kAllEntries, "x > 0");',
        'plan.select(0, "x > 0");',
        "could not convert|cannot convert",
    ),
    "a variation is no selection": (
        'plan.select(kAllEntries, "x > 0", kNominal);',
        'plan.select(kNominal, "x > 0", kAllEntries);',
        "could not convert|cannot convert",
    ),
    "a plan is built once": (
        "std::move(plan).build();",
        "plan.build();",
        "discards qualifiers",
    ),
    "a builder has one owner": (
        "PlanBuilder other = std::move(plan);",
        "PlanBuilder other = plan;",
        "deleted",
    ),
    "a writer has one owner": (
        "io::ParallelWriter& same = writer;",
        "io::ParallelWriter copy = writer;",
        "deleted",
    ),
    "an open file has one owner": (
        "const io::InputFile& same = file;",
        "io::InputFile copy = file;",
        "deleted",
    ),
    "a text opens no file by accident": (
        'io::RootFileWriter output("a.root");',
        'io::RootFileWriter output = std::string("a.root");',
        "conversion from",
    ),
    "options are no number of threads": (
        "histograms::HistogramSet set({.threads = 2});",
        "histograms::HistogramSet set = 2;",
        "conversion from",
    ),
}


@pytest.fixture(scope="module")
def options(build_folder, tmp_path_factory):
    """With the headers, which take seconds, compiled once."""
    return precompiled(options_of_folders(build_folder)["skims"], HEADERS, tmp_path_factory.mktemp("headers"))


def test_the_right_forms_compile(options):
    lines = "".join(f"{{ {right} }}\n" for right, _, _ in CASES.values())
    assert faults_of(options, BEFORE + lines + "}\n") == ""


@pytest.mark.parametrize("name", CASES)
def test_wrong_forms_do_not(options, name):
    _, wrong, message = CASES[name]
    faults = faults_of(options, f"{BEFORE}{wrong}\n}}\n")
    assert re.search(message, faults), faults or "it compiles"

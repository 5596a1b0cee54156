# SPDX-License-Identifier: BSD-3-Clause
"""Random well-typed expressions give the values and types that RDataFrame's interpreter gives, bit for bit, where that has
the same functions of <cmath>; these have tests of their own (tests/framework/maths).

$SKIMLINE_FUZZ_SEED chooses the expressions and $SKIMLINE_FUZZ_EXPRESSIONS their number in a round, else 2,500, or 500 with --some-seeds; rounds follow one
another for $SKIMLINE_FUZZ_SECONDS."""

import os
import time

import pytest
from interpreted_expressions import difference, interpret, make_expressions, read_values

NUM_ENTRIES = 100


@pytest.fixture(scope="module")
def expression_values(build_folder):
    """The program that makes expressions and their values."""
    program = build_folder / "tests" / "framework" / "expression_values"
    if not program.is_file():
        pytest.fail(f"no program {program}: build with SKIMLINE_BUILD_TESTS=ON")
    return program


def differences(program, library, folder, seed, count):
    folder.mkdir()
    expressions = make_expressions(program, folder, seed, count, NUM_ENTRIES)
    assert len(expressions) == count
    interpret(folder, NUM_ENTRIES, library)
    ours, theirs = read_values(folder / "values.bin"), read_values(folder / "interpreted.bin")
    flags = (folder / "entries.bin").read_bytes()
    for i, (text, mine, other) in enumerate(zip(expressions, ours, theirs, strict=True)):
        problem = difference(mine, other, flags[i * NUM_ENTRIES : (i + 1) * NUM_ENTRIES])
        if problem:
            yield f"seed {seed}: {text}: {problem}"


@pytest.mark.thorough
def test_random_expressions(tmp_path, expression_values, one_definition, num_tries):
    seed = int(os.environ.get("SKIMLINE_FUZZ_SEED", "1"))
    count = int(os.environ.get("SKIMLINE_FUZZ_EXPRESSIONS", num_tries(2500, 500)))
    end = time.monotonic() + float(os.environ.get("SKIMLINE_FUZZ_SECONDS", "0"))
    failures = []
    while True:
        failures += differences(expression_values, one_definition, tmp_path / str(seed), seed, count)
        seed += 1
        if time.monotonic() >= end:
            break
    assert not failures, f"{len(failures)} differ:\n" + "\n".join(failures)

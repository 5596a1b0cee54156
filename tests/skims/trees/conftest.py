# SPDX-License-Identifier: BSD-3-Clause
"""Damaged copies of trees."""

import random

import pytest
from exit_codes import DONE, FAILED, WRONG_USAGE


@pytest.fixture
def verify_damaged_copies(call, tmp_path):
    """Verifies copies of a file of which some bits are others: each is read or refused."""

    def run(path, seed):
        content = path.read_bytes()
        numbers = random.Random(seed)
        for _ in range(25):
            changed = bytearray(content)
            for _ in range(numbers.choice((1, 1, 3, 20))):
                changed[numbers.randrange(len(changed))] ^= 1 << numbers.randrange(8)
            (tmp_path / "changed.root").write_bytes(changed)
            done = call("verify", tmp_path / "changed.root")
            assert done.returncode in (DONE, FAILED, WRONG_USAGE), done.stderr

    return run

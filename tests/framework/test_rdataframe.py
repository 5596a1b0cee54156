# SPDX-License-Identifier: BSD-3-Clause
"""The same expression gives the same values and types as RDataFrame on the same file, or differs as the page says."""

from pathlib import Path

import compatibility_page
import pytest
from compared_constructs import DIFFERENT, EXPRESSIONS, REFUSED, THEIRS
from expression_oracle import write_input

ROOT = Path(__file__).resolve().parents[2]
NUM_ENTRIES = 3000


@pytest.fixture(scope="module")
def input_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("expressions") / "input.root"
    write_input(path, NUM_ENTRIES)
    return path


@pytest.fixture(scope="module")
def found(skimline, input_file, one_definition):
    """What differs of each expression of THEIRS."""
    return compatibility_page.differences(skimline, input_file, one_definition)


@pytest.fixture(scope="module")
def refused(skimline, input_file):
    """What Skimline does not take."""
    return compatibility_page.refused(skimline, input_file)


@pytest.mark.thorough
@pytest.mark.parametrize("index", range(len(EXPRESSIONS)), ids=EXPRESSIONS)
def test_values_and_types(index, found):
    assert found[index] is None


@pytest.mark.thorough
@pytest.mark.parametrize("each", DIFFERENT, ids=lambda each: each.text)
def test_what_differs_is_known(each, found):
    assert found[THEIRS.index(each.text)] is not None


@pytest.mark.parametrize("each", REFUSED, ids=lambda each: each.text)
def test_what_is_refused_can_be_written(each, found, refused):
    assert each.text in refused
    if each.instead is not None:
        assert found[THEIRS.index(each.text)] is None, f"not the same as {each.instead}"


def test_the_page_says_what_was_found(found, refused):
    page = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    assert page == compatibility_page.page(found, refused), "scripts/write-compatibility writes it anew"

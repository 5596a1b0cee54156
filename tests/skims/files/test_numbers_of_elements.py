# SPDX-License-Identifier: BSD-3-Clause
"""RNTuples whose columns have more or fewer elements than their entries must have, though all checksums are right."""

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED

# In the order of what ak.to_buffers() calls "node1" and so on, lists and texts before what they hold.
VALUES = {
    "number": np.arange(4) + 0.5,
    "list": ak.Array([[1], [2, 3], [], [4]]),
    "text": ak.Array(["a", "", "bc", "d"]),
    "array": ak.to_regular(ak.Array([[n, n] for n in range(4)]), axis=1),
    "variant": ak.Array([7, True, 8, False]),
    "records": ak.Array([[{"x": 1, "y": 2}], [], [{"x": 3, "y": 4}] * 2, []]),
}
NUMBERS, ENDS, TEXT_ENDS, ITEMS_OF_ARRAYS = "node1-data", "node2-offsets", "node4-offsets", "node7-data"
ITEMS, CHARACTERS, ALTERNATIVES = "node3-data", "node5-data", "node9-data"
MEMBERS = "node14-data"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes an RNTuple, one of its columns otherwise than uproot writes it."""
    columns_of = ak.to_buffers

    def run(name, changed=None, change=None):
        def changed_columns(array):
            form, length, columns = columns_of(array)
            if changed:
                columns[changed] = change(columns[changed])
            return form, length, columns

        with monkeypatch.context() as patch, uproot.recreate(tmp_path / name) as file:
            patch.setattr(ak, "to_buffers", changed_columns)
            file.mkrntuple("Events", ak.Array(VALUES))
        return tmp_path / name

    return run


def without_last(column):
    return column[:-1]


def without_all(column):
    return column[:0]


def with_one_more(column):
    return np.append(column, column[-1:])


@pytest.mark.parametrize("command", ["inspect", "verify", "run", "merge"])
@pytest.mark.parametrize(
    ("column", "change", "problem"),
    [
        (NUMBERS, without_last, '"number" has 3 elements for 4 entries'),
        (NUMBERS, without_all, '"number" has 0 elements for 4 entries'),
        (ENDS, without_last, '"list" has 3 elements for 4 entries'),
        (TEXT_ENDS, without_last, '"text" has 3 elements for 4 entries'),
        (ITEMS_OF_ARRAYS, without_last, '"array._0" has 7 elements for 4 entries'),
        (MEMBERS, without_last, '"records._0.y" has 2 elements for 3 items'),
        (MEMBERS, with_one_more, '"records._0.y" has 4 elements for 3 items'),
    ],
)
def test_entries_without_elements_are_reported(call, job, tmp_path, write, command, column, change, problem):
    path = write("a.root", column, change)
    if command == "run":
        config = {"schema_version": 1, "samples": {"data": {"files": ["a.root"]}}}
        done = job(config | {"skims": {"skim": {"file": "out.root"}}})
    else:
        done = call(command, *([tmp_path / "out.root"] if command == "merge" else []), path)
    assert done.returncode == FAILED
    assert f"field {problem}" in done.stdout + done.stderr
    assert not (tmp_path / "out.root").exists()


@pytest.mark.parametrize("options", [[], ["--method", "rewrite"]])
@pytest.mark.parametrize("change", [without_last, with_one_more])
@pytest.mark.parametrize(
    ("column", "field", "number"), [(ITEMS, "list", 4), (CHARACTERS, "text", 4), (ALTERNATIVES, "variant", 2)]
)
def test_what_is_joined_does_not_shift_items(call, tmp_path, write, options, change, column, field, number):
    wrong, sound = write("wrong.root", column, change), write("sound.root")
    done = call("merge", *options, tmp_path / "out.root", wrong, sound)
    assert done.returncode == FAILED
    found = number + (1 if change is with_one_more else -1)
    assert (
        f'wrong.root: RNTuple "Events", cluster 0 (entries 0 to 4): a column of field "{field}"'
        in done.stderr
    )
    assert f"{found} elements instead of {number}" in done.stderr
    assert not (tmp_path / "out.root").exists()


def with_a_list_that_ends_early(column):
    return np.append(column[:-1], 0)


@pytest.mark.parametrize(
    ("column", "change", "field", "problem"),
    [
        (ITEMS, without_last, "list", "its lists end at item 4 of 3"),
        (CHARACTERS, without_all, "text", "its lists end at item 4 of 0"),
        (ENDS, with_a_list_that_ends_early, "list", "the ends of its lists are not in order"),
        (TEXT_ENDS, with_a_list_that_ends_early, "text", "the ends of its lists are not in order"),
    ],
)
def test_verify_names_lists_without_items(call, write, column, change, field, problem):
    done = call("verify", write("a.root", column, change))
    assert done.returncode == FAILED
    (line,) = done.stdout.splitlines()[1:]
    assert line.startswith(f'         column "{field}", cluster 0 (entries 0 to 4), page at byte ')
    assert line.endswith(f": {problem}")


def test_verify_bears_items_that_no_list_has(call, write):
    assert call("verify", write("a.root", ITEMS, with_one_more)).returncode == DONE


def test_sound_files_are_joined(call, tmp_path, write):
    parts = [write("a.root"), write("b.root")]
    assert call("merge", tmp_path / "out.root", *parts).returncode == DONE
    with uproot.open(tmp_path / "out.root") as file:
        assert file["Events"].arrays().tolist() == 2 * ak.Array(VALUES).tolist()

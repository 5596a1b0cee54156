# SPDX-License-Identifier: BSD-3-Clause
"""TTrees that say the sizes of lists twice, and not the same: what is stored raw has no checksum that tells."""

import awkward as ak
import numpy as np
import pytest
import uproot
from exit_codes import DONE, FAILED, INCOMPLETE

COUNTS = np.arange(60) % 3
BASKET = 20  # entries


@pytest.fixture
def tree(tmp_path):
    """A file with lists that are counted in "nv"."""
    with uproot.recreate(tmp_path / "a.root", compression=None) as file:
        file.mktree("t", {"v": "var * float32"})
        for counts in COUNTS.reshape(-1, BASKET):
            file["t"].extend({"v": ak.Array([list(range(count)) for count in counts])})
    return tmp_path / "a.root"


def flip_a_count(path, entry):
    """One bit of what is stored for an entry: the count is greater by four."""
    with uproot.open(path) as file:
        number, within = divmod(entry, BASKET)
        key = file["t"]["nv"].basket_key(number)
        stored = COUNTS[number * BASKET :][:BASKET].astype(">i4").tobytes()
    content = bytearray(path.read_bytes())
    content[content.index(stored, key.fSeekKey) + 4 * within + 3] ^= 4
    path.write_bytes(content)
    with uproot.open(path) as file:
        assert np.flatnonzero(file["t"]["nv"].array() != ak.num(file["t"]["v"].array())).tolist() == [entry]


@pytest.mark.parametrize("entry", [0, 23, 59])
def test_verify_names_the_first_entry(call, tree, entry):
    assert call("verify", tree).returncode == DONE
    flip_a_count(tree, entry)
    done = call("verify", tree)
    size, count = COUNTS[entry], COUNTS[entry] + 4
    elements = f"{size} element" + ("" if size == 1 else "s")
    assert done.returncode == FAILED
    assert f'branch "v" has {elements} in entry {entry}, where "nv" says {count}' in done.stdout


def test_recover_keeps_it_and_says_so(call, tree, tmp_path):
    flip_a_count(tree, 30)
    done = call("recover", tree, tmp_path / "out.root")
    assert done.returncode == INCOMPLETE
    assert '"t": kept as it is, though it is damaged: branch "v" has 0 elements in entry 30' in done.stdout
    assert str(tmp_path / ".out") not in done.stdout
    with uproot.open(tmp_path / "out.root") as file:
        assert ak.num(file["t"]["v"].array()).tolist() == COUNTS.tolist()

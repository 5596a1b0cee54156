# SPDX-License-Identifier: BSD-3-Clause
"""Frames of many samples: what they say stays short, and what is done for each sample is done once for it."""

import json

import pytest
import skimline as sk
from skimline.events import Samples

NAMES = [f"sample_{number}" for number in range(30)]


@pytest.fixture
def frame(tmp_path):
    for number, name in enumerate(NAMES):
        sk.generate("dimuon", tmp_path / f"{name}.root", events=20, seed=number)
    return sk.open({name: str(tmp_path / f"{name}.root") for name in NAMES})


def test_messages_name_a_few_samples(frame):
    heavy = frame.hist("MET_pt", bins=4, range=(0, 100))
    sk.run(heavy)
    said = [repr(frame), repr(heavy)]
    for call in (lambda: frame.arrays(["MET_pt"]), lambda: heavy.result):
        with pytest.raises(sk.errors.Error) as raised:
            call()
        said.append(str(raised.value))
    for text in said:
        assert NAMES[4] in text
        assert NAMES[5] not in text
        assert "and 25 more" in text


def test_texts_of_samples_are_looked_up_once_for_a_definition(frame, monkeypatch):
    looked_up = []
    overrides = Samples.overrides.fget
    monkeypatch.setattr(
        Samples, "overrides", property(lambda self: looked_up.append(self) or overrides(self))
    )
    defined = frame.define("double", "2 * MET_pt")
    assert len(looked_up) <= 3
    assert "double" in defined.columns


@pytest.mark.parametrize("changed", [{"k": 2}, {"k": 1, "cross_section_pb": 2.5}, {"k": 1, "other": "x"}])
def test_lists_of_samples_that_change_are_noticed(tmp_path, changed):
    """Frames stand for what was opened; what a list says of its files, they know besides."""
    sk.generate("dimuon", tmp_path / "data.root", events=20)
    path = tmp_path / "list.json"

    def write(metadata):
        path.write_text(json.dumps({"mc": {"files": [str(tmp_path / "data.root")], "metadata": metadata}}))

    write({"k": 1})
    frame = sk.open(samples_from=path).define("twice", "k * 2")
    assert frame.max("twice").value == 2
    write(changed)
    with pytest.raises(sk.FileError, match=r"list\.json: has changed since it was opened"):
        frame.max("twice").value  # noqa: B018
    write({"k": 1})
    assert frame.max("twice").value == 2

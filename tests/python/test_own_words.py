# SPDX-License-Identifier: BSD-3-Clause
"""Errors and warnings of frames say what is wrong without the config that was made of them."""

import warnings

import pytest
import skimline as sk

UNCHANGED = {"MET_pt": {"up": "MET_pt * 2"}}
CASES = [
    (lambda f: sk.run(f.hist("Muon_pt[9]", bins=1, range=(0, 1), name="tenth")), 'for the histogram "tenth"'),
    (
        lambda f: f.filter("Muon_pt[9] > 1", name="tenth").count(),
        'for the cut "tenth" .*: "Muon_pt\\[9\\] > 1"',
    ),
    (lambda f: f.filter("Muon_pt[9] > 1", name="tenth").arrays("MET_pt"), 'for the cut "tenth"'),
    (lambda f: list(f.filter("Muon_pt[9] > 1", name="tenth").iterate("MET_pt")), 'for the cut "tenth"'),
    (lambda f: f.filter("Muon_pt[9] > 1", name="tenth").min("MET_pt").value, 'for the cut "tenth"'),
    (lambda f: f.sum("sqrt(-MET_pt)", name="root").value, 'in "sqrt.*" *, for the histogram "root"'),
    (lambda f: sk.run(f.skim("x.root", thin={"Moun": "MET_pt > 1"})), 'no collection "Moun"'),
    (lambda f: sk.run(f.vary("v", UNCHANGED).hist("nJet", integers=(0, 1))), "give allow_unchanged=True"),
    (
        lambda f: sk.run(f.hist("nJet", integers=(0, 1), weight="1 / 0.", name="n")),
        'bad_weight="skip" leaves such fills out',
    ),
    (lambda f: sk.validate(f.hist("nJet", categories=["one"], name="n")), '"nJet" in "n"|"nJet"'),
    (lambda f: f.correction("scale", "none.json"), "none.json: cannot be opened"),
    (lambda f: f.model("score", "none.onnx"), "none.onnx: cannot be read"),
    (lambda f: sk.open("none.root"), 'there is no file "none.root"$'),
    (lambda f: sk.open("none.root", on_bad_file="skp"), 'did you mean "skip"'),
]


@pytest.mark.parametrize(("make", "text"), CASES, ids=[text for _, text in CASES])
def test_errors_show_no_config(events, make, text):
    with pytest.raises(sk.Error, match=text) as caught:
        make(events)
    assert not [each for each in ("<python>", "^", '"where"') if each in str(caught.value)]


def test_warnings_show_no_config(events):
    with warnings.catch_warnings(record=True) as known:
        warnings.simplefilter("always")
        sk.run(events.hist("nJet / 2", integers=(0, 4), name="halves"))
    texts = [str(each.message) for each in known if issubclass(each.category, sk.RunWarning)]
    assert len(texts) == 1
    assert texts[0].endswith('if that is meant: "nJet / 2" in "halves"')
    assert "<python>" not in texts[0]


def test_configs_keep_their_places(dimuon):
    config = {
        "schema_version": 1,
        "samples": {"a": {"files": [str(dimuon)]}},
        "select": [{"name": "x", "where": "1 +"}],
    }
    with pytest.raises(sk.ConfigError, match=r"<python>:\d+:\d+: error"):
        sk.run_config(config)

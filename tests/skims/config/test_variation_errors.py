# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes in variations, weights and sums: where they are, what is wrong, and what may be meant."""

import json
import re

import pytest
from exit_codes import DONE, FAILED, WRONG_USAGE


def histogram(value, **more):
    return {"x": {"value": value, "bins": 4, "range": [-2, 2]}} | more


@pytest.fixture
def mistakes_of(job, events_file):
    """Runs a config, which must be refused; returns its mistakes, each with the text that is marked."""

    def run(**more):
        config = {
            "schema_version": 1,
            "samples": {"mc": {"files": [f"{events_file[0]}:Events"]}},
            "define": {"good": "jet_pt[jet_pt > 20]"},
            "weights": {"base": "w", "sf": "1.5"},
            "variations": {"v": {"columns": {"x": {"up": "x + 1", "down": "x - 1"}}}},
            "histograms": {"h": histogram("x + Sum(good)", weight="weight_")},
            "output": {"histograms": "h.root"},
        } | more
        text = json.dumps({key: value for key, value in config.items() if value is not None}, indent=1)
        done = job(text)
        assert done.returncode == WRONG_USAGE, done.stderr
        found = re.findall(r"^a\.json:(\d+):(\d+): error: (.*)\n.*\n *(\^~*)", done.stderr, re.M)
        assert len(found) == done.stderr.count("error:")
        lines = text.splitlines()
        return [
            (message, lines[int(line) - 1][int(column) - 1 :][: len(mark)])
            for line, column, message, mark in found
        ]

    return run


def columns(replaced, **more):
    return {"v": {"columns": replaced} | more}


SAME_DIRECTIONS = "all replacements of a variation need the same directions: here "
CHANGES_NOTHING = (
    'the variation "v" changes no selection and no histogram: choose the samples that have it with "samples", '
    'or give "allow_unchanged": true'
)
WRONG_VARIATIONS = {
    "unknown column": (
        columns({"xx": {"up": "x", "down": "y"}}),
        'unknown column "xx" (did you mean "x"?)',
        '"xx"',
    ),
    "name of the program": (
        columns({"x": {"up": "x + 1"}, "entry_": {"up": "entry_ + 1"}}),
        'variations replace columns and definitions: "entry_" is neither',
        '"entry_"',
    ),
    "unknown in expression": (
        columns({"x": {"up": "1 + ww"}}),
        'unknown column "ww" (did you mean "w"?)',
        "ww",
    ),
    "unknown factor": (
        {"v": {"weights": {"sff": {"up": "2."}}}},
        'unknown factor "sff" of "weights" (did you mean "sf"?)',
        '"sff"',
    ),
    "definition as factor": (
        {"v": {"weights": {"good": {"up": "2."}}}},
        'unknown factor "good" of "weights"',
        '"good"',
    ),
    "sample": (
        columns({"x": "x + 1"}, samples=["md"]),
        'no sample matches "md" (did you mean "mc"?)',
        '"md"',
    ),
    "direction less": (
        columns({"x": {"up": "x + 1", "down": "x"}, "y": {"up": "y"}}),
        SAME_DIRECTIONS + '"up", "down"',
        "{",
    ),
    "other direction": (
        columns({"x": {"up": "x + 1"}, "y": {"down": "y"}}),
        SAME_DIRECTIONS + '"up"',
        "{",
    ),
    "direction or none": (
        columns({"x": {"up": "x + 1", "down": "x"}, "y": "y + 1"}),
        SAME_DIRECTIONS + '"up", "down"',
        '"y + 1"',
    ),
    "none or direction": (
        columns({"y": "y + 1", "x": {"up": "x + 1"}}),
        SAME_DIRECTIONS + "none",
        "{",
    ),
    "directions of weights": (
        {"v": {"columns": {"x": {"up": "x + 1"}}, "weights": {"sf": {"down": "1"}}}},
        SAME_DIRECTIONS + '"up"',
        "{",
    ),
    "no direction": (columns({"x": {}}), 'what replaces "x" must not be empty', "{}"),
    "one name": (
        {"v": {"columns": {"x": {"up": "x + 1"}}}, "v_up": {"columns": {"x": "x + 2"}}},
        'two variations are called "v_up"',
        '"v_up"',
    ),
    "nominal": (
        {"nominal": {"columns": {"x": "x + 1"}}},
        '"nominal" is what is not varied',
        '"nominal"',
    ),
    "list for flat": (
        columns({"x": {"up": "jet_pt"}}),
        '"x" is a double, but this is a list of float (in the variation "v_up")',
        "jet_pt",
    ),
    "flat for list": (
        columns({"jet_pt": "x"}),
        '"jet_pt" is a list of float, but this is a double (in the variation "v")',
        "x",
    ),
    "real for integer": (
        columns({"n": "n * 1.5"}),
        '"n" is a std::int32_t, but this is a double (in the variation "v")',
        "n * 1.5",
    ),
    "text for number": (
        columns({"x": "channel"}),
        '"x" is a double, but this is a string (in the variation "v")',
        "channel",
    ),
    "replaced twice": (
        {"v": {"columns": {"sf": "2."}, "weights": {"sf": "3."}}},
        '"sf" is replaced twice',
        '"sf"',
    ),
    "nothing replaced": ({"v": {}}, 'a variation needs "columns" or "weights" that it replaces', "{"),
    "no text": (columns({"x": 3}), 'what replaces "x" must be a string, got an integer', "3"),
    "name": (
        {"v v": {"columns": {"x": "y"}}},
        '"v v" cannot name a variation: use letters, digits, "_", "-", "."',
        '"v v"',
    ),
    "changes nothing": (columns({"n": "n + 1"}), CHANGES_NOTHING, '"v"'),
    "is the same": (columns({"x": "x"}), CHANGES_NOTHING, '"v"'),
}


@pytest.mark.parametrize("wrong", WRONG_VARIATIONS)
def test_variations(mistakes_of, wrong):
    variations, message, marked = WRONG_VARIATIONS[wrong]
    assert mistakes_of(variations=variations) == [(message, marked)]


@pytest.mark.parametrize("member", ["jets.pt", "jets_pt", "jets.index_"])
def test_members_of_objects_follow_their_columns(mistakes_of, member):
    objects = {"jets": {"from": "jet", "where": "pt > 20"}}
    mistakes = mistakes_of(
        collections={"jet": "jet_*"}, objects=objects, variations=columns({member: {"up": f"2 * {member}"}})
    )
    message = f'variations replace columns and definitions: "{member}" is neither'
    assert (message, f'"{member}"') in mistakes


def test_keys_of_variations(mistakes_of):
    assert ('unknown key "colums" (did you mean "columns"?)', '"colums"') in mistakes_of(
        variations={"v": {"colums": {"x": "x"}}}
    )


@pytest.mark.parametrize(
    ("key", "wrong", "expected"),
    [
        ("select", [{"name": "s", "where": "xx > 1"}], ('unknown column "xx" (did you mean "x"?)', "xx")),
        ("regions", {"r": {"where": "xx > 1"}}, ('unknown column "xx" (did you mean "x"?)', "xx")),
        ("histograms", {"h": histogram("xx")}, ('unknown column "xx" (did you mean "x"?)', "xx")),
        ("define", {"good": "Summ(jet_pt)"}, ('unknown function "Summ" (did you mean "Sum"?)', "Summ")),
        ("weights", {"base": "ww", "sf": "1."}, ('unknown column "ww" (did you mean "w"?)', "ww")),
    ],
)
def test_mistakes_are_reported_once_for_all_variations(mistakes_of, key, wrong, expected):
    variations = {
        "v": {"columns": {"x": {"up": "x + 1", "down": "x - 1"}}},
        "j": {"columns": {"jet_pt": {"up": "jet_pt * 2", "down": "jet_pt * 0.5"}}},
        "d": {"columns": {"good": "good * 2"}},
        "s": {"weights": {"sf": {"up": "sf * 2", "down": "sf / 2"}}},
    }
    assert mistakes_of(variations=variations, **{key: wrong}) == [expected]


def test_variations_that_may_change_nothing(job, events_file):
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [f"{events_file[0]}:Events"]}},
        "histograms": {"h": histogram("x")},
        "output": {"histograms": "h.root"},
        "variations": columns({"n": "n + 1"}, allow_unchanged=True),
    }
    assert job(config).returncode == DONE
    # What only a cut or a region sees is a change too.
    for key, what in (
        ("select", [{"name": "n", "where": "n > 1"}]),
        ("regions", {"r": {"where": "n > 1"}}),
        ("skims", {"s": {"file": "s.root", "where": "n > 1", "variations": True, "columns": {"z": "x"}}}),
    ):
        done = job(config | {"variations": columns({"n": "n + 1"}), key: what})
        assert done.returncode == DONE, done.stderr


def test_lists_that_a_definition_needs_in_equal_sizes(job, events_file):
    config = {
        "schema_version": 1,
        "samples": {"mc": {"files": [f"{events_file[0]}:Events"]}},
        "define": {"weighted": "jet_pt * jet_w"},
        "variations": columns({"jet_pt": "jet_pt[jet_pt > 20]"}),
        "histograms": {"h": histogram("weighted")},
        "output": {"histograms": "h.root"},
    }
    done = job(config)
    assert done.returncode == FAILED
    assert re.search(
        r'a\.json:\d+:\d+: error: lists of different sizes, \d and \d, in "jet_pt \* jet_w"',
        done.stderr,
    )


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (
            {"nominal": "{region}_{proces}", "varied": "{histogram}_{variaton}"},
            [
                ('unknown placeholder "{proces}" (did you mean "{process}"?)', "{proces}"),
                ('unknown placeholder "{variaton}" (did you mean "{variation}"?)', "{variaton}"),
            ],
        ),
        ({"nominal": "{histogram}"}, [('"name" of "histograms" needs the key "varied"', "{")]),
        ({"varied": "{histogram}"}, [('"name" of "histograms" needs the key "nominal"', "{")]),
        (
            "{histogram}",
            [
                (
                    'the histogram "h" in the variation "v_up" would be written as "h", and so would the histogram "h"',
                    '"h"',
                )
            ],
        ),
        (
            {"nominal": "{histogram}", "varied": "{histogram}_{systematic}"},
            [
                (
                    'the histogram "h" in the variation "v_down" would be written as "h_v", and so would the '
                    'histogram "h" in the variation "v_up"',
                    '"h"',
                )
            ],
        ),
    ],
)
def test_name_templates(mistakes_of, names, expected):
    assert mistakes_of(output={"histograms": {"file": "h.root", "name": names}}) == expected


def test_variations_of_skims(mistakes_of):
    skim = {"file": "s.root", "columns": {"z": "x"}}
    assert mistakes_of(skims={"s": skim | {"variations": ["v_upp"]}}) == [
        ('no variation matches "v_upp" (did you mean "v_up"?)', '"v_upp"')
    ]
    assert mistakes_of(variations=None, skims={"s": skim | {"variations": True}}) == [
        ('there are no "variations"', "true")
    ]


@pytest.mark.parametrize(
    ("sums", "message", "marked"),
    [
        ({"s": {"md": 1}}, 'unknown sample "md" (did you mean "mc"?)', '"md"'),
        ({"s": {"mc": "1"}}, "the factor of a sample must be a number, got a string", '"1"'),
        ({"s": {}}, 'the sum "s" must not be empty', "{}"),
        ({"mc": {"mc": 1}}, 'a sample is called "mc" too', '"mc"'),
        (
            {"s s": {"mc": 1}},
            '"s s" cannot name a sum of samples: use letters, digits, "_", "-", "."',
            '"s s"',
        ),
    ],
)
def test_sums(mistakes_of, sums, message, marked):
    assert mistakes_of(sums=sums) == [(message, marked)]


def test_factors_that_are_not_finite(job):
    done = job('{"schema_version": 1, "samples": {"a": {"files": ["a"]}}, "sums": {"s": {"a": 1e999}}}')
    assert done.returncode == WRONG_USAGE
    assert "a.json:1:79: error: number overflow" in done.stderr


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        (
            {"define": {"god": "jet_pt"}, "weights": {"sff": "1"}},
            [
                (
                    'there is no definition "god" for all samples, which this could replace (did you mean "good"?)',
                    '"god"',
                ),
                (
                    'there is no factor of "weights" "sff" for all samples, which this could replace '
                    '(did you mean "sf"?)',
                    '"sff"',
                ),
            ],
        ),
        (
            {"define": {"good": "jet_pt[jet_pt > xx]"}, "weights": {"sf": "ww"}},
            [
                ('unknown column "xx" (did you mean "x"?)', "xx"),
                ('unknown column "ww" (did you mean "w"?)', "ww"),
            ],
        ),
    ],
)
def test_what_samples_replace(mistakes_of, events_file, sample, expected):
    files = {"files": [f"{events_file[0]}:Events"]}
    assert mistakes_of(samples={"mc": files | sample}) == expected
    both = mistakes_of(samples={"mc": files | sample, "other": files})
    assert [marked for _, marked in both] == [marked for _, marked in expected]
    if "god" not in sample["define"]:
        assert both == [(f'in the sample "mc": {message}', marked) for message, marked in expected]


@pytest.mark.parametrize(
    ("factor", "kind"),
    [
        ("1 + 0.01 * jet_pt", "list of double (use Product)"),
        ("good", "list of float (use Product)"),
        ("'nominal'", "string"),
    ],
)
def test_factors_of_the_weight_are_one_number(mistakes_of, events_file, factor, kind):
    """A list would fill histograms of one value per event once for each of its elements."""
    message = f"a factor of the weight of an event must be one number: this is {kind}"
    assert mistakes_of(weights={"base": "w", "sf": factor}) == [(message, factor)]
    files = {"files": [f"{events_file[0]}:Events"]}
    own = {"mc": files | {"weights": {"sf": factor}}, "other": files}
    assert mistakes_of(samples=own) == [(f'in the sample "mc": {message}', factor)]


def test_what_normalisation_needs(mistakes_of):
    assert mistakes_of(weights={"norm": "normalisation_"}) == [
        ('there is no "normalisation_" without "luminosity_pb"', "normalisation_")
    ]
    assert mistakes_of(weights=None) == [('there is no "weight_" without "weights"', "weight_")]
    for wrong in (0, -1):
        assert mistakes_of(luminosity_pb=wrong) == [('"luminosity_pb" must be greater than 0', str(wrong))]
    given = '"normalisation_" cannot name a weight: expressions have this name from the program'
    assert (given, '"normalisation_"') in mistakes_of(luminosity_pb=1, weights={"normalisation_": "2."})
    assert mistakes_of(weights={"text": "channel", "base": "w"}) == [
        ("a factor of the weight of an event must be one number: this is string", "channel")
    ]

# SPDX-License-Identifier: BSD-3-Clause
"""Arrays (std::array) in pairs and tuples that are members of classes, in all ways in which ROOT writes them."""

import json

import pytest
import uproot
from exit_codes import DONE
from whole_and_split import write_whole_and_split

NUM_EVENTS = 30

# Types that are members, and what is written in `a` of each for event x.
MEMBERS = {
    "Last": ("std::pair<int, std::array<float, 2>>", "a = {x, {x + 0.5f, x + 0.25f}};"),
    "First": ("std::pair<std::array<short, 3>, double>", "a = {{short(x), 1, 2}, x + 0.5};"),
    "Both": (
        "std::pair<std::array<float, 2>, std::array<double, 3>>",
        "a = {{x + 0.5f, 1}, {x + 1., 2., 3.}};",
    ),
    "Square": ("std::pair<int, std::array<std::array<int, 2>, 3>>", "a = {x, {{{x, 1}, {2, 3}, {4, x}}}};"),
    "Inner": (
        "std::pair<int, std::pair<std::array<short, 2>, char>>",
        "a = {x, {{short(x), short(-x)}, char(x % 50)}};",
    ),
    "List": (
        "std::vector<std::pair<int, std::array<float, 2>>>",
        "a.clear(); for (int k = 0; k < x % 3; ++k) a.push_back({k, {x + 0.5f, k + 0.25f}});",
    ),
    "Texts": (
        "std::pair<std::string, std::array<std::string, 2>>",
        "a = {std::string(x % 4, 'k'), {std::string(x % 3, 'a'), std::string(x % 5, 'b')}};",
    ),
    "Tuple": ("std::tuple<int, std::array<float, 2>, double>", "a = {x, {x + 0.5f, x + 0.25f}, x + 0.75};"),
    "Pairs": (
        "std::array<std::pair<int, std::array<float, 2>>, 2>",
        "for (int k = 0; k < 2; ++k) a[k] = {x + k, {x + 0.5f, k + 0.25f}};",
    ),
}


def written(x):
    """The values of event x by the names of columns, for each of MEMBERS."""
    few = range(x % 3)
    return {
        "Last": {"a.first": x, "a.second": [x + 0.5, x + 0.25]},
        "First": {"a.first": [x, 1, 2], "a.second": x + 0.5},
        "Both": {"a.first": [x + 0.5, 1], "a.second": [x + 1, 2, 3]},
        "Square": {"a.first": x, "a.second": [[x, 1], [2, 3], [4, x]]},
        "Inner": {"a.first": x, "a.second.first": [x, -x], "a.second.second": x % 50},
        "List": {"a.first": list(few), "a.second": [[x + 0.5, k + 0.25] for k in few]},
        "Texts": {"a.first": "k" * (x % 4), "a.second": ["a" * (x % 3), "b" * (x % 5)]},
        "Tuple": {"a._0": x, "a._1": [x + 0.5, x + 0.25], "a._2": x + 0.75},
        "Pairs": {"a.first": [x, x + 1], "a.second": [[x + 0.5, k + 0.25] for k in range(2)]},
    }


CLASSES = "#include <array>\n#include <tuple>\n" + "".join(
    f"struct {name} {{ int before = 7; {kind} a; int after = 9; "
    f"void set(int x) {{ before = x; {fill} after = -x; }} }};\n"
    for name, (kind, fill) in MEMBERS.items()
)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """A folder with a file for each member, as files of all would describe more classes than each has."""
    folder = tmp_path_factory.mktemp("pairs")
    write_whole_and_split(folder, CLASSES, MEMBERS, NUM_EVENTS)
    return folder


@pytest.mark.parametrize("branch", ["whole", "split"])
@pytest.mark.parametrize("name", MEMBERS)
def test_values_are_those_that_were_written(call, pairs, tmp_path, name, branch):
    done = call("convert", pairs / f"{name}.root", "-o", "c.root", "--keep", f"{branch}.*", cwd=tmp_path)
    assert done.returncode == DONE, done.stderr
    columns = uproot.open(tmp_path / "c.root")["t"].arrays()
    rows = [{"before": x, "after": -x, **written(x)[name]} for x in range(NUM_EVENTS)]
    expected = {f"{branch}_{member}".replace(".", "_"): [row[member] for row in rows] for member in rows[0]}
    # Not the number of items that a split list has.
    found = {column: columns[column].to_list() for column in columns.fields if not column.endswith("_")}
    assert found == expected


@pytest.mark.parametrize("name", MEMBERS)
def test_verify_reads_them(call, pairs, name):
    done = call("verify", pairs / f"{name}.root")
    assert done.returncode == DONE, done.stdout
    listed = json.loads(call("inspect", "--json", pairs / f"{name}.root").stdout)["trees"][0]["unsupported"]
    assert [each for each in listed if each["name"].startswith("whole")] == []

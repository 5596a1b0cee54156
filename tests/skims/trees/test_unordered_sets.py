# SPDX-License-Identifier: BSD-3-Clause
"""Sets of the standard library in TTrees, as branches and members: in the order in which ROOT has written them."""

import pytest
import uproot
from exit_codes import DONE
from prepared_root import prepared_root

NUM_EVENTS = 30
KINDS = ("set", "multiset", "unordered_set", "unordered_multiset")

# Of these types ROOT has dictionaries.
WRITE = (
    "struct Sets { int first = 0;"
    + "".join(f" std::{kind}<int> {kind}_of_member;" for kind in KINDS)
    + r""" int last = 0; };

template <typename Set> void fill_set(Set &set, int x) {
   set.clear();
   for (int k = 0; k < x % 5; ++k) set.insert((x + 7 * k) % 3 - 1000 * k * (x % 2));
}

void write_sets(const char *path, int entries) {
   TFile file(path, "RECREATE");
   for (const int split : {0, 99}) {
      TTree tree(("t" + std::to_string(split)).c_str(), "");
      auto *sets = new Sets;
      tree.Branch("sets.", &sets, 4000, split);
"""
    + "".join(
        f'std::{kind}<int> {kind}_, *{kind}_of_branch = &{kind}_; tree.Branch("{kind}", &{kind}_of_branch);\n'
        for kind in KINDS
    )
    + "for (int x = 0; x < entries; ++x) { sets->first = x; sets->last = -x;\n"
    + "".join(f"fill_set({kind}_, x); fill_set(sets->{kind}_of_member, x);\n" for kind in KINDS)
    + "tree.Fill(); } tree.Write(); } }"
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("sets") / "sets.root"
    with prepared_root(f"ROOT.gInterpreter.Declare({WRITE!r})") as root:
        root.run("ROOT.write_sets(sys.argv[1], int(sys.argv[2]))", path, NUM_EVENTS)
    return path


def numbers_of(kind, x):
    """What fill_set() leaves, sorted."""
    numbers = sorted((x + 7 * k) % 3 - 1000 * k * (x % 2) for k in range(x % 5))
    return numbers if kind.endswith("multiset") else sorted(set(numbers))


@pytest.mark.parametrize("split", [0, 99])
def test_values_are_those_that_were_inserted(call, path, tmp_path, split):
    done = call("convert", f"{path}:t{split}", "-o", "c.root", "--name", "Events", cwd=tmp_path)
    assert done.returncode == DONE, done.stderr
    columns = uproot.open(tmp_path / "c.root")["Events"].arrays()
    assert columns["sets_last"].to_list() == [-x for x in range(NUM_EVENTS)]
    for kind in KINDS:
        expected = [numbers_of(kind, x) for x in range(NUM_EVENTS)]
        for name in (kind, f"sets_{kind}_of_member"):
            found = columns[name].to_list()
            if kind.startswith("unordered"):
                found = [sorted(each) for each in found]
            assert found == expected, name

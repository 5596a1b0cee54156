# SPDX-License-Identifier: BSD-3-Clause
"""Merging THn, of which those without entries have no array of contents, and those without weights none of errors."""

import itertools
import json

import pytest
from exit_codes import DONE
from prepared_root import prepared_root

# With errors or without, filled or not.
KINDS = ["errors", "plain", "errors_filled", "plain_filled"]
WRITE = r"""
void write_dense(const char *path, bool errors, bool filled) {
   TFile file(path, "RECREATE");
   const int bins[] = {3, 2};
   const double low[] = {0, 0}, high[] = {3, 2};
   THnF histogram("h", "", 2, bins, low, high);
   if (errors) histogram.Sumw2();
   if (filled) {
      const double at[][2] = {{0.5, 0.5}, {0.5, 0.5}, {2.5, 1.5}, {-1, 0.5}};
      const double weights[] = {2, 0.5, -1, errors ? 3. : 1.};
      for (int i = 0; i < 4; ++i) histogram.Fill(at[i], errors ? weights[i] : std::abs(weights[i]));
   }
   file.WriteObject(&histogram, "h");
}
void read_dense(const char *path) {
   TFile file(path);
   auto *histogram = file.Get<THnF>("h");
   std::string cells;
   for (int x = 0; x < 5; ++x)
      for (int y = 0; y < 4; ++y) {
         const int bin[] = {x, y};
         const double content = histogram->GetBinContent(bin);
         const double error = histogram->GetBinError2(histogram->GetBin(bin));
         if (content != 0 || error != 0)
            cells += TString::Format("%s[%d, %d, %g, %g]", cells.empty() ? "" : ", ", x, y, content, error);
      }
   const double more[] = {1.5, 0.5};
   histogram->Fill(more, 4.);  // which needs arrays that are as ROOT makes them
   std::cout << "{\"cells\": [" << cells << "], \"errors\": " << histogram->GetCalculateErrors()
             << ", \"entries\": " << histogram->GetEntries() - 1 << "}" << std::endl;
}
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    with prepared_root(f"ROOT.gInterpreter.Declare({WRITE!r})") as root:
        folder = tmp_path_factory.mktemp("dense")
        for kind in KINDS:
            arguments = [folder / f"{kind}.root", int("errors" in kind), int("filled" in kind)]
            root.run("ROOT.write_dense(sys.argv[1], sys.argv[2] == '1', sys.argv[3] == '1')", *arguments)
        yield root, folder


def expected(kinds):
    """Contents, and squared errors: of what has none the contents."""
    filled = {
        "errors_filled": {(0, 1): (3, 9), (1, 1): (2.5, 4.25), (3, 2): (-1, 1)},
        "plain_filled": {(0, 1): (1, 1), (1, 1): (2.5, 2.5), (3, 2): (1, 1)},
    }
    cells = {}
    for kind in kinds:
        for place, (content, error) in filled.get(kind, {}).items():
            before = cells.get(place, (0, 0))
            cells[place] = (before[0] + content, before[1] + error)
    return {
        "cells": [[*place, *values] for place, values in sorted(cells.items()) if any(values)],
        "errors": int(any("errors" in kind for kind in kinds)),
        "entries": 4 * sum("filled" in kind for kind in kinds),
    }


@pytest.mark.parametrize("first", KINDS)
def test_merged_ones_have_all_contents_and_errors(first, call, root, tmp_path):
    root, folder = root
    orders = []
    for rest in itertools.product(KINDS, [*KINDS, None]):
        kinds = [first, *filter(None, rest)]
        inputs = [tmp_path / f"{number}.root" for number in range(len(kinds))]
        for path, kind in zip(inputs, kinds, strict=True):
            path.write_bytes((folder / f"{kind}.root").read_bytes())
        done = call("merge", "--allow-overlap", tmp_path / f"merged{len(orders)}.root", *inputs)
        assert done.returncode == DONE, (kinds, done.stderr)
        orders.append(kinds)
    merged = [tmp_path / f"merged{number}.root" for number in range(len(orders))]
    read = root.run("for path in sys.argv[1:]: ROOT.read_dense(path)", *merged).splitlines()
    for kinds, line in zip(orders, read, strict=True):
        assert json.loads(line) == expected(kinds), kinds

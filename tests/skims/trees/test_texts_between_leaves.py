# SPDX-License-Identifier: BSD-3-Clause
"""Branches with texts in front of numbers, "c[12]/C:x/I:y/I". ROOT writes nothing of an empty text, and reads other numbers than it
wrote then: what was written is the oracle."""

import ROOT
import uproot
from exit_codes import DONE, FAILED

ROOT.gInterpreter.Declare(
    """
void WriteTexts(const char *path) {
   TFile file(path, "RECREATE");
   struct { Int_t first; char text[12]; Int_t x; Int_t y; } values;
   TTree front("front", ""), middle("middle", ""), counted("counted", "");
   front.Branch("m", values.text, "text[12]/C:x/I:y/I");
   middle.Branch("m", &values, "first/I:text[12]/C:x/I:y/I");
   for (int i = 0; i < 40; ++i) {
      values.first = -i;
      strcpy(values.text, i % 3 == 1 ? "" : Form("t%d", i));
      values.x = 1000 + i;
      values.y = i % 2 ? i : -i;
      front.Fill();
      middle.Fill();
   }
   struct { char one[8]; Int_t x; char two[8]; Int_t y; } texts{"a", 1, "b", 2};
   counted.Branch("m", &texts, "one[8]/C:x/I:two[8]/C:y/I");
   for (int i = 0; i < 10; ++i) {
      strcpy(texts.one, i == 7 ? "" : "abc");
      texts.x = 1000 + i;
      counted.Fill();
   }
   file.Write();
}
"""
)
EXPECTED = {
    "text": ["" if i % 3 == 1 else f"t{i}" for i in range(40)],
    "x": [1000 + i for i in range(40)],
    "y": [i if i % 2 else -i for i in range(40)],
}


def test_numbers_behind_an_empty_text_are_those_that_were_written(call, tmp_path):
    path = tmp_path / "in.root"
    ROOT.WriteTexts(str(path))
    for tree in ("front", "middle"):
        for leaf, expected in EXPECTED.items():
            output = tmp_path / f"{tree}_{leaf}.root"
            done = call("convert", f"{path}:{tree}", "-o", output, "--keep", f"m.{leaf}", "--name", "Events")
            assert done.returncode == DONE, done.stderr
            assert uproot.open(output)["Events"][f"m_{leaf}"].array().tolist() == expected, (tree, leaf)


def test_where_nothing_tells_which_text_is_empty_nothing_is_read(call, tmp_path):
    """Whichever leaf is wanted."""
    path = tmp_path / "in.root"
    ROOT.WriteTexts(str(path))
    for leaf in ("one", "x", "two", "y"):
        output = tmp_path / "out.root"
        done = call("convert", f"{path}:counted", "-o", output, "--keep", f"m.{leaf}", "--name", "Events")
        assert done.returncode == FAILED, (leaf, done.stderr)
        assert "entry 7 of the basket" in done.stderr

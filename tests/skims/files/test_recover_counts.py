# SPDX-License-Identifier: BSD-3-Clause
"""What a tree keeps of its largest arrays and texts, of entries that were written after it was saved."""

import re
import subprocess
import sys

from exit_codes import DONE, INCOMPLETE

WRITE = """
import sys
import ROOT
ROOT.gErrorIgnoreLevel = ROOT.kError
ROOT.gInterpreter.Declare('''
struct Points {
   int n = 0;
   float *values = new float[100];  //[n]
};
void write(const char *path) {
   auto file = new TFile(path, "RECREATE");
   auto tree = new TTree("t", "");
   auto points = new Points;
   tree->Branch("points.", points, 1000, 99);
   char text[64] = "";
   tree->Branch("text", text, "text/C", 1000);
   tree->SetAutoFlush(50);
   for (int i = 0; i < 400; ++i) {
      points->n = i < 100 ? i % 3 : i % 50;
      for (int k = 0; k < points->n; ++k) points->values[k] = i + k;
      strcpy(text, std::string(points->n, 't').c_str());
      tree->Fill();
      if (i == 99) tree->AutoSave("SaveSelf");
   }
   file->Flush();
   _exit(0);
}''')
ROOT.write(sys.argv[1])
"""


READ = """
import sys
import ROOT
file = ROOT.TFile(sys.argv[1])
tree = file.Get("t")
counts = []
for number in range(tree.GetEntries()):
    tree.GetEntry(number)
    counts.append(int(tree.GetLeaf("points.n").GetValue()))
print(len(counts), max(counts), tree.GetLeaf("points.n").GetMaximum(), tree.GetLeaf("text").GetLenStatic())
tree.MakeClass("made")
"""


def test_room_is_made_for_the_largest_array_and_text(call, tmp_path):
    """The code that ROOT makes of a tree (MakeClass) reads arrays into so much memory."""
    subprocess.run([sys.executable, "-c", WRITE, tmp_path / "in.root"], check=True, timeout=100)
    done = call("recover", tmp_path / "in.root", tmp_path / "out.root")
    assert done.returncode in (DONE, INCOMPLETE), done.stderr
    command = [sys.executable, "-c", READ, tmp_path / "out.root"]
    read = subprocess.run(command, check=True, timeout=100, cwd=tmp_path, capture_output=True, text=True)
    num_entries, largest, maximum, text_room = map(int, read.stdout.splitlines()[0].split())
    assert num_entries > 300 and largest == 49
    assert maximum == largest
    made = (tmp_path / "made.h").read_text()
    (room,) = re.findall(r"Float_t +points_values\[(\d+)\]", made)
    assert int(room) >= largest
    # A byte ends a text in memory.
    assert text_room == largest + 1
    (room,) = re.findall(r"Char_t +text\[(\d+)\]", made)
    assert int(room) > largest

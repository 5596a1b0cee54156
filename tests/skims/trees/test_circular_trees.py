# SPDX-License-Identifier: BSD-3-Clause
"""Trees that keep the last entries alone (SetCircular), as they are saved while a job runs, against ROOT."""

import subprocess
import sys

import uproot
from exit_codes import DONE

WRITE = """
import sys
import ROOT
ROOT.gErrorIgnoreLevel = ROOT.kError
ROOT.gInterpreter.Declare('''
void write(const char *path) {
   auto file = new TFile(path, "RECREATE");
   auto tree = new TTree("t", "");
   tree->SetCircular(20);
   int x = 0, n = 0;
   float list[10];
   tree->Branch("x", &x, "x/I");
   tree->Branch("n", &n, "n/I");
   tree->Branch("list", list, "list[n]/F");
   for (; x < 75; ++x) {
      n = x <= 30 ? 9 : x % 2;  // what is dropped is longer than what comes
      for (int k = 0; k < n; ++k) list[k] = x + 0.5f * k;
      tree->Fill();
      if (x == 30 || x == 60) tree->AutoSave("SaveSelf");
   }
   file->Flush();
   _exit(0);
}''')
ROOT.write(sys.argv[1])
"""
READ = """
import json, sys
import ROOT
file = ROOT.TFile(sys.argv[1])
tree = file.Get("t")
entries = []
for number in range(tree.GetEntries()):
    tree.GetEntry(number)
    entries.append([tree.x, [tree.list[k] for k in range(tree.n)]])
print(entries)
"""


def test_the_last_list_has_no_elements_of_those_that_were_dropped(call, tmp_path):
    path = tmp_path / "in.root"
    subprocess.run([sys.executable, "-c", WRITE, path], check=True, timeout=100)
    read = subprocess.run(
        [sys.executable, "-c", READ, path], check=True, timeout=100, capture_output=True, text=True
    )
    done = call("convert", f"{path}:t", "-o", tmp_path / "out.root", "--name", "Events")
    assert done.returncode == DONE, done.stderr
    found = uproot.open(tmp_path / "out.root")["Events"].arrays()
    entries = [list(each) for each in zip(found["x"].tolist(), found["list"].tolist(), strict=True)]
    assert str(entries) == read.stdout.strip()
    assert entries[-1] == [60, []]

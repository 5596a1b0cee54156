#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the trees that fuzzing begins with, as ROOT writes them. Needs ROOT.

tests/fuzz/make_tree_corpus.py
"""

import os
import struct
import tempfile
from pathlib import Path

import ROOT
import uproot

CORPUS = Path(__file__).resolve().parent / "corpus" / "tree"

CODE = """
#include <TError.h>
#include <TFile.h>
#include <TTree.h>

struct Hit { float x = 0; };
struct Event { int n = 0; Hit one; std::vector<Hit> hits; double a[2] = {}; };

void write_plain(const char* path, bool keep_baskets) {
  TFile file(path, "RECREATE", "", 0);
  TTree tree("t", "");
  int run = 0, count = 0;
  float values[20] = {};
  tree.Branch("run", &run, "run/I");
  tree.Branch("count", &count, "count/I");
  tree.Branch("values", values, "values[count][2]/F");
  tree.Branch("two", values, "first/F:second[2]/F");
  tree.SetAlias("double", "2 * run");
  tree.SetAutoFlush(4);
  for (int i = 0; i < 10; ++i) {
    run = i, count = i % 3;
    if (i == 4) tree.SetAutoFlush(3);
    tree.Fill();
    if (keep_baskets && i == 8) tree.AutoSave();
  }
  if (keep_baskets) return;
  tree.BuildIndex("run", "count");
  tree.AddFriend("t", path);
  tree.Write();
}

void write_split(const char* path) {
  TFile file(path, "RECREATE", "", 0);
  TTree tree("t", "");
  Event event;
  tree.Branch("event", &event);
  for (int i = 0; i < 4; ++i) {
    event.hits.emplace_back();
    tree.Fill();
  }
  tree.Write();
}
"""


def write(name, path, with_streamer_info=True):
    """The tree and the StreamerInfo of a file, in front of them what the fuzzing target needs to know."""
    content = path.read_bytes()
    with uproot.open(path) as file:
        key = file.key("t")
        size, seek = key.fKeylen, key.fSeekKey
        tree = content[seek + size : seek + key.fNbytes]
        start, stored = file.file.fSeekInfo, file.file.fNbytesInfo
    (info_key_size,) = struct.unpack_from(">H", content, start + 14)
    assert info_key_size == 64
    info = content[start + info_key_size : start + stored] if with_streamer_info else b""
    (CORPUS / name).write_bytes(struct.pack("<HI", size, len(info)) + info + tree)


def main():
    CORPUS.mkdir(parents=True, exist_ok=True)
    ROOT.gInterpreter.Declare(CODE)
    ROOT.gErrorIgnoreLevel = ROOT.kFatal
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # which the file of a friend would name
        path = Path("t.root")
        ROOT.write_plain(str(path), False)
        write("plain", path)
        write("plain_without_info", path, with_streamer_info=False)
        ROOT.write_plain(str(path), True)
        write("embedded_baskets", path, with_streamer_info=False)
        ROOT.write_split(str(path))
        write("split", path)


if __name__ == "__main__":
    main()

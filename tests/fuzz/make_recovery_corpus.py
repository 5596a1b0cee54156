#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the files from which recovering begins, as ROOT writes them: make_recovery_corpus.py"""

import os
import sys
import tempfile
from pathlib import Path

import ROOT

CORPUS = Path(__file__).resolve().parent / "corpus" / "recovery"

CODE = """
#include <ROOT/RNTupleModel.hxx>
#include <ROOT/RNTupleWriter.hxx>
#include <TFile.h>
#include <TH1D.h>
#include <TTree.h>

void fill_tree(TFile& file, bool is_saved) {
  TTree tree("t", "");
  int run = 0, count = 0;
  float values[20] = {};
  std::string text;
  std::vector<short> list;
  tree.Branch("run", &run, "run/I");
  tree.Branch("count", &count, "count/I");
  tree.Branch("values", values, "values[count]/F");
  tree.Branch("text", &text);
  tree.Branch("list", &list);
  tree.SetAutoFlush(4);
  for (int i = 0; i < 14; ++i) {
    run = i, count = i % 3;
    text.push_back('a');
    list.push_back(i);
    tree.Fill();
    if (is_saved && i == 9) tree.AutoSave();
  }
  if (!is_saved) tree.Write();
  file.cd();
}

void write_objects(const char* path, int compression) {
  TFile file(path, "RECREATE", "", compression);
  TH1D histogram("h", "", 3, 0, 3);
  histogram.Fill(1, 0.5);
  histogram.Write();
  histogram.Write();
  file.mkdir("inner")->mkdir("most")->cd();
  TNamed("text", "some text").Write();
  file.cd();
  fill_tree(file, false);
}

void write_ntuple(const char* path, int compression) {
  auto model = ROOT::RNTupleModel::Create();
  auto number = model->MakeField<float>("number");
  auto list = model->MakeField<std::vector<std::int32_t>>("list");
  auto text = model->MakeField<std::string>("text");
  ROOT::RNTupleWriteOptions options;
  options.SetCompression(compression);
  auto writer = ROOT::RNTupleWriter::Recreate(std::move(model), "n", path, options);
  for (int i = 0; i < 12; ++i) {
    *number = i;
    list->push_back(i);
    *text += 'b';
    writer->Fill();
    if (i % 5 == 4) writer->CommitCluster();
  }
}

// As a job leaves it that is killed.
void write_unclosed(const char* path) {
  auto* file = new TFile(path, "RECREATE", "", 0);
  fill_tree(*file, true);
  file->Flush();
}
"""


def main() -> None:
    ROOT.gInterpreter.Declare(CODE)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        ROOT.write_objects("objects", 0)
        ROOT.write_objects("objects_zlib", 101)
        ROOT.write_ntuple("ntuple", 0)
        ROOT.write_ntuple("ntuple_zstd", 505)
        ROOT.write_unclosed("unclosed")
        whole = Path("ntuple").read_bytes()
        Path("ntuple_cut").write_bytes(whole[: len(whole) * 3 // 4])
        for path in Path().iterdir():
            (CORPUS / path.name).write_bytes(path.read_bytes())


if __name__ == "__main__":
    sys.exit(main())

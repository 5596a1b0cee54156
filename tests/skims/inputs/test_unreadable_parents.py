# SPDX-License-Identifier: BSD-3-Clause
"""A column that one file has, and another as a part of something that cannot be read there: no default stands for values that exist."""

import json

import pytest
from exit_codes import WRONG_USAGE
from prepared_root import prepared_root

WRITE = """
ROOT.gErrorIgnoreLevel = ROOT.kError
ROOT.gSystem.Load("libROOTNTuple")
ROOT.gInterpreter.Declare('''
struct P { float a = 0; int b = 0; ClassDefInline(P, 1) };
void write(const char *path, bool is_streamed) {
   auto model = ROOT::RNTupleModel::Create();
   auto x = model->MakeField<int>("x");
   auto &entry = *x;
   std::shared_ptr<P> p;
   if (is_streamed)
      model->AddField(std::make_unique<ROOT::RStreamerField>("p", "P"));
   else
      p = model->MakeField<P>("p");
   auto writer = ROOT::RNTupleWriter::Recreate(std::move(model), "Events", path);
   if (is_streamed) p = writer->GetModel().GetDefaultEntry().GetPtr<P>("p");
   for (entry = 0; entry < 3; ++entry) { p->a = 10.f * entry; writer->Fill(); }
}
void write_tree(const char *path) {
   TFile file(path, "RECREATE");
   TTree tree("Events", "");
   P p; int x;
   tree.Branch("x", &x);
   tree.Branch("p.", &p);
   for (x = 0; x < 3; ++x) { p.a = 10.f * x; tree.Fill(); }
   tree.Write();
}''')
ROOT.write(sys.argv[1] + "/split.root", False)
ROOT.write(sys.argv[1] + "/streamed.root", True)
ROOT.write_tree(sys.argv[1] + "/tree.root")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parents")
    with prepared_root("") as root:
        root.run(WRITE, folder)
    return folder


@pytest.mark.parametrize("files", [["split", "streamed"], ["streamed", "split"], ["tree", "streamed"]])
def test_no_default_stands_for_values_that_cannot_be_read(call, folder, tmp_path, files):
    config = {
        "schema_version": 1,
        "samples": {"data": {"files": [f"{folder / name}.root:Events" for name in files]}},
        "defaults": {"p.a": -7},
        "skims": {"s": {"file": "s.root", "keep": ["x", "p.a"]}},
    }
    (tmp_path / "c.json").write_text(json.dumps(config))
    done = call("run", tmp_path / "c.json")
    assert done.returncode == WRONG_USAGE
    assert 'streamed.root: "p": object streamed by ROOT' in done.stderr

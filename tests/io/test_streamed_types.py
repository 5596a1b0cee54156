# SPDX-License-Identifier: BSD-3-Clause
"""RNTuples with objects that ROOT streams, of other classes in each file: what is made of all describes all classes."""

import json
import subprocess
from pathlib import Path

import pytest
from exit_codes import DONE

ROOT = pytest.importorskip("ROOT", reason="ROOT is the oracle of these tests")

ROOT.gInterpreter.Declare(
    """
    #include <ROOT/RField.hxx>
    #include <ROOT/RNTupleModel.hxx>
    #include <ROOT/RNTupleReader.hxx>
    #include <ROOT/RNTupleWriter.hxx>
    #include <TList.h>
    #include <TNamed.h>
    #include <TVector3.h>

    void WriteStreamed(const char *path, bool vectors) {
      auto model = ROOT::RNTupleModel::Create();
      model->AddField(std::make_unique<ROOT::RStreamerField>("objects", "TList"));
      auto writer = ROOT::RNTupleWriter::Recreate(std::move(model), "Events", path);
      auto entry = writer->CreateEntry();
      auto objects = entry->GetPtr<TList>("objects");
      for (int i = 0; i < 5; ++i) {
        objects->Clear();
        objects->Add(vectors ? (TObject *)new TVector3(1, 2, i) : new TNamed("name", "title"));
        writer->Fill(*entry);
      }
    }

    // The class of the first object of each entry.
    std::string StreamedClasses(const char *path) {
      auto reader = ROOT::RNTupleReader::Open("Events", path);
      std::string classes;
      for (auto i : *reader) {
        reader->LoadEntry(i);
        classes += reader->GetModel().GetDefaultEntry().GetPtr<TList>("objects")->First()->ClassName();
        classes += " ";
      }
      return classes;
    }

    // One text for each description of the types.
    std::vector<std::string> DescribedTypes(const char *path) {
      auto reader = ROOT::RNTupleReader::Open("Events", path);
      std::vector<std::string> all;
      for (const auto &info : reader->GetDescriptor().GetExtraTypeInfoIterable()) {
        TBufferFile buffer(TBuffer::kRead, info.GetContent().length(), const_cast<char *>(info.GetContent().data()), false);
        auto list = static_cast<TList *>(buffer.ReadObject(TList::Class()));
        auto &text = all.emplace_back();
        for (auto *each : *list) text += std::string(each->GetName()) + " ";
      }
      return all;
    }
    """
)


def run(skimline: Path, *arguments: object) -> None:
    done = subprocess.run([skimline, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == DONE, done.stderr


@pytest.mark.parametrize("made", ["merge", "merge anew", "skim"])
def test_classes_of_all_files_are_described(skimline: Path, tmp_path: Path, made: str) -> None:
    parts = [tmp_path / "named.root", tmp_path / "vectors.root"]
    for number, part in enumerate(parts):
        ROOT.WriteStreamed(str(part), bool(number))
    target = tmp_path / "made.root"
    if made == "skim":
        config = {
            "schema_version": 1,
            "samples": {"s": {"files": [str(part) for part in parts]}},
            "skims": {"all": {"file": str(target), "keep": ["*"]}},
        }
        (tmp_path / "config.json").write_text(json.dumps(config))
        run(skimline, "run", tmp_path / "config.json")
    else:
        run(skimline, "merge", *(["--method", "rewrite"] if made == "merge anew" else []), target, *parts)
    (types,) = ROOT.DescribedTypes(str(target))
    own = [set(str(ROOT.DescribedTypes(str(part))[0]).split()) for part in parts]
    assert "TVector3" in own[1] - own[0]
    assert set(str(types).split()) == own[0] | own[1]
    assert str(ROOT.StreamedClasses(str(target))).split() == ["TNamed"] * 5 + ["TVector3"] * 5

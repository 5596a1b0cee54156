# SPDX-License-Identifier: BSD-3-Clause
"""A file of flat and jagged columns, and the values of expressions over it by Skimline and by RDataFrame.

As a program it reads what RDataFrame is to compute, as JSON, and writes the types of the values."""

import json
import os
import subprocess
import sys

import awkward as ak
import numpy as np
import pytest
import uproot

ROOT = pytest.importorskip("ROOT", reason="ROOT is the oracle of these tests")

WRITE_INPUT = """
void write_expression_input(const char *path, int entries)
{
   auto model = ROOT::RNTupleModel::Create();
   auto number = model->MakeField<std::uint32_t>("n");
   auto flag = model->MakeField<bool>("flag");
   auto i8 = model->MakeField<std::int8_t>("i8");
   auto u16 = model->MakeField<std::uint16_t>("u16");
   auto i32 = model->MakeField<std::int32_t>("i32");
   auto i64 = model->MakeField<std::int64_t>("i64");
   auto u64 = model->MakeField<std::uint64_t>("u64");
   auto f = model->MakeField<float>("f");
   auto d = model->MakeField<double>("d");
   auto pt = model->MakeField<std::vector<float>>("pt");
   auto eta = model->MakeField<std::vector<float>>("eta");
   auto phi = model->MakeField<std::vector<float>>("phi");
   auto mass = model->MakeField<std::vector<float>>("mass");
   auto charge = model->MakeField<std::vector<std::int32_t>>("charge");
   auto tight = model->MakeField<std::vector<bool>>("tight");
   auto vd = model->MakeField<std::vector<double>>("vd");
   auto text = model->MakeField<std::string>("text");
   auto writer = ROOT::RNTupleWriter::Recreate(std::move(model), "Events", path);
   TRandom3 random(7);
   const char *texts[] = {" -%d", "+%d.25e-1 x", "0x%x.8p1", "\t%d.0000001,", "-%de+2", "%d"};
   const float special[] = {0.f, -0.f, 1e-40f, 3e38f, std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};
   for (int entry = 0; entry < entries; ++entry) {
      *number = random.Integer(5);
      *flag = random.Integer(2);
      *i8 = random.Integer(256);
      *u16 = random.Integer(65536);
      *i32 = entry % 50 ? (int)random.Integer(2000) - 1000 : std::numeric_limits<std::int32_t>::max() - entry;
      *i64 = (std::int64_t)random.Integer(2000000000) * (random.Integer(2) ? 3 : -3);
      *u64 = random.Integer(2000000000) * 5ull;
      *f = entry % 10 ? random.Gaus(0, 30) : special[entry / 10 % 7];
      *d = random.Gaus(0, 30);
      *text = TString::Format(texts[entry % 6], entry * 7919 % 10007).Data();
      pt->clear(); eta->clear(); phi->clear(); mass->clear(); charge->clear(); tight->clear(); vd->clear();
      for (unsigned i = 0; i < *number; ++i) {
         pt->push_back(random.Exp(30));
         eta->push_back(random.Uniform(-5, 5));
         phi->push_back(random.Uniform(-3.2, 3.2));
         mass->push_back(random.Integer(4) ? 0.105658f : -0.01f);
         charge->push_back(random.Integer(2) ? 1 : -1);
         tight->push_back(random.Integer(2));
         vd->push_back(random.Gaus(0, 2));
      }
      writer->Fill();
   }
}
"""


def write_input(path, num_entries):
    if not hasattr(ROOT, "write_expression_input"):
        ROOT.gInterpreter.Declare(WRITE_INPUT)
    ROOT.write_expression_input(str(path), num_entries)


def evaluate_by_skimline(skimline, input_file, expressions):
    """The tree of the values e0, e1, ... of all expressions."""
    folder = input_file.parent
    config = {
        "schema_version": 1,
        "samples": {"sample": {"files": [input_file.name]}},
        "define": {f"e{i}": text for i, text in enumerate(expressions)},
        "skims": {"values": {"file": "ours.root", "keep": ["e*"], "drop": ["eta"]}},
    }
    (folder / "config.json").write_text(json.dumps(config))
    done = subprocess.run([skimline, "run", folder / "config.json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return uproot.open(f"{folder / 'ours.root'}:Events")


def evaluate_by_rdataframe(input_file, expressions, library, declarations=""):
    """The tree of the values e0, e1, ... of all expressions, and their C++ types: those of another process, in which the
    functions of the C library are those of `library`. What the C library rounds otherwise is no difference of expressions."""
    path = str(input_file.parent / "theirs.root")
    task = {
        "input": str(input_file),
        "output": path,
        "expressions": expressions,
        "declarations": declarations,
    }
    done = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps(task),
        env={**os.environ, "LD_PRELOAD": str(library)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return uproot.open(f"{path}:Events"), json.loads(done.stdout.splitlines()[-1])


def evaluate_here(task):
    """Returns the types."""
    ROOT.gInterpreter.Declare(task["declarations"])
    frame = ROOT.RDataFrame("Events", task["input"])
    names = [f"e{i}" for i in range(len(task["expressions"]))]
    for name, text in zip(names, task["expressions"], strict=True):
        frame = frame.Define(name, text)
    options = ROOT.RDF.RSnapshotOptions()
    options.fOutputFormat = ROOT.RDF.ESnapshotOutputFormat.kTTree
    frame.Snapshot("Events", task["output"], names, options)
    return [str(frame.GetColumnType(name)) for name in names]


SCALARS = {
    "bool": "bool", "char": "int8", "Char_t": "int8", "signed char": "int8", "unsigned char": "uint8", "std::int8_t": "int8",
    "short": "int16", "Short_t": "int16", "unsigned short": "uint16", "int": "int32", "Int_t": "int32", "std::int32_t": "int32",
    "unsigned int": "uint32", "UInt_t": "uint32", "std::uint32_t": "uint32", "long": "int64", "Long64_t": "int64", "Long_t": "int64",
    "long long": "int64", "unsigned long": "uint64", "ULong_t": "uint64", "ULong64_t": "uint64", "std::uint64_t": "uint64",
    "std::size_t": "uint64", "size_t": "uint64", "float": "float32", "Float_t": "float32", "double": "float64", "Double_t": "float64",
}  # fmt: skip


def numpy_type(cpp_type):
    inner = cpp_type.removeprefix("const ").strip()
    if "RVec<" in inner or "vector<" in inner:
        inner = inner[inner.index("<") + 1 : inner.rindex(">")].strip()
    return SCALARS[inner]


def difference(name, their_type, mine, other):
    """What differs between the two columns of one expression, or None."""
    flat_mine, flat_other = (np.asarray(ak.flatten(x, axis=None)) for x in (mine, other))
    if mine.ndim != other.ndim or flat_mine.dtype.name != numpy_type(their_type):
        return f"type {ak.type(mine)} instead of {their_type}"
    if mine.ndim == 2 and not ak.all(ak.num(mine) == ak.num(other)):
        return "other sizes of lists"
    flat_other = flat_other.astype(flat_mine.dtype)
    bits = f"u{flat_mine.dtype.itemsize}"
    same = (flat_mine.view(bits) == flat_other.view(bits)) | (
        (flat_mine != flat_mine) & (flat_other != flat_other)
    )
    if same.all():
        return None
    at = int(np.argmin(same))
    entry = at if mine.ndim == 1 else int(np.searchsorted(np.cumsum(ak.num(mine)), at, side="right"))
    return f"{flat_mine[at]!r} instead of {flat_other[at]!r} in entry {entry}, {np.sum(~same)} values differ"


if __name__ == "__main__":
    print(json.dumps(evaluate_here(json.load(sys.stdin))))

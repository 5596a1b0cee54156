# SPDX-License-Identifier: BSD-3-Clause
"""Trees that ROOT writes for tests, and what others read of them."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import ROOT
import uproot
from uproot_values import member, uproot_list

ROOT.gROOT.SetBatch(True)
ROOT.gInterpreter.Declare(
    """
    // Branches that compress to next to nothing, each of one basket.
    void WriteConstants(const char *path, int entries, int compression) {
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "RECREATE", "", compression));
      TTree tree("t", "constants");
      tree.SetAutoFlush(0);
      Bool_t flag = true; UInt_t run = 362104; Double_t weight = 0.25;
      tree.Branch("flag", &flag, "flag/O", 64 << 20); tree.Branch("run", &run, "run/i", 64 << 20);
      tree.Branch("weight", &weight, "weight/D", 64 << 20);
      for (int entry = 0; entry < entries; ++entry) tree.Fill();
      tree.Write();
    }
    // Branches of every plain kind; baskets of `basket` bytes, clusters of `cluster` entries, not aligned with
    // each other or with those of another branch.
    void WriteKinds(const char *path, const char *name, int entries, int basket, int cluster, int seed,
                    int compression) {
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "UPDATE", "", compression));
      std::string last = name, folder;
      if (auto slash = last.rfind('/'); slash != std::string::npos) {
        folder = last.substr(0, slash);
        last = last.substr(slash + 1);
        file->mkdir(folder.c_str(), "", true)->cd();
      }
      TTree tree(last.c_str(), "kinds");
      tree.SetAutoFlush(cluster);
      Bool_t o; Char_t b; UChar_t ub; Short_t s; UShort_t us; Int_t i; UInt_t ui; Long64_t l; ULong64_t ul;
      Float_t f; Double_t d; char c[40]; Int_t fixed[3]; Short_t matrix[2][3];
      Int_t n; Float_t list[16]; Bool_t flags[16]; Double_t pairs[16][2];
      UShort_t un; ULong64_t wide[300];
      struct { Float_t x; Int_t y; } pair;
      tree.Branch("o", &o, "o/O", basket); tree.Branch("b", &b, "b/B", basket);
      tree.Branch("ub", &ub, "ub/b", basket + 1); tree.Branch("s", &s, "s/S", basket + 3);
      tree.Branch("us", &us, "us/s", basket); tree.Branch("i", &i, "i/I", basket);
      tree.Branch("ui", &ui, "ui/i", basket); tree.Branch("l", &l, "l/L", basket + 7);
      tree.Branch("ul", &ul, "ul/l", basket); tree.Branch("f", &f, "f/F", basket);
      tree.Branch("d", &d, "d/D", basket + 17); tree.Branch("c", c, "c/C", basket + 40);
      tree.Branch("fixed", fixed, "fixed[3]/I", basket); tree.Branch("matrix", matrix, "matrix[2][3]/S", basket);
      tree.Branch("n", &n, "n/I", basket + 5); tree.Branch("list", list, "list[n]/F", basket + 200);
      tree.Branch("flags", flags, "flags[n]/O", basket); tree.Branch("pairs", pairs, "pairs[n][2]/D", basket + 90);
      tree.Branch("un", &un, "un/s", basket); tree.Branch("wide", wide, "wide[un]/l", basket);
      tree.Branch("pair", &pair, "x/F:y/I", basket);
      TRandom3 random(seed);
      for (int entry = 0; entry < entries; ++entry) {
        auto bits = [&] { return (ULong64_t(random.Integer(0xffffffffu)) << 32) | random.Integer(0xffffffffu); };
        o = bits() & 1; b = bits(); ub = bits(); s = bits(); us = bits(); i = bits(); ui = bits();
        l = bits(); ul = bits(); f = random.Gaus(); d = random.Gaus();
        if (entry % 50 == 7) f = std::numeric_limits<float>::quiet_NaN();
        if (entry % 50 == 8) d = -std::numeric_limits<double>::infinity();
        const int size = random.Integer(12) * random.Integer(4);
        for (int k = 0; k < size; ++k) c[k] = 'a' + random.Integer(26);
        c[size] = 0;
        for (auto &value : fixed) value = bits();
        for (auto &row : matrix) for (auto &value : row) value = bits();
        n = random.Integer(5) * random.Integer(4);
        for (int k = 0; k < n; ++k) {
          list[k] = random.Gaus(); flags[k] = bits() & 1;
          pairs[k][0] = random.Gaus(); pairs[k][1] = random.Gaus();
        }
        un = random.Integer(10) == 0 ? 200 + random.Integer(56) : random.Integer(3);
        for (int k = 0; k < un; ++k) wide[k] = bits();
        pair = {Float_t(random.Gaus()), Int_t(bits())};
        tree.Fill();
      }
      tree.Write();
    }

    // One branch of numbers `first`, `first` + 1, ... and one of lists with a counter.
    template <typename Number, typename Count>
    void WriteNumbers(const char *path, const char *code, const char *countCode, int entries, double first,
                      const char *name, const char *extra) {
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "UPDATE"));
      TTree tree(name, "numbers");
      Number number; Count n; Number list[8]; Float_t more = 0;
      tree.Branch("number", &number, (std::string("number/") + code).c_str(), 256);
      tree.Branch("nJet", &n, (std::string("nJet/") + countCode).c_str(), 300);
      tree.Branch("Jet_pt", list, (std::string("Jet_pt[nJet]/") + code).c_str(), 512);
      if (extra[0]) tree.Branch(extra, &more, (std::string(extra) + "/F").c_str(), 200);
      for (int entry = 0; entry < entries; ++entry) {
        number = first + entry;
        n = entry % 4;
        for (int k = 0; k < entry % 4; ++k) list[k] = first + 10 * entry + k;
        more = 0.5 * entry;
        tree.Fill();
      }
      tree.Write();
    }

    void WriteClaim(const char *path, int entries, int claimed) {
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "RECREATE"));
      TTree tree("t", "claim");
      Int_t x = 0;
      tree.Branch("x", &x, "x/I", 128);
      for (x = 0; x < entries; ++x) tree.Fill();
      tree.SetEntries(claimed);
      tree.Write();
    }

    void WriteNtuples(const char *path, int entries) {
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "RECREATE"));
      TNtuple floats("f", "", "x:y", 400);
      TNtupleD doubles("d", "", "z", 400);
      for (int i = 0; i < entries; ++i) {
        const Float_t xy[2] = {Float_t(i * 0.1), Float_t(-i)};
        const Double_t z = i * 0.1;
        floats.Fill(xy);
        doubles.Fill(&z);
      }
      floats.Write(); doubles.Write();
    }

    // Branches that are filled by themselves, so that they end before, with and after the tree.
    void WriteUneven(const char *path, int entries) {
      auto file = std::unique_ptr<TFile>(TFile::Open(path, "RECREATE"));
      TTree tree("t", "uneven");
      Int_t even = 0, less = 0, more = 0;
      auto *evenBranch = tree.Branch("even", &even, "even/I", 128);
      auto *lessBranch = tree.Branch("less", &less, "less/I", 128);
      auto *moreBranch = tree.Branch("more", &more, "more/I", 128);
      for (int entry = 0; entry < entries; ++entry) { even = entry; evenBranch->Fill(); }
      for (int entry = 0; entry < entries - 3; ++entry) { less = entry; lessBranch->Fill(); }
      for (int entry = 0; entry < entries + 5; ++entry) { more = entry; moreBranch->Fill(); }
      tree.SetEntries(entries);
      tree.Write();
    }
    """
)

CODES = {"Int_t": "I", "UInt_t": "i", "Short_t": "S", "UShort_t": "s", "Float_t": "F", "Double_t": "D"}
CODES |= {"Long64_t": "L", "ULong64_t": "l", "Bool_t": "O"}


def write_kinds(path, name="t", entries=1000, basket=400, cluster=130, seed=1, compression=505) -> Path:
    """Adds a tree with branches of all plain kinds to a file."""
    ROOT.WriteKinds(str(path), name, entries, basket, cluster, seed, compression)
    return path


def write_numbers(path, number="Int_t", count="Int_t", entries=100, first=0, name="t", extra="") -> Path:
    """Adds a tree with branches `number`, `nJet`, `Jet_pt`."""
    write = ROOT.WriteNumbers[number, count]
    write(str(path), CODES[number], CODES[count], entries, first, name, extra)
    return path


def branch_keys(tree: Any) -> dict[str, str]:
    """How uproot calls the branches, by the names of our columns."""
    return {re.sub(r"\[.*\]$", "", key.split("/")[-1]).rstrip("."): key for key in tree.keys()}


def read_by_uproot(tree: Any, keys: dict[str, str], column: str) -> list[Any] | None:
    """The values of a column; None if it is no branch, nor a leaf of one. Takes the branch_keys(), which take long."""
    if column in keys:
        return member(uproot_list(tree[keys[column]].array()), [])
    branch, _, leaf = column.rpartition(".")
    if branch not in keys or leaf not in [
        leaf.member("fName") for leaf in tree[keys[branch]].member("fLeaves")
    ]:
        return None
    return member(uproot_list(tree[keys[branch]].array()[leaf]), [])


def in_sequence(value: Any) -> Any:
    """A list of what the lists in a list have."""
    if not (isinstance(value, list) and value and isinstance(value[0], list)):
        return value
    return in_sequence([item for each in value for item in each])


def read_by_root(path: Path, name: str, column: str, is_text: bool = False) -> list[Any] | None:
    """The values of a column of texts, of numbers, or of lists of them; of arrays in arrays in sequence."""
    frame = ROOT.RDataFrame(name, str(path))
    if is_text:
        text = f"std::string({column}.begin(), std::find({column}.begin(), {column}.end(), 0))"
        return [str(value) for value in frame.Define("_text", text).Take["std::string"]("_text").GetValue()]
    if "std::array" in frame.GetColumnType(column):  # ROOT 6.40 cannot either
        return None
    values = frame.AsNumpy([column])[column].tolist()
    return [np.asarray(value).tolist() if hasattr(value, "size") else value for value in values]


def leaf_classes(tree: Any, column: str) -> set[str]:
    """Of all leaves that are called so."""
    leaves = [leaf for branch in tree.itervalues() for leaf in branch.member("fLeaves")]
    return {leaf.classname for leaf in leaves if leaf.member("fName") == column}


def is_unsafe_in_uproot(tree: Any, column: str) -> bool:
    """Whether uproot 5.7 may read texts beside empty ones wrongly, or reduced reals as their neighbours."""
    return not leaf_classes(tree, column.split(".")[-1]).isdisjoint({"TLeafC", "TLeafF16", "TLeafD32"})


def is_as_root_reads(path: Path, tree: Any, column: str, values: list[Any]) -> bool:
    """Whether ROOT reads these values, lists in sequence; true for what ROOT cannot read either."""
    is_text = "TLeafC" in leaf_classes(tree, column)
    theirs = read_by_root(path, tree.object_path.split(";")[0].lstrip("/"), column, is_text)
    return theirs is None or repr([in_sequence(value) for value in values]) == repr(theirs)


class TreeByUproot:
    """A tree of a file that stays as it is. What uproot reads of it is read once."""

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.tree = uproot.open(path)[name]
        self._keys = branch_keys(self.tree)
        self._texts: dict[str, str | Exception | None] = {}

    def text_of(self, column: str) -> str | Exception | None:
        """The values of a column; None if it is no branch; uproot 5.7 has many ways to refuse leaves."""
        if column not in self._texts:
            try:
                values = read_by_uproot(self.tree, self._keys, column)
                self._texts[column] = None if values is None else repr(values)
            except Exception as error:
                self._texts[column] = error
        return self._texts[column]

    def is_right(self, column: str, values: list[Any]) -> bool:
        """Whether these are the values that uproot reads, or ROOT where uproot does not."""
        theirs = self.text_of(column)
        if isinstance(theirs, Exception):
            return is_as_root_reads(self.path, self.tree, column, values)
        if theirs is None or repr(values) == theirs:
            return True
        return is_unsafe_in_uproot(self.tree, column) and is_as_root_reads(
            self.path, self.tree, column, values
        )

    def differing(self, ours: dict[str, Any]) -> list[str]:
        """The columns with other values."""
        return [column for column, values in ours.items() if not self.is_right(column, values)]


def differing(path: Path, name: str, ours: dict[str, Any]) -> list[str]:
    """The columns with other values than uproot reads of their branches, or ROOT where uproot does not."""
    return TreeByUproot(path, name).differing(ours)

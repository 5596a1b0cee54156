# SPDX-License-Identifier: BSD-3-Clause
"""Compares the histograms of two ROOT files as ROOT sees them."""

import numpy as np
import ROOT

ROOT.gInterpreter.Declare(r"""
#include "TFile.h"
#include "TH1.h"
#include "THashList.h"
#include "THnBase.h"
#include "TKey.h"
#include "TProfile.h"
#include "TProfile2D.h"
#include "TProfile3D.h"
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace skimline_tests {

using Faults = std::vector<std::string>;

// Sums of doubles may be rounded in another order: `tolerance` is relative.
struct Comparison {
  double tolerance;
  std::string path;
  Faults faults;

  void add(const std::string &what, double left, double right) {
    faults.push_back(path + ": " + what + " " + std::to_string(left) + " != " + std::to_string(right));
  }
  void same(const std::string &what, double left, double right) {
    if (!(std::abs(left - right) <= tolerance * std::max(std::abs(left), std::abs(right)))) add(what, left, right);
  }
};

inline void compare_axes(const TAxis &left, const TAxis &right, Comparison &to) {
  to.same("bins", left.GetNbins(), right.GetNbins());
  to.same("low", left.GetXmin(), right.GetXmin());
  to.same("high", left.GetXmax(), right.GetXmax());
  if (std::string(left.GetTitle()) != right.GetTitle()) to.faults.push_back(to.path + ": axis titles");
  for (int bin = 1; bin <= left.GetNbins(); ++bin)
    if (std::string(left.GetBinLabel(bin)) != right.GetBinLabel(bin)) to.faults.push_back(to.path + ": labels");
}

template <typename Profile>
void compare_entries(TH1 &left, TH1 &right, Comparison &to) {
  auto *one = dynamic_cast<Profile *>(&left);
  auto *other = dynamic_cast<Profile *>(&right);
  if (one == nullptr) return;
  for (int cell = 0; cell < left.GetNcells(); ++cell) {
    to.same("bin entries", one->GetBinEntries(cell), other->GetBinEntries(cell));
    to.same("bin effective entries", one->GetBinEffectiveEntries(cell), other->GetBinEffectiveEntries(cell));
  }
}

inline void compare_dense(TH1 &left, TH1 &right, Comparison &to) {
  to.same("cells", left.GetNcells(), right.GetNcells());
  to.same("sumw2", left.GetSumw2N(), right.GetSumw2N());
  if (!to.faults.empty()) return;
  for (int cell = 0; cell < left.GetNcells(); ++cell) {
    to.same("content", left.GetBinContent(cell), right.GetBinContent(cell));
    to.same("error", left.GetBinError(cell), right.GetBinError(cell));
  }
  compare_axes(*left.GetXaxis(), *right.GetXaxis(), to);
  compare_axes(*left.GetYaxis(), *right.GetYaxis(), to);
  compare_axes(*left.GetZaxis(), *right.GetZaxis(), to);
  compare_entries<TProfile>(left, right, to);
  compare_entries<TProfile2D>(left, right, to);
  compare_entries<TProfile3D>(left, right, to);
  // Where ROOT takes statistics from bins, it squares errors that are square roots.
  to.tolerance = std::max(to.tolerance, 1e-14);
  double one[TH1::kNstat] = {}, other[TH1::kNstat] = {};
  left.GetStats(one);
  right.GetStats(other);
  for (int i = 0; i < TH1::kNstat; ++i) to.same("statistics", one[i], other[i]);
  for (int axis = 1; axis <= left.GetDimension(); ++axis) {
    to.same("mean", left.GetMean(axis), right.GetMean(axis));
    to.same("rms", left.GetStdDev(axis), right.GetStdDev(axis));
  }
  if (left.GetListOfFunctions()->GetSize() != right.GetListOfFunctions()->GetSize())
    to.faults.push_back(to.path + ": functions");
  if (left.GetLineColor() != right.GetLineColor()) to.faults.push_back(to.path + ": colour");
}

inline void compare_many(THnBase &left, THnBase &right, Comparison &to) {
  to.same("axes", left.GetNdimensions(), right.GetNdimensions());
  to.same("filled bins", left.GetNbins(), right.GetNbins());
  to.same("errors", left.GetCalculateErrors(), right.GetCalculateErrors());
  if (!to.faults.empty()) return;
  std::vector<int> place(left.GetNdimensions());
  for (Long64_t bin = 0; bin < left.GetNbins(); ++bin) {
    const double content = left.GetBinContent(bin, place.data());
    const Long64_t found = right.GetBin(place.data(), false);
    if (found < 0) {
      to.add("bin is missing", static_cast<double>(bin), -1);
      continue;
    }
    to.same("content", content, right.GetBinContent(found));
    to.same("error", left.GetBinError(bin), right.GetBinError(found));
  }
  to.same("sum of weights", left.GetWeightSum(), right.GetWeightSum());
  for (int axis = 0; axis < left.GetNdimensions(); ++axis) {
    compare_axes(*left.GetAxis(axis), *right.GetAxis(axis), to);
    to.same("sum of w x", left.GetSumwx(axis), right.GetSumwx(axis));
    to.same("sum of w x^2", left.GetSumwx2(axis), right.GetSumwx2(axis));
  }
}

inline void compare_objects(TObject &left, TObject &right, Comparison &to) {
  if (std::string(left.ClassName()) != right.ClassName()) to.faults.push_back(to.path + ": classes");
  if (std::string(left.GetTitle()) != right.GetTitle()) to.faults.push_back(to.path + ": titles");
  if (!to.faults.empty()) return;
  if (auto *histogram = dynamic_cast<TH1 *>(&left)) {
    to.same("entries", histogram->GetEntries(), dynamic_cast<TH1 &>(right).GetEntries());
    compare_dense(*histogram, dynamic_cast<TH1 &>(right), to);
  } else if (auto *many = dynamic_cast<THnBase *>(&left)) {
    to.same("entries", many->GetEntries(), dynamic_cast<THnBase &>(right).GetEntries());
    compare_many(*many, dynamic_cast<THnBase &>(right), to);
  }
}

inline std::set<std::string> names(TDirectory &directory) {
  std::set<std::string> all;
  for (TObject *key : *directory.GetListOfKeys()) all.insert(key->GetName());
  return all;
}

inline int compare_directories(TDirectory &left, TDirectory &right, const std::string &path, double tolerance,
                               Faults &faults) {
  if (names(left) != names(right)) faults.push_back(path + ": other names");
  int compared = 0;
  for (const std::string &name : names(left)) {
    std::unique_ptr<TObject> one(left.Get(name.c_str())), other(right.Get(name.c_str()));
    if (!one || !other) {
      faults.push_back(path + name + ": cannot be read");
    } else if (one->InheritsFrom("TDirectory")) {
      compared += compare_directories(*static_cast<TDirectory *>(one.release()), *static_cast<TDirectory *>(other.release()),
                                      path + name + "/", tolerance, faults);
    } else {
      Comparison comparison{tolerance, path + name, {}};
      compare_objects(*one, *other, comparison);
      faults.insert(faults.end(), comparison.faults.begin(), comparison.faults.end());
      ++compared;
    }
  }
  return compared;
}

inline int compare(const std::string &left, const std::string &right, double tolerance, Faults &faults) {
  const bool were_added = TH1::AddDirectoryStatus();
  TH1::AddDirectory(false);
  TFile one(left.c_str()), other(right.c_str());
  if (one.TestBit(TFile::kRecovered) || other.TestBit(TFile::kRecovered)) faults.push_back("a file was recovered");
  const int compared = compare_directories(one, other, "", tolerance, faults);
  TH1::AddDirectory(were_added);
  return compared;
}

}  // namespace skimline_tests
""")


def numbers_of(histogram):
    """All that ROOT's object holds: contents, errors, entries, statistics, and how many squares it sums."""
    cells = range(histogram.GetNcells())
    statistics = np.zeros(13)
    histogram.GetStats(statistics)
    return (
        [histogram.GetBinContent(cell) for cell in cells],
        [histogram.GetBinError(cell) for cell in cells],
        histogram.GetEntries(),
        statistics.tolist(),
        histogram.GetSumw2N(),
    )


def differences(left, right, tolerance=0.0):
    """How many objects were compared, and in what they differ."""
    faults = ROOT.std.vector["std::string"]()
    compared = ROOT.skimline_tests.compare(str(left), str(right), tolerance, faults)
    return compared, [str(fault) for fault in faults]

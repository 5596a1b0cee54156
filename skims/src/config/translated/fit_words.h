// SPDX-License-Identifier: BSD-3-Clause
// What blocks of TRExFitter say, as expressions and names of a config.
#pragma once

#include "config/translated/draw_formula.h"
#include "config/translated/ntuple_paths.h"
#include "config/translated/trexfitter_blocks.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace skimline::skims {

/// Whether a weight or selection is none.
bool is_one(const std::string& text);

/// Adds to `left_out` what cannot be carried over.
class FitWords {
 public:
  /// The columns of an input decide what expressions become: numbers compute as in TTree::Draw.
  FitWords(const NtuplePath& input, std::vector<std::string>& left_out);

  std::string formula(const std::string& text);
  std::string cut(const std::string& text);

  /// What a sample or region is called, as a histogram may be; said once where that is another name. Throws
  /// ConfigError where two blocks of a kind would be called alike: one would be lost.
  std::string object_name(const FitBlock& block);
  /// The same for names that expressions have.
  std::string identifier(const FitBlock& block);

 private:
  bool is_new_name(const FitBlock& block, const std::string& use, const std::string& name);

  std::vector<std::string>& left_out_;
  std::set<std::string> lists_;
  NumberTypes others_;
  bool knows_columns_ = false;
  std::set<std::string> cuts_of_lists_, numbers_;                     // of which it has been said
  std::map<std::pair<std::string, std::string>, std::string> names_;  // by use and name here
};

}  // namespace skimline::skims

// SPDX-License-Identifier: BSD-3-Clause
// Columns of TTrees that belong together.
#pragma once

#include <string>
#include <vector>

namespace skimline::io {

/// Columns of a TTree whose lists have the same sizes by definition, because the same leaf counts them:
/// "Jet" of "Jet_pt" and "Jet_eta" with the counts "nJet".
struct Collection {
  std::string name;
  std::string count;  ///< the column with the sizes; empty if there is none
  std::string description;
  std::vector<std::string> columns;  ///< full names; their members are called without "<name>_" or "<name>."
};

}  // namespace skimline::io

// SPDX-License-Identifier: BSD-3-Clause
// Members of records as columns of their own, for programs that cannot read records.
#pragma once

#include "skimline/io/input_source.h"
#include "skimline/skims/left_out_columns.h"

#include <set>
#include <string>
#include <vector>

namespace skimline::skims {

/// Fields that lie in records, or show what does.
struct ColumnsOfRecords {
  std::vector<std::string> columns;     ///< to be written as columns
  std::vector<LeftOutColumn> left_out;  ///< what no column holds
};

/// Of `names` those that are left out where columns are written by themselves: of the names of one field that
/// are written alike, as "Muon.pt" and its projection "Muon_pt", all but the one without dots.
std::set<std::string> repeated_names(const io::InputSource& source, const std::vector<std::string>& names);

/// Takes fields in records out of `names`, and repeated names.
ColumnsOfRecords take_members(const io::InputSource& source, std::vector<std::string>& names);

}  // namespace skimline::skims

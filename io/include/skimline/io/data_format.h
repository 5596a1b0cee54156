// SPDX-License-Identifier: BSD-3-Clause
// The formats in which files hold entries.
#pragma once

namespace skimline::io {

/// How entries are stored; in the last two only skims are, and files that are read as RNTuples.
enum class DataFormat { kRNTuple, kTTree, kParquet, kArrow };

/// Returns "RNTuple", "TTree", "Parquet" or "Arrow".
const char* name_of(DataFormat format);

}  // namespace skimline::io

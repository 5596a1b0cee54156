// SPDX-License-Identifier: BSD-3-Clause
// The formats in which files hold entries.
#pragma once

namespace skimline::io {

/// How entries are stored.
enum class DataFormat { kRNTuple, kTTree };

/// Returns "RNTuple" or "TTree".
const char* name_of(DataFormat format);

}  // namespace skimline::io

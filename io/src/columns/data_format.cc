// SPDX-License-Identifier: BSD-3-Clause
#include "skimline/io/data_format.h"

namespace skimline::io {

const char* name_of(DataFormat format) { return format == DataFormat::kRNTuple ? "RNTuple" : "TTree"; }

}  // namespace skimline::io

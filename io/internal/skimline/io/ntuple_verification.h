// SPDX-License-Identifier: BSD-3-Clause
// Reads every stored byte of an RNTuple and compares it with its checksum.
#pragma once

#include "skimline/framework/stop_flag.h"
#include "skimline/io/root_file.h"
#include "skimline/io/verification.h"

#include <string>

namespace skimline::io {

/// Verifies all pages of the RNTuple called `name`, in the threads of the caller's arena. Metadata are
/// verified first: FileError if they are damaged. Pages without a checksum are compared with those of a file
/// of checksums, if there is one beside the file or in `checksum_folder`. Throws Interrupted soon after
/// `stop` is set.
EventsVerification verify_ntuple(const RootFile& file, const std::string& name, StopFlag stop = {},
                                 const std::string& checksum_folder = {});

}  // namespace skimline::io

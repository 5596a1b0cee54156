// SPDX-License-Identifier: BSD-3-Clause
// Reads every basket of a TTree.
#pragma once

#include "skimline/framework/stop_flag.h"
#include "skimline/io/root_file.h"
#include "skimline/io/verification.h"

#include <string>

namespace skimline::io {

/// Reads, decompresses and decodes all baskets of the TTree called `name`, in the threads of the caller's
/// arena. Baskets have no checksums but those of their compression (zlib, lzma, lz4), so that not all damage
/// is found, unless a file of checksums lies beside the file or in `checksum_folder`. Throws FileError if the
/// metadata are damaged, Interrupted soon after `stop` is set.
EventsVerification verify_tree(const RootFile& file, const std::string& name, StopFlag stop = {},
                               const std::string& checksum_folder = {});

}  // namespace skimline::io

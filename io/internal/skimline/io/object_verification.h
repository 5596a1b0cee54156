// SPDX-License-Identifier: BSD-3-Clause
// Reads every object of a file that is no RNTuple or TTree, and compares what has a checksum with it.
#pragma once

#include "skimline/framework/stop_flag.h"
#include "skimline/io/root_file.h"
#include "skimline/io/verification.h"

namespace skimline::io {

/// Compares the objects of our files with their checksums, those of others only for whether they can be
/// decompressed and, if they are histograms, parsed. Of a file of ours, all its other records but the data of
/// RNTuples and TTrees are compared too: faults name them. Uses the threads of the caller's arena. Throws
/// FileError if the storage fails, Interrupted soon after `stop` is set.
ObjectVerification verify_objects(const RootFile& file, StopFlag stop = {});

}  // namespace skimline::io

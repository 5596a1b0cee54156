// SPDX-License-Identifier: BSD-3-Clause
// Where the baskets of a branch lie, and which entries they hold.
#pragma once

#include "root/class_walk.h"

#include "skimline/io/tree_descriptor.h"

#include <cstdint>
#include <vector>

namespace skimline::io {

/// Fills the baskets of a branch, whose number of entries is known; none if it has no data of its own. Throws
/// FormatError, with which one, unless they follow each other from entry 0 on and lie inside the file, or the
/// object.
void find_baskets(const MemberValues& values, std::uint64_t file_size, BranchData& data);

/// Keeps of the streamed tree only the baskets that lie in it: it can be read, but not be copied any more.
void forget_object(TreeDescriptor& tree);

}  // namespace skimline::io

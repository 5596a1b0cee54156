// SPDX-License-Identifier: BSD-3-Clause
// Reads the metadata of a TTree by the StreamerInfo of its file.
#pragma once

#include "skimline/io/root_file.h"
#include "skimline/io/tree_descriptor.h"

#include <string>
#include <string_view>
#include <vector>

namespace skimline::io {

/// Whether a class of a key is TTree or derived from it without further data: TNtuple, TNtupleD.
bool is_tree_class(std::string_view class_name);

/// Returns the paths of the trees of a file, in its order.
std::vector<std::string> tree_names(const RootFile& file);

/// Reads the newest tree called `path`. What is returned can be trusted: numbers of branches and leaves are
/// in range, parents come before their children, baskets follow each other without gaps and lie inside the
/// file or the object. A branch that cannot be understood has a `problem` and no baskets; the others can be
/// read all the same. Throws FileError if the tree is not there or its own metadata are damaged.
TreeDescriptor read_tree(const RootFile& file, std::string_view path);

}  // namespace skimline::io

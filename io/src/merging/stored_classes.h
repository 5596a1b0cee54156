// SPDX-License-Identifier: BSD-3-Clause
// The classes that the objects in a TTree are made of.
#pragma once

#include "skimline/io/tree_descriptor.h"

#include <map>
#include <set>
#include <string>

namespace skimline::io {

/// By the name of each and its version: what it has as members, in one way or several.
using StoredClasses = std::map<std::string, std::set<std::string>>;

/// Those of the branches, and of their members.
StoredClasses stored_classes(const TreeDescriptor& tree);

}  // namespace skimline::io

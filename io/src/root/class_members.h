// SPDX-License-Identifier: BSD-3-Clause
// Whether objects of two layouts have the same bytes.
#pragma once

#include "skimline/io/class_layouts.h"

#include <string>

namespace skimline::io {

/// All that matters of the members: equal for layouts that are written alike.
std::string stored_members(const ClassLayout& layout);

/// The class that a member is an object of, or a collection of, or that is a base.
std::string class_of(const ClassMember& member);

}  // namespace skimline::io

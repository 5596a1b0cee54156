// SPDX-License-Identifier: BSD-3-Clause
// Members of base classes that have the name of a member of a class derived from them: the name is the
// latter's, as in C++.
#pragma once

#include <set>
#include <string_view>

namespace skimline::io {

/// Names that the members of a base class cannot have, as those of the classes around it have them.
using HiddenNames = std::set<std::string_view>;

inline constexpr const char* kHiddenMember = "a derived class has a member of this name";

}  // namespace skimline::io

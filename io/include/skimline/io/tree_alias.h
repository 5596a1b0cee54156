// SPDX-License-Identifier: BSD-3-Clause
// Names that a TTree gives to expressions.
#pragma once

#include <string>

namespace skimline::io {

/// An alias as TTree::SetAlias makes it; it is not usable in expressions.
struct TreeAlias {
  std::string name;
  std::string expression;
};

}  // namespace skimline::io
